// What is compared is what is shown: a figure by which servers are compared has one value in a run, wherever it is
// told.

import assert from 'node:assert/strict';
import { allFigures as consoleFigures } from '../../client/console/results-table.js';
import { plain } from '../../client/console/terminal-text.js';
import { markdownSummary } from '../../client/exports/markdown.js';
import { junitOf } from '../../client/exports/junit.js';
import { metricsOf } from '../../client/exports/metrics.js';
import { shownLegs } from '../../client/judge/case-legs.js';
import { caseValue } from '../../client/judge/cases.js';
import { cellText } from '../../client/judge/figure-values.js';
import { tableOf } from '../../client/judge/table.js';
import { judgeRun } from '../../client/judge/verdict.js';
import { allFigures } from '../../report/html/sections/all-figures.js';
import { legLine, numberOf } from '../../report/model/page-leg.js';
import { pageLegsOf } from '../../report/model/page-cases.js';
import { Histogram } from '../../client/measure/histogram.js';
import { legOf, runOf } from '../fixtures/made-up-answers.js';
import { elementOf } from '../fixtures/page-elements.js';

/** @import { PageLeg } from '../../report/types.js' */

const times = new Histogram();
for (const value of [7e6, 8e6, 9e6]) times.record(value);
const client = { cpuSeconds: 1, engineCpuSeconds: 1, waitSeconds: 0, engines: [] };

/**
 * A leg that stood still for one of its blocks: its rate over all its time is lower, its p99 higher, than the medians
 * of its blocks.
 * @param {{ name: string, round?: number, start?: number, factor?: number }} of @returns {any}
 */
function slicedLeg({ name, round = 1, start, factor = 1 }) {
  const values = (/** @type {number} */ middle) => [0.98, 1, 1.02, 1.01, 0.99].map((share) => share * factor * middle);
  const leg = legOf({ name, round, rate: 700 * factor, p99: 9e6 * factor });
  return {
    ...leg,
    ...{ id: `${round}-${name}-${start ?? 1}`, ...(start === undefined ? {} : { start }) },
    findings: [],
    warnings: [],
    client: { peakRssBytes: 1 },
    connections: { ...leg.connections, peakOpen: 100 },
    attempts: { total: 100, opened: 100, rejected: 0, abandoned: 0 },
    serverUse: { peakRssBytes: 5e6 * factor, startRssBytes: 1e6, processes: 1, threads: 1 },
    steady: {
      ...{ ...leg.steady, client, server: { cpuSeconds: 0.2 * factor }, fromNs: 0, toNs: 1e10, opened: 0 },
      ...{ bytesPerSecond: 7e5, bytesSentPerSecond: 0 },
    },
    slices: {
      ...{
        group: 1,
        of: 2,
        lengthNs: 1e8,
        settleInNs: 0,
        settleOutNs: 1e7,
        turnNs: 5e9,
        measuredNs: 5e9,
        transfers: 10_000,
        late: 0,
        closed: 0,
      },
      blockNs: 1e9,
      blocks: {
        perSecond: [...values(1000), 1],
        p50Ns: [...values(2e6), 3e9],
        p99Ns: [...values(4e6), 9e9],
        serverCpuPerTransferNs: [...values(18_000), 9e6],
      },
      ...(start === undefined ? {} : { histograms: { responseTime: times.toLine() } }),
    },
  };
}

/** @param {any[]} legs @returns {{ summary: any, cases: PageLeg[] }} */
function shown(legs) {
  const made = runOf(legs);
  const verdict = judgeRun({ thresholds: [...CONDITIONS.values()] }, legs, legs.length, { cases: made.cases });
  const summary = { ...made, verdict };
  const run = /** @type {any} */ ({
    ...{ summary, plan: null, scenario: null, environment: null, unreadable: [] },
    legs: legs.map((leg, index) => ({
      ...{ id: leg.id, label: leg.id, caseLabel: leg.label, index, samples: [], cutLines: 0, planned: null },
      summary: leg,
    })),
  });
  return { summary, cases: pageLegsOf(run).cases };
}

/** By the name of a figure that is compared: a condition that fails, and so is told with the value. */
const CONDITIONS = new Map([
  ['rate', 'rate < 1/s'],
  ['p50', 'p50 < 1us'],
  ['p99', 'p99 < 1us'],
  ['server CPU per transfer', 'server CPU per transfer < 1us'],
  ['server memory per connection', 'server memory per connection < 1B'],
]);

/** In base units. @type {Record<string, number>} */
const DIVISORS = { duration: 1e9, rate: 1, size: 1 };

const twice = (/** @type {Record<string, any>} */ over) => [
  slicedLeg({ name: 'a', ...over }),
  slicedLeg({ name: 'b', factor: 0.5, ...over }),
];

describe('a figure by which servers are compared', () => {
  for (const [what, legs] of /** @type {[string, any[]][]} */ ([
    ['in slices', twice({})],
    ['in slices, in several rounds', [1, 2, 3].flatMap((round) => twice({ round }))],
    ['in slices, with several starts', [1, 2].flatMap((start) => twice({ start }))],
    ['once', twice({}).map(({ slices: _slices, ...leg }) => leg)],
  ])) {
    it(`has the value of its case in table, page, console, Markdown, thresholds and exports of a run ${what}`, () => {
      const { summary, cases } = shown(legs);
      const { columns, groups } = tableOf(summary);
      const page = allFigures(cases);
      const console = consoleFigures(shownLegs(summary), Infinity, plain).split('\n');
      const [, details] = markdownSummary({ summary, scenario: null }).split('<details>');
      const markdown = details.split('\n').filter((line) => line.startsWith('|'));
      const cellsOf = (/** @type {string} */ line) => line.split('|').map((cell) => cell.trim());
      assert.deepEqual(
        columns.map(({ figure }) => figure.name),
        ['rate', 'server CPU per transfer', 'p50', 'p99', 'server memory per connection'],
      );
      for (const one of summary.cases) {
        const f = cases.find(({ caseLabel }) => caseLabel === one.label) ?? assert.fail();
        const ownLegs = legs.filter(({ label }) => label === one.label);
        const row = groups[0].rows.find(({ case: id }) => id === one.id) ?? assert.fail();
        for (const [i, { key, figure }] of columns.entries()) {
          const { median } = caseValue(one, figure, ownLegs);
          if (what === 'once' || figure.name !== 'p99') assert.equal(median, one.figures[key].median);
          const text = cellText(figure, median);
          const { title = figure.name } = figure;
          assert.equal(row.cells[i].text, text, `${figure.name} in the table`);
          assert.equal(numberOf(f, figure.name), median, `${figure.name} in charts`);
          const line = elementOf(page, 'data-code', figure.name);
          const cell = new RegExp(`data-name="${f.label}"[^>]*>([^<]*)<`).exec(line)?.[1];
          assert.equal(cell, text, `${figure.name} among all figures of the page`);
          const printed = console.find((each) => each.trim().startsWith(`${title} `)) ?? '';
          assert.ok(printed.includes(` ${text}`), `${figure.name} on the console: ${printed}`);
          const column = cellsOf(markdown[0]).indexOf(title);
          const inMarkdown = cellsOf(markdown.find((each) => each.startsWith(`| ${one.label} `)) ?? '');
          assert.equal(inMarkdown[column].split(' (')[0], text, `${figure.name} in Markdown`);
          const judged = summary.verdict.thresholds.find(
            (/** @type {any} */ each) => each.condition === CONDITIONS.get(figure.name) && each.label === one.label,
          );
          assert.equal(judged.figures[0].value, median, `${figure.name} in thresholds`);
          assert.ok(junitOf(summary, legs).includes(judged.text));
          if (cases.length < legs.length) continue;
          const points = metricsOf(summary).flatMap(({ points: own }) => own);
          const value = Number(median) / DIVISORS[figure.unit];
          assert.ok(
            points.some(({ labels, value: each }) => labels.case === one.label && each === value),
            figure.name,
          );
        }
        assert.ok(
          legLine(f).endsWith(`p99 ${cellText(columns[3].figure, caseValue(one, columns[3].figure, ownLegs).median)}`),
        );
      }
    });
  }
});
