/**
 * A sweep at a glance: its charts, and the same in numbers, with a row for each server and each value of the other axes, and a
 * column for each value of its main axis.
 */
import { disturbedRounds, someDisturbed } from '../../../client/judge/disturbances.js';
import { cellText, isSwept } from '../../../client/judge/figure-values.js';
import { figures } from '../../../client/judge/figures.js';
import { joinNames } from '../../../client/words/lists.js';
import { html } from '../html.js';
import { sweepOf } from '../../model/sweep.js';
import { axesText, axisWord, tickText } from '../../../client/words/axes.js';
import { count, counted } from '../../../client/words/format.js';
import { figure } from './figures.js';
import { legClass, only } from './leg-name.js';
import { intervalIn } from '../../../client/judge/case-legs.js';
import { boundsText } from '../../../client/words/intervals.js';
import { lineSwatch } from './picker.js';
import { servedOnlySome } from '../../../client/words/figures.js';
import { spanned } from '../../model/page-leg.js';
import { capital } from '../../model/scope.js';
import { columnOf } from './leg-table.js';

/** @typedef {import('../../types.js').PageLeg} PageLeg */
/** @typedef {import('../../../client/judge/figures.js').Figure} Figure */

/** @param {PageLeg} f @param {Figure} figure @returns {string | undefined} its 95 % interval over rounds */
function intervalOf({ summary }, figure) {
  const bounds = intervalIn(figure, summary);
  return bounds && boundsText(bounds, (value) => cellText(figure, value));
}

/** @param {string | undefined} text @returns {import('../html.js').Fragment | null} in small print, below a figure */
const below = (text) => (text === undefined ? null : html`<small class="interval">${text}</small>`);

/** @param {PageLeg} f @returns {import('../html.js').Fragment | null} a mark that is explained above */
const disturbedMark = ({ summary }) =>
  disturbedRounds(summary) > 0
    ? html`<span class="disturbed" title="other programs used the machine" data-code="background-load">†</span>`
    : null;

/** @param {Figure} shown @param {boolean} daggers @param {import('../../model/sweep.js').Sweep} sweep @returns {import('../html.js').Fragment} */
function table(shown, daggers, { axis, word, columns, lines }) {
  const { code, name: said, of, bad, ofServed } = columnOf(shown);
  const title = capital(said);
  const marks = (/** @type {PageLeg} */ f) => (ofServed ? [only(f), daggers ? disturbedMark(f) : null] : null);
  const cell = (/** @type {PageLeg | undefined} */ f) =>
    f?.ran
      ? html`<td class="${bad?.(f) ? 'bad' : ''}">${of(f)}${marks(f)}${below(intervalOf(f, shown))}</td>`
      : html`<td>–</td>`;
  const rows = lines.map(
    ({ name, results: own }) =>
      html`<tr data-series="${name}"><th scope="row" class="leg ${legClass(own[0].colour)}"><i class="chip"></i>${name}</th>${columns.map(
        (column) => cell(own.find(({ summary }) => summary.axes[axis] === column)),
      )}</tr>`,
  );
  return html`<h3>${title}</h3><div class="scroll" tabindex="0" role="region" aria-label="${title} against ${word}"><table class="sweep" data-code="${code}"><thead>
<tr><th scope="col">${word}</th>${columns.map((column) => html`<th scope="col">${tickText(axis, column)}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** Up to this many servers need no button that shows or hides all. */
const MAX_ALONE = 4;

/**
 * One legend for all charts of a sweep: a click shows or hides a server in each of them.
 * @param {import('../../types.js').Chart} chart @param {import('../../types.js').ChartLeg[]} legs
 * @returns {import('../html.js').Fragment}
 */
function legend({ panels: [{ datasets }] }, legs) {
  const shown = datasets.filter(({ role }) => role === 'leg');
  const entry = (/** @type {import('../../types.js').Dataset} */ { leg = 0, label }) =>
    html`<li><button type="button" class="${legClass(legs[leg].color)}" data-swept="${leg}" aria-pressed="true" title="Show or hide in each chart">${lineSwatch(
      legs[leg].mark,
    )}<span>${label}</span></button></li>`;
  const every =
    shown.length <= MAX_ALONE
      ? null
      : html`<li class="every"><button type="button" data-swept-all="true">all</button> <button type="button" data-swept-all="false">none</button></li>`;
  return html`<ul class="legend" aria-label="Servers shown">${shown.map(entry)}${every}</ul>`;
}

/** @param {PageLeg[]} results @returns {import('../html.js').Fragment | null} in how many legs something was not served */
function notServed(results) {
  const ran = results.filter((f) => f.ran);
  const unserved = figures
    .filter(({ swept, mark }) => swept && mark)
    .map((figure) => columnOf(figure))
    .map(({ code, name, bad }) => ({ code, title: name, legs: ran.filter((f) => bad?.(f)).length }))
    .filter(({ legs }) => legs > 0);
  if (unserved.length === 0) return null;
  const inRounds = ran.some((f) => (f.summary.rounds ?? 1) > 1);
  const items = unserved.map(
    ({ code, title, legs }, i) =>
      html`${i > 0 ? ', ' : null}<span data-code="${code}" data-legs="${legs}">${title} in ${count(legs)}</span>`,
  );
  return html`<p class="lead"><span class="bad">Of ${count(ran.length)} ${inRounds ? 'cases, in their worst round' : 'legs'}: ${items}.</span> The tables below give the numbers.</p>`;
}

/** @param {PageLeg[]} results @returns {import('../html.js').Fragment | null} what the marks of some legs mean */
function onlySome(results) {
  if (!results.some((f) => servedOnlySome(f.summary))) return null;
  return html`<p class="lead" data-code="served-only-some">A hollow mark, or * in the tables: only of the connections that were served. A server that leaves others unanswered can be quick for those it serves.</p>`;
}

/** @param {PageLeg[]} results @returns {boolean} */
const areSomeDisturbed = (results) => someDisturbed(results.map(({ summary }) => summary));

/** @param {PageLeg[]} results @returns {import('../html.js').Fragment | null} what the daggers at some legs mean */
function disturbedLegs(results) {
  if (!areSomeDisturbed(results)) return null;
  const when = results.some((f) => (f.summary.rounds ?? 1) > 1)
    ? 'in at least one round of that point'
    : 'during that leg';
  return html`<p class="lead" data-code="background-load">† Other programs used the machine ${when}, so the server may do better.</p>`;
}

/**
 * @param {PageLeg[]} cases @param {import('../../model/sweep.js').Sweep} sweep
 * @returns {string} what was measured where, and how often
 */
function leadOf(cases, { lines }) {
  const servers = [...new Set(lines.map(({ server }) => server))];
  const who = servers.length === 1 ? servers[0] : counted(servers.length, 'server');
  const where = counted(new Set(cases.map(({ summary }) => axesText(summary.axes))).size, 'point');
  const rounds = Math.max(1, ...cases.map((f) => f.summary.rounds ?? 1));
  return rounds > 1
    ? `${who} at ${where}, each in ${count(rounds)} rounds: medians; connections and failures are those of the worst round.`
    : `${who} at ${where}, each measured once: small differences mean nothing.`;
}

/**
 * @param {PageLeg[]} results
 * @param {import('./figures.js').Model} model
 * @returns {import('../html.js').Fragment | null} null where nothing is swept over
 */
export function sweep(results, model) {
  const charts = model.charts.filter(({ section, picture }) => section === 'sweep' && !picture);
  const swept = sweepOf(results);
  if (swept === null) return null;
  const { lines, axes } = swept;
  const points = lines.flatMap((line) => line.results);
  const measured = points.filter((f) => f.ran).map(spanned);
  const tables = figures
    .filter((one) => isSwept(one, measured))
    .map((one) => table(one, areSomeDisturbed(points), swept));
  return html`<section id="sweep" aria-labelledby="sweep-title"><h2 id="sweep-title">Sweep over ${joinNames(axes.map(axisWord))}</h2>
<p class="lead">${leadOf(points, swept)}</p>
${notServed(results)}${onlySome(results)}${disturbedLegs(points)}${charts.length ? legend(charts[0], model.legs) : null}<div class="pairs">${charts.map((chart, i) => figure(chart, model, i === charts.length - 1 && charts.length % 2 === 1))}</div>
${charts.length ? html`<details><summary>The same in numbers</summary>${tables}</details>` : tables}</section>`;
}
