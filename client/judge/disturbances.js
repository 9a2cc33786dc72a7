// What disturbed a leg's measurement: other programs on the machine, and a worker whose JavaScript did not run for
// seconds. Pure.

import { serverHostOf } from '../measure/hosts.js';
import { machineUseOf } from '../measure/machine-use.js';
import { warning } from '../words/warnings.js';

/**
 * @import { EndedBy, LegSummary, PlannedLeg, Sample, Warning } from '../../config/types.js'
 * @import { Listed } from './findings/finding.js'
 */

/** Both limits, cores and share of the machine, must be reached before a warning is given. */
const bounds = Object.freeze({ cores: 0.3, share: 0.15 });

/** @type {Listed} a warning */
export const backgroundLoad = {
  code: 'background-load',
  severity: 'caution',
  isOfTrust: true,
  when: 'a warning: other programs used 0.3 cores and 15 % of the machine, or more, in the steady state',
  charts: ['cpu'],
  weight: ({ cores }) => cores,
};

/**
 * Busy time that neither client nor server used. It is unknown for a server whose CPU time is not known; of a server on
 * another host it is that of the client's machine. Where legs take turns, it is known of all
 * of them together.
 * @param {Sample[]} samples of a leg
 * @returns {{ cores: number, of: number } | null} mean over the steady state, in cores; null where it is unknown
 */
export function backgroundCores(samples) {
  const steady = samples.filter(({ phase, fromNs, toNs }) => phase === 'steady' && toNs > fromNs);
  return steady.some(({ slices }) => slices) ? null : coresOfOthers([steady]);
}

/**
 * @param {Sample[][]} legs the samples of each of those that were measured at the same time, over the same time
 * @returns {{ cores: number, of: number } | null} mean of the busy time that neither client nor servers used; null
 *   where it is unknown
 */
export function coresOfOthers(legs) {
  const machine = machineUseOf(legs.flat());
  if (machine === undefined || legs.flat().some(({ server }) => server?.cpuSeconds === undefined)) return null;
  const ownOf = (/** @type {Sample[]} */ samples) => {
    const sum = (/** @type {(sample: Sample) => number} */ of) => samples.reduce((total, one) => total + of(one), 0);
    const seconds = sum(({ fromNs, toNs }) => toNs - fromNs) / 1e9;
    const used = sum(
      ({ client, server, serverMachine }) =>
        client.cpuSeconds + (serverMachine === undefined ? (server?.cpuSeconds ?? 0) : 0),
    );
    return seconds > 0 ? used / seconds : 0;
  };
  const own = legs.reduce((total, samples) => total + ownOf(samples), 0);
  return { cores: Math.max(0, machine.busyCores - own), of: machine.cores };
}

/**
 * What neither the client nor servers whose CPU time is known used of the machine, by their summaries.
 * @param {LegSummary[]} legs measured at the same time: one, or all of a group that took turns with each other, each of
 *   which used the machine while the others were measured
 * @returns {{ cores: number, of: number, busyCores: number, withServer: boolean } | null} busyCores: whoever used
 *   them; withServer: a server whose CPU time is not known is among the others; null where it is unknown
 */
export function coresBeside(legs) {
  const [{ machine, slices }] = legs;
  if (machine === undefined || legs.length !== (slices?.of ?? 1)) return null;
  let own = 0;
  let withServer = false;
  for (const leg of legs) {
    const { steady } = leg;
    if (steady === undefined) return null;
    const used = serverHostOf(leg) === undefined ? steady.server?.cpuSeconds : 0;
    withServer ||= used === undefined;
    own += ((steady.client.cpuSeconds + (used ?? 0)) * 1e9) / (steady.toNs - steady.fromNs);
  }
  const { busyCores, cores: of } = machine;
  return { cores: Math.max(0, busyCores - own), of, busyCores, withServer };
}

/**
 * @template {{ cores: number, of: number }} B
 * @param {B | null} background @returns {background is B}
 */
export const isMuch = (background) =>
  background !== null && background.cores >= Math.max(bounds.cores, bounds.share * background.of);

/**
 * @param {LegSummary[]} legs of a run
 * @returns {LegSummary[]} the same; those that took turns have a warning where other programs used much of the machine
 *   meanwhile
 */
export function withGroupBackground(legs) {
  const numbers = [...new Set(legs.flatMap(({ slices }) => slices?.group ?? []))];
  const found = new Map(
    numbers.map((group) => [group, coresBeside(legs.filter(({ slices }) => slices?.group === group))]),
  );
  return legs.map((leg) => {
    const group = leg.slices?.group;
    const background = found.get(group ?? NaN) ?? null;
    if (!isMuch(background) || background.withServer || leg.warnings.some(isBackgroundLoad)) return leg;
    const { cores, of } = background;
    return { ...leg, warnings: [...leg.warnings, warning('background-load', { cores, of, group })] };
  });
}

/** @param {Warning} warning @returns {boolean} */
export const isBackgroundLoad = ({ code }) => code === backgroundLoad.code;

/** @param {{ warnings?: Warning[] }} leg @returns {boolean} whether other programs used the machine meanwhile */
export const isDisturbed = ({ warnings = [] }) => warnings.some(isBackgroundLoad);

/**
 * @param {{ disturbed: number }[]} cases
 * @returns {boolean} whether other programs used the machine during some of them, but not all: then those are to be
 *   told apart
 */
export const someDisturbed = (cases) =>
  cases.some(({ disturbed }) => disturbed > 0) && cases.some(({ disturbed }) => disturbed === 0);

/** @param {Sample[]} samples of a leg @returns {Warning | null} when it was much */
export function backgroundLoadWarning(samples) {
  const background = backgroundCores(samples);
  return isMuch(background) ? warning('background-load', background) : null;
}

/**
 * Intervals that an engine had to extend over several seconds.
 * @param {Sample[]} samples of a leg
 * @returns {Warning | null} null without any such interval
 */
export function mergedIntervalsWarning(samples) {
  const intervals = samples.reduce((sum, { mergedIntervals = 0 }) => sum + mergedIntervals, 0);
  return intervals === 0 ? null : warning('intervals-merged', { intervals });
}

/**
 * @param {Sample[]} samples of a leg
 * @param {{ settings: { transfers?: number | null, lifetime?: { reopen?: boolean } | null },
 *   leg: Pick<PlannedLeg, 'warmupTransfers' | 'steadyFromNs'>,
 *   endedBy: EndedBy, phase: string }} course  phase: the last that the leg has reached
 * @returns {Warning[]} what is wrong with the leg's measurement as a whole
 */
export function legWarnings(samples, { settings, leg, endedBy, phase }) {
  const { transfers = null, lifetime } = settings;
  const { warmupTransfers, steadyFromNs } = leg;
  const mayEnd = transfers !== null || lifetime?.reopen === false;
  const hasNoSteadyState = mayEnd && endedBy === 'done' && ['ramp', 'warmup'].includes(phase);
  return [
    mergedIntervalsWarning(samples),
    backgroundLoadWarning(samples),
    hasNoSteadyState ? warning('no-steady-state', { transfers, phase, warmupTransfers, steadyFromNs }) : null,
  ].filter((one) => one !== null);
}

/** A tenth of the connections is loaded unevenly with less than this share of the mean, or more than its inverse. */
const EVEN_SHARE = 0.8;
/** Transfers of a tenth, at least: then chance alone changes a share by less than 1 % mostly. */
const LEAST_OF_TENTH = 10_000;

/**
 * Connections that opened at one time are served less, or more, than others on all servers of a run: then it is hardly
 * the servers that differ.
 * @param {LegSummary[]} legs of a run
 * @returns {Warning[]} one at most: of the tenth that differs most
 */
export function unevenLoadWarnings(legs) {
  /** @type {Map<string, number[]>} by server the transfers of each tenth */
  const servers = new Map();
  for (const { label, steady } of legs) {
    const { min = 0, tenths = [] } = steady?.perConnection ?? {};
    if (min === 0) continue; // the server left some out
    const known = servers.get(label);
    servers.set(label, known ? tenths.map((n, i) => n + known[i]) : tenths);
  }
  const shares = [...servers.values()].flatMap((tenths) => {
    const mean = tenths.reduce((sum, n) => sum + n, 0) / tenths.length;
    return mean >= LEAST_OF_TENTH ? [tenths.map((n) => n / mean)] : [];
  });
  if (servers.size < 2 || shares.length < servers.size) return [];
  const uneven = shares[0]
    .map((_, i) => ({ tenth: i + 1, of: shares.map((one) => one[i]) }))
    .filter(({ of }) => of.every((share) => share < EVEN_SHARE) || of.every((share) => share > 1 / EVEN_SHARE))
    .map(({ tenth, of }) => ({ tenth, share: of.reduce((sum, share) => sum + share, 0) / of.length }))
    .sort((a, b) => Math.abs(Math.log(b.share)) - Math.abs(Math.log(a.share)));
  return uneven.slice(0, 1).map((one) => warning('unevenly-loaded', { servers: [...servers.keys()], ...one }));
}
