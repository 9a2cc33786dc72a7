// Runs the command line as a user would, for the benches that watch its processes from outside. Its folders are
// temporary, and close() ends all of it, whatever happened.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processesOf } from '../fixtures/e2e-processes.js';
import { CLI, Run } from '../fixtures/e2e-run.js';

/**
 * @typedef {object} StressRun
 * @property {Run} run
 * @property {() => Promise<void>} close
 */

/**
 * @param {Record<string, unknown>} scenario
 * @param {AbortSignal} signal ends it
 * @param {string[]} [flags] more of them
 * @returns {StressRun}
 */
export function startStress(scenario, signal, flags = []) {
  const folder = mkdtempSync(join(tmpdir(), 'broadside-bench-'));
  const [config, logs, report] = ['bench.json', 'logs', 'report'].map((name) => join(folder, name));
  writeFileSync(config, JSON.stringify(scenario));
  const words = ['stress', '--config', config, '--logs', logs, '--report', report, ...flags];
  const run = new Run([process.execPath, CLI, ...words], { logs, report });
  const end = () => void run.child.kill('SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  return {
    run,
    async close() {
      signal.removeEventListener('abort', end);
      if (!run.ending) end();
      await run.ended();
      // the workers and the guard follow the command by themselves
      await run.until('all of it has ended', () => processesOf(run.id).length === 0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param {Run} run @throws {Error} when it has ended, which it should not have */
export function assertAlive(run) {
  if (run.ending) throw new Error(`the run ended by itself${run.story()}`);
}
