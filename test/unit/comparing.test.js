// Simulations of rules of comparison (config/COMPARING.md), with made-up machines and servers whose differences are
// known. The seeds are fixed, so the shares are the same in each run.

import assert from 'node:assert/strict';
import { comparedFigure, markOf, ratioOf } from '../../client/judge/comparisons.js';
import { figureOf } from '../../client/judge/figures.js';
import { startsText } from '../../client/judge/mark-texts.js';
import { isSaturated, rankingTable } from '../../client/judge/ranking-table.js';
import { ratioInterval } from '../../client/judge/statistics/index.js';
import { nestedInterval, nestedRatio, startNoise } from '../../client/judge/statistics/nested.js';
import { slicesUntil } from '../../client/measure/slices.js';
import { medianOf } from '../../client/measure/statistics.js';
import { legOf } from '../fixtures/made-up-answers.js';
import { autoregressive, exponential, normal, uniform } from '../fixtures/random-numbers.js';
import { evenSlices } from '../fixtures/even-slices.js';

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
 * @returns {number[]} the speed of a machine in each 100 ms: now and then other programs take a half of it, for a
 *   second on average
 */
function disturbedMachine(random) {
  let isDisturbed = false;
  return series((SECONDS * 1e9) / SLICE_NS, () => {
    if (random() < (isDisturbed ? 0.1 : 0.03)) isDisturbed = !isDisturbed;
    return isDisturbed ? 0.5 : 1;
  });
}

/**
 * @param {number[]} machine
 * @param {number} seed
 * @param {[number, number]} speeds of two servers
 * @returns {[number, number][]} of each second, in slices
 */
function inSlices(machine, seed, speeds) {
  const slices = evenSlices({ measuredNs: SLICE_NS, settleOutNs: 0, seed });
  const [first, second] = speeds.map((speed, index) => {
    const slicesOfLeg = slicesUntil({ ...slices, index }, SECONDS * 1e9);
    return series(SECONDS, (block) =>
      slicesOfLeg
        .filter(({ fromNs }) => Math.floor(fromNs / 1e9) === block)
        .reduce((sum, { fromNs }) => sum + speed * machine[Math.round(fromNs / SLICE_NS)], 0),
    );
  });
  return first.map((value, i) => [value, second[i]]);
}

/**
 * @param {number[]} machine
 * @param {[number, number]} speeds
 * @returns {[number, number][]} of each second, one server after the other
 */
function inWholeLegs(machine, [first, second]) {
  const workIn = (/** @type {number} */ block) => {
    const from = (block * 1e9) / SLICE_NS;
    return machine.slice(from, from + 1e9 / SLICE_NS).reduce((sum, speed) => sum + speed, 0);
  };
  return series(SECONDS / 2, (block) => [first * workIn(block), second * workIn(SECONDS / 2 + block)]);
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
      const interval = ratioInterval(inSlices(machine, run, [truth, 1]).map(noisy));
      const whole = ratioInterval(inWholeLegs(machine, [truth, 1]).map(noisy));
      widths.slices += Math.log(Number(interval.high) / Number(interval.low)) / RUNS;
      widths.legs += Math.log(Number(whole.high) / Number(whole.low)) / RUNS;
      return Number(interval.low) <= truth && truth <= Number(interval.high);
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
        }, 1000);
        // how much blocks resemble each other cannot be told well from few of them
        const least = memory > 0 && blocks < 30 ? 0.9 : 0.93;
        assert.ok(share >= least && share <= 0.985, `${blocks} blocks: ${share}`);
      }
    });
  }
});

const FIGURES = ['perSecond', 'serverCpuPerTransferNs', 'p50Ns', 'p99Ns', 'serverMemoryPerConnectionBytes'];

/**
 * @param {string} id
 * @param {Record<string, number[]>} figures values of each block
 * @param {object} [over]
 * @returns {any}
 */
const caseOf = (id, figures, over = {}) => ({
  ...{ id, label: id, server: id, axes: {}, legs: [id] },
  figures: Object.fromEntries(
    Object.entries(figures).map(([key, values]) => [key, { median: medianOf(values), values }]),
  ),
  ...over,
});

/** @param {{ id: string }} ofCase @returns {any} a leg of the case, without figures */
const legIn = ({ id }) => ({ id, label: id, case: id, server: id, round: 1, complete: true, connections: {} });

const closed = { workload: 'continuous', loop: /** @type {const} */ ('closed') };

describe('all comparisons of a run', () => {
  it('tell equal servers apart in at most 5 % of runs, however many figures and servers there are', () => {
    for (const servers of [2, 4]) {
      const gaussian = normal(uniform(servers));
      const share = shareOf(() => {
        const cases = series(servers, (i) =>
          caseOf(`${i}`, Object.fromEntries(FIGURES.map((key) => [key, series(20, () => Math.exp(0.1 * gaussian()))]))),
        );
        const { points } = rankingTable({ legs: cases.map(legIn), cases, config: closed });
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

/** Blocks of each start in each round. */
const BLOCKS = 20;
/** Standard deviation of the blocks of a start. */
const NOISE = 0.03;

/**
 * @param {() => number} gaussian
 * @param {{ starts: number, rounds?: number, effect: number }} run  effect: standard deviation between starts
 * @param {number} [blocks]
 * @returns {{ values: number[], parts: { round: number, start: number, values: number }[] }} of a server
 */
function startedOften(gaussian, { starts, rounds = 1, effect }, blocks = BLOCKS) {
  const parts = series(rounds * starts, (i) => ({
    ...{ round: 1 + Math.floor(i / starts), start: 1 + (i % starts) },
    values: blocks,
  }));
  const values = parts.flatMap(() => {
    const level = effect * gaussian();
    return series(blocks, () => Math.exp(level + NOISE * gaussian()));
  });
  return { values, parts };
}

describe('servers that are started several times', () => {
  for (const [starts, rounds] of [
    [4, 1],
    [2, 3],
  ]) {
    it(`are told apart in at most 5 % of runs although starts differ by 2 %: ${starts} starts, ${rounds} rounds`, () => {
      const gaussian = normal(uniform(10 * starts + rounds));
      const run = { starts, rounds, effect: 0.02 };
      const share = shareOf(() => {
        const figureOf = (/** @type {string} */ key) => {
          const figure = startedOften(gaussian, run, key === 'serverMemoryPerConnectionBytes' ? 1 : BLOCKS);
          return [key, { median: medianOf(figure.values), ...figure }];
        };
        const cases = series(2, (i) => caseOf(`${i}`, {}, { figures: Object.fromEntries(FIGURES.map(figureOf)) }));
        const { points } = rankingTable({ legs: cases.map(legIn), cases, config: closed });
        return points[0].rows.some(({ cells }) => cells.some(({ mark }) => mark?.code === 'worse'));
      }, 100);
      assert.ok(share <= 0.05 + uncertainty(0.05, 100), `${share}`);
    });
  }

  for (const [starts, maxWidth] of [
    [2, 2.1],
    [4, 1.35],
  ]) {
    it(`have an interval that contains the ratio, and is hardly wider where starts do not differ: ${starts} starts`, () => {
      for (const effect of [0, 0.005, 0.02]) {
        const gaussian = normal(uniform(starts));
        const width = { nested: 0, ofBlocks: 0 };
        let claimed = 0;
        const share = shareOf(() => {
          const [ofServer, ofOther] = series(2, () => startedOften(gaussian, { starts, effect }));
          const { low, high } = ratioOf(ofServer, ofOther);
          const meanIn = (/** @type {typeof ofServer} */ { values }, /** @type {number} */ block) =>
            Math.exp(series(starts, (i) => Math.log(values[i * BLOCKS + block])).reduce((a, b) => a + b) / starts);
          const flat = ratioInterval(series(BLOCKS, (block) => [meanIn(ofServer, block), meanIn(ofOther, block)]));
          width.nested += Math.log(Number(high) / Number(low));
          width.ofBlocks += Math.log(Number(flat.high) / Number(flat.low));
          if (Number(flat.low) > 1 || Number(flat.high) < 1) claimed += 1;
          return Number(low) <= 1 && 1 <= Number(high);
        });
        assert.ok(share >= 0.95 - uncertainty(0.05), `${effect}: ${share}`);
        if (effect === 0) assert.ok(width.nested <= maxWidth * width.ofBlocks, JSON.stringify(width));
        if (effect === 0.02) assert.ok(claimed > 0.3 * RUNS, `blocks alone: ${claimed} of ${RUNS} claims`);
      }
    });
  }

  it('have the wider of two intervals: by the scatter of the blocks, and by that of the starts', () => {
    const [quiet, apart] = [0.001, 0.1];
    const start = (/** @type {number} */ level, /** @type {number} */ noise) =>
      series(4, (i) => level * Math.exp(i % 2 === 0 ? noise : -noise));
    const widthOf = (/** @type {number} */ starts, /** @type {number} */ blocks) => {
      const sides = [2, 1].map((level) => [level * Math.exp(starts), level * Math.exp(-starts)]);
      const [own, other] = sides.map((levels, side) =>
        levels.map((level) => start(level, side === 0 ? blocks : -blocks)),
      );
      const { median, low, high, rounds, method } = nestedRatio([{ own, other }]);
      assert.deepEqual([Number(median).toFixed(6), rounds, method], ['2.000000', 8, 'nested-t-log']);
      return Math.log(Number(high) / Number(low)) / 2;
    };
    // two starts of each, 0.2 apart: 4.3027 standard errors with two degrees of freedom
    assert.ok(Math.abs(widthOf(apart, quiet) - 4.3027 * apart * Math.sqrt(2)) < 1e-3, `${widthOf(apart, quiet)}`);
    // four blocks whose ratios are 0.2 above or below: three degrees of freedom
    assert.ok(Math.abs(widthOf(quiet, apart) - (3.1824 * 2 * apart) / Math.sqrt(3)) < 1e-3, `${widthOf(quiet, apart)}`);
  });

  it('have an interval of a figure with one value for each start from three of them on, and none where one is not positive', () => {
    const ratio = (/** @type {number[]} */ own, /** @type {number[]} */ other) =>
      nestedRatio([{ own: own.map((value) => [value]), other: other.map((value) => [value]) }]);
    assert.equal(ratio([2], [1]).method, 'too-few-rounds');
    assert.ok(Number(ratio([2, 2.1], [1, 1.1]).low) < 1.9);
    assert.equal(ratio([0, 0], [1, 1]).method, 'not-positive');
    assert.equal(nestedInterval([[1], [2]]).method, 'too-few-rounds');
    assert.equal(nestedInterval([[1], [2], [3]]).method, 'nested-t-log');
  });

  it('have a ratio where one of them stands still in a block, and none where one always does', () => {
    const ones = [1, 1, 1, 1];
    const still = {
      own: [
        [2, 0, 2, 2],
        [2, 4, 2, 2],
      ],
      other: [ones, ones],
    };
    const { median, low } = nestedRatio([still]);
    assert.deepEqual([Number(median).toFixed(6), low !== null], ['2.000000', true]);
    const always = {
      own: [
        [0, 0, 0, 0],
        [2, 2, 2, 2],
      ],
      other: [ones, ones],
    };
    assert.equal(nestedRatio([always]).method, 'not-positive');
    const stalled = (/** @type {number} */ rate) =>
      Array.from({ length: 12 }, (_, i) => (i === 5 ? 0 : rate + i / 100));
    const machine = nestedRatio([{ own: [stalled(2), stalled(2)], other: [stalled(1), stalled(1)] }]);
    assert.ok(machine.rounds === 22 && Number(machine.low) < Number(machine.high), 'without the block of the stall');
    assert.equal(startNoise([[still.own]])?.deviation, 0, 'by the blocks in which none stood still');
    const noise = (/** @type {number} */ deviation) => ({
      figure: figureOf('rate'),
      noise: { deviation, isSeen: false },
    });
    const said = [0, 0.02].map((deviation) => startsText(/** @type {any} */ ({ starts: [noise(deviation)] })));
    assert.match(String(said[0]), /less than 0\.1 % in/);
    assert.match(String(said[1]), /less than 2 % in/);
  });

  it('leave out a block that one of them has no value of, and a start without any', () => {
    const own = [
      [2, 2, null, 2],
      [null, null, null, null],
    ];
    const { median, rounds } = nestedRatio([
      {
        own,
        other: [
          [1, 1, 9, 1],
          [1, 1, 1, 1],
        ],
      },
    ]);
    assert.deepEqual([Number(median).toFixed(6), rounds], ['2.000000', 3]);
  });

  it('say by how much starts differ, or that they differ by no more than their blocks', () => {
    const gaussian = normal(uniform(12));
    const noiseOf = (/** @type {number} */ effect) =>
      startNoise(
        series(50, () => {
          const { values } = startedOften(gaussian, { starts: 4, effect });
          return [series(4, (i) => values.slice(i * BLOCKS, (i + 1) * BLOCKS))];
        }),
      );
    const { deviation, isSeen } = noiseOf(0.02) ?? assert.fail();
    assert.ok(isSeen && Math.abs(deviation - 0.02) < 0.003, `${deviation}`);
    assert.ok(Number(noiseOf(0)?.deviation) < 0.01);
    assert.equal(startNoise([[[[1, 1]]]]), null, 'one start');
  });
});

/**
 * A server that takes one request at a time, and sends each reply a while later.
 * @typedef {{ draw: () => number, delay: number }} Server  draw: seconds for a request; delay: likewise
 */

/** @param {number[]} values @param {number} share @returns {number} */
const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(share * values.length)];

/**
 * @param {Server} server
 * @param {{ connections: number, pause?: number, requests: number }} load  each connection sends its next request a
 *   pause after the reply
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

/**
 * @param {Server} server
 * @param {number} rate
 * @param {number} requests
 * @param {() => number} gap of mean 1
 * @returns {number[]} times from when each was due
 */
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
    for (const work of [25e-6, 50e-6]) {
      const server = { draw: () => work * (0.5 + 0.5 * gap()), delay: 0 };
      for (const [connections, pause, expected] of /** @type {[number, number, boolean][]} */ ([
        [50, 0, true],
        [1000, 0, true],
        [50, 1, false],
      ])) {
        const { times, perSecond } = closedLoop(server, { connections, pause, requests: 40 * connections });
        const ns = (/** @type {number} */ seconds) => 1e9 * seconds;
        const mean = ns(times.reduce((sum, time) => sum + time, 0) / times.length);
        const responseTimeNs = {
          mean,
          p50: ns(quantile(times, 0.5)),
          p99: ns(quantile(times, 0.99)),
          min: ns(0.5 * work),
        };
        const leg = legOf({ name: 'a', requested: connections });
        const saturated = isSaturated([{ ...leg, steady: { ...leg.steady, perSecond, responseTimeNs } }]);
        assert.equal(saturated, expected, `${connections} connections, ${pause} s`);
        const quotient = ns(connections / perSecond);
        if (expected)
          assert.ok(Math.abs(responseTimeNs.p50 / quotient - 1) < 0.1, `${responseTimeNs.p50}, ${quotient}`);
      }
    }
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
      const perSecond = full.map((leg) => leg.perSecond);
      return [
        caseOf(name, { perSecond, ...figures(full.map(({ times }) => times)) }),
        caseOf(`${name} at`, figures(open), { series: name, comparedAt: rate }),
      ];
    });
    // the queue at 15,000 of 30,000 a second: exponential times of mean 1 / 15,000 s
    const figures = cases.find(({ id }) => id === 'plain at').figures;
    assert.ok(Math.abs(figures.p50Ns.median / (1e9 * (Math.LN2 / 15_000)) - 1) < 0.1, `${figures.p50Ns.median}`);
    assert.ok(Math.abs(figures.p99Ns.median / (1e9 * (Math.log(100) / 15_000)) - 1) < 0.2, `${figures.p99Ns.median}`);
    const marks = (/** @type {any[]} */ some, /** @type {string} */ key) => {
      const { figures, points } = rankingTable({ legs: some.map(legIn), cases: some, config: closed });
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
