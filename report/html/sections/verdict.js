/** The verdict: whether the conditions of the scenario are met, before any figure. */
import { html } from '../html.js';
import { requirementText, verdictText } from '../../../client/judge/verdict.js';

/** @param {import('../../../client/judge/verdict.js').Row} row */
const item = (row) =>
  html`<tr class="${row.passed ? 'met' : 'unmet'}" data-leg="${row.leg ?? row.case}" data-kind="${row.kind}" data-condition="${row.condition}" data-passed="${String(row.passed)}"><td><b>${row.passed ? 'passed' : 'failed'}</b></td><th scope="row">${row.label}</th><td><code>${requirementText(row)}</code></td><td>${row.text}</td></tr>`;

/**
 * @param {import('../../types.js').Run} run
 * @returns {import('../html.js').Fragment | null} null where no condition was given
 */
export function verdict({ summary }) {
  const given = summary.verdict;
  if (!given) return null;
  const rows = [...given.thresholds].sort((a, b) => Number(a.passed) - Number(b.passed));
  return html`<section id="verdict" class="${given.passed ? 'passed' : 'failed'}" aria-labelledby="verdict-title" data-passed="${String(given.passed)}"><h2 id="verdict-title">Verdict: ${verdictText(given)}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Table of the verdict"><table><thead><tr><th scope="col">verdict</th><th scope="col">${rows.some((row) => row.case !== undefined) ? 'case' : 'leg'}</th><th scope="col">condition</th><th scope="col">measured</th></tr></thead>
<tbody>${rows.map(item)}</tbody></table></div></section>`;
}
