/**
 * The tables of a sweep: one for each figure, with a row for each server and each value of the other axes, and a column
 * for each value of the main axis.
 */
import { someDisturbed } from '../../../client/judge/disturbances.js';
import { cellText } from '../../../client/judge/figure-values.js';
import { figures } from '../../../client/judge/figures.js';
import { html } from '../html.js';
import { sweepOf } from '../../model/sweep.js';
import { axesText, tickText } from '../../../client/words/axes.js';
import { count, counted } from '../../../client/words/format.js';
import { legClass } from './leg-name.js';
import { intervalOf as intervalIn, isSwept } from '../../../client/judge/value-of.js';
import { boundsText } from '../../../client/words/intervals.js';
import { servedOnlySome } from '../../../client/words/figures.js';
import { capital } from '../../model/scope.js';
import { lineOf } from './all-figures.js';

/**
 * @import { Figure } from '../../../client/judge/figures.js'
 * @import { Sweep } from '../../model/sweep.js'
 * @import { PageLeg } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/** @param {PageLeg} f @param {Figure} figure @returns {string | undefined} the figure's 95 % interval over rounds */
function intervalOf({ shown }, figure) {
  const bounds = intervalIn(figure, shown);
  return bounds && boundsText(bounds, (value) => cellText(figure, value));
}

/** @param {string | undefined} text @returns {Fragment | null} in small print, below a figure */
const below = (text) => (text === undefined ? null : html`<small class="interval">${text}</small>`);

/** @param {PageLeg} f @returns {Fragment | null} mark of a leg that served only some of its connections */
const servedOnlySomeMark = ({ summary }) =>
  servedOnlySome(summary) ? html`<span class="only" title="only for the connections that were served">*</span>` : null;

/** @param {PageLeg} f @returns {Fragment | null} mark of a leg during which other programs used the machine */
const disturbedMark = ({ shown }) =>
  shown.disturbed > 0
    ? html`<span class="disturbed" title="other programs used the machine" data-code="background-load">†</span>`
    : null;

/** @param {Figure} shown @param {boolean} daggers @param {Sweep} sweep @returns {Fragment} */
function table(shown, daggers, { axis, word, columns, lines }) {
  const { code, name: figureName, of, isBad } = lineOf(shown, false);
  const title = capital(figureName);
  const marks = (/** @type {PageLeg} */ f) =>
    shown.ofServed ? [servedOnlySomeMark(f), daggers ? disturbedMark(f) : null] : null;
  const cell = (/** @type {PageLeg | undefined} */ f) =>
    f?.ran
      ? html`<td class="${isBad?.(f) ? 'bad' : ''}">${of(f)}${marks(f)}${below(intervalOf(f, shown))}</td>`
      : html`<td>–</td>`;
  const rows = lines.map(
    ({ name, results }) =>
      html`<tr data-series="${name}"><th scope="row" class="leg ${legClass(results[0].colour)}"><i class="chip"></i>${name}</th>${columns.map(
        (column) => cell(results.find(({ summary }) => summary.axes[axis] === column)),
      )}</tr>`,
  );
  return html`<div><h3>${title}</h3><div class="scroll" tabindex="0" role="region" aria-label="${title} against ${word}"><table class="sweep" data-code="${code}"><thead>
<tr><th scope="col">${word}</th>${columns.map((column) => html`<th scope="col">${tickText(axis, column)}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div></div>`;
}

/** @param {PageLeg[]} results @returns {Fragment | null} the number of legs with failures, by figure */
function notServed(results) {
  const ran = results.filter((f) => f.ran);
  const unserved = figures
    .filter(({ swept, mark }) => swept && mark)
    .map((figure) => lineOf(figure, false))
    .map(({ code, name, isBad }) => ({ code, title: name, legs: ran.filter((f) => isBad?.(f)).length }))
    .filter(({ legs }) => legs > 0);
  if (unserved.length === 0) return null;
  const inRounds = ran.some((f) => f.shown.rounds.length > 1);
  const items = unserved.map(
    ({ code, title, legs }, i) =>
      html`${i > 0 ? ', ' : null}<span data-code="${code}" data-legs="${legs}">${title} in ${count(legs)}</span>`,
  );
  return html`<p class="lead"><span class="bad">Of ${count(ran.length)} ${inRounds ? 'cases, in their worst round' : 'measurements'}: ${items}.</span> The tables below give the numbers.</p>`;
}

/** @param {PageLeg[]} results @returns {Fragment | null} explanation of hollow marks and * */
function onlySome(results) {
  if (!results.some((f) => servedOnlySome(f.summary))) return null;
  return html`<p class="lead" data-code="served-only-some">A hollow mark, or * in the tables: the figure covers only the connections that were served. A server that leaves others unanswered can be fast for those it serves.</p>`;
}

/** @param {PageLeg[]} results @returns {boolean} */
const areSomeDisturbed = (results) => someDisturbed(results.map(({ shown }) => shown));

/** @param {PageLeg[]} results @returns {Fragment | null} explanation of † */
function disturbedLegs(results) {
  if (!areSomeDisturbed(results)) return null;
  const when = results.some((f) => f.shown.rounds.length > 1)
    ? 'in at least one round of that point'
    : 'during that measurement';
  return html`<p class="lead" data-code="background-load">† Other programs used the machine ${when}, so the server may do better.</p>`;
}

/**
 * @param {PageLeg[]} cases @param {Sweep} sweep
 * @returns {string} the servers, the number of points, and how often each was measured
 */
function leadOf(cases, { lines }) {
  const servers = [...new Set(lines.map(({ server }) => server))];
  const names = servers.length === 1 ? servers[0] : counted(servers.length, 'server');
  const points = counted(new Set(cases.map(({ summary }) => axesText(summary.axes))).size, 'point');
  const rounds = Math.max(1, ...cases.map((f) => f.shown.rounds.length));
  const isSliced = cases.some((f) => f.summary.slices);
  const medians = isSliced ? 'medians of the blocks of slices' : 'medians';
  if (rounds > 1)
    return `${names} at ${points}, each in ${count(rounds)} rounds: ${medians}; connections and failures are those of the worst round.`;
  return isSliced
    ? `${names} at ${points}: ${medians}.`
    : `${names} at ${points}, each measured once: small differences mean nothing.`;
}

/** @param {PageLeg[]} results @returns {Fragment | null} null without a sweep */
export function sweep(results) {
  const swept = sweepOf(results);
  if (swept === null) return null;
  const points = swept.lines.flatMap((line) => line.results);
  const measured = points.filter((f) => f.ran).map(({ shown }) => shown);
  const tables = figures
    .filter((figure) => isSwept(figure, measured))
    .map((figure) => table(figure, areSomeDisturbed(points), swept));
  return html`<p class="lead">${leadOf(points, swept)}</p>
${notServed(results)}${onlySome(results)}${disturbedLegs(points)}<div class="swept">${tables}</div>`;
}
