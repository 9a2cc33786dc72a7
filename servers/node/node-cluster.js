#!/usr/bin/env node
// node-cluster: N processes of node:cluster, each with its own loop, accept from one listening socket. The kernel
// chooses the process (SCHED_NONE: the first to wake takes all waiting connections), so the distribution is uneven.
// The first process opens the socket and serves no connection.

import cluster from 'node:cluster';
import { constants } from 'node:os';
import { readOptions } from './options.js';
import { say, sayReady, tryListen } from './server.js';

/**
 * @import { Options } from './options.js'
 * @import { Outcome } from './server.js'
 */

const NAME = 'node-cluster';

/** @param {Options} options */
async function work(options) {
  const { work: each, processes } = options;
  const number = cluster.worker?.id ?? 1;
  const own = { ...options, work: each && { ...each, seed: each.seed + number - 1 } };
  process.send?.(await tryListen(own, (text) => say(`${NAME} (process ${number} of ${processes}): ${text}`)));
}

/** @param {Options} options */
function lead(options) {
  const { processes } = options;
  const workers = Array.from({ length: processes }, () => cluster.fork());
  const left = new Set(workers);
  let listening = 0;
  /** @type {number | null} */
  let status = null;

  /** @param {number} code kills the workers, and ends once they are gone: then the port is free */
  const end = (code) => {
    if (status !== null) return;
    status = code;
    for (const worker of left) worker.process.kill('SIGKILL');
    if (left.size === 0) process.exit(code);
  };
  process.on('SIGTERM', () => end(0)).on('SIGINT', () => end(0));

  cluster.on('message', (_worker, /** @type {Outcome} */ outcome) => {
    if (status !== null) return;
    if ('failed' in outcome) {
      say(`${NAME}: ${outcome.failed}`);
      end(1);
    } else if (++listening === processes) {
      sayReady(options, outcome.listening, [process.pid, ...workers.map((worker) => Number(worker.process.pid))]);
    }
  });
  cluster.on('exit', (worker, code, signal) => {
    left.delete(worker);
    if (status !== null) {
      if (left.size === 0) process.exit(status);
    } else if (code === 0) {
      end(0); // ended by --volley-stop
    } else {
      const which = `process ${workers.indexOf(worker) + 1} of ${processes} (pid ${worker.process.pid})`;
      say(`${NAME}: ${which} ${howEnded(code, signal)}; ${howMany(left.size)}`);
      if (listening < processes) end(1);
      else if (left.size === 0) end(signal === 'SIGTERM' || signal === 'SIGINT' ? 0 : 1);
    }
  });
}

/** @param {number | null} code @param {string | null} signal */
function howEnded(code, signal) {
  if (!signal) return `ended with exit status ${code}`;
  return `was ended by signal ${constants.signals[/** @type {NodeJS.Signals} */ (signal)]} (${signal})`;
}

/** @param {number} left */
const howMany = (left) => (left === 0 ? 'none remains' : `${left} remain${left === 1 ? 's' : ''}`);

const summary = 'Worker processes of node:cluster; the kernel chooses which of them accepts (SCHED_NONE).';
const options = readOptions({ name: NAME, summary, processes: true });
cluster.schedulingPolicy = cluster.SCHED_NONE;
if (cluster.isPrimary) lead(options);
else await work(options);
