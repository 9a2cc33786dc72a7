// One measurement: a NATS server, simulated agents, and the controller of one run over them, in this process.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pickPort } from '../../../servers/launcher/start/ports.js';
import { startNats } from '../../fixtures/e2e-agents.js';
import { measureAlone } from '../alone.js';
import { batchesOf } from './cells.js';
import { control } from './controller.js';

const PROCESS = fileURLToPath(new URL('agents-process.js', import.meta.url));
const START_MS = 60_000;

/**
 * @typedef {import('./cells.js').Cell & { transfers: number, seconds: number }} Request  transfers: a second of each worker
 * @typedef {import('./controller.js').Figures} Figures
 */

/** In a process of its own. @param {Request} request @param {AbortSignal} signal @returns {Promise<Figures>} */
export function measureAgents(request, signal) {
  const limitMs = START_MS + request.seconds * 1000 + START_MS;
  return measureAlone(new URL(import.meta.url), request, { limitMs, signal });
}

/** @param {Request} request @param {AbortSignal} signal @returns {Promise<Figures>} */
export async function measure({ agents, workers, transfers, seconds }, signal) {
  const folder = mkdtempSync(join(tmpdir(), 'broadside-bench-agents-'));
  const port = await pickPort('127.0.0.1');
  const nats = await startNats(folder, { flags: ['-m', String(port)] });
  /** @type {import('node:child_process').ChildProcess[]} */
  const processes = [];
  try {
    for (const batch of batchesOf(agents)) {
      processes.push(await startProcess({ ...batch, url: nats.url, folder, transfers }, signal));
    }
    const pids = processes.flatMap(({ pid }) => pid ?? []);
    const servers = { url: nats.url, monitor: `http://127.0.0.1:${port}`, natsPid: nats.pid, agentPids: pids };
    return await control({ ...servers, agents, workers, transfers, seconds, folder }, signal);
  } finally {
    for (const child of processes) child.kill('SIGKILL');
    await nats.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {object} request @param {AbortSignal} signal @returns {Promise<import('node:child_process').ChildProcess>} when all its agents answer */
async function startProcess(request, signal) {
  const words = [PROCESS, JSON.stringify(request)];
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'], signal });
  child.on('error', () => {}); // of the signal; the measurement ends with it, too
  const ended = once(child, 'exit').then(() => {
    throw new Error('a process of agents has ended by itself');
  });
  ended.catch(() => {});
  await Promise.race([once(/** @type {import('node:stream').Readable} */ (child.stdout), 'data'), ended]);
  return child;
}
