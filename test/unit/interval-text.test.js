// 95 % intervals in words: those too wide to say anything are called so, everywhere, and summary.json keeps their bounds.

import assert from 'node:assert/strict';
import { allFigures as consoleFigures } from '../../client/console/results-table.js';
import { plain } from '../../client/console/terminal-text.js';
import { intervalText } from '../../client/judge/case-legs.js';
import { casesOf } from '../../client/judge/cases.js';
import { comparedFigure } from '../../client/judge/comparisons.js';
import { duration } from '../../client/words/format.js';
import { rangeText as cellRange } from '../../client/judge/mark-texts.js';
import { boundsText, isTooWide, TOO_WIDE } from '../../client/words/intervals.js';
import { allFigures } from '../../report/html/sections/all-figures.js';
import { madeUpLeg } from '../fixtures/page-legs.js';

/** @param {number} p99 @param {number} i @returns {any} a complete leg */
const leg = (p99, i) => ({
  ...{ id: `${i}-a`, case: 'a', label: 'a', server: 'a', axes: {}, round: i + 1, complete: true, endedBy: 'plan' },
  connections: { requested: 1, openAtEnd: 1, unansweredAtEnd: 0, opened: 1, reopened: 0 },
  steady: {
    client: { cpuSeconds: 1 },
    transfers: 1000,
    failed: 0,
    unfinished: 0,
    perSecond: 100,
    responseTimeNs: { p50: p99, p99, max: p99 },
  },
});

describe('the interval of a figure', () => {
  it('is written with its bounds up to a ratio of 10 between them', () => {
    assert.equal(boundsText([1.1e6, 1.3e6], duration), '1.1 ms to 1.3 ms');
    assert.equal(boundsText([1e6, 1e7], duration), '1 ms to 10 ms');
    assert.equal(boundsText([0, 0], String), '0 to 0');
    assert.ok(isTooWide([1e6, 1.01e7]));
    assert.ok(isTooWide([0, 1]));
  });

  it('is replaced by words in tables where it is wider; its case keeps the bounds', () => {
    const [one] = casesOf([120e6, 13.8e9, 4e9].map(leg));
    const { p99Ns } = one.figures;
    assert.ok(p99Ns?.low !== undefined && Number(p99Ns.high) > 10 * p99Ns.low, JSON.stringify(p99Ns));
    assert.equal(cellRange(comparedFigure('p99Ns'), p99Ns), TOO_WIDE.rounds);
    const shown = { ...leg(4e9, 0), rounds: 3, compared: { p99Ns } };
    assert.ok(consoleFigures([shown], Infinity, plain).includes(TOO_WIDE.rounds));
    const times = { p50: 1e6, p90: 2e6, p95: 3e6, p99: 4e6, max: 5e6 };
    const figures = { responseTimeNs: times };
    const told = allFigures([madeUpLeg({ summary: { rounds: 3, compared: { p99Ns } }, figures })]);
    assert.ok(String(told).includes(TOO_WIDE.rounds));
    const steady = { transfers: 1, failed: 0, unfinished: 0, responseTimeNs: { intervals: { p99: [1, 11] } } };
    assert.equal(intervalText(comparedFigure('p99Ns'), /** @type {any} */ ({ steady })), TOO_WIDE.seconds);
  });
});
