// What disturbed the measurement of a leg: other programs on the machine, and a worker whose JavaScript did not run for
// seconds.

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
 * Busy time that neither client nor server used. If the server is on another host, only the client's machine counts.
 * @param {Sample[]} samples of a leg
 * @returns {{ cores: number, of: number } | null} mean over the steady state, in cores, and the cores of the machine;
 *   null if the server's CPU time is unknown, or if legs take turns: then it is known only for all of them together
 */
export function backgroundCores(samples) {
  const steady = samples.filter(({ phase, fromNs, toNs }) => phase === 'steady' && toNs > fromNs);
  return steady.some(({ slices }) => slices) ? null : coresOfOthers([steady]);
}

/**
 * @param {Sample[][]} legs the samples of each leg, measured over the same time
 * @returns {{ cores: number, of: number } | null} mean of the busy time that neither client nor servers used, in cores;
 *   null if it is unknown
 */
export function coresOfOthers(legs) {
  const machine = machineUseOf(legs.flat());
  if (machine === undefined || legs.flat().some(({ server }) => server?.cpuSeconds === undefined)) return null;
  const usedCores = (/** @type {Sample[]} */ samples) => {
    const sum = (/** @type {(sample: Sample) => number} */ valueOf) =>
      samples.reduce((total, sample) => total + valueOf(sample), 0);
    const seconds = sum(({ fromNs, toNs }) => toNs - fromNs) / 1e9;
    const used = sum(
      ({ client, server, serverMachine }) =>
        client.cpuSeconds + (serverMachine === undefined ? (server?.cpuSeconds ?? 0) : 0),
    );
    return seconds > 0 ? used / seconds : 0;
  };
  const ownCores = legs.reduce((total, samples) => total + usedCores(samples), 0);
  return { cores: Math.max(0, machine.busyCores - ownCores), of: machine.cores };
}

/**
 * The busy cores that neither the client nor a server with known CPU time used, from the summaries of legs.
 * @param {LegSummary[]} legs measured at the same time: one leg, or all legs of a group that took turns
 * @returns {{ cores: number, of: number, busyCores: number, withServer: boolean } | null} busyCores: in all;
 *   withServer: `cores` includes a server whose CPU time is unknown; null if the use of the machine is unknown
 */
export function coresBeside(legs) {
  const [{ machine, slices }] = legs;
  if (machine === undefined || legs.length !== (slices?.of ?? 1)) return null;
  let ownCores = 0;
  let withServer = false;
  for (const leg of legs) {
    const { steady } = leg;
    if (steady === undefined) return null;
    const used = serverHostOf(leg) === undefined ? steady.server?.cpuSeconds : 0;
    withServer ||= used === undefined;
    ownCores += ((steady.client.cpuSeconds + (used ?? 0)) * 1e9) / (steady.toNs - steady.fromNs);
  }
  const { busyCores, cores: of } = machine;
  return { cores: Math.max(0, busyCores - ownCores), of, busyCores, withServer };
}

/**
 * @template {{ cores: number, of: number }} B
 * @param {B | null} background @returns {background is B}
 */
export const isMuch = (background) =>
  background !== null && background.cores >= Math.max(bounds.cores, bounds.share * background.of);

/**
 * @param {LegSummary[]} legs of a run
 * @returns {LegSummary[]} the legs; a group that took turns has a warning if other programs used much of the machine
 */
export function withGroupBackground(legs) {
  const numbers = [...new Set(legs.flatMap(({ slices }) => slices?.group ?? []))];
  const backgrounds = new Map(
    numbers.map((group) => [group, coresBeside(legs.filter(({ slices }) => slices?.group === group))]),
  );
  return legs.map((leg) => {
    const group = leg.slices?.group;
    const background = backgrounds.get(group ?? NaN) ?? null;
    if (!isMuch(background) || background.withServer || leg.warnings.some(isBackgroundLoad)) return leg;
    const { cores, of } = background;
    return { ...leg, warnings: [...leg.warnings, warning('background-load', { cores, of, group })] };
  });
}

/** @param {Warning} warning @returns {boolean} */
export const isBackgroundLoad = ({ code }) => code === backgroundLoad.code;

/** @param {{ warnings?: Warning[] }} leg @returns {boolean} whether other programs used much of the machine */
export const isDisturbed = ({ warnings = [] }) => warnings.some(isBackgroundLoad);

/**
 * @param {{ disturbed: number }[]} cases
 * @returns {boolean} whether other programs used the machine during some of the cases, but not during all
 */
export const someDisturbed = (cases) =>
  cases.some(({ disturbed }) => disturbed > 0) && cases.some(({ disturbed }) => disturbed === 0);

/** @param {Sample[]} samples of a leg @returns {Warning | null} null if other programs did not use much */
export function backgroundLoadWarning(samples) {
  const background = backgroundCores(samples);
  return isMuch(background) ? warning('background-load', background) : null;
}

/**
 * Warns of intervals that an engine extended over several seconds.
 * @param {Sample[]} samples of a leg
 * @returns {Warning | null} null if there is no such interval
 */
export function mergedIntervalsWarning(samples) {
  const intervals = samples.reduce((sum, { mergedIntervals = 0 }) => sum + mergedIntervals, 0);
  return intervals === 0 ? null : warning('intervals-merged', { intervals });
}

/**
 * @param {Sample[]} samples of a leg
 * @param {{ settings: { transfers?: number | null, lifetime?: { reopen?: boolean } | null },
 *   leg: Pick<PlannedLeg, 'warmupTransfers' | 'steadyFromNs'>,
 *   endedBy: EndedBy, phase: string }} course  phase: the last one that the leg reached
 * @returns {Warning[]} about the measurement of the leg as a whole
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
  ].filter((warning) => warning !== null);
}

/** A tenth of the connections is unevenly loaded below this share of the mean, or above its inverse. */
const EVEN_SHARE = 0.8;
/** Fewest transfers that a tenth must have: below that, chance alone may change a share by more than 1 %. */
const LEAST_OF_TENTH = 10_000;

/**
 * Warns if connections that opened at the same time are served less, or more, than others on all servers of a run: then
 * the servers are hardly the reason.
 * @param {LegSummary[]} legs of a run
 * @returns {Warning[]} at most one, about the tenth that differs most
 */
export function unevenLoadWarnings(legs) {
  /** @type {Map<string, number[]>} transfers of each tenth, by server */
  const servers = new Map();
  for (const { label, steady } of legs) {
    const { min = 0, tenths = [] } = steady?.perConnection ?? {};
    if (min === 0) continue; // the server did not serve all connections
    const known = servers.get(label);
    servers.set(label, known ? tenths.map((n, i) => n + known[i]) : tenths);
  }
  const shares = [...servers.values()].flatMap((tenths) => {
    const mean = tenths.reduce((sum, n) => sum + n, 0) / tenths.length;
    return mean >= LEAST_OF_TENTH ? [tenths.map((n) => n / mean)] : [];
  });
  if (servers.size < 2 || shares.length < servers.size) return [];
  const uneven = shares[0]
    .map((_, i) => ({ tenth: i + 1, of: shares.map((tenths) => tenths[i]) }))
    .filter(({ of }) => of.every((share) => share < EVEN_SHARE) || of.every((share) => share > 1 / EVEN_SHARE))
    .map(({ tenth, of }) => ({ tenth, share: of.reduce((sum, share) => sum + share, 0) / of.length }))
    .sort((a, b) => Math.abs(Math.log(b.share)) - Math.abs(Math.log(a.share)));
  return uneven.slice(0, 1).map((largest) => warning('unevenly-loaded', { servers: [...servers.keys()], ...largest }));
}
