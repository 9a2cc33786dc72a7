// The rules of comparison (config/COMPARING.md) that no other test simulates: made-up machines and servers whose truth is
// known. The seeds are fixed, so the shares are the same in each run.

import assert from 'node:assert/strict';
import { comparedFigure, markOf } from '../../client/judge/comparisons.js';
import { isSaturated, rankingTable } from '../../client/judge/ranking-table.js';
import { ratioInterval } from '../../client/judge/statistics/index.js';
import { slicesUntil } from '../../client/measure/slices.js';
import { medianOf } from '../../client/measure/statistics.js';
import { legOf } from '../fixtures/made-up-answers.js';
import { autoregressive, exponential, normal, uniform } from '../fixtures/random-numbers.js';

const RUNS = 500;
/** Two standard errors of a share in that many runs. @param {number} share @param {number} [runs] */
const uncertainty = (share, runs = RUNS) => 2 * Math.sqrt((share * (1 - share)) / runs);

/** @template T @param {number} n @param {(i: number) => T} of @returns {T[]} */
const series = (n, of) => Array.from({ length: n }, (_, i) => of(i));

/** @param {(run: number) => boolean} holds @param {number} [runs] @returns {number} the share of runs */
const shareOf = (holds, runs = RUNS) => series(runs, holds).filter(Boolean).length / runs;

const SECONDS = 30;
const SLICE_NS = 100e6;

/**
 * @param {() => number} random
 * @returns {number[]} the speed of a machine in each 100 ms: now and then other programs take a half of it, for a second on average
 */
function disturbedMachine(random) {
  let isDisturbed = false;
  return series((SECONDS * 1e9) / SLICE_NS, () => {
    if (random() < (isDisturbed ? 0.1 : 0.03)) isDisturbed = !isDisturbed;
    return isDisturbed ? 0.5 : 1;
  });
}

/** @param {number[]} machine @param {number} seed @param {[number, number]} speeds of two servers @returns {[number, number][]} of each second, in slices */
function inSlices(machine, seed, speeds) {
  const slices = { group: 1, of: 2, lengthNs: SLICE_NS, settleNs: 0, fromNs: 0, seed };
  const [first, second] = speeds.map((speed, index) => {
    const own = slicesUntil({ ...slices, index }, SECONDS * 1e9);
    return series(SECONDS, (block) =>
      own
        .filter(({ fromNs }) => Math.floor(fromNs / 1e9) === block)
        .reduce((sum, { fromNs }) => sum + speed * machine[Math.round(fromNs / SLICE_NS)], 0),
    );
  });
  return first.map((value, i) => [value, second[i]]);
}

/** @param {number[]} machine @param {[number, number]} speeds @returns {[number, number][]} of each second, one server after the other */
function inWholeLegs(machine, [one, other]) {
  const second = (/** @type {number} */ block) => {
    const from = (block * 1e9) / SLICE_NS;
    return machine.slice(from, from + 1e9 / SLICE_NS).reduce((sum, speed) => sum + speed, 0);
  };
  return series(SECONDS / 2, (block) => [one * second(block), other * second(SECONDS / 2 + block)]);
}

describe('servers side by side', () => {
  it('are compared in slices shorter than the disturbances of the machine, which divide out of the ratio', () => {
    const [random, gaussian] = [uniform(1), normal(uniform(2))];
    const truth = 0.84;
    const widths = { slices: 0, legs: 0 };
    const share = shareOf((run) => {
      const machine = disturbedMachine(random);
      const noisy = (/** @type {[number, number]} */ pair) =>
        /** @type {[number, number]} */ (pair.map((value) => value * Math.exp(0.02 * gaussian())));
      const found = ratioInterval(inSlices(machine, run, [truth, 1]).map(noisy));
      const whole = ratioInterval(inWholeLegs(machine, [truth, 1]).map(noisy));
      widths.slices += Math.log(Number(found.high) / Number(found.low)) / RUNS;
      widths.legs += Math.log(Number(whole.high) / Number(whole.low)) / RUNS;
      return Number(found.low) <= truth && truth <= Number(found.high);
    });
    assert.ok(share >= 0.93, `${share} of the intervals contain the truth`);
    assert.ok(widths.legs > 2.5 * widths.slices, JSON.stringify(widths));
  });

  for (const [name, memory, tail] of /** @type {[string, number, number][]} */ ([
    ['independent blocks', 0, 0],
    ['blocks of which some are disturbed', 0, 0.1],
    ['blocks that resemble their neighbours', 0.4, 0],
    ['disturbed blocks that resemble their neighbours', 0.4, 0.1],
  ])) {
    it(`have an interval of the ratio that contains it in about 95 % of runs: ${name}`, () => {
      for (const blocks of [15, 30, 60]) {
        const [random, gaussian] = [uniform(blocks), normal(uniform(blocks + 1))];
        const share = shareOf(() => {
          const noise = autoregressive(gaussian, memory);
          const { low, high } = ratioInterval(
            series(blocks, () => [1.1 * Math.exp(0.03 * noise() * (random() < tail ? 8 : 1)), 1]),
          );
          return Number(low) <= 1.1 && 1.1 <= Number(high);
        }, 2000);
        // how much blocks resemble each other cannot be told well from few of them
        const least = memory > 0 && blocks < 30 ? 0.9 : 0.93;
        assert.ok(share >= least && share <= 0.985, `${blocks} blocks: ${share}`);
      }
    });
  }
});

const FIGURES = ['perSecond', 'serverCpuPerTransferNs', 'p50Ns', 'p99Ns', 'serverMemoryPerConnectionBytes'];

/** @param {string} id @param {Record<string, number[]>} figures values of each block @param {object} [over] @returns {any} */
const caseOf = (id, figures, over = {}) => ({
  ...{ id, label: id, server: id, axes: {}, legs: [] },
  figures: Object.fromEntries(
    Object.entries(figures).map(([key, values]) => [key, { median: medianOf(values), values }]),
  ),
  ...over,
});

const closed = { workload: 'continuous', loop: /** @type {const} */ ('closed') };

describe('all comparisons of a run', () => {
  it('tell equal servers apart in at most 5 % of runs, however many figures and servers there are', () => {
    for (const servers of [2, 4]) {
      const gaussian = normal(uniform(servers));
      const share = shareOf(() => {
        const cases = series(servers, (i) =>
          caseOf(`${i}`, Object.fromEntries(FIGURES.map((key) => [key, series(20, () => Math.exp(0.1 * gaussian()))]))),
        );
        const { points } = rankingTable({ legs: [], cases, config: closed });
        return points[0].rows.some(({ cells }) => cells.some(({ mark }) => mark?.code === 'worse'));
      }, 300);
      assert.ok(share <= 0.05 + uncertainty(0.05, 300), `${servers} servers: ${share}`);
    }
  });

  it('call servers equal that differ by the margin in at most 2.5 % of runs', () => {
    const perSecond = comparedFigure('perSecond');
    for (const truth of [0.95, 1.05]) {
      const gaussian = normal(uniform(Math.round(100 * truth)));
      const share = shareOf(() => {
        const pairs = series(30, () => /** @type {[number, number]} */ ([truth * Math.exp(0.05 * gaussian()), 1]));
        return markOf(perSecond, ratioInterval(pairs)).code === 'as-good';
      });
      assert.ok(share <= 0.025 + uncertainty(0.025), `${truth}: ${share}`);
    }
  });
});

/**
 * A server that takes one request at a time, and sends each reply a while later.
 * @typedef {{ draw: () => number, delay: number }} Server  draw: seconds for a request; delay: likewise
 */

/** @param {number[]} values @param {number} share @returns {number} */
const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(share * values.length)];

/**
 * @param {Server} server @param {{ connections: number, pause?: number, requests: number }} load  each connection sends its next
 *   request a pause after the reply
 * @returns {{ times: number[], perSecond: number }} times: from when a request was sent
 */
function closedLoop({ draw, delay }, { connections, pause = 0, requests }) {
  const sent = series(connections, (i) => (pause * i) / connections);
  const times = [];
  let free = 0;
  for (let n = 0; n < requests; n += 1) {
    const connection = n % connections;
    free = Math.max(free, sent[connection]) + draw();
    times.push(free + delay - sent[connection]);
    sent[connection] = free + delay + pause;
  }
  return { times: times.slice(connections), perSecond: requests / free };
}

/** @param {Server} server @param {number} rate @param {number} requests @param {() => number} gap of mean 1 @returns {number[]} times from when each was due */
function openLoop({ draw, delay }, rate, requests, gap) {
  let [due, free] = [0, 0];
  return series(requests, () => {
    due += gap() / rate;
    free = Math.max(free, due) + draw();
    return free + delay - due;
  });
}

describe('response times', () => {
  it('of a saturated closed loop are connections / throughput, and are told from those of one that pauses', () => {
    const gap = exponential(uniform(3));
    for (const mean of [25e-6, 50e-6]) {
      const server = { draw: () => mean * (0.5 + 0.5 * gap()), delay: 0 };
      for (const [connections, pause, expected] of /** @type {[number, number, boolean][]} */ ([
        [50, 0, true],
        [1000, 0, true],
        [50, 1, false],
      ])) {
        const { times, perSecond } = closedLoop(server, { connections, pause, requests: 40 * connections });
        const ns = (/** @type {number} */ seconds) => 1e9 * seconds;
        const responseTimeNs = { p50: ns(quantile(times, 0.5)), p99: ns(quantile(times, 0.99)), min: ns(0.5 * mean) };
        const leg = legOf({ name: 'a', requested: connections });
        const found = isSaturated([{ ...leg, steady: { ...leg.steady, perSecond, responseTimeNs } }]);
        assert.equal(found, expected, `${connections} connections, ${pause} s`);
        const quotient = ns(connections / perSecond);
        if (expected)
          assert.ok(Math.abs(responseTimeNs.p50 / quotient - 1) < 0.1, `${responseTimeNs.p50}, ${quotient}`);
      }
    }
  });

  it('of a closed loop in slices are not of the server either, where only some connections have begun when a slice ends', () => {
    const times = { p50: 59e6, p99: 122e6, min: 20e3 };
    const leg = legOf({ name: 'a', requested: 10_000 });
    const measured = { ...leg, steady: { ...leg.steady, perSecond: 29_269, responseTimeNs: times } };
    const slices = /** @type {any} */ ({ lengthNs: 667e6 });
    assert.deepEqual([isSaturated([measured]), isSaturated([{ ...measured, slices }])], [false, true]);
  });

  it('at the same rate show the server with the shorter ones, which a saturated closed loop shows as the other', () => {
    const gap = exponential(uniform(4));
    // 40,000 a second, but each reply waits for others to be sent with it; 30,000 a second, each at once
    const servers = {
      batching: { draw: () => gap() / 40_000, delay: 1e-3 },
      plain: { draw: () => gap() / 30_000, delay: 0 },
    };
    const rate = 15_000;
    const loads = { connections: 100, requests: 4000 };
    const cases = Object.entries(servers).flatMap(([name, server]) => {
      const full = series(12, () => closedLoop(server, loads));
      const open = series(12, () => openLoop(server, rate, loads.requests, gap));
      const figures = (/** @type {number[][]} */ blocks) => ({
        p50Ns: blocks.map((times) => 1e9 * quantile(times, 0.5)),
        p99Ns: blocks.map((times) => 1e9 * quantile(times, 0.99)),
      });
      const perSecond = full.map((one) => one.perSecond);
      return [
        caseOf(name, { perSecond, ...figures(full.map(({ times }) => times)) }),
        caseOf(`${name} at`, figures(open), { series: name, comparedAt: rate }),
      ];
    });
    // the queue at 15,000 of 30,000 a second: exponential times of mean 1 / 15,000 s
    const found = cases.find(({ id }) => id === 'plain at').figures;
    assert.ok(Math.abs(found.p50Ns.median / (1e9 * (Math.LN2 / 15_000)) - 1) < 0.1, `${found.p50Ns.median}`);
    assert.ok(Math.abs(found.p99Ns.median / (1e9 * (Math.log(100) / 15_000)) - 1) < 0.2, `${found.p99Ns.median}`);
    const marks = (/** @type {any[]} */ some, /** @type {string} */ key) => {
      const { figures, points } = rankingTable({ legs: [], cases: some, config: closed });
      const i = figures.findIndex(({ compared }) => compared.key === key);
      return Object.fromEntries(points[0].rows.map(({ label, cells }) => [label, cells[i].mark?.code]));
    };
    assert.deepEqual(marks(cases, 'perSecond'), { batching: 'best', plain: 'worse' });
    const full = cases.filter(({ comparedAt }) => comparedAt === undefined);
    for (const key of ['p50Ns', 'p99Ns']) {
      assert.deepEqual(marks(cases, key), { batching: 'worse', plain: 'best' }, key);
      assert.notEqual(marks(full, key).plain, 'best', `${key}: times of a full closed loop say otherwise`);
    }
  });
});
