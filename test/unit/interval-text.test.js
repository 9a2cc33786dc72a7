// Texts of 95 % intervals: intervals that are too wide to say anything are marked as such everywhere, and summary.json
// keeps their bounds.

import assert from 'node:assert/strict';
import { allFigures as consoleFigures } from '../../client/console/results-table.js';
import { plain } from '../../client/console/terminal-text.js';
import { casesOf } from '../../client/judge/cases.js';
import { comparedFigure } from '../../client/judge/comparisons.js';
import { cellOf, shownCase } from '../../client/judge/value-of.js';
import { duration } from '../../client/words/format.js';
import { rangeText as cellRange } from '../../client/judge/mark-texts.js';
import { boundsText, isTooWide, TOO_WIDE } from '../../client/words/intervals.js';
import { allFigures } from '../../report/html/sections/all-figures.js';
import { legOf } from '../fixtures/made-up-answers.js';
import { madeUpLeg } from '../fixtures/page-legs.js';

describe('the interval of a figure', () => {
  it('has words in place of its bounds where they are more than a factor of 10 apart', () => {
    assert.equal(boundsText([1e6, 1e7], duration), '1 ms to 10 ms');
    assert.deepEqual(
      [
        [0, 0],
        [1e6, 1.01e7],
        [0, 1],
      ].map(isTooWide),
      [false, true, true],
    );
  });

  it('is shown so in every table; its case keeps the bounds', () => {
    const legs = [120e6, 13.8e9, 4e9].map((p99, i) => legOf({ name: 'a', p99, round: i + 1 }));
    const [merged] = casesOf(legs);
    const { p99Ns } = merged.figures;
    assert.ok(p99Ns?.low !== undefined && Number(p99Ns.high) > 10 * p99Ns.low, JSON.stringify(p99Ns));
    assert.equal(cellRange(comparedFigure('p99Ns'), p99Ns), TOO_WIDE.rounds);
    const shown = shownCase(legs, merged);
    assert.ok(consoleFigures([shown], Infinity, plain).includes(TOO_WIDE.rounds));
    assert.ok(String(allFigures([{ ...madeUpLeg({}), shown }])).includes(TOO_WIDE.rounds));
    const [leg] = legs;
    leg.steady.responseTimeNs.intervals = { p99: [1, 11] };
    assert.equal(cellOf(comparedFigure('p99Ns'), shownCase([leg])).range, TOO_WIDE.seconds);
  });
});
