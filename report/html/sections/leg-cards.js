/** The overview: the results of one leg on a card, of several in a table. */
import { areMany } from '../../model/leg-order.js';
import { html } from '../html.js';
import { firstLineOf } from '../../../client/words/endings.js';
import { kneeText } from '../../../client/words/knee.js';
import { requestedText, shownEntries } from '../../../client/words/account.js';
import { unwantedText } from '../../../client/words/replies.js';
import { clientPartText } from '../../../client/words/timestamps.js';
import { largeClientParts } from '../../../client/measure/timestamps.js';
import { scopeText } from '../../model/scope.js';
import { intervalIn } from '../../../client/judge/case-legs.js';
import { cellText, isTold, markOf } from '../../../client/judge/figure-values.js';
import { figures } from '../../../client/judge/figures.js';
import { count, rate } from '../../../client/words/format.js';
import { boundsText } from '../../../client/words/intervals.js';
import { legClass, legSection, roundsOf } from './leg-name.js';
import { textOf } from './leg-table.js';
import { overview } from './overview.js';
import { followsProfile, heldTooFew } from '../../../client/measure/leg-figures.js';
import { fewPlacesText, percentileText, servedOnlySome } from '../../../client/words/figures.js';
import { connectText, openOf, opensPerSecond, requestedOf, unansweredOf, valueOf } from '../../model/page-leg.js';

/** @typedef {import('../../types.js').PageLeg} PageLeg */

/**
 * What was not served: without requests, the connections lost; where connections end as planned, those unanswered after the drain.
 * @param {PageLeg} f @returns {[name: string, value: number | undefined]}
 */
function unserved(f) {
  const { heldOnly, churns, connections } = f.summary;
  if (heldOnly) return ['lost', connections?.lost];
  return ['unanswered', churns ? connections?.neverAnswered : unansweredOf(f)];
}

/** @param {PageLeg} f @returns {import('../../types.js').Remark} how many connections there were, or what became of them */
export function heldRemark(f) {
  const { account, churns, connections, endedBy, heldOnly, reopens } = f.summary;
  const [open, requested] = [openOf(f), requestedOf(f)];
  if (churns) {
    const [perSecond, opened] = [opensPerSecond(f), connections?.opened];
    const text = `opened ${rate(perSecond)}, ${count(opened)} in all`;
    return { code: 'opened', data: { opensPerSecond: perSecond, opened }, text };
  }
  if (f.workload === 'once') {
    const transfers = f.summary.transfers?.count;
    const text = `answered ${count(transfers)} of ${count(requested)}`;
    return { code: 'answered', data: { transfers, requested }, text };
  }
  if (followsProfile(f.summary)) {
    const { peakOpen, requested: peakRequested } = connections ?? {};
    const text = `up to ${count(peakOpen)} of ${count(peakRequested)} open`;
    return { code: 'profile', data: { peakOpen, peakRequested }, text };
  }
  const code = endedBy === 'done' || reopens === false ? 'done' : 'held';
  // What is open may not be served.
  if (code === 'held' && account && !heldOnly) {
    const text = `served ${count(account.served)} of ${count(requested)}`;
    return { code, data: { open, requested, served: account.served }, text };
  }
  const text = `${code === 'done' ? 'opened' : 'held'} ${count(open)} of ${count(requested)}`;
  return { code, data: { open, requested }, text };
}

/**
 * @param {PageLeg} f
 * @returns {string} one line, also for the list of runs: held 10,000 of 10,000, unanswered 0, ...
 */
export function legLine(f) {
  if (!f.ran) return `did not run${f.summary.failure?.text ? `: ${firstLineOf(f.summary.failure?.text)}` : ''}`;
  const [name, value] = unserved(f);
  return `${heldRemark(f).text}, ${name} ${count(value)}, rejects ${count(f.summary.rejects?.total)}, errors ${count(
    f.summary.errors?.total,
  )}, ${f.summary.heldOnly ? `connect p99 ${connectText(f, 'connect p99')}` : `p99 ${percentileText(f.figures, 'p99', 99)}`}${unwantedText(f.figures?.statuses) ? `, replies ${unwantedText(f.figures?.statuses)}` : ''}`;
}

/**
 * What a card shows: the figures that a table with little room keeps. What became of the connections is above them, so of those
 * only what is marked.
 * @param {PageLeg} f @returns {import('../html.js').Fragment[]} a cell for each figure, in the order of the list
 */
const stats = (f) =>
  figures.flatMap((figure) => {
    const { name, title = name, group, rank, isDetail } = figure;
    const value = valueOf(f, figure);
    const mark = markOf(figure, value);
    const isKept = mark !== undefined || (rank !== undefined && group !== 'connections');
    if (!isKept || isDetail || !isTold(figure, [value])) return [];
    const bounds = intervalIn(figure, f.summary);
    const range = bounds && boundsText(bounds, (bound) => cellText(figure, bound));
    return html`<div class="${mark ? 'stat bad' : 'stat'}" data-name="${title}"><dt>${title}</dt><dd>${textOf(f, figure)}${range ? html`<small class="range-95">${range}</small>` : null}</dd></div>`;
  });

/** @param {PageLeg} f @returns {import('../html.js').Fragment | null} the client's part of the response time; null where it is not known, or a finding says it */
function clientPartLine({ figures }) {
  const timestamps = figures?.timestamps;
  const text = largeClientParts(timestamps).length > 0 ? undefined : clientPartText(timestamps);
  return text === undefined ? null : html`<p class="knee" data-code="client-part">By kernel timestamps, ${text}.</p>`;
}

/** @param {PageLeg} f @returns {import('../html.js').Fragment | null} null where all replies are as requested */
function repliesLine({ figures }) {
  const unwanted = unwantedText(figures?.statuses);
  if (!unwanted) return null;
  return html`<p class="knee" data-code="unwanted-replies"><span class="bad">Replies other than requested: ${unwanted}.</span></p>`;
}

/**
 * What became of each connection requested: the parts add up to them.
 * @param {PageLeg} f
 * @returns {import('../html.js').Fragment | null} null where the headline says it all
 */
function accountLine({ summary: { account } }) {
  const entries = account ? shownEntries(account) : [];
  if (!account || entries.length < 2) return null;
  const parts = entries.map(
    ({ part, name, value, bad }, i) =>
      html`${i > 0 ? ' + ' : null}<span class="${bad ? 'bad' : ''}" data-part="${part}">${count(value)} ${name}</span>`,
  );
  return html`<p class="account" data-code="account">${parts} = ${requestedText(account)}</p>`;
}

/** @param {PageLeg} f @returns {import('../html.js').Fragment} */
function card(f) {
  const state = f.summary.complete ? null : html`<span class="tag">${f.ran ? 'incomplete' : 'did not run'}</span>`;
  if (!f.ran) {
    return html`<li class="card ${legClass(f.colour)}"><h3><i class="chip"></i>${f.label} ${state}</h3>
<div class="held" data-code="did-not-run">did not run</div>${f.summary.failure?.text ? html`<pre class="message">${f.summary.failure?.text}</pre>` : null}</li>`;
  }
  const few =
    f.workload === 'once' ? (f.summary.transfers?.count ?? Infinity) < (requestedOf(f) ?? 0) : heldTooFew(f.summary);
  // An open connection that is unanswered was not served.
  const short = few || Boolean(unserved(f)[1]);
  const held = heldRemark(f);
  const some = servedOnlySome(f.summary);
  const places = fewPlacesText(f.summary);
  return html`<li class="card ${legClass(f.colour)}"><h3><i class="chip"></i>${f.label} ${state}</h3>
<div class="held${short ? ' bad' : ''}" data-code="${held.code}">${held.text}</div>${
    places
      ? html`<p class="places${some ? ' bad' : ''}" data-code="${some ? 'served-only-some' : 'few-places'}">${some ?? places}</p>`
      : null
  }
${accountLine(f)}<dl class="stats">${stats(f)}</dl>${repliesLine(f)}${clientPartLine(f)}${kneeText(f.summary.ramp) ? html`<p class="knee" data-code="knee">${kneeText(f.summary.ramp)}</p>` : null}</li>`;
}

/** @param {PageLeg[]} results @returns {import('../html.js').Fragment | null} folded below a table of several; null of many */
function cardsOf(results) {
  if (areMany(results)) return null;
  const cards = html`<ul class="cards n${Math.min(results.length, 4)}">${results.map(card)}</ul>`;
  return results.length === 1 ? cards : html`<details><summary>Each on a card</summary>${cards}</details>`;
}

/**
 * @param {PageLeg[]} results @param {string} loop
 * @param {import('../../types.js').ChartLeg[]} [legs] of the chart model
 * @param {string | null} [fold] what is in it, where another table has said most of it
 * @returns {import('../html.js').Fragment}
 */
export function legCards(results, loop, legs = [], fold = null) {
  const rounds = roundsOf(results);
  const order =
    rounds > 1
      ? `Medians of ${count(rounds)} rounds${results.some((f) => f.summary.intervals?.p99Ns) ? ' with their 95 % intervals' : ''}; connections are those of the round that served the fewest, failures those of the round with the most. `
      : results.length === 1 || results.some((f) => f.summary.slices)
        ? ''
        : 'Each leg ran once, one after the other: small differences between them mean nothing. ';
  const covered = results.every((f) => f.summary.heldOnly)
    ? 'Connections were only held, so there are no response times.'
    : `Response times cover the ${scopeText(results)} (${loop}).`;
  const content = html`
<p class="lead">${order}${covered}</p>
${results.length > 1 ? overview(results, legs, loop) : null}${cardsOf(results)}`;
  return legSection(results, { id: 'overview', title: 'Overview', fold }, content);
}
