/**
 * A sweep at a glance: its charts, and the same in numbers, with a row for each server and each value of the other axes, and a
 * column for each value of its main axis.
 */
import { disturbedRounds, someDisturbed } from '../../../client/judge/disturbances.js';
import { someUnserved } from '../../../client/words/account.js';
import { joinNames } from '../../../client/words/lists.js';
import { unwantedText } from '../../../client/words/replies.js';
import { html } from '../html.js';
import { sweepOf } from '../../model/sweep.js';
import { axesText, axisWord, tickText } from '../../../client/words/axes.js';
import { bareRate, count, counted, duration } from '../../../client/words/format.js';
import { figure } from './figures.js';
import { legClass, only, rangeText } from './leg-name.js';
import { lineSwatch } from './picker.js';
import { percentileText, servedOnlySome } from '../../../client/words/figures.js';
import { beyondMax, unansweredOf } from '../../model/page-leg.js';

/** @typedef {import('../../types.js').PageLeg} PageLeg */
/**
 * @typedef {{ code: string, title: string, of: (f: PageLeg) => string, bad: (f: PageLeg) => boolean, always?: true,
 *   some?: (f: PageLeg) => boolean, marked?: true, range?: (f: PageLeg) => string | undefined }} Matrix  left out unless
 *   it is always shown, or bad or present in some leg; marked: marked for a server that served only some; range:
 *   its 95 % interval over rounds
 */

/** @param {string} title @param {'p50' | 'p99'} key @param {number} p @returns {Matrix} */
const percentile = (title, key, p) => ({
  code: key,
  title,
  always: true,
  marked: true,
  of: (f) => percentileText(f.figures, key, p),
  bad: (f) => Boolean(f.figures?.responseTimeNs) && beyondMax(f, p),
  range: (f) => rangeText(f, `${key}Ns`, duration),
});

/**
 * @param {string} code @param {string} title @param {(f: PageLeg) => number | undefined} of
 * @returns {Matrix} left out where there is none
 */
const countMatrix = (code, title, of) => ({ code, title, of: (f) => count(of(f)), bad: (f) => Boolean(of(f)) });

/** What became of the connections requested, at the end of the steady state. @type {Matrix[]} */
const ACCOUNT = [
  {
    code: 'served',
    title: 'Connections served',
    of: (f) => count(f.summary.account?.served),
    bad: () => false,
    some: (f) => f.summary.account !== undefined && someUnserved(f.summary.account),
  },
  countMatrix(
    'unanswered',
    'Connections unanswered at the end',
    (f) => f.summary.account?.unanswered ?? unansweredOf(f),
  ),
  countMatrix('connecting', 'Connections still connecting at the end', (f) => f.summary.account?.connecting),
  countMatrix('rejected', 'Connections rejected at the end', (f) => f.summary.account?.rejected),
  countMatrix('lost', 'Connections lost at the end', (f) => f.summary.account?.lost),
];

/** @type {Matrix[]} */
const MATRICES = [
  ...ACCOUNT,
  {
    code: 'transfers',
    title: 'Transfers per second',
    of: (f) => bareRate(f.figures?.perSecond),
    bad: () => false,
    always: true,
    marked: true,
    range: (f) => rangeText(f, 'perSecond', bareRate),
  },
  percentile('Response time, p50', 'p50', 50),
  percentile('Response time, p99', 'p99', 99),
  {
    code: 'handshake',
    title: 'Handshake time (TLS), p99',
    of: (f) => duration(f.summary.handshakeTimeNs?.p99),
    bad: () => false,
    some: (f) => Boolean(f.summary.handshakeTimeNs),
  },
  {
    code: 'unwanted-replies',
    title: 'Replies other than requested',
    of: (f) => unwantedText(f.figures?.statuses) || '0',
    bad: (f) => unwantedText(f.figures?.statuses) !== '',
  },
  countMatrix('timeouts', 'Timeouts', (f) => f.summary.errors?.timeout),
  countMatrix(
    'failed',
    'Failed and unfinished transfers',
    (f) => (f.summary.transfers?.failed ?? 0) + (f.summary.transfers?.unfinished ?? 0),
  ),
  countMatrix('rejects', 'Rejected attempts', (f) => f.summary.rejects?.total),
  countMatrix(
    'unanswered-after',
    'Connections unanswered after the drain',
    (f) => f.summary.connections?.neverAnswered,
  ),
];

/** @param {string | undefined} text @returns {import('../html.js').Fragment | null} in small print, below a figure */
const below = (text) => (text === undefined ? null : html`<small class="interval">${text}</small>`);

/** @param {PageLeg} f @returns {import('../html.js').Fragment | null} a mark that is explained above */
const disturbedMark = ({ summary }) =>
  disturbedRounds(summary) > 0
    ? html`<span class="disturbed" title="other programs used the machine" data-code="background-load">†</span>`
    : null;

/** @param {Matrix} matrix @param {boolean} daggers @param {import('../../model/sweep.js').Sweep} sweep @returns {import('../html.js').Fragment} */
function table({ code, title, of, bad, marked, range }, daggers, { axis, word, columns, lines }) {
  const rows = lines.map(
    ({ name, results: own }) =>
      html`<tr data-series="${name}"><th scope="row" class="leg ${legClass(own[0].colour)}"><i class="chip"></i>${name}</th>${columns.map(
        (column) => {
          const f = own.find(({ summary }) => summary.axes[axis] === column);
          return html`<td class="${f?.ran && bad(f) ? 'bad' : ''}">${f?.ran ? of(f) : '–'}${f?.ran && marked ? html`${only(f)}${daggers ? disturbedMark(f) : null}` : null}${f?.ran ? below(range?.(f)) : null}</td>`;
        },
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
  const unserved = MATRICES.filter(({ always }) => !always)
    .map(({ code, title, bad }) => ({ code, title: title.toLowerCase(), legs: ran.filter(bad).length }))
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
  const shown = MATRICES.filter(
    ({ always, bad, some }) => always || points.some((f) => f.ran && (bad(f) || some?.(f))),
  );
  const tables = shown.map((matrix) => table(matrix, areSomeDisturbed(points), swept));
  return html`<section id="sweep" aria-labelledby="sweep-title"><h2 id="sweep-title">Sweep over ${joinNames(axes.map(axisWord))}</h2>
<p class="lead">${leadOf(points, swept)}</p>
${notServed(results)}${onlySome(results)}${disturbedLegs(points)}${charts.length ? legend(charts[0], model.legs) : null}<div class="pairs">${charts.map((chart, i) => figure(chart, model, i === charts.length - 1 && charts.length % 2 === 1))}</div>
${charts.length ? html`<details><summary>The same in numbers</summary>${tables}</details>` : tables}</section>`;
}
