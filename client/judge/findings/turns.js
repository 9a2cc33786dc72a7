// Findings about legs that take turns: whether a leg was alone in its slices.

import { clockErrorOf } from '../../measure/hosts.js';
import { counted, duration, percent } from '../../words/format.js';
import { RESPONSE_TIMES } from './finding.js';
import { placesOf, RAISE_IDLE_TIMEOUT } from './server-limits.js';

/**
 * @import { LegSummary } from '../../../config/types.js'
 * @import { Row } from './finding.js'
 */

/** Slices are too short from this share of replies on that come in the turn of another leg. */
const MAX_LATE = 0.01;
/** A server works while others are loaded if that takes a larger share of the CPU time in its slices. */
const MAX_UNLOADED = 0.05;
/** Least time outside of the slices for a judgement. */
const LEAST_UNLOADED_NS = 2e8;

/**
 * @typedef {{ late: number, share: number, lengthNs: number, settleOutNs: number }} Short
 * @param {Pick<LegSummary, 'steady' | 'slices'>} leg @returns {Short | undefined} undefined unless slices are too short
 */
function shortOf({ slices, steady }) {
  if (slices === undefined || steady === undefined || steady.transfers === 0) return undefined;
  const { late, lengthNs, settleOutNs } = slices;
  const share = late / steady.transfers;
  return share < MAX_LATE ? undefined : { late, share, lengthNs, settleOutNs };
}

/** @type {Row<Short>} */
export const slicesShort = {
  code: 'slices-short',
  severity: 'caution',
  isOfTrust: true,
  when: 'servers side by side: 1 % of the replies or more came in the slice of another server',
  ofSamples: shortOf,
  text: ({ share, settleOutNs }) =>
    `${percent(share, 2)} of the replies came in the slices of other servers: replies are awaited for ${duration(settleOutNs)}`,
  remedy: 'Give longer slices (--interleave), or measure one server after the other (--interleave off).',
  charts: [RESPONSE_TIMES[0]],
  weight: ({ share }) => share,
};

/** @type {Row<{ errorNs: number, settleOutNs: number }>} errorNs: largest error of a host's clock, with its drift */
export const slicesApart = {
  code: 'slices-apart',
  severity: 'caution',
  isOfTrust: true,
  when:
    'servers side by side, loaded from several hosts: the clock of one was off, or uncertain, by half of the time between two ' +
    'slices or more',
  ofSamples: (leg) => {
    if (leg.slices === undefined) return undefined;
    const { settleOutNs } = leg.slices;
    const errorNs = clockErrorOf(leg);
    // one host may be early by as much as another is late
    return 2 * errorNs < settleOutNs ? undefined : { errorNs, settleOutNs };
  },
  text: ({ errorNs, settleOutNs }) =>
    `clocks of hosts were off by up to ${duration(errorNs)}, slices are ${duration(settleOutNs)} apart: servers may have been loaded together`,
  remedy: 'Synchronise the clocks of the hosts better, or give longer slices (--interleave) or a shorter duration.',
};

/**
 * @type {Row<{ cores: number, unloadedSeconds: number, loadedSeconds: number }>} CPU seconds of the steady state
 *   outside of the server's slices and in them; cores: that it kept busy outside
 */
export const unloadedWork = {
  code: 'unloaded-work',
  severity: 'caution',
  when: 'servers side by side: outside of its slices the server used more than 5 % of the CPU time that it used in them',
  ofSamples: (leg) => {
    const { slices, steady } = leg;
    const used = steady?.server?.cpuSeconds;
    // a late reply is work outside the slice, caused by a request within it: short slices explain it
    if (
      slices?.unloaded === undefined ||
      slices.unloaded.ns < LEAST_UNLOADED_NS ||
      steady === undefined ||
      used === undefined ||
      shortOf(leg)
    )
      return undefined;
    const cores = (slices.unloaded.cpuSeconds * 1e9) / slices.unloaded.ns;
    const unloadedSeconds = (cores * (steady.toNs - steady.fromNs - slices.turnNs)) / 1e9;
    const loadedSeconds = Math.max(0, used - unloadedSeconds);
    return unloadedSeconds <= MAX_UNLOADED * loadedSeconds ? undefined : { cores, unloadedSeconds, loadedSeconds };
  },
  text: ({ cores }) =>
    `the server also used ${percent(cores, 2)} of a core while others were loaded; its CPU per transfer includes that`,
  remedy: 'Give the servers CPUs of their own (pin), or measure one after the other (--interleave off).',
  charts: ['cpu'],
  weight: ({ cores }) => cores,
};

/** @type {Row<{ count: number }>} count: of connections */
export const closedInPause = {
  code: 'closed-in-pause',
  severity: 'note',
  when:
    'servers side by side: the server closed idle connections while others were loaded; they were opened again, and are ' +
    'no errors',
  ofSamples: (leg, seen) => {
    const closed = leg.slices?.closed ?? 0;
    // a server with a limit of connections closes those beyond it in every slice, not for being idle
    return closed === 0 || placesOf(leg, seen) ? undefined : { count: closed };
  },
  text: ({ count: n }) =>
    `the server closed ${counted(n, 'connection')} while others were loaded: opened again, and not counted as errors`,
  remedy: `${RAISE_IDLE_TIMEOUT} give fewer --starts.`,
};
