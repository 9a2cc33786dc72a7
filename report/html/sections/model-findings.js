/** What was found when the same models were compared in 2016, each with this run's figures. */
import { roundsOf } from '../../../client/judge/case-legs.js';
import { count } from '../../../client/words/format.js';
import { modelFindings } from '../../../client/judge/model-findings.js';
import { html } from '../html.js';

/** @param {import('../../types.js').Run} run @returns {import('../html.js').Fragment | null} null where it has none of the models */
export function findingsOf2016({ summary, plan }) {
  const found = modelFindings(/** @type {any} */ (summary), /** @type {any} */ (plan));
  if (found.length === 0) return null;
  const rounds = roundsOf(summary.legs ?? []);
  const figures =
    rounds > 1
      ? `the medians of the ${count(rounds)} rounds of this run`
      : 'the figures of this run, in which each leg ran once';
  return html`<section id="findings" aria-labelledby="findings-title"><h2 id="findings-title">The findings of 2016</h2>
<p class="lead">These models were compared in 2016. Each sentence states what was found then, with ${figures}; figures that differ by less than 5 % count as equal.</p>
<ul>${found.map(({ code, holds, text }) => html`<li data-code="${code}" data-holds="${String(holds)}">${text}</li>`)}</ul></section>`;
}
