// One measurement: the engine against the delaying server. Server and client have a CPU each if there are two; both
// clocks are CLOCK_MONOTONIC.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../../../servers/launcher/index.js';
import { measureAlone } from '../alone.js';
import { buildProgram, programOf } from '../build.js';
import { outputOf } from '../child.js';
import { engineCommand } from '../engine-command.js';
import { MEAN_US, PAYLOAD_BYTES, rateOf } from './cells.js';
import { delaysIn } from './delays.js';

/**
 * @typedef {{cell: import('./cells.js').Cell, seconds: number, serverCpu: string | null,
 *   clientCpu: string | null}} Request
 * @typedef {{transfers: number, delays: number, cpuShare: number, percents: string[], serverNs: number[],
 *   clientNs: number[]}} Figures  cpuShare: of a core that the client used
 */

const SOURCE = new URL('delaying-server.c', import.meta.url);
const WARMUP_SECONDS = 1;
const REST_SECONDS = 2;
const GRACE_MS = 30_000;

/** @param {{seconds: number}} how @returns {number} about how long it takes */
export const secondsOf = ({ seconds }) => WARMUP_SECONDS + seconds + REST_SECONDS;

/** @param {Request} request */
const limitOf = ({ seconds }) => (WARMUP_SECONDS + seconds) * 1000 + GRACE_MS;

export async function prepare() {
  await buildProgram(SOURCE, ['-lm']);
}

/** In a process of its own. @param {Request} request @param {AbortSignal} signal @returns {Promise<Figures>} */
export function measureAccuracy(request, signal) {
  return measureAlone(new URL(import.meta.url), request, { limitMs: limitOf(request), signal });
}

/** @param {Request} request @param {AbortSignal} signal @returns {Promise<Figures>} */
export async function measure(request, signal) {
  const { cell, seconds, serverCpu, clientCpu } = request;
  const { connections, io } = cell;
  const folder = mkdtempSync(join(tmpdir(), 'broadside-bench-'));
  const log = join(folder, 'delays');
  try {
    const program = `'${programOf(SOURCE).replaceAll("'", "'\\''")}'`;
    const command = `exec ${program} {port} ${PAYLOAD_BYTES} ${MEAN_US} '${log}'`;
    const server = await startServer({ command, cpus: serverCpu });
    let text;
    try {
      const times = { warmupSeconds: WARMUP_SECONDS, windowSeconds: seconds };
      const load = { connections, payloadBytes: PAYLOAD_BYTES, rate: rateOf(cell) };
      const words = engineCommand({ ...load, io, ...times }).map((word) =>
        word === '{port}' ? String(server.port) : word,
      );
      const onto = clientCpu === null ? [] : ['taskset', '-c', clientCpu];
      text = await outputOf([...onto, ...words], { limitMs: limitOf(request), signal });
    } finally {
      await server.stop();
    }
    /** @type {import('../engine-client.js').Figures} */
    const figures = JSON.parse(text);
    if (figures.failures > 0) throw new Error(`the engine counts ${figures.failures} rejects and errors`);
    return compared(figures, readFileSync(log));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {import('../engine-client.js').Figures} figures @param {Buffer} log @returns {Figures} */
function compared({ roundTrips, seconds, cpuSeconds, percentilesNs = {}, ...window }, log) {
  const percents = Object.keys(percentilesNs);
  const delays = delaysIn(log, window, percents.map(Number));
  return {
    transfers: roundTrips,
    delays: delays.count,
    cpuShare: cpuSeconds / seconds,
    percents,
    serverNs: percents.map((percent) => delays.percentilesNs[percent] ?? NaN),
    clientNs: percents.map((percent) => percentilesNs[percent] ?? NaN),
  };
}
