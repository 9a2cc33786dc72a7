// The plan of a search (`find`): its bounds, the most legs it can take, and each leg once it is known. Pure.
// Without a greatest rate the first leg of each server is in closed loop, and its throughput is the greatest one to
// try. A leg is planned like that of a scenario with its value, and the greatest value is planned first, so that a
// limit in the way of any leg is found before the first one begins.

import { mostProbes, usualProbes } from '../judge/search/bisection.js';
import { boundsUpTo, LONGEST_NS, nextValue, requestsFor } from '../judge/search/index.js';
import { probeText } from '../words/search.js';
import { plan } from './plan.js';
import { caseIdOf } from './rounds.js';

/**
 * @import { LegSummary, Warning } from '../../config/types.js'
 * @import { EnvironmentError } from '../errors.js'
 * @import { Find } from '../judge/search/index.js'
 * @import { Host } from '../machine/host.js'
 * @import { Plan } from '../measure/settings.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Leg } from './plan.js'
 * @import { KnownServer } from './processes.js'
 */

/**
 * @typedef {(server: number, value: number | null) => Leg} LegAt  server: its index; null: in closed loop
 */

/**
 * @param {Scenario} requested
 * @param {number | null} value of the leg
 * @returns {{ durationNs?: number }} as long as the percentiles of its goals need; empty where the scenario's is long
 *   enough
 */
function lengthened({ durationNs, find }, value) {
  const { maximise, goals } = /** @type {Find} */ (find);
  if (maximise !== 'rate' || value === null) return {};
  const neededNs = Math.min(LONGEST_NS, Math.ceil(requestsFor(goals) / value) * 1e9);
  return neededNs > durationNs ? { durationNs: neededNs } : {};
}

/** @param {Scenario} requested @returns {Scenario} without its search, each leg by itself */
const alone = (requested) => ({ ...requested, find: null, interleave: 'off' });

/**
 * @param {Scenario} requested @param {Host} host
 * @param {KnownServer[]} known
 * @returns {LegAt}
 */
const legAt = (requested, host, known) => (server, value) => {
  const { maximise } = /** @type {Find} */ (requested.find);
  const longer = lengthened(requested, value);
  const { legs } = plan({ ...alone(requested), ...longer, [maximise]: value }, host, known);
  const leg = legs[server];
  return {
    ...leg,
    label: `${leg.label}, ${value === null ? 'saturated' : probeText(maximise, value)}`,
    series: leg.label,
    ...(value !== null && { tried: value }),
  };
};

/**
 * @param {Leg} leg @param {Leg[]} before legs of the run
 * @returns {Leg} with its place in the run; a value that is measured again has another case
 */
function placed(leg, before) {
  const again = before.filter(({ series, tried }) => series === leg.series && tried === leg.tried);
  const label = again.length === 0 ? leg.label : `${leg.label} (${again.length + 1})`;
  const slug = caseIdOf(label);
  return { ...leg, id: `${String(before.length + 1).padStart(2, '0')}-${slug}`, label, case: slug };
}

/**
 * @param {Scenario} requested with `find`
 * @param {Host} host
 * @param {KnownServer[]} [known]
 * @param {Warning[]} [remarks]
 * @returns {{ plan: Plan, find: Find, nextLegs: (summaries: LegSummary[]) => { legs: Leg[], warnings: [] } }} plan:
 *   with the first leg of each server; find: with what the client can do; nextLegs: one after those summaries, none
 *   when the search has ended
 * @throws {EnvironmentError} when this machine's client cannot do it
 */
export function planSearch(requested, host, known = [], remarks = []) {
  const given = /** @type {Find} */ (requested.find);
  const top = plan(alone(requested), host, known, remarks);
  const find = { ...given, to: given.maximise === 'connections' ? top.connections : given.to };
  const at = legAt({ ...requested, connections: top.connections }, host, known);
  const isSaturatedFirst = find.to === null;
  const bounds = boundsUpTo(find);
  const most = mostProbes(bounds) + Number(isSaturatedFirst);
  const usual = usualProbes(bounds) + Number(isSaturatedFirst);
  const legs = top.legs.reduce(
    (/** @type {Leg[]} */ before, _, i) => [...before, placed(at(i, isSaturatedFirst ? null : bounds.from), before)],
    [],
  );
  const count = most * top.legs.length;
  const seconds = (most * top.legs.reduce((sum, { endNs }) => sum + endNs, 0) + (count - 1) * requested.legGapNs) / 1e9;
  const { transferLogBytes } = top.expected;
  const made = {
    ...top,
    cases: legs.map((leg) => /** @type {string} */ (leg.case)),
    legs,
    search: { ...find, usualLegs: usual * top.legs.length, mostLegs: count },
    expected: {
      ...top.expected,
      seconds,
      transferLogBytes: transferLogBytes === null ? null : transferLogBytes * most,
    },
  };
  const series = legs.map((leg) => leg.series);
  /** @param {LegSummary[]} summaries */
  const nextLegs = (summaries) => {
    const open = series
      .map((name, server) => {
        const own = summaries.filter((leg) => leg.series === name);
        return { server, probes: own.length, value: nextValue(find, own) };
      })
      .filter(({ value }) => value !== null)
      .sort((a, b) => a.probes - b.probes);
    const [first] = open;
    const legs = first === undefined ? [] : [placed(at(first.server, /** @type {number} */ (first.value)), made.legs)];
    return { legs, warnings: /** @type {[]} */ ([]) };
  };
  return { plan: made, find, nextLegs };
}
