/**
 * What a reader must know before any figure: a run that was cut, legs that are incomplete and what they lack,
 * warnings.
 */
import { html } from '../html.js';
import { groupWarnings, saidText, subjectOf } from '../../../client/results/group-warnings.js';
import { endingText } from '../../../client/results/phrases/endings.js';
import { readWarning } from '../../../client/results/warnings.js';
import { count } from '../../../client/results/format.js';

/**
 * Every warning of the run, its plan and its legs, those that differ only in server and numbers said once.
 * @param {import('../../types.js').Run} run @param {import('../../types.js').LegResults[]} results
 * @returns {Array<string | import('../html.js').Fragment>}
 */
function warningItems(run, results) {
  /** @type {import('../../../client/results/warnings.js').Warning[]} */
  const ofRun = [...(run.summary.warnings ?? []), ...(run.plan?.warnings ?? [])].map(readWarning);
  const groups = groupWarnings([
    ...ofRun.map((warning) => ({ warning, subject: subjectOf(warning) })),
    ...results.flatMap((f) => f.warnings.map((warning) => ({ warning, subject: f.label }))),
  ]);
  const items = groups.map((said) => {
    const [first, ...others] = said;
    if (others.length === 0) return saidText(first);
    const each = said.map((one) => html`<li>${saidText(one)}</li>`);
    return html`${saidText(first)} <details><summary>Likewise ${others.length === 1 ? others[0].subject : `${count(others.length)} others`}</summary><ul>${each}</ul></details>`;
  });
  return [...items, ...run.unreadable.map((line) => `unreadable: ${line}`)];
}

/**
 * @param {import('../../types.js').Run} run
 * @param {import('../../types.js').LegResults[]} results
 * @returns {import('../html.js').Fragment | null}
 */
export function notices(run, results) {
  const broken = results.filter((f) => !f.complete || f.missing.length);
  const whole = run.summary.complete;
  const warnings = warningItems(run, results);
  const interrupted = ['interrupted', 'SIGINT', 'SIGTERM', 'SIGHUP'].includes(run.summary.endedBy);
  const headline =
    run.summary.endedBy === 'cut'
      ? 'Partial run: it was killed. Everything below was summarised later, from its samples.'
      : interrupted
        ? 'Partial run: it was interrupted. Figures are right up to that moment.'
        : 'Incomplete run: not every leg ran to its planned end.';
  return html`${
    whole && broken.length === 0
      ? null
      : html`<div class="notice strong" role="note" id="partial"><p><strong>${headline}</strong></p>
<ul>${broken.map(
          (f) =>
            html`<li><b>${f.label}</b>: ${[
              f.complete ? null : endingText(f.endedBy),
              f.missing.length ? `missing ${f.missing.join('; ')}` : null,
              f.message?.split('\n')[0],
            ]
              .filter(Boolean)
              .join('; ')}</li>`,
        )}</ul></div>`
  }
${
  warnings.length
    ? html`<div class="notice" role="note" id="warnings"><p><strong>Warnings</strong></p><ul>${warnings.map(
        (warning) => html`<li>${warning}</li>`,
      )}</ul></div>`
    : null
}`;
}
