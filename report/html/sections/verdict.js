/** The verdict: facts of each leg in one line, no ranking. */
import { beyondMax, lacks } from '../../model/leg-results.js';
import { areMany } from '../../model/leg-order.js';
import { html } from '../html.js';
import { kneeWords } from '../../model/knee.js';
import { refusedText } from '../../model/replies.js';
import { scopeText } from '../../model/scope.js';
import { placesText, servedOnlySome } from '../../model/server-words.js';
import { count, duration, rate } from '../../model/units.js';
import { folded, legClass } from './leg-name.js';
import { overview } from './overview.js';

/** @typedef {import('../../types.js').Facts} Facts */

/**
 * @param {Facts} facts @param {'p50' | 'p99'} key @param {number} p
 * @returns {string} the percentile, or that failures put it beyond the maximum
 */
function percentileText(facts, key, p) {
  if (!facts.response) return '–';
  return beyondMax(facts, p) ? `> ${duration(facts.response.max)}` : duration(facts.response[key]);
}

/**
 * What was not served: where nothing is asked, what was lost; where connections end as planned, those of which none was
 * ever answered.
 * @param {Facts} facts @returns {[name: string, value: number | undefined]}
 */
function unserved(facts) {
  if (facts.heldOnly) return ['lost', facts.lost];
  return facts.workload === 'reconnect' || facts.lives
    ? ['never answered', facts.neverAnswered]
    : ['unanswered', facts.unanswered];
}

/** @param {Facts} facts @returns {string} what was held, or done */
function heldText(facts) {
  if (facts.workload === 'reconnect' || facts.lives)
    return `opened ${rate(facts.opensPerSecond)}, ${count(facts.opened)} in all`;
  if (facts.workload === 'once') return `answered ${count(facts.transfers)} of ${count(facts.requested)}`;
  if (facts.alongProfile) return `up to ${count(facts.peakOpen)} of ${count(facts.peakRequested)} open`;
  if (facts.endedBy === 'done') return `opened ${count(facts.open)} of ${count(facts.requested)}`;
  return `held ${count(facts.open)} of ${count(facts.requested)}`;
}

/**
 * @param {Facts} facts
 * @returns {string} one line, also for the list of runs: held 10,000 of 10,000, unanswered 0, ...
 */
export function verdictLine(facts) {
  if (!facts.ran) return `did not run${facts.message ? `: ${facts.message.split('\n')[0]}` : ''}`;
  const [name, value] = unserved(facts);
  return `${heldText(facts)}, ${name} ${count(value)}, rejects ${count(facts.rejectsTotal)}, errors ${count(
    facts.errorsTotal,
  )}, ${facts.heldOnly ? `connect p99 ${duration(facts.connect?.p99)}` : `p99 ${percentileText(facts, 'p99', 0.99)}`}${refusedText(facts.replies) ? `, replies ${refusedText(facts.replies)}` : ''}`;
}

/** @param {string} name @param {number | undefined} value @returns {import('../html.js').Fragment} */
function failureCount(name, value) {
  return html`<div class="${value ? 'stat bad' : 'stat'}"><dt>${name}</dt><dd>${count(value)}</dd></div>`;
}

/** @param {Facts} facts @returns {Array<[name: string, value: string, bad?: boolean]>} what took how long */
function times(facts) {
  const connect = /** @type {[string, string]} */ (['connect p99', duration(facts.connect?.p99)]);
  if (facts.heldOnly) {
    return [['connect p50', duration(facts.connect?.p50)], connect, ['connect max', duration(facts.connect?.max)]];
  }
  const transfers = /** @type {[string, string]} */ ([
    facts.workload === 'hold' ? 'heartbeats' : 'transfers',
    rate(facts.perSecond),
  ]);
  if (facts.workload === 'reconnect') {
    return [
      ['connect p50', duration(facts.connect?.p50)],
      connect,
      ['response p99', percentileText(facts, 'p99', 0.99), Boolean(facts.response) && beyondMax(facts, 0.99)],
    ];
  }
  return [
    ['p50', percentileText(facts, 'p50', 0.5), Boolean(facts.response) && beyondMax(facts, 0.5)],
    ['p99', percentileText(facts, 'p99', 0.99), Boolean(facts.response) && beyondMax(facts, 0.99)],
    facts.workload === 'once' ? connect : transfers,
  ];
}

/**
 * What only some runs are about: handshakes, what a rate asked for in vain.
 * @param {Facts} facts @returns {Array<Array<[name: string, value: string, bad?: boolean]>>}
 */
function more(facts) {
  const { handshake, resumption, service, late, unsent, closed } = facts;
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

/** @param {Facts} facts @returns {import('../html.js').Fragment | null} null where all are what was asked for */
function repliesLine({ replies }) {
  const refused = refusedText(replies);
  if (!refused) return null;
  const all = Object.keys(replies).length === 1;
  return html`<p class="knee"><span class="bad">${all ? 'Every reply' : 'Of the replies'}: ${refused}.</span></p>`;
}

/** @param {Facts} facts @returns {import('../html.js').Fragment} */
function card(facts) {
  const state = facts.complete ? null : html`<span class="tag">${facts.ran ? 'incomplete' : 'did not run'}</span>`;
  if (!facts.ran) {
    return html`<li class="card ${legClass(facts.colour)}"><h3><i class="chip"></i>${facts.label} ${state}</h3>
<p class="held">did not run</p>${facts.message ? html`<pre class="message">${facts.message}</pre>` : null}</li>`;
  }
  const few = facts.workload === 'once' ? (facts.transfers ?? Infinity) < (facts.requested ?? 0) : lacks(facts);
  // Open is not served: what nobody answers was not held in any sense that counts.
  const short = few || Boolean(unserved(facts)[1]);
  const some = servedOnlySome(facts);
  const places = placesText(facts);
  return html`<li class="card ${legClass(facts.colour)}"><h3><i class="chip"></i>${facts.label} ${state}</h3>
<p class="held${short ? ' bad' : ''}">${heldText(facts)}</p>${
    places ? html`<p class="places${some ? ' bad' : ''}">${some ?? places}</p>` : null
  }
<dl class="stats">${failureCount(...unserved(facts))}${failureCount('rejects', facts.rejectsTotal)}${failureCount(
    'errors',
    facts.errorsTotal,
  )}</dl>
${[times(facts), ...more(facts)].map(
  (row) =>
    html`<dl class="stats">${row.map(
      ([name, value, bad]) => html`<div class="${bad ? 'stat bad' : 'stat'}"><dt>${name}</dt><dd>${value}</dd></div>`,
    )}</dl>`,
)}${repliesLine(facts)}${kneeWords(facts) ? html`<p class="knee">${kneeWords(facts)}</p>` : null}</li>`;
}

/**
 * @param {Facts[]} facts @param {string} loop
 * @param {any[]} [legs] of the chart model
 * @returns {import('../html.js').Fragment}
 */
export function verdict(facts, loop, legs = []) {
  const rounds = Math.max(1, ...facts.map((f) => f.round));
  const some = facts.length > 1;
  const said = rounds > 1 ? `${rounds} rounds` : 'One round, not interleaved';
  const covered = facts.every((f) => f.heldOnly)
    ? 'Connections were only held, so there are no response times.'
    : `Response times are of the ${loop}, ${scopeText(facts)}.`;
  return html`<section id="verdict" aria-labelledby="verdict-title"><h2 id="verdict-title">Verdict</h2>
<p class="lead">${said}: these are facts${some ? ', not a ranking' : ''}. ${covered}</p>
${areMany(facts) ? folded(facts, overview(facts, legs, loop)) : html`<ul class="cards n${Math.min(facts.length, 4)}">${facts.map(card)}</ul>`}</section>`;
}
