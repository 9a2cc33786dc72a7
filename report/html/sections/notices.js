/** Whether the run was cut, which legs are incomplete and what they miss; and its warnings. */
import { html } from '../html.js';
import { groupWarnings, saidText, subjectOf } from '../../../client/words/group-warnings.js';
import { endingText, isInterrupted } from '../../../client/words/endings.js';
import { count } from '../../../client/words/format.js';

const HEADLINES = {
  cut: 'Partial run: it was killed. Its summary was made later, from the samples it had written.',
  interrupted: 'Partial run: it was interrupted. The figures are correct up to that moment.',
  incomplete: 'Incomplete run: not every leg ran to its planned end.',
};

/** @param {import('../../types.js').Remark[]} remarks @returns {string} separated by spaces */
const codesOf = (remarks) => remarks.map(({ code }) => code).join(' ');

/**
 * Every warning of the run, its plan and its legs, those that differ only in server and numbers said once.
 * @param {import('../../types.js').Run} run @param {import('../../types.js').PageLeg[]} results
 * @returns {{ open: import('../html.js').Fragment[], folded: import('../html.js').Fragment[] }} folded: what the answer says
 */
function warningItems(run, results) {
  /** @type {import('../../../client/words/warnings.js').Warning[]} */
  const ofRun = [...(run.summary.warnings ?? []), ...(run.plan?.warnings ?? [])];
  const groups = groupWarnings([
    ...ofRun.map((warning) => ({ warning, subject: subjectOf(warning) })),
    ...results.flatMap((f) => f.summary.warnings.map((warning) => ({ warning, subject: f.label }))),
  ]);
  const itemOf = (/** @type {typeof groups[number]} */ [first, ...others]) => {
    const each = others.map((one) => html`<li data-subject="${one.subject}">${saidText(one)}</li>`);
    const more = html` <details><summary>The same for ${others.length === 1 ? others[0].subject : `${count(others.length)} others`}</summary><ul>${each}</ul></details>`;
    return html`<li data-code="${first.code}"${first.subject === '' ? null : html` data-subject="${first.subject}"`}>${saidText(first)}${others.length === 0 ? null : more}</li>`;
  };
  const inAnswer = groups.filter(([{ code }]) => code === 'background-load');
  return {
    open: [
      ...groups.filter((group) => !inAnswer.includes(group)).map(itemOf),
      ...run.unreadable.map((line) => html`<li data-code="unreadable">unreadable: ${line}</li>`),
    ],
    folded: inAnswer.map(itemOf),
  };
}

/**
 * What a reader must know before any figure.
 * @param {import('../../types.js').Run} run
 * @param {import('../../types.js').PageLeg[]} results
 * @returns {import('../html.js').Fragment | null} null of a run that is complete
 */
export function partial(run, results) {
  const broken = results.filter((f) => !f.summary.complete || f.missing.length);
  const whole = run.summary.complete;
  const { endedBy } = run.summary;
  const code = endedBy === 'cut' ? 'cut' : isInterrupted(endedBy) ? 'interrupted' : 'incomplete';
  return whole && broken.length === 0
    ? null
    : html`<div class="notice strong" role="note" id="partial" data-code="${code}"><p><strong>${HEADLINES[code]}</strong></p>
<ul>${broken.map(
        (f) =>
          html`<li data-leg="${f.label}" data-code="${f.summary.endedBy ?? 'never'}" data-missing="${codesOf(f.missing)}"><b>${f.label}</b>: ${[
            f.summary.complete ? null : endingText(f.summary.endedBy ?? 'never'),
            f.missing.length ? `missing: ${f.missing.map(({ text }) => text).join(', ')}` : null,
            f.summary.failure?.text?.split('\n')[0],
          ]
            .filter(Boolean)
            .join('; ')}</li>`,
      )}</ul></div>`;
}

/**
 * @param {import('../../types.js').Run} run
 * @param {import('../../types.js').PageLeg[]} results
 * @returns {import('../html.js').Fragment}
 */
export function warnings(run, results) {
  const { open, folded } = warningItems(run, results);
  return html`${
    open.length
      ? html`<div class="notice" role="note" id="warnings"><p><strong>Warnings</strong></p><ul>${open}</ul></div>`
      : null
  }${
    folded.length
      ? html`<details id="disturbed"><summary>Other programs used the machine</summary><ul>${folded}</ul></details>`
      : null
  }`;
}
