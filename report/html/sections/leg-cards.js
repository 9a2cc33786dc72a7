/** The overview: the results of one leg on a card, of several in a table. */
import { beyondMax, percentileText } from '../../model/leg-results.js';
import { areMany } from '../../model/leg-order.js';
import { html } from '../html.js';
import { firstLineOf } from '../../../client/words/endings.js';
import { kneeText } from '../../../client/words/knee.js';
import { requestedText, shownEntries } from '../../../client/words/account.js';
import { unwantedText } from '../../../client/words/replies.js';
import { clientPartText } from '../../../client/words/timestamps.js';
import { largeClientParts } from '../../../client/measure/timestamps.js';
import { scopeText } from '../../model/scope.js';
import { count, duration, rate } from '../../../client/words/format.js';
import { legClass, legSection, rangeText, roundsOf } from './leg-name.js';
import { overview } from './overview.js';

/** @typedef {import('../../types.js').LegResults} LegResults */

/**
 * What was not served: without requests, the connections lost; where connections end as planned, those unanswered after the drain.
 * @param {LegResults} results @returns {[name: string, value: number | undefined]}
 */
function unserved(results) {
  if (results.heldOnly) return ['lost', results.lost];
  return ['unanswered', results.churns ? results.neverAnswered : results.unanswered];
}

/** @param {LegResults} results @returns {import('../../types.js').Remark} how many connections there were, or what became of them */
export function heldRemark(results) {
  const { opensPerSecond, opened, transfers, requested, peakOpen, peakRequested, open } = results;
  if (results.churns) {
    const text = `opened ${rate(opensPerSecond)}, ${count(opened)} in all`;
    return { code: 'opened', data: { opensPerSecond, opened }, text };
  }
  if (results.workload === 'once') {
    const text = `answered ${count(transfers)} of ${count(requested)}`;
    return { code: 'answered', data: { transfers, requested }, text };
  }
  if (results.followsProfile) {
    const text = `up to ${count(peakOpen)} of ${count(peakRequested)} open`;
    return { code: 'profile', data: { peakOpen, peakRequested }, text };
  }
  const code = results.endedBy === 'done' || results.reopens === false ? 'done' : 'held';
  const { account } = results;
  // What is open may not be served.
  if (code === 'held' && account && !results.heldOnly) {
    const text = `served ${count(account.served)} of ${count(requested)}`;
    return { code, data: { open, requested, served: account.served }, text };
  }
  const text = `${code === 'done' ? 'opened' : 'held'} ${count(open)} of ${count(requested)}`;
  return { code, data: { open, requested }, text };
}

/**
 * @param {LegResults} results
 * @returns {string} one line, also for the list of runs: held 10,000 of 10,000, unanswered 0, ...
 */
export function legLine(results) {
  if (!results.ran) return `did not run${results.message ? `: ${firstLineOf(results.message)}` : ''}`;
  const [name, value] = unserved(results);
  return `${heldRemark(results).text}, ${name} ${count(value)}, rejects ${count(results.rejectsTotal)}, errors ${count(
    results.errorsTotal,
  )}, ${results.heldOnly ? `connect p99 ${duration(results.connect?.p99)}` : `p99 ${percentileText(results, 'p99', 0.99)}`}${unwantedText(results.replies) ? `, replies ${unwantedText(results.replies)}` : ''}`;
}

/** @param {string} name @param {number | undefined} value @returns {import('../html.js').Fragment} */
function failureCount(name, value) {
  return html`<div class="${value ? 'stat bad' : 'stat'}" data-name="${name}"><dt>${name}</dt><dd>${count(value)}</dd></div>`;
}

/**
 * @param {LegResults} results
 * @returns {Array<[name: string, value: string, bad?: boolean, range?: string]>} what took how long; range: its interval
 */
function times(results) {
  const connect = /** @type {[string, string]} */ (['connect p99', duration(results.connect?.p99)]);
  if (results.heldOnly) {
    return [['connect p50', duration(results.connect?.p50)], connect, ['connect max', duration(results.connect?.max)]];
  }
  const transfers = /** @type {[string, string, boolean, string | undefined]} */ ([
    results.workload === 'hold' ? 'heartbeats' : 'transfers',
    rate(results.perSecond),
    false,
    rangeText(results, 'perSecond', rate),
  ]);
  if (results.workload === 'reconnect') {
    return [
      ['connect p50', duration(results.connect?.p50)],
      connect,
      ['response p99', percentileText(results, 'p99', 0.99), Boolean(results.response) && beyondMax(results, 0.99)],
    ];
  }
  return [
    [
      'p50',
      percentileText(results, 'p50', 0.5),
      Boolean(results.response) && beyondMax(results, 0.5),
      rangeText(results, 'p50Ns', duration),
    ],
    [
      'p99',
      percentileText(results, 'p99', 0.99),
      results.lateness || (Boolean(results.response) && beyondMax(results, 0.99)),
      rangeText(results, 'p99Ns', duration),
    ],
    results.workload === 'once' ? connect : transfers,
  ];
}

/**
 * What only some runs have: TLS handshakes, and requests that were late or unsent.
 * @param {LegResults} results @returns {Array<Array<[name: string, value: string, bad?: boolean, range?: string]>>}
 */
function more(results) {
  const { handshake, resumption, service, late, manyLate, unsent, closed } = results;
  return [
    ...(handshake
      ? [
          /** @type {Array<[string, string]>} */ ([
            ...(resumption ? [['full handshakes', count(handshake.count)]] : []),
            ['handshake p50', duration(handshake.p50)],
            ['handshake p99', duration(handshake.p99)],
            ...(resumption ? [] : [['handshake max', duration(handshake.max)]]),
          ]),
        ]
      : []),
    ...(resumption
      ? [
          /** @type {Array<[string, string]>} */ ([
            ['resumed', count(resumption.count)],
            ['resumed p50', duration(resumption.p50)],
            ['resumed p99', duration(resumption.p99)],
          ]),
        ]
      : []),
    ...(closed || !service
      ? []
      : [
          /** @type {Array<[string, string, boolean?]>} */ ([
            ['service p99', duration(service.p99)],
            ['sent late', count(late), manyLate],
            ['unsent', count(unsent), Boolean(unsent)],
          ]),
        ]),
  ];
}

/** @param {LegResults} results @returns {import('../html.js').Fragment | null} the client's part of the response time; null where it is not known, or a finding says it */
function clientPartLine({ timestamps }) {
  const text = largeClientParts(timestamps).length > 0 ? undefined : clientPartText(timestamps);
  return text === undefined ? null : html`<p class="knee" data-code="client-part">By kernel timestamps, ${text}.</p>`;
}

/** @param {LegResults} results @returns {import('../html.js').Fragment | null} null where all replies are as requested */
function repliesLine({ replies }) {
  const unwanted = unwantedText(replies);
  if (!unwanted) return null;
  return html`<p class="knee" data-code="unwanted-replies"><span class="bad">Replies other than requested: ${unwanted}.</span></p>`;
}

/**
 * What became of each connection requested: the parts add up to them.
 * @param {LegResults} results
 * @returns {import('../html.js').Fragment | null} null where the headline says it all
 */
function accountLine({ account }) {
  const entries = account ? shownEntries(account) : [];
  if (!account || entries.length < 2) return null;
  const parts = entries.map(
    ({ part, name, value, bad }, i) =>
      html`${i > 0 ? ' + ' : null}<span class="${bad ? 'bad' : ''}" data-part="${part}">${count(value)} ${name}</span>`,
  );
  return html`<p class="account" data-code="account">${parts} = ${requestedText(account)}</p>`;
}

/** @param {LegResults} results @returns {import('../html.js').Fragment} */
function card(results) {
  const state = results.complete ? null : html`<span class="tag">${results.ran ? 'incomplete' : 'did not run'}</span>`;
  if (!results.ran) {
    return html`<li class="card ${legClass(results.colour)}"><h3><i class="chip"></i>${results.label} ${state}</h3>
<div class="held" data-code="did-not-run">did not run</div>${results.message ? html`<pre class="message">${results.message}</pre>` : null}</li>`;
  }
  const few =
    results.workload === 'once' ? (results.transfers ?? Infinity) < (results.requested ?? 0) : results.heldTooFew;
  // An open connection that is unanswered was not served.
  const short = few || Boolean(unserved(results)[1]);
  const held = heldRemark(results);
  const some = results.servedOnlySome;
  const places = results.fewPlaces;
  return html`<li class="card ${legClass(results.colour)}"><h3><i class="chip"></i>${results.label} ${state}</h3>
<div class="held${short ? ' bad' : ''}" data-code="${held.code}">${held.text}</div>${
    places
      ? html`<p class="places${some ? ' bad' : ''}" data-code="${some ? 'served-only-some' : 'few-places'}">${some ?? places}</p>`
      : null
  }
${accountLine(results)}<dl class="stats">${failureCount(...unserved(results))}${failureCount('rejects', results.rejectsTotal)}${failureCount(
    'errors',
    results.errorsTotal,
  )}</dl>
${[times(results), ...more(results)].map(
  (row) =>
    html`<dl class="stats">${row.map(
      ([name, value, bad, range]) =>
        html`<div class="${bad ? 'stat bad' : 'stat'}" data-name="${name}"><dt>${name}</dt><dd>${value}${range ? html`<small class="range-95">${range}</small>` : null}</dd></div>`,
    )}</dl>`,
)}${repliesLine(results)}${clientPartLine(results)}${kneeText(results.ramp) ? html`<p class="knee" data-code="knee">${kneeText(results.ramp)}</p>` : null}</li>`;
}

/** @param {LegResults[]} results @returns {import('../html.js').Fragment | null} folded below a table of several; null of many */
function cardsOf(results) {
  if (areMany(results)) return null;
  const cards = html`<ul class="cards n${Math.min(results.length, 4)}">${results.map(card)}</ul>`;
  return results.length === 1 ? cards : html`<details><summary>Each on a card</summary>${cards}</details>`;
}

/**
 * @param {LegResults[]} results @param {string} loop
 * @param {any[]} [legs] of the chart model
 * @returns {import('../html.js').Fragment}
 */
export function legCards(results, loop, legs = []) {
  const rounds = roundsOf(results);
  const order =
    rounds > 1
      ? `Medians of ${count(rounds)} rounds${results.some((f) => f.intervals?.p99Ns) ? ' with their 95 % intervals' : ''}; connections are those of the round that served the fewest, failures those of the round with the most. `
      : results.length === 1
        ? ''
        : 'Each leg ran once, one after the other: small differences between them mean nothing. ';
  const covered = results.every((f) => f.heldOnly)
    ? 'Connections were only held, so there are no response times.'
    : `Response times cover the ${scopeText(results)} (${loop}).`;
  const content = html`
<p class="lead">${order}${covered}</p>
${results.length > 1 ? overview(results, legs, loop) : null}${cardsOf(results)}`;
  return legSection(results, { id: 'overview', title: 'Overview' }, content);
}
