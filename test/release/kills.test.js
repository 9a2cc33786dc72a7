// The primary is killed at moments of a run that a seed decides: what was measured is there, as the server counted it,
// and the run can be reported.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { seededRandom } from '../../client/measure/random.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { startCountingTarget } from '../fixtures/e2e-server.js';

/** @import { Counted } from '../fixtures/counting-target.js' */

const SEEDS = [1, 2, 3];
const KILLS = 4;
const CONNECTIONS = 20;
const BYTES = 64;
/** More than a run takes. */
const LONG_MS = 100_000;
/** The target counts by slots of this length. */
const SLOT_NS = 1e7;

/**
 * @param {string} folder of a run @param {string} leg
 * @returns {{ startNs: number, samples: any[] } | null} by CLOCK_MONOTONIC; null of a leg that had not started
 */
function measuredBy(folder, leg) {
  const events = linesOf(join(folder, 'events.ndjson'));
  const started = events.find((event) => event.msg === 'leg starts' && event.leg === leg);
  if (started === undefined) return null;
  const { t0 } = JSON.parse(readFileSync(join(folder, 'environment.json'), 'utf8'));
  return { startNs: Number(t0.monotonicNs) + started.startNs, samples: linesOf(join(folder, leg, 'samples.ndjson')) };
}

/** @param {string} file @returns {any[]} its whole lines */
function linesOf(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  return lines.map((line) => JSON.parse(line));
}

/**
 * In a closed loop the server has read each request that was answered, and at most one of each connection more.
 * @param {{ startNs: number, samples: any[] }} leg @param {Counted} counted
 */
function assertCounts({ startNs, samples }, counted) {
  const slots = counted.read.map(([fromNs, bytes]) => ({ fromNs: Number(fromNs), bytes }));
  const readBy = (/** @type {number} */ ns) =>
    slots.reduce((sum, slot) => sum + (slot.fromNs < ns && slot.fromNs + SLOT_NS > startNs ? slot.bytes : 0), 0);
  let transfers = 0;
  for (const { counters, toNs } of samples) {
    transfers += counters.transfers;
    const [least, most] = [readBy(startNs + toNs - SLOT_NS), readBy(startNs + toNs + SLOT_NS)].map((n) => n / BYTES);
    assert.ok(
      transfers <= most && transfers >= least - CONNECTIONS,
      `${transfers} transfers until ${toNs / 1e9} s; the server has read ${least} to ${most} requests`,
    );
  }
}

describe('a run whose primary is killed', function () {
  this.timeout(KILLS * 120_000);
  const box = sandbox({ workers: 2 });

  for (const seed of SEEDS) it(`has what was measured, and can be reported: seed ${seed}`, () => kill(seed));

  /** @param {number} seed */
  async function kill(seed) {
    const random = seededRandom(seed);
    const scenario = { connections: CONNECTIONS, payload: `${BYTES}B`, pause: '5ms', duration: '2s', rounds: 2 };
    // the first run is not killed: it says how long one takes here
    let longestMs = 0;
    let samples = 0;
    for (let n = 0; n <= KILLS; n += 1) {
      const afterMs = n === 0 ? LONG_MS : random() * longestMs;
      const tag = `seed ${seed}, kill ${n}, after ${afterMs.toFixed(0)} ms`;
      const target = await startCountingTarget();
      const since = performance.now();
      const run = box.stress({ ...scenario, target: `127.0.0.1:${target.port}` });
      await Promise.race([wait(afterMs, null, { ref: false }), run.ended()]);
      if (run.ending === null) run.kill('SIGKILL');
      await run.ended();
      await run.until(`all are gone (${tag})`, () => run.processes().length === 0);
      if (run.ending?.code === 0) longestMs = performance.now() - since;
      const counted = await target.account();
      const { folder } = run;
      if (folder === null || !existsSync(join(folder, 'environment.json'))) continue;
      const ids = JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')).legs.map(
        (/** @type {any} */ { id }) => id,
      );
      const command = (/** @type {string[]} */ ...words) =>
        box.start([process.execPath, CLI, ...words, '--logs', run.logs, '--report', run.report], { logs: run.logs });
      await command('report', basename(folder)).endsWith(0);
      const summary = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8'));
      for (const id of ids) {
        const leg = measuredBy(folder, id);
        if (leg === null) continue;
        assertCounts(leg, counted);
        samples += leg.samples.length;
        const transfers = leg.samples.reduce((sum, { counters }) => sum + counters.transfers, 0);
        const found = summary.legs.find((/** @type {any} */ one) => one.id === id);
        if (leg.samples.length > 0) assert.equal(found.transfers.count, transfers, tag);
      }
    }
    assert.ok(samples > 0, `no kill was during a leg (seed ${seed})`);
  }
});
