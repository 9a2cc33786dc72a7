// How much a figure of a case is: over the starts of a server, over rounds, and the same wherever it is told.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { allFigures as consoleFigures } from '../../client/console/results-table.js';
import { plain } from '../../client/console/terminal-text.js';
import { junitOf } from '../../client/exports/junit.js';
import { metricsOf } from '../../client/exports/metrics.js';
import { casesOf } from '../../client/judge/cases.js';
import { isTold } from '../../client/judge/figure-values.js';
import { COMPARED, figureOf, figures, isOfSearch, LIVE_LINES, SHORT_TABLE } from '../../client/judge/figures.js';
import { tableOf } from '../../client/judge/table.js';
import { cellOf, shownCase, shownCases, valueOf } from '../../client/judge/value-of.js';
import { judgeRun } from '../../client/judge/verdict.js';
import { errorCauses, rejectCauses } from '../../client/measure/fields.js';
import { Histogram } from '../../client/measure/histogram.js';
import { allFigures } from '../../report/html/sections/all-figures.js';
import { numberOf } from '../../report/model/page-leg.js';
import { pageLegsOf } from '../../report/model/page-cases.js';
import { legOf, runOf } from '../fixtures/made-up-answers.js';
import { elementOf } from '../fixtures/page-elements.js';

/** @import { Figure } from '../../client/judge/figures.js' */

/** @param {number[]} values @returns {any} */
function lineOf(values) {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram.toLine();
}

/**
 * @typedef {object} Own  what a leg has that others have not
 * @property {number} [round]
 * @property {number} [start]
 * @property {number[]} times  response times, ns
 * @property {number} [measuredNs]
 * @property {number} [failed]
 * @property {number} [served]
 * @property {number[]} [rejects]  by cause
 * @property {number[]} [errors]
 * @property {boolean} [complete]
 * @property {boolean} [sliced]
 * @property {'client' | 'none'} [limitedBy]
 */

/** @param {readonly string[]} causes @param {number[]} counts */
const byCause = (causes, counts) => ({
  total: counts.reduce((sum, n) => sum + n, 0),
  ...Object.fromEntries(causes.map((cause, i) => [cause, counts[i] ?? 0])),
});

/** @param {Own} own @returns {any} a leg of summary.json */
function made({ round = 1, start, times, measuredNs = 1e9, failed = 0, served = 100, ...changes }) {
  const { rejects = [], errors = [], complete = true, sliced = true, limitedBy = 'none' } = changes;
  const leg = legOf({ name: 'a', round, account: { served, rejected: 100 - served } });
  const line = lineOf(times);
  const { p50, p90, p95, p99, max, count } = line;
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const perSecond = (times.length * 1e9) / measuredNs;
  return {
    ...leg,
    ...{ id: `${round}-${start ?? 1}`, complete, endedBy: complete ? 'plan' : 'error', warnings: [], findings: [] },
    ...(start === undefined ? {} : { start }),
    ...{
      limitedBy,
      limitShares: { client: 0.1, machine: 0, server: 0.2 },
      log: { rows: 9, missing: failed, kind: 'x' },
    },
    connections: { ...leg.connections, openAtEnd: served, peakOpen: served, lost: 4 * failed, neverAnswered: 0 },
    attempts: { total: 100, opened: 100, rejected: 0, abandoned: 0 },
    rejects: byCause(rejectCauses, rejects),
    errors: byCause(errorCauses, errors),
    transfers: { count: times.length, failed, unfinished: 1, bytesSent: 1, bytesReceived: 9 },
    connectTimeNs: { count: 100, p50: 1e6, p99: 2e6, max: 3e6 },
    client: { peakRssBytes: 1e6 * round },
    serverUse: { peakRssBytes: 5e6 + (start ?? 0), startRssBytes: 1e6, processes: 1, threads: 1 },
    steady: {
      ...{ fromNs: 0, toNs: 1e10, transfers: times.length, failed, unfinished: 0, opened: 0, attempts: 0, perSecond },
      ...{ bytesPerSecond: 10 * perSecond, bytesSentPerSecond: 0, mostInFlight: 100 },
      responseTimeNs: {
        count,
        min: Math.min(...times),
        p50,
        p90,
        p95,
        p99,
        p99_9: max,
        p99_99: max,
        max,
        mean,
        stddev: 0,
      },
      client: { cpuSeconds: 0.1, engineCpuSeconds: 0.1, waitSeconds: 0, engines: [] },
      server: { cpuSeconds: 0.01 * times.length },
    },
    ...(sliced && {
      slices: {
        ...{ group: 1, of: 2, lengthNs: 1e8, settleInNs: 0, settleOutNs: 1e7, blockNs: 1e9 },
        ...{ turnNs: measuredNs, measuredNs, transfers: times.length, late: 0, closed: 0 },
        blocks: { perSecond: [perSecond, perSecond * 1.01], p50Ns: [p50, p50] },
        ...(start === undefined ? {} : { histograms: { responseTime: line, connectTime: lineOf([1e6, 2e6]) } }),
      },
    }),
  };
}

/** @param {string} name @returns {Figure} */
const named = (name) => figureOf(name) ?? assert.fail(name);

/** @param {any[]} legs @param {string[]} names @returns {unknown[]} values of the case that they are of */
const valuesOf = (legs, names) => names.map((name) => valueOf(named(name), shownCase(legs, casesOf(legs)[0])).value);

describe('how much a figure is', () => {
  const fast = made({ start: 1, times: [...Array(99).fill(1e6), 5e6], rejects: [1], errors: [0, 2] });
  const slow = made({ start: 2, times: Array(900).fill(9e6), measuredNs: 3e9, served: 90, rejects: [2], failed: 1 });

  it('over the starts of a server: counts and histograms added, rates of all the time that was measured', () => {
    assert.deepEqual(
      valuesOf([fast, slow], ['transfers', 'throughput', 'rejects', 'rejects.refused', 'errors', 'lost', 'attempts']),
      [1000, 2500, 3, 3, 2, 4, 200],
    );
    const [p99, min, share] = valuesOf([fast, slow], ['p99', 'response min', 'failed share']);
    assert.deepEqual([Math.round(Number(p99) / 1e5), Math.round(Number(min) / 1e5)], [90, 10], 'no mean of the two');
    assert.equal(share, 1 / 1001);
    const [cost] = valuesOf([fast, { ...slow, steady: { ...slow.steady, server: undefined } }], ['server CPU']);
    assert.equal(cost, undefined, 'not known of one, so not of their sum');
  });

  it('of what each start has anew: the worst of them, as of rounds', () => {
    const names = ['served', 'account.rejected', 'requested', 'server memory'];
    assert.deepEqual(valuesOf([fast, slow], names), [90, 10, 100, 5e6 + 2]);
    const { worst } = shownCase([fast, slow]);
    assert.equal(worst, slow, 'the account that is shown is that of a leg');
  });

  it('over rounds: the median, or the worst round of what counts failures', () => {
    const rounds = [{ rejects: [10] }, { rejects: [0, 50], served: 93, failed: 10 }, { served: 98 }];
    const legs = rounds.map((round, i) =>
      made({ round: i + 1, times: Array(100 * (i + 1)).fill(1e6), sliced: false, ...round }),
    );
    assert.deepEqual(
      valuesOf(legs, ['rejects', 'rejects.refused', `rejects.${rejectCauses[1]}`, 'lost', 'served', 'rate']),
      [50, 10, 50, 40, 93, 200],
    );
    assert.deepEqual(valuesOf(legs, ['p99']), [{ above: legs[1].steady.responseTimeNs.max, infinite: true }]);
    const { values, of, low } = valueOf(named('rate'), shownCase(legs, casesOf(legs)[0]));
    assert.deepEqual([values, of, low === undefined], [[100, 200, 300], 'round', false]);
  });

  it('in slices: the median of the blocks that servers are compared by, but every percentile of all transfers', () => {
    const leg = made({ times: [1e6, 2e6, 9e6] });
    leg.slices.blocks = { perSecond: [1000, 990, 1010, 1], p50Ns: [9e7, 9e7, 9e7, 9e7], p99Ns: [2e6, 2e6, 2e6, 9e9] };
    const shown = shownCase([leg], casesOf([leg])[0]);
    const { value, low, values, of } = valueOf(named('rate'), shown);
    assert.deepEqual([value, low !== undefined, values.length, of], [995, true, 4, 'block']);
    const { p99 } = leg.steady.responseTimeNs;
    assert.deepEqual(valueOf(named('p99'), shown), { value: p99, isWhole: true, values: [p99], of: 'round' });
    const percentiles = valuesOf([leg], ['p50', 'p90', 'p99', 'max']);
    assert.deepEqual(
      percentiles,
      [...percentiles].sort((a, b) => Number(a) - Number(b)),
    );
  });

  it('is of the rounds that are complete, where one is; what counts failures is of all', () => {
    const legs = [
      made({ round: 1, times: Array(100).fill(1e6) }),
      { ...made({ round: 2, times: Array(900).fill(1e6), complete: false, rejects: [7] }), endedBy: 'workers' },
      { id: '3-1', case: 'a', label: 'a', server: 'a', axes: {}, round: 3, complete: false, endedBy: 'server-start' },
    ];
    assert.deepEqual(valuesOf(legs, ['throughput', 'rejects']), [1000, 7]);
    const shown = shownCase(legs);
    assert.deepEqual([shown.complete, shown.endedBy, shown.rounds.length], [false, 'workers', 2]);
    assert.equal(shownCase(legs.slice(2)).complete, false);
    assert.deepEqual(valuesOf(legs.slice(2), ['rejects', 'p99']), [undefined, undefined]);
  });

  it('holds for a condition only where each round has it, in its steady state', () => {
    const { steady, ...rest } = made({ times: [1e6, 2e6], sliced: false });
    const ramp = { ...rest, beforeSteady: { ...steady, phase: 'ramp' } };
    const { value, isWhole } = valueOf(named('p50'), shownCase([ramp]));
    assert.ok(typeof value === 'number' && !isWhole);
    const judged = judgeRun({ thresholds: ['p50 < 1h'] }, [ramp], 1);
    assert.deepEqual([judged?.passed, judged?.thresholds[0].text], [false, 'p50 not measured in the steady state']);
  });

  it('of the side that was the limit: what all rounds have, and what a condition says of each', () => {
    const sides = ['none', 'none', 'client'];
    const legs = sides.map((limitedBy, i) => made(/** @type {any} */ ({ round: i + 1, times: [1e6], limitedBy })));
    const [merged] = casesOf(legs);
    assert.equal(cellOf(named('limited by'), shownCase(legs, merged)).text, 'none in 2 of 3');
    const thresholds = ['limited by != server', 'limited by == none', 'limited by == server'];
    const judged = judgeRun({ thresholds, failIf: ['limited by == client'] }, legs, 3);
    assert.deepEqual(
      judged?.thresholds.map(({ passed }) => passed),
      [true, false, false, false],
    );
    assert.ok(judged?.thresholds.every(({ text }) => text === 'limited by none in 2 of 3'));
  });

  it('in tables with little room, live lines and comparisons: lists of names that the figures have', () => {
    for (const name of [...SHORT_TABLE, ...LIVE_LINES, ...COMPARED.closed, ...COMPARED.open])
      assert.ok(figureOf(name), name);
    for (const { name, live, compared } of figures) {
      assert.equal(LIVE_LINES.includes(name), live !== undefined, `${name} in the live lines`);
      const isListed = COMPARED.closed.includes(name) || COMPARED.open.includes(name);
      assert.ok(!isListed || compared !== undefined, `${name} is compared`);
    }
  });
});

/** A value that each unit can be compared with. @type {Record<Figure['unit'], string>} */
const LIMITS = {
  ...{ duration: '< 1us', rate: '< 1/s', throughput: '< 1B/s', size: '< 1B', count: '< 1' },
  ...{ share: '< 1%', cpu: '< 1%', side: '== client' },
};
/** In the base units of exports. @type {Partial<Record<Figure['unit'], number>>} */
const DIVISORS = { duration: 1e9 };

/** @param {any[]} legs @returns {any} summary of a run with a condition about each figure, and what the page has */
function runWith(legs) {
  const summary = runOf(legs);
  const thresholds = figures
    .filter((figure) => figure.of && !isOfSearch(figure))
    .map(({ name, unit }) => `${name} ${LIMITS[unit]}`);
  const verdict = judgeRun({ thresholds }, legs, legs.length, { cases: summary.cases });
  const run = /** @type {any} */ ({
    ...{ summary: { ...summary, verdict }, plan: null, scenario: null, environment: null, unreadable: [] },
    legs: legs.map((leg, index) => ({
      ...{ id: leg.id, label: leg.id, caseLabel: leg.label, index, samples: [], cutLines: 0, planned: null },
      summary: leg,
    })),
  });
  return { summary: run.summary, cases: pageLegsOf(run).cases };
}

/** @param {any[]} legs of one case, in which each figure is the same wherever it is told */
function checkAll(legs) {
  const { summary, cases } = runWith(legs);
  const [shown] = shownCases(summary);
  const told = figures.filter((figure) => figure.of && isTold(figure, [valueOf(figure, shown).value]));
  const page = allFigures(cases);
  const lines = consoleFigures([shown], Infinity, plain)
    .split('\n')
    .map((line) => line.trim());
  const { columns, groups } = tableOf(summary);
  const points = metricsOf(summary).flatMap((metric) => metric.points);
  for (const figure of told) {
    const { name, title = name, unit } = figure;
    const { value, isWhole } = valueOf(figure, shown);
    const { text } = cellOf(figure, shown);
    const cell = new RegExp(`data-name="${cases[0].label}"[^>]*>([^<]*)<`).exec(
      elementOf(page, 'data-code', name),
    )?.[1];
    assert.equal(cell?.replace('&gt;', '>'), text, `${name} on the page`);
    assert.equal(numberOf(cases[0], name), typeof value === 'number' ? value : undefined, `${name} in charts`);
    const isPrinted = lines.some((line) => line.startsWith(title) && line.endsWith(` ${text}`));
    assert.ok(figure.isDetail || isPrinted, `${name} ${text} on the console`);
    const column = columns.findIndex((column) => column.figure.name === name);
    const isCompared = shown.legs.some(({ complete }) => complete);
    if (column >= 0 && isCompared) assert.equal(groups[0].rows[0].cells[column].text, text, `${name} in the table`);
    const judged = summary.verdict.thresholds.find((/** @type {any} */ threshold) =>
      threshold.condition.startsWith(`${name} ${LIMITS[unit]}`),
    );
    const { value: judgedValue, above } = judged.figures[0];
    const expected = isWhole ? value : undefined;
    assert.deepEqual(
      above ?? judgedValue,
      typeof expected === 'object' ? expected.above : expected,
      `${name} in conditions`,
    );
    assert.ok(junitOf(summary, legs).includes(judged.text.replaceAll('>', '&gt;')) || judged.passed, name);
    if (legs.length > 1 || typeof value !== 'number') continue;
    const exported = value / (DIVISORS[unit] ?? 1);
    assert.ok(
      points.some((point) => point.value === exported),
      `${name} in exports`,
    );
  }
}

describe('a figure has one value in table, conditions, page, console and exports', () => {
  const counts = fc.array(fc.nat(60), { maxLength: 4 });
  const round = fc.record({
    times: fc.array(fc.integer({ min: 1e5, max: 1e8 }), { minLength: 1, maxLength: 50 }),
    failed: fc.nat(3),
    served: fc.integer({ min: 1, max: 100 }),
    ...{ rejects: counts, errors: counts },
    complete: fc.boolean(),
    limitedBy: fc.constantFrom('client', 'none'),
  });
  /** @type {[string, { rounds: number, starts: number, sliced: boolean }][]} */
  const kinds = [
    ['of a leg', { rounds: 1, starts: 1, sliced: false }],
    ['in slices', { rounds: 1, starts: 1, sliced: true }],
    ['of several rounds', { rounds: 3, starts: 1, sliced: false }],
    ['of several starts', { rounds: 1, starts: 3, sliced: true }],
    ['of several rounds and starts', { rounds: 3, starts: 2, sliced: true }],
  ];
  for (const [what, { rounds, starts, sliced }] of kinds) {
    it(what, () => {
      const number = rounds * starts;
      const legs = fc.array(round, { minLength: number, maxLength: number }).map((rounds) =>
        rounds.map((round, i) =>
          made(
            /** @type {Own} */ ({
              ...{ ...round, sliced, round: Math.floor(i / starts) + 1 },
              ...(starts > 1 ? { start: (i % starts) + 1 } : {}),
            }),
          ),
        ),
      );
      fc.assert(fc.property(legs, checkAll), { numRuns: 6 });
    });
  }
});
