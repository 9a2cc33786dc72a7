/** What a reader of the figures should know: the findings of each leg, the severest first, each with the figure that shows it. */
import { groupedFindings, textInRounds } from '../../../client/words/findings.js';
import { count } from '../../../client/words/format.js';
import { html } from '../html.js';

/** @typedef {import('../../types.js').Run} Run */
/** @typedef {{ charts: import('../../types.js').Chart[] }} Model */

/** @type {Readonly<Record<string, string>>} */
const SEVERITIES = { problem: 'Problem', caution: 'Caution', note: 'Note' };

/** Where each finding is seen: ids of charts, the best first. @type {Readonly<Record<string, string[]>>} */
const FIGURES = {
  stalls: ['response', 'transfers'],
  'stalls-waiting': ['response', 'transfers'],
  'sent-late': ['response', 'service'],
  drift: ['transfers', 'response'],
  'slices-dependent': ['transfers', 'response'],
  'slices-short': ['response'],
  'unloaded-work': ['cpu'],
  'arrivals-distorted': ['transfers', 'service'],
  'likely-limit': ['cpu'],
  'descriptor-limit': ['connections', 'rejects'],
  'connection-limit': ['connections', 'errors'],
  'idle-closed': ['connections', 'errors'],
  'backlog-full': ['connect', 'connections'],
};

/**
 * @param {string} code of a finding @param {Model} model
 * @returns {import('../html.js').Fragment | null} a link to the figure that shows it; null where none is drawn
 */
function figureLink(code, { charts }) {
  const drawn = (FIGURES[code] ?? []).flatMap((id) => charts.find((chart) => chart.id === id && !chart.empty) ?? []);
  return drawn.length === 0 ? null : html` <a href="#figure-${drawn[0].id}">${drawn[0].title}</a>`;
}

/** @param {{ rest: import('../../../client/words/findings.js').LegFinding[] }} finding of several servers */
function others({ rest }) {
  if (rest.length === 0) return null;
  return html`<details><summary>The same for ${rest.length === 1 ? rest[0].label : `${count(rest.length)} others`}</summary><ul>${rest.map(
    (one) => html`<li data-leg="${one.label}"><b>${one.label}</b>: ${textInRounds(one)}</li>`,
  )}</ul></details>`;
}

/** @param {Run} run @param {Model} model @returns {import('../html.js').Fragment | null} null without findings */
export function checks({ summary }, model) {
  const found = groupedFindings(summary.legs);
  if (found.length === 0) return null;
  return html`<section id="checks" aria-labelledby="checks-title"><h2 id="checks-title">Before you read the figures</h2>
<ul class="checks">${found.map((one) => {
    const { code, severity, label, remedy } = one;
    return html`<li data-code="${code}" data-severity="${severity}" data-leg="${label}"><span class="severity ${severity}">${SEVERITIES[severity]}</span> <b>${label}</b>: ${textInRounds(one)}${remedy ? html` <em>Remedy: ${remedy}</em>` : null}${figureLink(code, model)}${others(one)}</li>`;
  })}</ul></section>`;
}
