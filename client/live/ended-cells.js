// The row of a leg that has ended on the live page: what its summary says, in place of its last second. Pure. A column that
// tells only of one moment is empty then.

import { cellText, markOf } from '../judge/figure-values.js';
import { withFigures } from '../measure/leg-figures.js';
import { clock } from '../words/format.js';
import { outcomeText } from '../words/search.js';

/** @typedef {import('../../config/types.js').LegSummary} Leg */
/** @typedef {{ text: string, tone: string | null }} Cell */

/** @param {string} text @param {string | null} [tone] @returns {Cell} */
const cell = (text, tone = null) => ({ text, tone });

/**
 * @param {Leg} summary @param {{ held: boolean | null }} [probe]
 * @returns {Record<string, Cell>} by the name of a column that is no figure
 */
const headCells = ({ phases, complete }, probe) => ({
  time: cell(phases ? clock(phases.endNs / 1e9) : ''),
  phase: probe
    ? cell(outcomeText(probe.held), probe.held ? 'green' : 'red')
    : cell(complete ? 'ended' : 'incomplete', complete ? null : 'red'),
});

/**
 * @param {Pick<import('../console/live-lines.js').Column, 'name' | 'figure'>[]} columns of the table @param {Leg} summary of the leg
 * @param {{ held: boolean | null }} [probe] of a search: its outcome takes the place of the phase
 * @returns {Cell[]}
 */
export function endedCells(columns, summary, probe) {
  const leg = withFigures(summary);
  const head = headCells(summary, probe);
  return columns.map(({ name, figure }) => {
    if (figure?.of === undefined) return head[name] ?? cell('');
    const value = figure.of(leg);
    if (value === 'none') return cell('');
    const mark = markOf(figure, value);
    return cell(cellText(figure, value), mark ? { bad: 'red', warning: 'yellow' }[mark] : null);
  });
}
