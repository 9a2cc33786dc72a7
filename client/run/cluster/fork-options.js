// How the cluster's workers are started.
import cluster from 'node:cluster';

/**
 * A worker's JavaScript runs once a second and allocates little. A small young generation frees the arrays of its
 * intervals soon, and a collection now and then (worker-loop.js) the rest; optimised code would take megabytes after a
 * minute and save nothing.
 */
const WORKER_OPTIONS = ['--max-semi-space-size=1', '--no-opt', '--expose-gc'];

/** Applies to all later forks of this process. @param {string} workerFile */
export function prepareForks(workerFile) {
  cluster.setupPrimary({
    exec: workerFile,
    args: [],
    execArgv: [...process.execArgv, ...WORKER_OPTIONS],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}
