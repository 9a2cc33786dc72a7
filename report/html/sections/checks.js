/** What a reader of the figures should know: the findings of each leg, the severest first. */
import { groupedFindings, othersText, roundsText } from '../../../client/results/phrases/findings.js';
import { html } from '../html.js';

/** @typedef {import('../../types.js').Run} Run */

/** @param {Run} run @returns {import('../html.js').Fragment | null} null without findings */
export function checks({ summary }) {
  const found = groupedFindings(/** @type {any} */ (summary).legs ?? []);
  if (found.length === 0) return null;
  return html`<section id="checks" aria-labelledby="checks-title"><h2 id="checks-title">Before you read the figures</h2>
<ul class="checks">${found.map(({ remedy, ...found }) => {
    const { code, severity, label, text } = found;
    return html`<li data-code="${code}" data-severity="${severity}" data-leg="${label}"><b>${label}</b>: <span class="${severity === 'problem' ? 'bad' : ''}">${text}</span>${roundsText(/** @type {any} */ (found))}${othersText(found)}${remedy ? html` <span class="quiet">${remedy}</span>` : null}</li>`;
  })}</ul></section>`;
}
