// How the cluster's workers are started. The one thing to know: it holds for the forks that follow, of this process.
import cluster from 'node:cluster';

/**
 * A worker's JavaScript runs once a second and allocates little: a small young generation lets go of the arrays of its
 * intervals soon, and it collects the rest itself (worker-loop.js); to optimise its code would take megabytes, after a
 * minute, for nothing.
 */
const WORKER_OPTIONS = ['--max-semi-space-size=1', '--no-opt', '--expose-gc'];

/** @param {string} workerFile */
export function prepareForks(workerFile) {
  cluster.setupPrimary({
    exec: workerFile,
    args: [],
    execArgv: [...process.execArgv, ...WORKER_OPTIONS],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}
