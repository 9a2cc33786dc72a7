#!/usr/bin/env node
// node: one process, one serving thread, one loop; node:net, or node:http for http. Only the first thread of a
// process receives signals; when work holds the serving thread (block, spin), that is a second one.

import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { readOptions } from './options.js';
import { say, sayReady, tryListen } from './server.js';

/**
 * @import { Options } from './options.js'
 * @import { Outcome } from './server.js'
 */

const NAME = 'node';

/** @param {Options} options */
const serve = (options) => tryListen(options, (text) => say(`${NAME}: ${text}`));

/** @param {Options} options @param {Outcome} outcome */
function report(options, outcome) {
  if ('listening' in outcome) {
    sayReady(options, outcome.listening, [process.pid]);
  } else {
    say(`${NAME}: ${outcome.failed}`);
    process.exit(1);
  }
}

if (isMainThread) {
  process.on('SIGTERM', () => process.exit(0)).on('SIGINT', () => process.exit(0));
  const summary = 'One process, one thread, one loop: node:net, and node:http for http.';
  const options = readOptions({ name: NAME, summary, processes: false });
  if (options.work === null || options.work.kind === 'wait') {
    report(options, await serve(options));
  } else {
    const thread = new Worker(new URL(import.meta.url), { workerData: options });
    thread.once('message', (outcome) => report(options, outcome));
    thread.once('exit', (code) => process.exit(code)); // ended by --volley-stop
  }
} else {
  parentPort?.postMessage(await serve(workerData));
}
