/** In the index: how throughput and p99 of a case went from run to run, as small lines with their change points. */
import { html } from '../html.js';
import { bareRate, count, duration, percent } from '../../../client/results/format.js';

/** @typedef {import('../../../client/results/history.js').Trend} Trend */

const WIDTH = 240;
const HEIGHT = 56;
const MARGIN = 6;
/** More trends than this are folded. */
const MAX_OPEN = 8;

/** @type {Record<Trend['figure'], { name: string, text: (value: number) => string }>} */
const FIGURES = {
  perSecond: { name: 'transfers/s', text: bareRate },
  p99Ns: { name: 'p99', text: (value) => duration(value) },
};

/** @param {Trend} trend @returns {import('../html.js').Fragment} from zero, so that a small change looks small */
function line({ points, changes, figure }) {
  const most = Math.max(...points.map(({ value }) => value));
  const x = (/** @type {number} */ i) => MARGIN + (i / Math.max(1, points.length - 1)) * (WIDTH - 2 * MARGIN);
  const y = (/** @type {number} */ value) => HEIGHT - MARGIN - (value / most) * (HEIGHT - 2 * MARGIN);
  const at = (/** @type {number} */ n) => n.toFixed(1);
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${FIGURES[figure].name} of ${count(points.length)} runs">${changes.map(
    ({ index }) =>
      html`<line class="change" x1="${at((x(index - 1) + x(index)) / 2)}" x2="${at((x(index - 1) + x(index)) / 2)}" y1="0" y2="${HEIGHT}"/>`,
  )}<polyline points="${points.map(({ value }, i) => `${at(x(i))},${at(y(value))}`).join(' ')}"/>${points.map(
    ({ run, value }, i) =>
      html`<circle cx="${at(x(i))}" cy="${at(y(value))}" r="2.5"><title>${run}: ${FIGURES[figure].text(value)}</title></circle>`,
  )}</svg>`;
}

/** @param {Trend['figure']} figure @param {number} ratio of the level after a change to that before @returns {boolean} */
const isWorse = (figure, ratio) => (figure === 'perSecond' ? ratio < 1 : ratio > 1);

/**
 * @param {Trend} trend @param {Map<string, string>} files of the pages, by run
 * @returns {import('../html.js').Fragment[]} a sentence for each change, with a link to the first run after it
 */
const changeTexts = ({ changes, points, figure }, files) =>
  changes.map(({ index, ratio }) => {
    const { run } = points[index];
    const text = `${FIGURES[figure].name} ${ratio > 1 ? 'rose' : 'fell'} by ${percent(Math.abs(ratio - 1), 2)} at`;
    const file = files.get(run);
    const at = file === undefined ? run : html`<a href="./${encodeURIComponent(file)}">${run}</a>`;
    return html`<p class="changed${isWorse(figure, ratio) ? ' bad' : ''}">${text} ${at}</p>`;
  });

/** @param {Trend} trend @param {Map<string, string>} files */
function item(trend, files) {
  const { name, label, figure, points, changes } = trend;
  const last = points[points.length - 1].value;
  return html`<li data-changes="${changes.length}"><b>${label === name ? label : `${label}, ${name}`}</b> ${FIGURES[figure].name} <span class="when">${FIGURES[figure].text(last)} in the newest of ${count(points.length)} runs</span>${line(trend)}${changeTexts(trend, files)}</li>`;
}

/**
 * @param {Trend[]} trends @param {Map<string, string>} files names of the pages, by run
 * @returns {import('../html.js').Fragment | null} null where no case was measured often enough
 */
export function history(trends, files) {
  if (trends.length === 0) return null;
  const list = (/** @type {Trend[]} */ some) =>
    html`<ul class="trends">${some.map((trend) => item(trend, files))}</ul>`;
  const sorted = [...trends].sort((a, b) => Number(b.changes.length > 0) - Number(a.changes.length > 0));
  const rest = sorted.slice(MAX_OPEN);
  return html`<section id="history" aria-labelledby="history-title"><h2 id="history-title">History</h2>
<p class="load">Each case that was measured three times or more with the same name and load; medians of the rounds, drawn from zero. A dashed line is a
change of level: in random order, the same runs would show one as clear in at most 4 % of cases (E-divisive).</p>${list(sorted.slice(0, MAX_OPEN))}${
    rest.length > 0 ? html`<details><summary>${count(rest.length)} more</summary>${list(rest)}</details>` : null
  }</section>`;
}
