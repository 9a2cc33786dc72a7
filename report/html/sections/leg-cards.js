/** The overview: the results of each leg on a card, or in a table where they are many; facts, no ranking. */
import { beyondMax } from '../../model/leg-results.js';
import { areMany } from '../../model/leg-order.js';
import { html } from '../html.js';
import { kneeText } from '../../../client/results/phrases/knee.js';
import { unwantedText } from '../../../client/results/phrases/replies.js';
import { scopeText } from '../../model/scope.js';
import { count, duration, rate } from '../../../client/results/format.js';
import { folded, legClass } from './leg-name.js';
import { overview } from './overview.js';

/** @typedef {import('../../types.js').LegResults} LegResults */

/**
 * @param {LegResults} results @param {'p50' | 'p99'} key @param {number} p
 * @returns {string} the percentile, or that failures put it beyond the maximum
 */
function percentileText(results, key, p) {
  if (!results.response) return '–';
  return beyondMax(results, p) ? `> ${duration(results.response.max)}` : duration(results.response[key]);
}

/**
 * What was not served: where nothing is asked, what was lost; where connections end as planned, those of which none was
 * ever answered.
 * @param {LegResults} results @returns {[name: string, value: number | undefined]}
 */
function unserved(results) {
  if (results.heldOnly) return ['lost', results.lost];
  return results.churns ? ['never answered', results.neverAnswered] : ['unanswered', results.unanswered];
}

/** @param {LegResults} results @returns {string} what was held, or done */
function heldText(results) {
  if (results.churns) return `opened ${rate(results.opensPerSecond)}, ${count(results.opened)} in all`;
  if (results.workload === 'once') return `answered ${count(results.transfers)} of ${count(results.requested)}`;
  if (results.followsProfile) return `up to ${count(results.peakOpen)} of ${count(results.peakRequested)} open`;
  if (results.endedBy === 'done') return `opened ${count(results.open)} of ${count(results.requested)}`;
  return `held ${count(results.open)} of ${count(results.requested)}`;
}

/**
 * @param {LegResults} results
 * @returns {string} one line, also for the list of runs: held 10,000 of 10,000, unanswered 0, ...
 */
export function legLine(results) {
  if (!results.ran) return `did not run${results.message ? `: ${results.message.split('\n')[0]}` : ''}`;
  const [name, value] = unserved(results);
  return `${heldText(results)}, ${name} ${count(value)}, rejects ${count(results.rejectsTotal)}, errors ${count(
    results.errorsTotal,
  )}, ${results.heldOnly ? `connect p99 ${duration(results.connect?.p99)}` : `p99 ${percentileText(results, 'p99', 0.99)}`}${unwantedText(results.replies) ? `, replies ${unwantedText(results.replies)}` : ''}`;
}

/** @param {string} name @param {number | undefined} value @returns {import('../html.js').Fragment} */
function failureCount(name, value) {
  return html`<div class="${value ? 'stat bad' : 'stat'}"><dt>${name}</dt><dd>${count(value)}</dd></div>`;
}

/** @param {LegResults} results @returns {Array<[name: string, value: string, bad?: boolean]>} what took how long */
function times(results) {
  const connect = /** @type {[string, string]} */ (['connect p99', duration(results.connect?.p99)]);
  if (results.heldOnly) {
    return [['connect p50', duration(results.connect?.p50)], connect, ['connect max', duration(results.connect?.max)]];
  }
  const transfers = /** @type {[string, string]} */ ([
    results.workload === 'hold' ? 'heartbeats' : 'transfers',
    rate(results.perSecond),
  ]);
  if (results.workload === 'reconnect') {
    return [
      ['connect p50', duration(results.connect?.p50)],
      connect,
      ['response p99', percentileText(results, 'p99', 0.99), Boolean(results.response) && beyondMax(results, 0.99)],
    ];
  }
  return [
    ['p50', percentileText(results, 'p50', 0.5), Boolean(results.response) && beyondMax(results, 0.5)],
    ['p99', percentileText(results, 'p99', 0.99), Boolean(results.response) && beyondMax(results, 0.99)],
    results.workload === 'once' ? connect : transfers,
  ];
}

/**
 * What only some runs are about: handshakes, what a rate asked for in vain.
 * @param {LegResults} results @returns {Array<Array<[name: string, value: string, bad?: boolean]>>}
 */
function more(results) {
  const { handshake, resumption, service, late, unsent, closed } = results;
  return [
    ...(handshake
      ? [
          /** @type {Array<[string, string]>} */ ([
            ...(resumption ? [['whole handshakes', count(handshake.count)]] : []),
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
            ['sent late', count(late)],
            ['unsent', count(unsent), Boolean(unsent)],
          ]),
        ]),
  ];
}

/** @param {LegResults} results @returns {import('../html.js').Fragment | null} null where all are what was asked for */
function repliesLine({ replies }) {
  const refused = unwantedText(replies);
  if (!refused) return null;
  const all = Object.keys(replies).length === 1;
  return html`<p class="knee"><span class="bad">${all ? 'Every reply' : 'Of the replies'}: ${refused}.</span></p>`;
}

/** @param {LegResults} results @returns {import('../html.js').Fragment} */
function card(results) {
  const state = results.complete ? null : html`<span class="tag">${results.ran ? 'incomplete' : 'did not run'}</span>`;
  if (!results.ran) {
    return html`<li class="card ${legClass(results.colour)}"><h3><i class="chip"></i>${results.label} ${state}</h3>
<p class="held">did not run</p>${results.message ? html`<pre class="message">${results.message}</pre>` : null}</li>`;
  }
  const few =
    results.workload === 'once' ? (results.transfers ?? Infinity) < (results.requested ?? 0) : results.heldTooFew;
  // Open is not served: what nobody answers was not held in any sense that counts.
  const short = few || Boolean(unserved(results)[1]);
  const some = results.servedOnlySome;
  const places = results.fewPlaces;
  return html`<li class="card ${legClass(results.colour)}"><h3><i class="chip"></i>${results.label} ${state}</h3>
<p class="held${short ? ' bad' : ''}">${heldText(results)}</p>${
    places ? html`<p class="places${some ? ' bad' : ''}">${some ?? places}</p>` : null
  }
<dl class="stats">${failureCount(...unserved(results))}${failureCount('rejects', results.rejectsTotal)}${failureCount(
    'errors',
    results.errorsTotal,
  )}</dl>
${[times(results), ...more(results)].map(
  (row) =>
    html`<dl class="stats">${row.map(
      ([name, value, bad]) => html`<div class="${bad ? 'stat bad' : 'stat'}"><dt>${name}</dt><dd>${value}</dd></div>`,
    )}</dl>`,
)}${repliesLine(results)}${kneeText(results.ramp) ? html`<p class="knee">${kneeText(results.ramp)}</p>` : null}</li>`;
}

/**
 * @param {LegResults[]} results @param {string} loop
 * @param {any[]} [legs] of the chart model
 * @returns {import('../html.js').Fragment}
 */
export function legCards(results, loop, legs = []) {
  const rounds = Math.max(1, ...results.map((f) => f.round));
  const some = results.length > 1;
  const said = rounds > 1 ? `${rounds} rounds` : 'One round, not interleaved';
  const covered = results.every((f) => f.heldOnly)
    ? 'Connections were only held, so there are no response times.'
    : `Response times are of the ${loop}, ${scopeText(results)}.`;
  return html`<section id="overview" aria-labelledby="overview-title"><h2 id="overview-title">Overview</h2>
<p class="lead">${said}: these are results${some ? ', not a ranking' : ''}. ${covered}</p>
${areMany(results) ? folded(results, overview(results, legs, loop)) : html`<ul class="cards n${Math.min(results.length, 4)}">${results.map(card)}</ul>`}</section>`;
}
