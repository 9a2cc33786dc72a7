// Stalls of all connections as findings: those of the server, and those in which client or server waited for a core.
// Pure.

import { stallsOf } from '../../measure/quiet.js';
import { duration } from '../../words/format.js';
import { timesText } from '../../words/lists.js';
import { RESPONSE_TIMES } from './finding.js';

/**
 * @import { Sample } from '../../../config/types.js'
 * @import { Row } from './finding.js'
 */

/** The first stalls that a finding names. */
const MAX_NAMED = 5;
/** Of a stall: from then on, waiting for a core explains it. */
const EXPLAINED = 0.5;

/**
 * @param {Sample} sample
 * @returns {number} the share of its time in which the engine thread that waited most, or the server, waited for a core
 */
function waitShare({ fromNs, toNs, client, server }) {
  const ofServer = ((server?.waitSeconds ?? 0) * 1e9) / (toNs - fromNs);
  return Math.min(1, Math.max(0, ofServer, ...client.engines.map(({ wait }) => wait)));
}

/**
 * @param {[number, number]} stall
 * @param {Sample[]} samples
 * @returns {boolean} whether waiting for a core may be why
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
 *   longestAtNs, atNs: of the longest, and of the first ones, since the leg began
 * @param {[number, number][]} found
 * @returns {Stalls | undefined}
 */
function dataOf(found) {
  if (found.length === 0) return undefined;
  const lengthOf = (/** @type {[number, number]} */ [fromNs, toNs]) => toNs - fromNs;
  const longest = found.reduce((most, one) => (lengthOf(one) > lengthOf(most) ? one : most));
  return {
    ...{ count: found.length, longestNs: lengthOf(longest), longestAtNs: longest[0] },
    totalNs: found.reduce((sum, one) => sum + lengthOf(one), 0),
    atNs: found.slice(0, MAX_NAMED).map(([fromNs]) => fromNs),
  };
}

/** @param {Sample[]} steady @returns {[number, number][]} the stalls that waiting for a core does not explain */
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
