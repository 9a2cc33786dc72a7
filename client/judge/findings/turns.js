// Of a leg that takes turns with others in slices: whether it was by itself in them. Pure.

import { finding } from './finding.js';

/** @import { Finding, LegSummary } from '../../../config/types.js' */

/** Of replies that came in the turn of another leg: from this share on slices are too short. */
const MAX_LATE = 0.01;
/** Of the CPU time in its slices: from this share on a server works while others are loaded. */
const MAX_UNLOADED = 0.05;
/** Shorter times say nothing. */
const LEAST_UNLOADED_NS = 2e8;

/** @param {LegSummary} leg measured @returns {Finding[]} */
export function turnFindings(leg) {
  const short = shortFindings(leg);
  const closed = leg.slices?.closed ?? 0;
  // a late reply is work outside the slice, caused by a request within it: short slices explain it
  return [
    ...short,
    ...clockFindings(leg),
    ...(short.length === 0 ? unloadedFindings(leg) : []),
    ...(closed > 0 ? [finding('closed-in-pause', { count: closed })] : []),
  ];
}

/** @param {LegSummary} leg @returns {Finding[]} one at most */
function shortFindings({ slices, steady }) {
  if (slices === undefined || steady === undefined || steady.transfers === 0) return [];
  const { late, lengthNs, settleOutNs } = slices;
  const share = late / steady.transfers;
  return share < MAX_LATE ? [] : [finding('slices-short', { late, share, lengthNs, settleOutNs })];
}

/** @param {LegSummary} leg @returns {Finding[]} one at most */
function clockFindings({ slices, agents = [] }) {
  if (slices === undefined || agents.length < 2) return [];
  const { settleOutNs } = slices;
  const errorNs = Math.max(
    ...agents.map(({ clockUncertaintyNs = 0, clockDriftNs = 0 }) => clockUncertaintyNs + Math.abs(clockDriftNs)),
  );
  // one agent may be early by as much as another is late
  return 2 * errorNs < settleOutNs ? [] : [finding('slices-apart', { errorNs, settleOutNs })];
}

/** @param {LegSummary} leg @returns {Finding[]} one at most */
function unloadedFindings({ slices, steady }) {
  const used = steady?.server?.cpuSeconds;
  if (
    slices?.unloaded === undefined ||
    slices.unloaded.ns < LEAST_UNLOADED_NS ||
    steady === undefined ||
    used === undefined
  )
    return [];
  const cores = (slices.unloaded.cpuSeconds * 1e9) / slices.unloaded.ns;
  const unloadedSeconds = (cores * (steady.toNs - steady.fromNs - slices.turnNs)) / 1e9;
  const loadedSeconds = Math.max(0, used - unloadedSeconds);
  if (unloadedSeconds <= MAX_UNLOADED * loadedSeconds) return [];
  return [finding('unloaded-work', { cores, unloadedSeconds, loadedSeconds })];
}
