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
    execArgv: optionsOf(),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

const optionsOf = () => [...process.execArgv, ...WORKER_OPTIONS];

/**
 * @param {string[]} wrapper  a program and its arguments, which gets the worker's command line appended, and which must
 *   leave the descriptors open that it inherits; empty: none
 * @returns {import('node:cluster').Worker}
 */
export function forkWorker(wrapper) {
  const node = process.execPath;
  const [program = node, ...words] = wrapper;
  cluster.setupPrimary({ execArgv: wrapper.length === 0 ? optionsOf() : [...words, node, ...optionsOf()] });
  process.execPath = program; // which cluster takes no option for
  try {
    return cluster.fork();
  } finally {
    process.execPath = node;
  }
}
