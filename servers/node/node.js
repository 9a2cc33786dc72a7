#!/usr/bin/env node
// node: one process, one thread, one loop; node:net, or node:http for http. The one thing to know: everything a request
// costs is paid on this thread, also accepting.

import { readOptions } from './options.js';
import { listen, sayReady, whyNot } from './server.js';

const NAME = 'node';

process.on('SIGTERM', () => process.exit(0)).on('SIGINT', () => process.exit(0));

const summary = 'One process, one thread, one loop: node:net, and node:http for http.';
const options = readOptions({ name: NAME, summary, processes: false });

/** @param {string} text */
const say = (text) => void process.stderr.write(`${NAME}: ${text}\n`);

try {
  sayReady(options, await listen(options, say), [process.pid]);
} catch (error) {
  say(whyNot(options, error));
  process.exitCode = 1;
}
