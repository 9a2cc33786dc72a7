// Stalls of all connections as findings: stalls of the server, and stalls in which client or server waited for a core.

import { stallsOf } from '../../measure/quiet.js';
import { duration } from '../../words/format.js';
import { timesText } from '../../words/lists.js';
import { RESPONSE_TIMES } from './finding.js';

/**
 * @import { Sample } from '../../../config/types.js'
 * @import { Row } from './finding.js'
 */

/** How many stalls a finding names. */
const MAX_NAMED = 5;
/** Waiting for a core explains a stall from this share of its time on. */
const EXPLAINED = 0.5;

/**
 * @param {Sample} sample
 * @returns {number} share of the time in which the server, or the engine thread that waited the most, waited for a core
 */
function waitShare({ fromNs, toNs, client, server }) {
  const ofServer = ((server?.waitSeconds ?? 0) * 1e9) / (toNs - fromNs);
  return Math.min(1, Math.max(0, ofServer, ...client.engines.map(({ wait }) => wait)));
}

/**
 * @param {[number, number]} stall
 * @param {Sample[]} samples
 * @returns {boolean} whether waiting for a core may be the reason
 */
function mayBeWaiting([fromNs, toNs], samples) {
  const waited = samples.reduce((sum, sample) => {
    const partNs = Math.min(toNs, sample.toNs) - Math.max(fromNs, sample.fromNs);
    return partNs > 0 ? sum + partNs * waitShare(sample) : sum;
  }, 0);
  return waited >= EXPLAINED * (toNs - fromNs);
}

/**
 * @typedef {{ count: number, longestNs: number, longestAtNs: number, totalNs: number, atNs: number[] }} Stalls
 *   longestAtNs, atNs: start of the longest stall, and of the first ones, since the leg began
 * @param {[number, number][]} spans
 * @returns {Stalls | undefined}
 */
function dataOf(spans) {
  if (spans.length === 0) return undefined;
  const lengthOf = (/** @type {[number, number]} */ [fromNs, toNs]) => toNs - fromNs;
  const longestSpan = spans.reduce((longest, span) => (lengthOf(span) > lengthOf(longest) ? span : longest));
  return {
    ...{ count: spans.length, longestNs: lengthOf(longestSpan), longestAtNs: longestSpan[0] },
    totalNs: spans.reduce((sum, span) => sum + lengthOf(span), 0),
    atNs: spans.slice(0, MAX_NAMED).map(([fromNs]) => fromNs),
  };
}

/** @param {Sample[]} steady @returns {[number, number][]} stalls that waiting for a core does not explain */
export const serverStalls = (steady) => stallsOf(steady).filter((stall) => !mayBeWaiting(stall, steady));

/** @param {Stalls} stalls @returns {string} such as "no reply at all for 1 s, once: 6 s after the start" */
const stallsText = ({ count: n, longestNs, atNs }) =>
  `no reply at all for ${n === 1 ? '' : 'up to '}${duration(longestNs, 2)}, ${timesText(n)}: ${atNs
    .map((ns) => duration(ns))
    .join(', ')}${n > atNs.length ? ', ...' : ''} after the start`;

/** @type {Row<Stalls>} */
export const stalls = {
  code: 'stalls',
  severity: 'problem',
  when:
    'replies were awaited, and none came on any connection for 200 ms or more, for 20 times the mean time between ' +
    'replies, and for three times the p90 service time. With several workers only the time that all of them had in common counts. A line marks the longest in the ' +
    'figures over time',
  ofSamples: (_leg, { steady }) => dataOf(serverStalls(steady)),
  text: stallsText,
  charts: RESPONSE_TIMES,
  weight: ({ longestNs }) => longestNs,
};

/** @type {Row<Stalls>} */
export const stallsWaiting = {
  code: 'stalls-waiting',
  severity: 'caution',
  isOfTrust: true,
  when: 'as `stalls`, but client or server waited for a core for half of that time or more, so the machine may be the reason',
  ofSamples: (_leg, { steady }) => dataOf(stallsOf(steady).filter((stall) => mayBeWaiting(stall, steady))),
  text: (data) => `${stallsText(data)}; threads waited for a core`,
  remedy: 'Measure on an idle machine, or give client and server cores of their own (pin).',
  charts: RESPONSE_TIMES,
  weight: ({ longestNs }) => longestNs,
};
