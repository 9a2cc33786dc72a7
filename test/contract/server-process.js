// Starts single server programs without the launcher. Every server started here is ended by `endAll`, which each suite
// calls after each test, also when it has failed.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { starter } from '../../servers/conformance/index.js';
import { cpuShareOf } from '../../servers/conformance/tree.js';
import { ServerError } from '../../servers/launcher/errors.js';
import { readProcess } from '../../servers/launcher/process/process-tree.js';

/** @import { RunningServer } from '../../servers/conformance/start.js' */

export { isAlive as lives } from '../../servers/conformance/tree.js';
export { until, within } from '../../servers/conformance/wait.js';
export { cpuShareOf };

/** @param {{folder: string, manifest: {run: string[]}}} server built */
export const programOf = ({ folder, manifest }) => join(folder, manifest.run[0]);

/** @type {Set<RunningServer>} */
const running = new Set();

/**
 * @param {string[]} run program and arguments
 * @param {{descriptors?: number, env?: Record<string, string>, protocol?: string}} [options] descriptors: its limit,
 *   soft and hard
 * @returns {Promise<RunningServer>}
 */
export async function startProgram(run, { descriptors, env, protocol = 'echo' } = {}) {
  const server = await starter({ run, protocol, ready: 'line', env })({ descriptors });
  running.add(server);
  return server;
}

/** Ends whatever a test has left running. */
export async function endAll() {
  for (const server of running) await server.kill();
  running.clear();
}

/**
 * @param {string[]} command that ends by itself
 * @returns {Promise<{code: number | null, stdout: string, stderr: string}>}
 */
export function runToEnd([program, ...words]) {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes) => (stdout += bytes));
  child.stderr.on('data', (bytes) => (stderr += bytes));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** @param {number} pid @returns {string} the CPUs that it may run on, as taskset writes them */
export const allowedCpus = (pid) =>
  /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';

/** @param {number} pid */
export const threadsOf = (pid) => readProcess(pid)?.threads ?? 0;

/**
 * @param {Promise<unknown>} promise
 * @param {string} code
 * @returns {Promise<ServerError>}
 */
export async function failure(promise, code) {
  const error = await promise.then(
    () => assert.fail('it must fail'),
    (/** @type {unknown} */ each) => each,
  );
  assert.ok(error instanceof ServerError, String(error));
  assert.equal(error.code, code, error.message);
  return error;
}
