/**
 * Many legs at a glance: a row each, response times on one logarithmic scale, throughput, and what was not served. Plain
 * HTML that needs no script; the page's script only reorders the rows, in the orders given here.
 */
import { areMany, grouped, orders } from '../../model/leg-order.js';
import { html, raw } from '../html.js';
import { firstLineOf } from '../../../client/words/endings.js';
import { accountText } from '../../../client/words/account.js';
import { fewPlacesText, modelText, servedOnlySome } from '../../../client/words/figures.js';
import { serverText } from '../../model/server-words.js';
import { bareRate, count, duration } from '../../../client/words/format.js';
import { groupedRows, legClass, only, rangeText, roundsOf } from './leg-name.js';
import { followsProfile, heldTooFew, latenessDominates, leftUnserved } from '../../../client/measure/leg-figures.js';
import { beyondMax, connectBeyondMax, openOf, requestedOf, valueOf } from '../../model/page-leg.js';
import { disturbedRounds } from '../../../client/judge/disturbances.js';
import { isTold } from '../../../client/judge/figure-values.js';
import { figures } from '../../../client/judge/figures.js';
import { columnOf } from './leg-table.js';

/** @typedef {import('../../types.js').PageLeg} PageLeg */
/** @typedef {import('../html.js').Fragment} Fragment */
/** @typedef {{ p50: number, p99: number, max: number }} Times */
/** @typedef {{ title: string, of: (f: PageLeg) => Times | undefined, beyond: (f: PageLeg, p: number) => boolean }} Wait */
/** @typedef {{ title: string, text: (f: PageLeg) => string, share: (f: PageLeg) => number }} Speed */

/** @param {PageLeg[]} results @returns {Wait} the figure that shows waiting in this workload */
function waitOf(results) {
  return results.some((f) => f.summary.heldOnly || f.workload === 'reconnect')
    ? { title: 'Connect time', of: (f) => f.summary.connectTimeNs, beyond: connectBeyondMax }
    : { title: 'Response time', of: (f) => f.figures?.responseTimeNs, beyond: beyondMax };
}

/** @param {PageLeg[]} results @returns {Speed | null} null where nothing was to be transferred */
function speedOf(results) {
  if (results.every((f) => f.summary.heldOnly)) return null;
  if (results.some((f) => f.workload === 'once')) {
    return {
      title: 'answered',
      text: (f) => count(f.summary.transfers?.count),
      share: (f) => (f.summary.transfers?.count ?? 0) / (requestedOf(f) || 1),
    };
  }
  const most = results.reduce((sum, f) => Math.max(sum, f.figures?.perSecond ?? 0), 0) || 1;
  return {
    title: 'transfers/s',
    text: (f) => bareRate(f.figures?.perSecond),
    share: (f) => (f.figures?.perSecond ?? 0) / most,
  };
}

/**
 * @param {PageLeg[]} results @param {Wait} wait
 * @returns {{ at: (ns: number) => number, ticks: number[] }} at: per cent of the width; ticks: decades
 */
function scaleOf(results, { of }) {
  const times = results.flatMap((f) => of(f) ?? []);
  const least = times.reduce((sum, { p50 }) => Math.min(sum, p50), Infinity);
  const most = times.reduce((sum, { max }) => Math.max(sum, max), 0);
  const [from, to] = times.length ? [Math.log10(least) - 0.15, Math.log10(Math.max(most, least * 10)) + 0.1] : [3, 9];
  const decades = Array.from({ length: Math.floor(to) - Math.ceil(from) + 1 }, (_, i) => 10 ** (Math.ceil(from) + i));
  return { at: (ns) => Number((((Math.log10(ns) - from) / (to - from)) * 100).toFixed(2)), ticks: decades };
}

/** @param {PageLeg} f @param {Wait} wait @param {(ns: number) => number} at @returns {Fragment | null} */
function track(f, { of, beyond }, at) {
  const times = of(f);
  if (!times) return null;
  const [p50, p99, max] = [times.p50, times.p99, times.max].map(at);
  const span = (/** @type {string} */ name, /** @type {number} */ from, /** @type {number} */ to) =>
    html`<i class="${name}" style="left:${from}%;width:${Math.max(0, Number((to - from).toFixed(2)))}%"></i>`;
  const known = (/** @type {number} */ p) => !beyond(f, p);
  return html`<div class="track" aria-hidden="true">${[
    span('to-max', known(99) ? p99 : known(50) ? p50 : max, max),
    known(99) ? span('to-p99', p50, p99) : null,
    known(50) ? html`<i class="p50" style="left:${p50}%"></i>` : null,
    known(99) ? html`<i class="p99" style="left:${p99}%"></i>` : null,
    html`<i class="${known(99) ? 'max' : 'max beyond'}" style="left:${max}%"></i>`,
  ]}</div>`;
}

/** @param {PageLeg} f @param {Wait} wait @param {'p50' | 'p99'} key @param {number} p @returns {Fragment} */
function time(f, { of, beyond }, key, p) {
  const times = of(f);
  const unknown = Boolean(times) && beyond(f, p);
  const text = !times ? '–' : unknown ? `> ${duration(times.max)}` : duration(times[key]);
  const range = rangeText(f, `${key}Ns`, duration);
  return html`<td class="time${unknown || (key === 'p99' && latenessDominates(f.figures)) ? ' bad' : ''}" data-name="${key}">${text}${times ? only(f) : null}${range && !unknown ? html`<small class="range-95">${range}</small>` : null}</td>`;
}

/** @param {PageLeg} f @returns {Fragment | null} the interval of its throughput over rounds */
function speedRange(f) {
  const range = rangeText(f, 'perSecond', bareRate);
  return range === undefined ? null : html`<small class="range-95">${range}</small>`;
}

/** @param {string} name @param {number | undefined} value @param {number} share 0..1 @returns {Fragment} */
const failed = (name, value, share) =>
  html`<td class="failed ${value ? 'bad' : 'nil'}" data-name="${name}">${count(value)}${
    value ? html`<i class="share" style="width:${(Math.min(1, share) * 100).toFixed(1)}%"></i>` : null
  }</td>`;

/** Groups of figures that only some runs have. */
const OF_SOME = ['open loop', 'handshake time'];

/**
 * What only some runs have: replies other than requested, TLS handshakes, requests that were late or unsent.
 * @param {PageLeg[]} results @returns {import('./leg-table.js').Column[]} none where no leg has any of it
 */
const moreOf = (results) =>
  figures
    .filter(
      (figure) =>
        figure.rank !== undefined &&
        (OF_SOME.includes(figure.group) || (figure.group === 'transfers' && figure.mark !== undefined)) &&
        isTold(
          figure,
          results.map((f) => valueOf(f, figure)),
        ),
    )
    .map((figure) => columnOf(figure));

/** @param {PageLeg} f @returns {Fragment} of a sweep, with its number of connections where no heading says it */
function nameOf({ label, summary: { series } }) {
  if (series === undefined || !label.startsWith(series)) return html`${label}`;
  return html`${series}<span class="swept">${label.slice(series.length)}</span>`;
}

/** @param {PageLeg} f @returns {Fragment} what is said of it under its name */
function said(f) {
  if (!f.ran)
    return html`<span class="said bad" data-code="did-not-run">did not run${f.summary.failure?.text ? `: ${firstLineOf(f.summary.failure?.text)}` : ''}</span>`;
  const some = servedOnlySome(f.summary) ?? fewPlacesText(f.summary);
  const { rounds = 1 } = f.summary;
  return html`${f.summary.serverModel ? html`<span class="said">${modelText(f.summary)}</span>` : null}${
    some
      ? html`<span class="said${servedOnlySome(f.summary) ? ' bad' : ''}" data-code="${servedOnlySome(f.summary) ? 'served-only-some' : 'few-places'}">${some}</span>`
      : null
  }${heldTooFew(f.summary) ? html`<span class="said bad" data-code="held-too-few">${followsProfile(f.summary) ? `up to ${count(f.summary.connections?.peakOpen)} of ${count(f.summary.connections?.requested)} open` : f.summary.account ? accountText(f.summary.account) : `held ${count(openOf(f))} of ${count(requestedOf(f))}`}</span>` : null}${
    f.summary.complete ? null : html`<span class="said bad">incomplete</span>`
  }${disturbedRounds(f.summary) ? html`<span class="said" data-code="background-load">disturbed by other programs${rounds > 1 ? ` in ${count(disturbedRounds(f.summary))} of ${count(rounds)} rounds` : null}</span>` : null}`;
}

/**
 * @param {PageLeg[]} results
 * @param {import('../../types.js').ChartLeg[]} legs of the chart model
 * @param {string} loop
 * @returns {Fragment}
 */
export function overview(results, legs, loop) {
  const [wait, speed] = [waitOf(results), speedOf(results)];
  // a few stay in the order of the run
  const many = areMany(results);
  const groups = many ? grouped(results) : [{ name: '', results }];
  const choices = many ? orders(results) : [];
  const { at, ticks } = scaleOf(results, wait);
  const left = (/** @type {PageLeg} */ f) =>
    f.summary.heldOnly ? f.summary.connections?.lost : leftUnserved(f.summary);
  const leftName = results.every((f) => f.summary.heldOnly) ? 'lost' : 'unanswered';
  const mostFailed = results.reduce(
    (most, f) => Math.max(most, f.summary.rejects?.total ?? 0, f.summary.errors?.total ?? 0),
    1,
  );
  const more = moreOf(results);
  const columns = (speed ? 9 : 8) + more.length;
  const worst = roundsOf(results) > 1 ? html` <small class="range-95">worst round</small>` : null;
  const row = (/** @type {PageLeg} */ f) => {
    const places = choices.map((choice) => choice.results.indexOf(f)).join();
    const leg = many ? legs.findIndex(({ id }) => id === f.id) : -1;
    const swatch = html`<i class="chip"></i>${nameOf(f)}`;
    const name =
      leg < 0
        ? swatch
        : html`<button type="button" class="pick" data-toggle="${leg}" aria-pressed="${String(f.drawn)}" title="Show or hide in the figures below">${swatch}</button>`;
    const head = html`<th scope="row" class="leg" title="${serverText(f)}">${name}${said(f)}</th>`;
    const some = servedOnlySome(f.summary) ? ' some' : '';
    if (!f.ran)
      return html`<tr class="${legClass(f.colour)}" data-leg="${f.label}" data-places="${places}">${head}<td colspan="${columns - 1}"></td></tr>`;
    return html`<tr class="${legClass(f.colour)}${some}" data-leg="${f.label}" data-places="${places}">${head}${[
      time(f, wait, 'p50', 50),
      time(f, wait, 'p99', 99),
      html`<td class="time" data-name="max">${wait.of(f) && wait.beyond(f, 100) ? '> ' : null}${duration(wait.of(f)?.max)}</td><td class="range">${track(f, wait, at)}</td>`,
      speed
        ? html`<td class="speed" data-name="${speed.title}">${speed.text(f)}${only(f)}${speedRange(f)}<i class="share" style="width:${(speed.share(f) * 100).toFixed(1)}%"></i></td>`
        : null,
      more.map(
        ({ name, of, bad }) => html`<td class="failed more${bad?.(f) ? ' bad' : ''}" data-name="${name}">${of(f)}</td>`,
      ),
      failed(leftName, left(f), (left(f) ?? 0) / (requestedOf(f) || 1)),
      failed('rejects', f.summary.rejects?.total, (f.summary.rejects?.total ?? 0) / mostFailed),
      failed('errors', f.summary.errors?.total, (f.summary.errors?.total ?? 0) / mostFailed),
    ]}</tr>`;
  };
  const axis = ticks.map((ns) => html`<span style="left:${at(ns)}%">${duration(ns)}</span>`);
  const grid = ticks.map((ns) => `linear-gradient(var(--line),var(--line)) ${at(ns)}% 0/1px 100% no-repeat`).join();
  const order = html`<div class="arrange" role="group" aria-label="Order of the servers"><span>Order:</span>${choices.map(
    ({ id, name }, i) =>
      html`<button type="button" data-arrange="${i}" data-order="${id}"${id === 'language' ? raw(' data-grouped') : null} aria-pressed="${String(i === 0)}">${name}</button>`,
  )}</div>`;
  return html`${many ? order : null}
<div class="overview-box"><table data-times="${wait.title === 'Response time' ? 'response' : 'connect'}" class="overview${more.length > 1 ? ' wider' : ''}${groups.length > 1 ? ' under-groups' : ''}" style="--grid:${grid || 'none'}"><thead><tr><th scope="col">server</th>
<th scope="col" class="time">p50</th><th scope="col" class="time">p99</th><th scope="col" class="time">max</th>
<th scope="col" class="range"><div class="range-key">${wait.title}${wait.title === 'Response time' ? ` (${loop})` : ''}:
<i class="key p50"></i> p50 <i class="key to-p99"></i> to p99 <i class="key to-max"></i> to max</div><div class="axis">${axis}</div></th>
${speed ? html`<th scope="col" class="speed">${speed.title}</th>` : null}${more.map(
    ({ name, about }) => html`<th scope="col" class="failed" title="${about}">${name}</th>`,
  )}<th scope="col" class="failed">${leftName}${worst}</th>
<th scope="col" class="failed">rejects${worst}</th><th scope="col" class="failed">errors${worst}</th></tr></thead>
<tbody>${groupedRows(groups, columns, row)}</tbody></table></div>${
    results.some((f) => servedOnlySome(f.summary))
      ? html`<p class="lead foot" data-code="served-only-some">* Only for the connections that were served: a server that leaves others unanswered can be quick for those it serves. ${many ? `Such servers come last${groups.length > 1 ? ' in their group' : ''} in the default order, and their` : 'Their'} marks are hollow.</p>`
      : null
  }`;
}
