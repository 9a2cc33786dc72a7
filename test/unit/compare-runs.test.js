// Comparison of a run with an earlier one: pairing, conditions, tolerance; and the interval of a ratio of rounds from
// two runs, for drawn values with a known ratio. The seeds are fixed.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseTolerance } from '../../client/commands/option-values.js';
import { compareRuns } from '../../client/judge/compare-runs/index.js';
import { differingConditions } from '../../client/judge/compare-runs/conditions.js';
import { independentNestedRatio, independentRatioInterval } from '../../client/judge/statistics/independent-ratio.js';
import { findRun } from '../../client/store/run-list.js';
import { legOf, rounds, runOf as summaryOf } from '../fixtures/made-up-answers.js';
import { normal, uniform } from '../fixtures/random-numbers.js';
import { assertConforms } from '../fixtures/schemas.js';

/** @import { ComparedRun } from '../../client/judge/compare-runs/index.js' */

/** @param {string} name @param {any[]} legs @param {object} [config] @returns {ComparedRun} */
const runOf = (name, legs, config) => ({
  summary: summaryOf(legs, { run: `20260101-100000-${name}`, scenario: name, config }),
  ...{ scenario: null, environment: null },
});

/** Half of its connections were left without a reply. */
const HALF = { account: { served: 50, unanswered: 50 } };

/** @param {ComparedRun} run @param {ComparedRun} baseline @param {number | null} [tolerance] */
function compared(run, baseline, tolerance = null) {
  const comparison = compareRuns(run, baseline, tolerance);
  assert.ok(comparison !== null);
  return comparison;
}

const YESTERDAY = runOf('yesterday', rounds('epoll', [100, 101, 102, 103, 104]));

describe('a run compared with its baseline', () => {
  it('is fewer with its interval, and worse beyond the tolerance', () => {
    const today = runOf('today', rounds('epoll', [64, 65, 66, 65, 64]));
    const { outcome, comparisons, unpaired } = compared(today, YESTERDAY, 0.05);
    assert.equal(outcome, 'worse');
    assert.deepEqual(unpaired, { run: [], baseline: [] });
    const [rate, ...others] = comparisons;
    assert.deepEqual([rate.mark.code, rate.figure, rate.beyond], ['worse', 'perSecond', true]);
    const { median, low, high } = /** @type {any} */ (rate.mark.ratio);
    assert.ok(Math.abs(median - 64.8 / 102) < 0.01 && low < median && median < high && high < 0.7, String(high));
    assert.ok(others.every(({ mark, beyond }) => mark.code === 'as-good' && beyond === undefined));
  });

  for (const [rates, tolerance, expected, code] of /** @type {[number[], number | null, string, string][]} */ ([
    [[98, 99, 100, 101, 102], 0.05, 'not-worse', 'as-good'],
    [[98, 99, 100, 101, 102], 0.01, 'undecided', 'not-known'],
    [[90, 95, 95, 97, 98], 0.05, 'undecided', 'worse'],
    [[200, 201, 202, 203, 204], 0.05, 'not-worse', 'better'],
    [[200, 201, 202, 203, 204], null, 'compared', 'better'],
    [[50], 0.05, 'undecided', 'not-known'],
    [[50, 51], 0.05, 'undecided', 'not-known'],
    [[50, 51], null, 'not-known', 'not-known'],
  ])) {
    it(`is ${expected} with ${rates} instead of 100 to 104 and a tolerance of ${tolerance}`, () => {
      const { outcome, comparisons } = compared(runOf('today', rounds('epoll', rates)), YESTERDAY, tolerance);
      const [{ figure, mark, undecided = false, beyond }] = comparisons;
      assert.deepEqual([outcome, figure, mark.code, beyond], [expected, 'perSecond', code, undefined]);
      assert.equal(undecided, expected === 'undecided');
    });
  }

  it('judges longer response times too', () => {
    const slower = runOf('today', rounds('epoll', [100, 101, 102, 103, 104], { p99: 9e6 }));
    const { outcome, comparisons } = compared(slower, YESTERDAY, 0.2);
    const beyond = comparisons.filter((row) => row.beyond);
    assert.deepEqual([outcome, beyond.map(({ figure }) => figure)], ['worse', ['p50Ns', 'p99Ns']]);
  });

  it('is worse where a figure of the baseline is missing, if there is a tolerance', () => {
    const broken = runOf('today', rounds('epoll', [100, 100, 100], { complete: false }));
    const { outcome, absent, failures } = compared(broken, YESTERDAY, 0.05);
    const figures = absent.map(({ figure }) => figure);
    assert.deepEqual([outcome, figures], ['worse', ['perSecond', 'p50Ns', 'p99Ns', 'served']]);
    assert.deepEqual(failures[0].data, { 'incomplete legs': [3, 0] });
    assert.equal(compared(broken, YESTERDAY, null).outcome, 'not-known');
  });

  it('pairs cases by label and axes, names the others, and pairs two single cases whatever they are called', () => {
    const at = (/** @type {string} */ label, /** @type {number} */ connections) =>
      rounds(label, [1, 2, 3], { axes: { connections }, label });
    const run = runOf('today', [...at('epoll', 10), ...at('epoll', 20), ...at('go', 10)]);
    const baseline = runOf('yesterday', [...at('epoll', 20), ...at('fork', 10)]);
    const { comparisons, unpaired } = compared(run, baseline);
    assert.deepEqual([...new Set(comparisons.map((row) => row.case))], ['epoll20']);
    assert.deepEqual(unpaired, { run: ['epoll', 'go'], baseline: ['fork'] });
    assert.equal(compareRuns(runOf('a', [...at('go', 10), ...at('go', 20)]), baseline, null), null);
    const other = runOf('other', rounds('libuv', [100, 101, 102]));
    assert.equal(compared(other, YESTERDAY).comparisons[0].figure, 'perSecond');
  });

  it('is worse where it served fewer, though each was measured once, and the times of one that did are not compared', () => {
    const { outcome, comparisons } = compared(runOf('today', rounds('epoll', [100, 101, 102], HALF)), YESTERDAY, 0.05);
    const codes = comparisons.map(({ figure, mark }) => `${figure} ${mark.code}`);
    assert.deepEqual(codes, ['perSecond as-good', 'p50Ns not-compared', 'p99Ns not-compared', 'served worse']);
    assert.equal(outcome, 'worse');
    const [before, short] = [{}, HALF].map((more, i) => runOf(`r${i}`, rounds('epoll', [100], more)));
    const once = compared(short, before, 0.05);
    const beyond = once.comparisons.filter((row) => row.beyond).map(({ figure }) => figure);
    assert.deepEqual([once.outcome, beyond], ['worse', ['served']]);
  });

  it('does not judge the connections served where the runs called for different numbers', () => {
    const [more, fewer] = [100, 50].map((requested) => runOf('r', rounds('epoll', [100, 101, 102], { requested })));
    const { outcome, comparisons } = compared(fewer, more, 0.05);
    assert.ok(comparisons.some(({ figure, mark }) => figure === 'served' && mark.code === 'worse'));
    assert.equal(outcome, 'not-worse');
  });

  it('does not compare the response times of a saturated closed loop, which follow from throughput', () => {
    const full = (/** @type {number} */ p99, config = {}) => {
      const { steady } = legOf({ name: 'epoll' });
      const times = { mean: 1e6, p50: 1e6, p99, min: 1e5, max: 9e9 };
      const legs = [100e3, 101e3, 102e3].map((perSecond, i) =>
        legOf({ name: 'epoll', round: i + 1, steady: { ...steady, perSecond, responseTimeNs: times } }),
      );
      return runOf('full', legs, config);
    };
    const { outcome, comparisons } = compared(full(9e6), full(5e6), 0.05);
    const follow = comparisons.filter(({ mark }) => mark.why === 'follows-from-throughput');
    assert.deepEqual([outcome, follow.map(({ figure }) => figure)], ['not-worse', ['p50Ns', 'p99Ns']]);
    const open = { loop: 'open' };
    assert.equal(compared(full(9e6, open), full(5e6, open), 0.05).outcome, 'worse');
  });

  it('judges a run in slices by what its blocks tell, and not by what a single round does', () => {
    const of = (/** @type {string} */ name, /** @type {number} */ blocks) => {
      const leg = legOf({ name: 'epoll', serverUse: { peakRssBytes: 2e6, startRssBytes: 1e6 } });
      leg.connections.peakOpen = 100;
      const values = Array.from({ length: blocks }, (_, i) => 100 + (i % 3));
      const slices = { blocks: { perSecond: values, serverCpuPerTransferNs: [], p50Ns: [], p99Ns: [] } };
      return runOf(name, [{ ...leg, slices }]);
    };
    const { outcome, comparisons } = compared(of('today', 12), of('yesterday', 12), 0.05);
    assert.ok(comparisons.some(({ figure }) => figure === 'serverMemoryPerConnectionBytes'));
    assert.equal(comparisons.find(({ figure }) => figure === 'perSecond')?.mark.code, 'as-good');
    assert.equal(outcome, 'not-worse');
  });

  it('names in what the conditions differ, and nothing else', () => {
    const run = {
      scenario: {
        ...{ name: 'a', connections: 500, ramp: { add: 10, everyNs: 1e9 } },
        servers: [{ name: 'epoll', as: 'epoll', options: { backlog: 128 }, env: {} }],
      },
      environment: { kernel: 'Linux 6.1', cores: 2, pid: 5, versions: { v8: '1' }, limits: { openFiles: 1 } },
    };
    assert.deepEqual(differingConditions(run, structuredClone(run)), []);
    const pointed = (/** @type {boolean} */ force) => {
      const common = { ...run.scenario, force };
      const points = [1, 2].map((pipeline) => ({ axes: { pipeline }, given: {}, settings: { ...common, pipeline } }));
      return { ...run, scenario: { ...common, points } };
    };
    assert.deepEqual(differingConditions(pointed(false), pointed(true)), [], 'at its points neither');
    const baseline = {
      scenario: { ...structuredClone(run.scenario), name: 'b', ramp: { add: 20, everyNs: 1e9 }, newer: true },
      environment: { ...run.environment, kernel: 'Linux 6.6', pid: 6, versions: { v8: '2' }, limits: { openFiles: 2 } },
    };
    baseline.scenario.servers[0].options.backlog = 4096;
    assert.deepEqual(differingConditions(run, baseline), [
      { key: 'kernel', run: 'Linux 6.1', baseline: 'Linux 6.6' },
      { key: 'versions.v8', run: '1', baseline: '2' },
      { key: 'scenario.servers.epoll.options.backlog', run: 128, baseline: 4096 },
      { key: 'scenario.ramp.add', run: 10, baseline: 20 },
    ]);
    const target = { scenario: { target: { host: '127.0.0.1', port: 1 } }, environment: null };
    const command = { scenario: { command: './mine' }, environment: null };
    const keys = differingConditions(target, command).map(({ key }) => key);
    assert.deepEqual(keys, ['scenario.target', 'scenario.command']);
  });

  it('conforms to the schema of summary.json', () => {
    const today = { ...runOf('today', rounds('epoll', [64, 65, 66])), environment: { kernel: 'c' } };
    const broken = runOf('today', rounds('epoll', [100], { complete: false }));
    for (const [run, tolerance] of /** @type {const} */ ([
      [today, 0.05],
      [broken, null],
    ])) {
      const baseline = compared(run, { ...YESTERDAY, environment: { kernel: 'b' } }, tolerance);
      const { startedAt, config } = run.summary;
      const whole = { ...run.summary, ...{ endedAt: startedAt, legs: [], baseline } };
      assertConforms('summary', { ...whole, config: { ...config, connections: 1, protocol: 'echo' } });
    }
  });

  it('has a tolerance in percent', () => {
    assert.deepEqual(['5%', '0%', '2.5%', undefined].map(parseTolerance), [0.05, 0, 0.025, null]);
  });
});

describe('the ratio of two runs', () => {
  const repeats = 2000;
  const uncertainty = 2 * Math.sqrt((0.05 * 0.95) / repeats);
  for (const [roundsOfRun, roundsOfBaseline, spread] of [
    [3, 3, 0.1],
    [5, 5, 0.1],
    [3, 10, 0.2],
    [10, 10, 0.05],
  ]) {
    it(`of ${roundsOfRun} and ${roundsOfBaseline} rounds has an interval that contains the truth in 93 % of cases or more`, () => {
      const random = normal(uniform(roundsOfRun * 100 + roundsOfBaseline));
      const draw = (/** @type {number} */ n, /** @type {number} */ middle) =>
        Array.from({ length: n }, () => middle * Math.exp(spread * random()));
      let contained = 0;
      for (let i = 0; i < repeats; i += 1) {
        const { low, high } = independentRatioInterval(draw(roundsOfRun, 80), draw(roundsOfBaseline, 100));
        if (low !== null && high !== null && low <= 0.8 && high >= 0.8) contained += 1;
      }
      const share = contained / repeats;
      assert.ok(share >= 0.95 - uncertainty - 0.01 && share <= 0.99, `${(share * 100).toFixed(1)} %`);
    });
  }

  it('of four starts each has an interval that contains the truth in 93 % of cases or more, which their blocks alone would not', () => {
    const random = normal(uniform(44));
    const starts = () =>
      Array.from({ length: 4 }, () => {
        const level = 0.02 * random();
        return Array.from({ length: 20 }, () => Math.exp(level + 0.03 * random()));
      });
    const contained = { starts: 0, blocks: 0 };
    for (let i = 0; i < 1000; i += 1) {
      const [ofRun, ofBaseline] = [starts(), starts()];
      const holds = (/** @type {{ low: number | null, high: number | null }} */ { low, high }) =>
        Number(Number(low) <= 1 && Number(high) >= 1);
      contained.starts += holds(independentNestedRatio(ofRun, ofBaseline));
      contained.blocks += holds(independentRatioInterval(ofRun.flat(), ofBaseline.flat()));
    }
    assert.ok(contained.starts >= 930 && contained.blocks < 700, JSON.stringify(contained));
    assert.deepEqual(
      independentNestedRatio([[1, 2, 3]], [[1, 2, 3]]),
      independentRatioInterval([1, 2, 3], [1, 2, 3]),
      'one start tells nothing of the next',
    );
  });

  it('has none with two rounds on a side, or of what is not positive', () => {
    assert.deepEqual(independentRatioInterval([1, 2], [1, 2, 3]).low, null);
    assert.equal(independentRatioInterval([1, 0, 1], [1, 2, 3]).method, 'not-positive');
    assert.equal(independentRatioInterval([null], [1, 2, 3]).median, null);
    assert.deepEqual(independentRatioInterval([2, 2, 2], [1, 1, 1]), {
      median: 2,
      low: 2,
      high: 2,
      rounds: 3,
      method: 'student-t-log',
    });
  });
});

describe('a run that is asked for', () => {
  it('is found by its name, the newest of it, or by a part of its id', async () => {
    const logs = mkdtempSync(join(tmpdir(), 'broadside-names-'));
    const ids = ['20260101-100000-today', '20260102-100000-today', '20260101-110000-127.0.0.1-7000'];
    try {
      for (const id of ids) {
        mkdirSync(join(logs, id));
        writeFileSync(join(logs, id, 'plan.json'), '{}');
      }
      assert.equal(await findRun(logs, 'today'), join(logs, ids[1]));
      assert.equal(await findRun(logs, '127.0.0.1:7000'), join(logs, ids[2]));
      assert.equal(await findRun(logs, '110000'), join(logs, ids[2]));
      assert.equal(await findRun(logs, '20260102'), join(logs, ids[1]));
      await assert.rejects(findRun(logs, '100000'), { code: 'ERUNAMBIGUOUS' });
    } finally {
      rmSync(logs, { recursive: true });
    }
  });
});
