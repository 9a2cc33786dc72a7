/** The table of the verdict: the outcome of each condition of the scenario. */
import { html } from '../html.js';
import { requirementText, verdictOutcome } from '../../../client/judge/verdict.js';

/**
 * @import { Row } from '../../../client/judge/verdict.js'
 * @import { Run } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

const CLASSES = { failed: 'unmet', undecided: 'undecided', passed: 'met' };

/** @param {Row} row @returns {number} order: failed, undecided, passed */
const placeOf = (row) => Object.keys(CLASSES).indexOf(verdictOutcome(row));

/** @param {Row} row */
const item = (row) =>
  html`<tr class="${CLASSES[verdictOutcome(row)]}" data-leg="${row.leg ?? row.case}" data-kind="${row.kind}" data-condition="${row.condition}" data-passed="${String(row.passed)}" data-outcome="${verdictOutcome(row)}"><td><b>${verdictOutcome(row)}</b></td><th scope="row">${row.label}</th><td><code>${requirementText(row)}</code></td><td>${row.text}</td></tr>`;

/**
 * @param {Run} run
 * @returns {Fragment | null} null if the scenario has no condition
 */
export function verdict({ summary }) {
  const result = summary.verdict;
  if (!result) return null;
  const rows = [...result.thresholds].sort((a, b) => placeOf(a) - placeOf(b));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of the verdict"><table class="texts"><thead><tr><th scope="col">verdict</th><th scope="col">${rows.some((row) => row.case !== undefined) ? 'case' : 'measurement'}</th><th scope="col">condition</th><th scope="col">measured</th></tr></thead>
<tbody>${rows.map(item)}</tbody></table></div>`;
}
