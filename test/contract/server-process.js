// Runs one server program bare (without the launcher) and looks at it from outside. The one thing to know: every server
// started here is ended by `endAll`, which each suite calls after each test, also when the test has failed.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readProcess, residentBytes, threadTimes } from '../../servers/launcher/process-tree.js';

/** Far beyond what is needed: reaching it is a failure, not a slow machine. */
export const PATIENCE_MS = 10_000;

/**
 * @typedef {object} RunningServer
 * @property {number} pid
 * @property {string} host
 * @property {number} port
 * @property {any} ready the ready line
 * @property {() => string} stderr what it wrote so far
 * @property {Promise<{code: number | null, signal: string | null}>} exited
 * @property {(signal?: NodeJS.Signals) => Promise<{code: number | null, signal: string | null}>} end
 */

/** @param {{folder: string, manifest: {run: string[]}}} server built */
export const programOf = ({ folder, manifest }) => join(folder, manifest.run[0]);

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/**
 * @param {() => unknown} condition
 * @param {string} what is waited for
 */
export async function until(condition, what, patienceMs = PATIENCE_MS) {
  for (const end = Date.now() + patienceMs; ; await wait(5)) {
    if (await condition()) return;
    assert.ok(Date.now() < end, `not within ${patienceMs} ms: ${what}`);
  }
}

/**
 * @param {string[]} command
 * @param {{descriptors?: number, env?: Record<string, string>}} [options] descriptors: its limit, soft and hard
 * @returns {Promise<RunningServer>}
 */
export async function startProgram(command, { descriptors, env = {} } = {}) {
  const limited = descriptors ? ['/bin/sh', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'sh', ...command] : command;
  const [program, ...words] = limited;
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  running.add(child);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes) => (stdout += bytes));
  child.stderr.on('data', (bytes) => (stderr += bytes));
  /** @type {Promise<{code: number | null, signal: string | null}>} */
  const exited = new Promise((resolve) => {
    child.on('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
  });
  const dead = () => child.exitCode !== null || child.signalCode !== null;
  await until(() => stdout.includes('\n') || dead(), `the ready line of ${command.join(' ')}`);
  assert.ok(stdout.includes('\n'), `${command.join(' ')} ended before its ready line: ${stderr}`);
  const ready = JSON.parse(stdout.slice(0, stdout.indexOf('\n')));
  const pid = ready.pids[0];
  return {
    pid, ready, exited, host: ready.host, port: ready.port,
    stderr: () => stderr,
    end(signal = 'SIGTERM') {
      process.kill(pid, signal);
      return exited;
    },
  };
}

/** Ends whatever a test has left running. */
export async function endAll() {
  for (const child of running) child.kill('SIGKILL');
  await until(() => running.size === 0, 'the end of all servers');
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

/** @param {number} pid */
export const descriptorsOf = (pid) => readdirSync(`/proc/${pid}/fd`).length;

/** @param {number} pid @returns {number} sockets that it has opened; what it was started with may be sockets too */
export function socketsOf(pid) {
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    if (Number(fd) <= 2) return false;
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
    } catch {
      return false; // closed between the two looks
    }
  }).length;
}

/** @param {number} pid @returns {boolean} whether it runs; what nobody has waited for yet does not */
export const lives = (pid) => (readProcess(pid)?.threads ?? 0) > 0;

/** @param {number} pid @returns {string} the CPUs that it may run on, as taskset writes them */
export const allowedCpus = (pid) =>
  /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';

/** @param {number} pid */
export const parentOf = (pid) => readProcess(pid)?.parent;

/** @param {number} pid */
export const threadsOf = (pid) => readProcess(pid)?.threads ?? 0;

export { residentBytes };

/**
 * CPU of all threads that are alive, to the nanosecond.
 * @param {number} pid
 */
const cpuNsOf = (pid) => [...threadTimes(pid).values()].reduce((sum, { cpuNs }) => sum + cpuNs, 0);

/**
 * @param {number[]} pids
 * @returns {Promise<number>} the share of a core that they take together, over a second
 */
export async function cpuShareOf(pids) {
  const cpuNs = () => pids.reduce((sum, pid) => sum + cpuNsOf(pid), 0);
  const cpuBefore = cpuNs();
  const wallBefore = process.hrtime.bigint();
  await wait(1000); // what is measured here is a length of time
  return (cpuNs() - cpuBefore) / Number(process.hrtime.bigint() - wallBefore);
}

/**
 * @param {number} pid
 * @returns {boolean} true when none of its threads runs or is ready to
 */
export function isAsleep(pid) {
  return readdirSync(`/proc/${pid}/task`).every((tid) => {
    const stat = readFileSync(`/proc/${pid}/task/${tid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('S');
  });
}

/** The descriptors this process may open: what limits how many connections a test can make. */
export function ownDescriptorLimit() {
  return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
}
