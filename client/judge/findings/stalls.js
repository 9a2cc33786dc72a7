// Stalls of all connections as findings: those of the server, and those in which client or server waited for a core.
// Pure.

import { stallsOf } from '../../measure/quiet.js';
import { finding } from './finding.js';

/** @import { Finding, Sample } from '../../../config/types.js' */

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

/** @param {[number, number][]} stalls */
const dataOf = (stalls) => ({
  count: stalls.length,
  longestNs: Math.max(...stalls.map(([fromNs, toNs]) => toNs - fromNs)),
  totalNs: stalls.reduce((sum, [fromNs, toNs]) => sum + toNs - fromNs, 0),
  atNs: stalls.slice(0, MAX_NAMED).map(([fromNs]) => fromNs),
});

/** @param {Sample[]} steady @returns {[number, number][]} the stalls that waiting for a core does not explain */
export const serverStalls = (steady) => stallsOf(steady).filter((stall) => !mayBeWaiting(stall, steady));

/** @param {Sample[]} steady @returns {Finding[]} one of each kind at most */
export function stallFindings(steady) {
  const [others, waiting] = [serverStalls(steady), stallsOf(steady).filter((stall) => mayBeWaiting(stall, steady))];
  return [
    ...(others.length > 0 ? [finding('stalls', dataOf(others))] : []),
    ...(waiting.length > 0 ? [finding('stalls-waiting', dataOf(waiting))] : []),
  ];
}
