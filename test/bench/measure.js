// One measurement: a fresh epoll server, one client against it, both placed; and the building of the bare client.
// The one thing to know: it ends what it starts, in time, and only that.

import { execFile, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startServer } from '../../servers/launcher/index.js';
import { WARMUP_SECONDS } from './cells.js';

const run = promisify(execFile);
const pathOf = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** In `build/`, on the file system of `logs/`, ignored by git. */
const BUILD = pathOf('build');
const BARE_CLIENT = pathOf('build/bare-client');
const LOG_FILE = pathOf('build/transfers.arrows');
const ONE_CORE = ['taskset', '-c', '0'];
/** What a client may take beside warm-up and window. */
const GRACE_MS = 30_000;

/** @type {Record<import('./cells.js').Client, {command: string[], more: string[]}>} */
const COMMANDS = {
  bare: { command: [BARE_CLIENT], more: [] },
  net: { command: [process.execPath, pathOf('net-client.js')], more: [] },
  engine: { command: [process.execPath, pathOf('engine-client.js')], more: [LOG_FILE] },
  'engine-no-log': { command: [process.execPath, pathOf('engine-client.js')], more: [] },
};

/** Builds the bare client with the engine's own optimisation. */
export async function buildBareClient() {
  mkdirSync(BUILD, { recursive: true });
  const flags = ['-std=c11', '-D_GNU_SOURCE', '-O2', '-Wall', '-Wextra', '-Wshadow', '-Wconversion'];
  await run(process.env.CC ?? 'cc', [...flags, '-o', BARE_CLIENT, pathOf('bare-client.c')]);
}

/**
 * @param {import('./cells.js').Step} step
 * @param {number} windowSeconds
 * @param {AbortSignal} signal ends it at once; the promise rejects then
 * @returns {Promise<import('./result.js').Measurement>}
 */
export async function measure(step, windowSeconds, signal) {
  signal.throwIfAborted();
  const server = await startServer({ name: 'epoll', protocol: 'echo' });
  try {
    if (step.placement === 'one-core') {
      for (const pid of server.pids) await run('taskset', ['-a', '-p', '-c', '0', String(pid)]);
    }
    const { command, more } = COMMANDS[step.client];
    const numbers = [server.port, step.connections, step.payloadBytes, WARMUP_SECONDS, windowSeconds].map(String);
    const words = [...(step.placement === 'one-core' ? ONE_CORE : []), ...command, ...numbers, ...more];
    const limitMs = (WARMUP_SECONDS + windowSeconds) * 1000 + GRACE_MS;
    return { ...step, ...JSON.parse(await outputOf(words, limitMs, signal)) };
  } finally {
    await server.stop();
    rmSync(LOG_FILE, { force: true });
  }
}

/**
 * @param {string[]} words
 * @param {number} limitMs
 * @param {AbortSignal} signal
 * @returns {Promise<string>} what it wrote; rejects when it fails, takes too long or is to end
 */
function outputOf([command = '', ...words], limitMs, signal) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      killSignal: 'SIGKILL',
      timeout: limitMs,
      signal,
    });
    let [out, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
    child.on('error', reject);
    child.on('close', (code, killedBy) => {
      const why = killedBy ? `ended by ${killedBy}; it may take ${limitMs / 1000} s` : `exit ${code}`;
      if (code === 0) resolve(out);
      else reject(new Error(`${[command, ...words].join(' ')}: ${why}\n${errors.trim()}`));
    });
  });
}
