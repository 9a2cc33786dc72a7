// The primary of a leg with simulated workers that die, stall and stay silent, on a virtual clock: invariants that
// always hold. A failed test names the seed of its leg; BROADSIDE_SEED=N plays only this leg.

import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { uniform } from '../fixtures/random-numbers.js';
import { codesOf, dataOf } from '../fixtures/codes.js';
import { assertBooks, assertLosses, lastOf, playLeg, sumOf as sum } from '../fixtures/simulation.js';
import { evenSlices } from '../fixtures/even-slices.js';

/** @import { Fault, Played } from '../fixtures/simulation.js' */

const { BROADSIDE_SEED } = process.env;
const SEEDS = BROADSIDE_SEED ? [Number(BROADSIDE_SEED)] : Array.from({ length: 100 }, (_, i) => i + 1);
const KINDS = /** @type {const} */ (['dies', 'dies', 'dies', 'stalls', 'is silent', 'fails to start', 'fails']);

/** @param {number} seed @returns {NonNullable<Parameters<typeof playLeg>[1]>} */
function chaos(seed) {
  const random = uniform(seed * 7919);
  const pick = (/** @type {number} */ n) => Math.floor(random() * n);
  const workers = 1 + pick(4);
  const faults = Array.from({ length: pick(4) }, () => ({
    ...{ worker: pick(workers), kind: KINDS[pick(KINDS.length)], atMs: random() * 12_000, forMs: random() * 8_000 },
    times: random() < 0.2 ? Infinity : 1,
  }));
  const interruption = [
    { name: 'drain', atMs: random() * 12_000, what: (/** @type {any} */ leg) => leg.drain() },
    { name: 'kill', atMs: random() * 12_000, what: (/** @type {any} */ leg) => leg.kill() },
    { name: 'endNow', atMs: random() * 12_000, what: (/** @type {any} */ leg) => leg.endNow() },
  ];
  return {
    leg: { workers, engines: 1 + pick(2), steadyFromNs: 2e9, rampToNs: 1.5e9, steadyToNs: 8e9, drainTimeoutNs: 2e9 },
    settings: { connections: 5 + pick(20) },
    patience: { graceMs: 1000, readyMs: 3000 },
    faults,
    acts: random() < 0.4 ? interruption.slice(pick(3)).slice(0, 1 + pick(2)) : [],
  };
}

describe('a simulated leg, whatever happens,', () => {
  it(`keeps its books, and ends in time: ${SEEDS.length} seeds`, async () => {
    for (const seed of SEEDS) {
      const options = chaos(seed);
      const { outcome, merged, delivered, made, events, ends, timersLeft, tookMs } = await playLeg(seed, options);
      const told = `BROADSIDE_SEED=${seed}: ${JSON.stringify({ options, outcome, events }, null, 1)}`;
      assert.deepEqual([ends, timersLeft], [1, 0], told);
      assert.ok(tookMs < 20_000, `it took ${tookMs} ms: ${told}`);

      assertBooks({ merged, delivered, made }, told);
      // who exits at once warns of nothing
      if (!options.acts?.some(({ name }) => name === 'endNow')) assertLosses({ delivered, outcome }, told);
    }
  });

  it('is the same each time', async () => {
    const [first, second] = [await playLeg(7, chaos(7)), await playLeg(7, chaos(7))];
    assert.deepEqual(JSON.stringify(first), JSON.stringify(second));
  });
});

describe('a simulated leg', () => {
  const LEG = { workers: 2, rampToNs: 1e9, steadyFromNs: 1e9, steadyToNs: 10e9, drainTimeoutNs: 1e9 };
  const PATIENCE = { restartMs: 100, graceMs: 1000 };

  /** @param {NonNullable<Parameters<typeof playLeg>[1]>} options */
  const play = ({ leg, ...options } = {}) =>
    playLeg(1, { settings: { connections: 6 }, patience: PATIENCE, ...options, leg: { ...LEG, ...leg } });
  /** @type {(kind: Fault['kind'], more?: object) => Fault} */
  const fault = (kind, more) => ({ worker: 0, kind, atMs: 4_000, ...more });
  /** @param {Played} played */
  const generations = ({ events }) => events.filter(({ event }) => event === 'forked').map((event) => event.generation);

  it('of healthy workers ends as planned, with a sample for each second', async () => {
    const { outcome, merged } = await play();
    assert.deepEqual([outcome.endedBy, outcome.failure, outcome.warnings], ['plan', undefined, []]);
    assert.equal(Number(outcome.startNs) % 1e9, 0, 'it starts at a whole second');
    assert.deepEqual(
      merged.map(({ second, phase }) => `${second} ${phase}`),
      ['1 ramp', ...Array.from({ length: 9 }, (_, i) => `${i + 2} steady`), '11 drain'],
    );
  });

  it('replaces a worker that dies, with the seed of its next generation and the same slots', async () => {
    const played = await play({ faults: [fault('dies')] });
    assert.deepEqual([played.outcome.endedBy, codesOf(played.outcome.warnings)], ['plan', ['worker-lost']]);
    const { worker, how, started, open } = dataOf(played.outcome.warnings, 'worker-lost') ?? {};
    assert.deepEqual([worker, how, started, open], [0, 'SIGKILL', true, 3]);
    assert.deepEqual(generations(played), [0, 0, 1]);
    assert.equal(played.merged.findLast(({ phase }) => phase === 'steady')?.gauges.open, 6);
    assert.deepEqual(
      played.outcome.files.map(({ path, whole }) => `${basename(path)} ${whole ? 'whole' : 'cut'}`).sort(),
      ['transfers-0-1.arrows whole', 'transfers-0.arrows cut', 'transfers-1.arrows whole'],
    );
  });

  it('fails with the message of a listener that throws', async () => {
    const { outcome } = await play({
      onMerged: () => {
        throw new Error('no room for a sample');
      },
    });
    const { endedBy, failure } = outcome;
    assert.deepEqual(
      [endedBy, failure?.code, failure?.data],
      ['error', 'leg-failed', { reason: 'no room for a sample' }],
    );
  });

  it('gives up a worker that dies again and again, and ends with the others', async () => {
    const played = await play({ faults: [fault('dies', { atMs: 1_500, times: Infinity })], leg: { steadyToNs: 60e9 } });
    const { endedBy, failure } = played.outcome;
    assert.deepEqual([endedBy, failure?.code, failure?.data.times], ['workers', 'worker-lost-repeatedly', 6]);
    assert.deepEqual(generations(played), [0, 0, 1, 2, 3, 4, 5]);
    assert.equal(played.merged.findLast(({ phase }) => phase === 'steady')?.gauges.open, 3, 'of the other');
  });

  it('ends at once where a worker can never be started', async () => {
    const { outcome } = await play({ faults: [fault('fails to start', { times: Infinity })] });
    const { endedBy, failure, startNs } = outcome;
    assert.deepEqual(
      [endedBy, failure?.code, failure?.data.started, startNs],
      ['workers', 'worker-lost-repeatedly', false, null],
    );
  });

  it('tries again where a worker could not be started once', async () => {
    const { outcome } = await play({ faults: [fault('fails to start')] });
    assert.deepEqual([outcome.endedBy, codesOf(outcome.warnings)], ['plan', ['worker-lost']]);
  });

  it('ends with the reason where an engine cannot be created, or the workers are not ready in time', async () => {
    const refused = await play({ faults: [fault('fails', { atMs: 10 })] });
    assert.deepEqual([refused.outcome.endedBy, refused.outcome.failure?.code], ['error', 'worker-failed']);
    const late = await play({ faults: [fault('is silent', { atMs: 0 })], patience: { readyMs: 2_000 } });
    assert.deepEqual([late.outcome.endedBy, late.outcome.failure?.code], ['workers', 'workers-not-ready']);
    assert.deepEqual([late.outcome.failure?.data.workers, late.outcome.files], [[0], []]);
    const slices = evenSlices({ of: 6, starts: 2 });
    const options = { faults: [fault('is silent', { atMs: 0 })], patience: { readyMs: 2_000 }, leg: { slices } };
    assert.equal((await play(options)).outcome.failure?.data.readyMs, 12_000, 'of six legs that fork workers at once');
  });

  it('kills a worker that neither reports nor ends, and counts what it had in flight', async () => {
    const { outcome, merged, delivered } = await play({ faults: [fault('is silent')] });
    assert.deepEqual([outcome.endedBy, outcome.failure?.code], ['workers', 'worker-lost-early']);
    assert.deepEqual(dataOf(outcome.warnings, 'worker-silent'), { worker: 0, graceMs: 1000 });
    const [last, ...others] = lastOf(delivered).filter((interval) => !interval.last);
    assert.deepEqual([sum(merged, 'lostWithWorker'), others], [last.gauges.open, []]);
  });

  it('is not complete where a replacement would begin after the steady state', async () => {
    const { outcome } = await play({
      faults: [fault('dies', { atMs: 9_900 })],
      patience: { ...PATIENCE, restartMs: 2_000 },
    });
    assert.deepEqual([outcome.endedBy, outcome.failure?.code], ['workers', 'worker-replaced-late']);
  });

  it('drains early on request and starts no replacement then, or ends at once when it is killed', async () => {
    const acts = [{ atMs: 5_000, what: (/** @type {any} */ workers) => workers.drain() }];
    const drained = await play({ acts, faults: [fault('dies', { atMs: 4_950 })], leg: { steadyToNs: 2000e9 } });
    assert.equal(drained.outcome.endedBy, 'interrupted');
    assert.equal(drained.merged.at(-1)?.phase, 'drain');
    assert.deepEqual(generations(drained), [0, 0]);
    const killed = await play({ acts: [{ atMs: 5_000, what: (/** @type {any} */ workers) => workers.kill() }] });
    assert.equal(killed.outcome.endedBy, 'interrupted');
    assert.ok(killed.tookMs < 6_000, `${killed.tookMs} ms`);
  });

  it('ends a warm-up at the same whole second in all workers once its count is reached, replacements too', async () => {
    const times = { warmupTransfers: 20, steadyFromNs: 1000e9, steadyToNs: 1010e9 };
    const { outcome, merged } = await play({ leg: times, faults: [fault('dies', { atMs: 6_000 })] });
    assert.deepEqual([outcome.endedBy, codesOf(outcome.warnings)], ['plan', ['worker-lost']]);
    const [first, ...rest] = merged.filter(({ phase }) => phase === 'steady');
    assert.ok(first.fromNs < 10e9 && first.fromNs % 1e9 === 0, `${first.fromNs}`);
    assert.equal(rest.at(-1)?.toNs, first.fromNs + 10e9, 'as long as planned');
    assert.ok(merged.filter(({ phase }) => phase === 'warmup').every(({ toNs }) => toNs <= first.fromNs));
  });

  it('says that a warm-up ended before its count was reached', async () => {
    const { outcome } = await play({ leg: { warmupTransfers: 1e9, steadyFromNs: 4e9 } });
    assert.deepEqual([outcome.endedBy, codesOf(outcome.warnings)], ['plan', ['warmup-short']]);
    assert.equal(dataOf(outcome.warnings, 'warmup-short')?.elapsedNs, 3e9);
  });

  it('writes a second without a worker that is late with it, whose share goes into a later one', async () => {
    const { outcome, merged } = await play({ faults: [fault('stalls', { forMs: 7_000 })], leg: { steadyToNs: 20e9 } });
    assert.deepEqual([outcome.endedBy, outcome.warnings], ['plan', []]);
    const reports = merged.filter(({ phase }) => phase === 'steady').map(({ usages }) => usages.length);
    assert.ok(reports.includes(1) && reports.some((count) => count > 2), `${reports}`);
    assert.equal(
      reports.reduce((a, b) => a + b),
      2 * reports.length,
      'each interval once',
    );
  });
});
