// Describes the machine of a measurement, and whether it is otherwise busy.

import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release } from 'node:os';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const BUSY = 0.1;
const LOAD = 0.5;

/** @returns {{busy: number, idle: number}} ms of all cores since boot */
function times() {
  const all = cpus().map(({ times: { user, nice, sys, irq, idle } }) => ({ busy: user + nice + sys + irq, idle }));
  return all.reduce((sum, { busy, idle }) => ({ busy: sum.busy + busy, idle: sum.idle + idle }));
}

/** @returns {Promise<{load: number, busy: number}>} the last minute's load average; the share of a second now */
export async function pressure() {
  const before = times();
  await after(1000);
  const now = times();
  const [busy, idle] = [now.busy - before.busy, now.idle - before.idle];
  return { load: loadavg()[0] ?? NaN, busy: busy / (busy + idle) };
}

/** @param {{load: number, busy: number}} pressure @returns {string | null} a warning, or null when it is quiet */
export function warningOf({ load, busy }) {
  if (load <= LOAD && busy <= BUSY) return null;
  return 'the machine is busy with something else: the figures will be worse than they are, and scatter';
}

/** @returns {{kernel: string, cpu: string, cores: number, node: string, compiler: string, commit: string}} */
export function facts() {
  return {
    kernel: release(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown CPU',
    cores: cpus().length,
    node: process.versions.node,
    compiler: firstLine(process.env.CC ?? 'cc', ['--version']),
    commit: commit(),
  };
}

/** What a bench has just written is no other state of the code. @returns {string} */
function commit() {
  const written = [':(top)', ':(top,exclude)test/bench/README.md'];
  const changed = firstLine('git', ['status', '--porcelain', '--untracked-files=no', '--', ...written]);
  return firstLine('git', ['describe', '--always']) + (changed === '' ? '' : '-dirty');
}

/** @param {string} command @param {string[]} words @returns {string} */
function firstLine(command, words) {
  try {
    const text = execFileSync(command, words, { cwd: FOLDER, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return text.split('\n')[0] ?? '';
  } catch {
    return 'unknown';
  }
}
