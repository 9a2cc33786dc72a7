// A run compared with an earlier one: pairing, conditions, tolerance; and the interval of rounds that were not measured in
// turn, on drawn values of which the truth is known. The seeds are fixed.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { baselineOf, parseTolerance } from '../../client/commands/baseline.js';
import { readBaseline } from '../../client/commands/run-comparison.js';
import { compareRuns } from '../../client/judge/compare-runs/index.js';
import { differingConditions } from '../../client/judge/compare-runs/conditions.js';
import { conditionTexts } from '../../client/judge/compare-runs/texts.js';
import { runsTable } from '../../client/judge/compare-runs/table.js';
import { independentNestedRatio, independentRatioInterval } from '../../client/judge/statistics/independent-ratio.js';
import { findRun } from '../../client/store/run-list.js';
import { normal, uniform } from '../fixtures/random-numbers.js';
import { RUN_SCHEMA } from '../../client/measure/schema.js';

/** @typedef {import('../../client/judge/compare-runs/index.js').ComparedRun} ComparedRun */

/**
 * @param {string} label @param {number} round @param {Record<string, any>} figures
 * @returns {Record<string, any>} a leg as a summary has it
 */
const legOf = (label, round, { perSecond, p50 = 1e6, p99 = 5e6, ...more }) => ({
  id: `${round}-${label}`,
  label,
  server: label,
  axes: {},
  round,
  complete: true,
  connections: { requested: 100, openAtEnd: 100, unansweredAtEnd: 0, neverAnswered: 0 },
  rejects: { total: 0 },
  errors: { total: 0 },
  steady: { transfers: 1000, failed: 0, unfinished: 0, perSecond, responseTimeNs: { p50, p99, max: 9e6 } },
  ...more,
});

/**
 * @param {string} name @param {any[]} legs @param {object} [documents]
 * @returns {ComparedRun}
 */
const runOf = (name, legs, documents = {}) => ({
  summary: /** @type {any} */ ({
    run: `20260101-100000-${name}`,
    scenario: name,
    startedAt: '2026-01-01T10:00:00.000Z',
    config: { workload: 'continuous', loop: 'closed' },
    legs,
  }),
  scenario: null,
  environment: null,
  ...documents,
});

/** @param {string} label @param {number[]} rates @param {object} [more] */
const rounds = (label, rates, more = {}) => rates.map((perSecond, i) => legOf(label, i + 1, { perSecond, ...more }));

/** @param {ComparedRun} run @param {ComparedRun} baseline @param {number | null} [tolerance] */
function compared(run, baseline, tolerance = null) {
  const found = compareRuns(run, baseline, tolerance);
  assert.ok(found !== null);
  return found;
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
    assert.ok(
      Math.abs(median - 64.8 / 102) < 0.01 && low < median && median < high && high < 0.7,
      JSON.stringify(rate),
    );
    assert.ok(others.every(({ mark, beyond }) => mark.code === 'as-good' && beyond === undefined));
  });

  it('is not worse where the whole interval is within the tolerance or better, and undecided where it contains the tolerance', () => {
    const slightly = runOf('today', rounds('epoll', [98, 99, 100, 101, 102]));
    assert.equal(compared(slightly, YESTERDAY, 0.05).outcome, 'not-worse');
    const { outcome, comparisons } = compared(slightly, YESTERDAY, 0.01);
    assert.equal(outcome, 'undecided');
    assert.deepEqual(
      comparisons.filter(({ undecided }) => undecided).map(({ figure, beyond }) => [figure, beyond]),
      [['perSecond', undefined]],
    );
    const wide = compared(runOf('today', rounds('epoll', [90, 95, 95, 97, 98])), YESTERDAY, 0.05);
    assert.deepEqual(
      [wide.outcome, wide.comparisons[0].mark.code],
      ['undecided', 'worse'],
      'certainly worse, but not certainly by more than the tolerance',
    );
    const faster = runOf('today', rounds('epoll', [200, 201, 202, 203, 204]));
    assert.equal(compared(faster, YESTERDAY, 0.05).outcome, 'not-worse');
    assert.equal(compared(faster, YESTERDAY, null).outcome, 'compared');
  });

  it('judges longer response times too', () => {
    const slower = runOf('today', rounds('epoll', [100, 101, 102, 103, 104], { p99: 9e6 }));
    const { outcome, comparisons } = compared(slower, YESTERDAY, 0.2);
    assert.equal(outcome, 'worse');
    assert.deepEqual(
      comparisons.filter(({ beyond }) => beyond).map(({ figure, mark }) => [figure, mark.code]),
      [['p99Ns', 'worse']],
    );
  });

  it('claims nothing of what was measured once or twice on a side', () => {
    for (const rates of [[50], [50, 51]]) {
      const { outcome, comparisons } = compared(runOf('today', rounds('epoll', rates)), YESTERDAY, 0.05);
      assert.equal(outcome, 'undecided');
      assert.equal(compared(runOf('today', rounds('epoll', rates)), YESTERDAY).outcome, 'not-known');
      const why = rates.length === 1 ? 'once' : 'two-rounds';
      for (const { mark } of comparisons) assert.deepEqual(mark, { code: 'not-known', why });
    }
  });

  it('is worse where a figure of the baseline is missing, if there is a tolerance', () => {
    const broken = runOf('today', rounds('epoll', [100, 100, 100], { complete: false }));
    const found = compared(broken, YESTERDAY, 0.05);
    assert.equal(found.outcome, 'worse');
    assert.deepEqual(
      found.absent.map(({ figure }) => figure),
      ['perSecond', 'p50Ns', 'p99Ns', 'served'],
    );
    assert.deepEqual(found.failures[0].data, { 'incomplete legs': [3, 0] });
    assert.equal(compared(broken, YESTERDAY, null).outcome, 'not-known');
  });

  it('pairs cases by label and axes, and names the others', () => {
    const at = (/** @type {string} */ label, /** @type {number} */ connections) =>
      rounds(label, [1, 2, 3], { axes: { connections } }).map((leg) => ({ ...leg, case: `${label} ${connections}` }));
    const run = runOf('today', [...at('epoll', 10), ...at('epoll', 20), ...at('go', 10)]);
    const baseline = runOf('yesterday', [...at('epoll', 20), ...at('fork', 10)]);
    const { comparisons, unpaired } = compared(run, baseline);
    assert.deepEqual([...new Set(comparisons.map((one) => one.case))], ['epoll 20']);
    assert.deepEqual(unpaired, { run: ['epoll', 'go'], baseline: ['fork'] });
    assert.equal(compareRuns(runOf('a', [...at('go', 10), ...at('go', 20)]), baseline, null), null);
  });

  it('pairs two single cases whatever they are called', () => {
    const other = runOf('other', rounds('libuv', [100, 101, 102]));
    assert.equal(compared(other, YESTERDAY).comparisons[0].figure, 'perSecond');
  });

  it('does not compare the times of a server that left connections without a reply', () => {
    const connections = { requested: 100, openAtEnd: 100, unansweredAtEnd: 50, neverAnswered: 50 };
    const short = runOf('today', rounds('epoll', [100, 101, 102], { connections }));
    assert.deepEqual(
      compared(short, YESTERDAY).comparisons.map(({ figure, mark }) => [figure, mark.code]),
      [
        ['perSecond', 'as-good'],
        ['p50Ns', 'not-compared'],
        ['p99Ns', 'not-compared'],
        ['served', 'worse'],
      ],
    );
  });

  it('is worse where it served fewer, though each was measured once', () => {
    const connections = { requested: 100, openAtEnd: 100, unansweredAtEnd: 50, neverAnswered: 50 };
    const [before, short] = [{}, { connections }].map((more, i) => runOf(`r${i}`, rounds('epoll', [100], more)));
    const { outcome, comparisons } = compared(short, before, 0.05);
    assert.equal(outcome, 'worse');
    assert.deepEqual(
      comparisons.filter(({ beyond }) => beyond).map(({ figure }) => figure),
      ['served'],
    );
  });

  it('does not judge the connections served where the runs called for different numbers', () => {
    const [more, fewer] = [100, 50].map((requested) => {
      const connections = { requested, openAtEnd: requested, unansweredAtEnd: 0, neverAnswered: 0 };
      return runOf(`r${requested}`, rounds('epoll', [100, 101, 102], { connections }));
    });
    const { outcome, comparisons } = compared(fewer, more, 0.05);
    assert.ok(comparisons.some(({ figure, mark }) => figure === 'served' && mark.code === 'worse'));
    assert.equal(outcome, 'not-worse');
  });

  it('does not compare the response times of a saturated closed loop, which follow from throughput', () => {
    const full = (/** @type {number} */ p99) => {
      const legs = rounds('epoll', [100e3, 101e3, 102e3], { p99 });
      for (const { steady } of legs) steady.responseTimeNs.min = 1e5;
      return runOf('full', legs);
    };
    const { outcome, comparisons } = compared(full(9e6), full(5e6), 0.05);
    assert.equal(outcome, 'not-worse');
    assert.deepEqual(
      comparisons.filter(({ mark }) => mark.why === 'follows-from-throughput').map(({ figure }) => figure),
      ['p50Ns', 'p99Ns'],
    );
    const open = [full(9e6), full(5e6)].map((run) => {
      run.summary.config.loop = 'open';
      return run;
    });
    assert.equal(compared(open[0], open[1], 0.05).outcome, 'worse');
  });

  it('judges a run in slices by what its blocks tell, and not by what a single round does', () => {
    const of = (/** @type {string} */ name, /** @type {number} */ blocks) => {
      const [leg] = rounds('epoll', [100], {
        serverUse: { peakRssBytes: 2e6, startRssBytes: 1e6 },
      });
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
    const scenario = {
      name: 'a',
      connections: 500,
      ramp: { add: 10, everyNs: 1e9 },
      servers: [{ name: 'epoll', as: 'epoll', options: { backlog: 128 }, env: {} }],
    };
    const environment = { kernel: 'Linux 6.1', cores: 2, pid: 5, versions: { v8: '1' }, limits: { openFiles: 1 } };
    const run = { scenario, environment };
    assert.deepEqual(differingConditions(run, structuredClone(run)), []);
    const baseline = {
      scenario: {
        ...scenario,
        name: 'b',
        ramp: { add: 20, everyNs: 1e9 },
        newer: true,
        servers: [{ name: 'epoll', as: 'epoll', options: { backlog: 4096 }, env: {} }],
      },
      environment: { ...environment, kernel: 'Linux 6.6', pid: 6, versions: { v8: '2' }, limits: { openFiles: 2 } },
    };
    assert.deepEqual(differingConditions(run, baseline), [
      { key: 'kernel', run: 'Linux 6.1', baseline: 'Linux 6.6' },
      { key: 'versions.v8', run: '1', baseline: '2' },
      { key: 'scenario.servers.epoll.options.backlog', run: 128, baseline: 4096 },
      { key: 'scenario.ramp.add', run: 10, baseline: 20 },
    ]);
    const target = { scenario: { target: { host: '127.0.0.1', port: 1 } }, environment: null };
    const command = { scenario: { command: './mine' }, environment: null };
    assert.deepEqual(
      differingConditions(target, command).map(({ key }) => key),
      ['scenario.target', 'scenario.command'],
    );
  });

  it('is a table of both, for a terminal and for Markdown, with what differs in the conditions', () => {
    const baseline = { ...YESTERDAY, environment: { kernel: 'a*b' } };
    const run = { ...runOf('today', rounds('epoll', [64, 65, 66])), environment: { kernel: 'c' } };
    const found = compared(run, baseline, 0.05);
    const { figures, points } = runsTable(found);
    const [{ cells }] = points[0].rows;
    const [{ median, before, mark }] = cells;
    assert.deepEqual([figures.length, median, before, mark?.code], [4, 65, 102, 'worse']);
    assert.deepEqual(conditionTexts(found), ['kernel: c (baseline: a*b)']);
  });

  it('has the shape of the schema of summary.json', () => {
    const schema = readFileSync(new URL('../../config/schema/summary.json', import.meta.url), 'utf8');
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(schema));
    const run = { ...runOf('today', rounds('epoll', [64, 65, 66])), environment: { kernel: 'c' } };
    const broken = runOf('today', rounds('epoll', [100], { complete: false }));
    for (const [one, tolerance] of /** @type {const} */ ([
      [run, 0.05],
      [broken, null],
    ])) {
      const baseline = compared(one, { ...YESTERDAY, environment: { kernel: 'b' } }, tolerance);
      const { run: id, scenario, startedAt, config } = one.summary;
      const summary = {
        schema: RUN_SCHEMA,
        run: id,
        scenario,
        startedAt,
        endedAt: startedAt,
        endedBy: 'plan',
        complete: true,
      };
      const whole = {
        ...summary,
        config: { ...config, connections: 1, protocol: 'echo' },
        warnings: [],
        legs: [],
        baseline,
      };
      assert.ok(validate(JSON.parse(JSON.stringify(whole))), JSON.stringify(validate.errors));
    }
  });

  it('is refused before the run where an option has no effect', async () => {
    for (const argv of [{ tolerance: '5%' }, { baseline: 'x', 'dry-run': true }, { baseline: ['x', 'y'] }]) {
      assert.throws(() => baselineOf(argv), { code: 'EOPTION', exitCode: 2 });
    }
    assert.deepEqual(baselineOf({ baseline: 'x', tolerance: '5%' }), { run: 'x', tolerance: 0.05 });
    await assert.rejects(readBaseline({ run: 'x', tolerance: null }, '/nowhere'), { code: 'ENORUN', exitCode: 2 });
    assert.equal(baselineOf({}), null);
  });

  it('has a tolerance in percent', () => {
    assert.deepEqual(['5%', '0%', '2.5%', undefined].map(parseTolerance), [0.05, 0, 0.025, null]);
    for (const wrong of ['5', '0.05', '-5%', 'x%', ['5%', '6%']]) {
      assert.throws(() => parseTolerance(wrong), { code: 'EOPTION', exitCode: 2 });
    }
  });
});

describe('the ratio of two runs', () => {
  const repeats = 2000;
  const uncertainty = 2 * Math.sqrt((0.05 * 0.95) / repeats);
  for (const [own, other, spread] of [
    [3, 3, 0.1],
    [5, 5, 0.1],
    [3, 10, 0.2],
    [10, 10, 0.05],
  ]) {
    it(`of ${own} and ${other} rounds has an interval that contains the truth in 93 % of cases or more`, () => {
      const random = normal(uniform(own * 100 + other));
      const draw = (/** @type {number} */ n, /** @type {number} */ middle) =>
        Array.from({ length: n }, () => middle * Math.exp(spread * random()));
      let contained = 0;
      for (let i = 0; i < repeats; i += 1) {
        const { low, high } = independentRatioInterval(draw(own, 80), draw(other, 100));
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
      const [own, other] = [starts(), starts()];
      const holds = (/** @type {{ low: number | null, high: number | null }} */ { low, high }) =>
        Number(Number(low) <= 1 && Number(high) >= 1);
      contained.starts += holds(independentNestedRatio(own, other));
      contained.blocks += holds(independentRatioInterval(own.flat(), other.flat()));
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
