// The legs of a search (`find`): its bounds, the most legs it can take, and each leg once it is known. Pure. Without a
// greatest rate the first leg of each server is in closed loop, and its throughput is the greatest one to try. The
// greatest value is planned first, so that a limit in the way of any leg is found before the first one begins.

import { mostProbes, usualProbes } from '../judge/search/bisection.js';
import { boundsUpTo, LONGEST_NS, nextValue, requestsFor } from '../judge/search/index.js';
import { pointsOf } from '../measure/settings.js';
import { probeText } from '../words/search.js';

/**
 * @import { Find } from '../judge/search/index.js'
 * @import { Point } from '../measure/settings.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Leg, Planner, PointLeg, Strategy } from './plan.js'
 */

/**
 * @param {Scenario} scenario
 * @param {number} value of the leg
 * @returns {{ durationNs?: number }} as long as the percentiles of its goals need; empty where the scenario's is long
 *   enough
 */
function lengthened({ durationNs, find }, value) {
  const { maximise, goals } = /** @type {Find} */ (find);
  if (maximise !== 'rate') return {};
  const neededNs = Math.min(LONGEST_NS, Math.ceil(requestsFor(goals) / value) * 1e9);
  return neededNs > durationNs ? { durationNs: neededNs } : {};
}

/**
 * @param {PointLeg} leg @param {string} what it tries @param {Leg[]} before legs of the run
 * @returns {PointLeg} a value that is measured again has another case
 */
function labelled(leg, what, before) {
  const again = before.filter(({ series, tried }) => series === leg.label && tried === leg.tried);
  const label = `${leg.label}, ${what}${again.length === 0 ? '' : ` (${again.length + 1})`}`;
  return { ...leg, label, series: leg.label };
}

/**
 * @param {Planner} planner of a scenario with `find`
 * @returns {Strategy} first: a leg of each server; next: one leg, none when the search has ended
 */
export function bisection({ scenario, at, inTurns }) {
  const given = /** @type {Find} */ (scenario.find);
  const { maximise } = given;
  const [own] = pointsOf(scenario);
  /** @type {Point} one server after the other, whose queues may grow */
  const point = { ...own, settings: { ...own.settings, interleave: 'off' } };
  const planned = at([point]);
  const [{ decision }] = planned.points;
  const { connections } = decision.scenario;
  const find = { ...given, to: maximise === 'connections' ? connections : given.to };
  const bounds = boundsUpTo(find);
  const isSaturatedFirst = find.to === null;
  const servers = planned.legs.length;
  const most = mostProbes(bounds) + Number(isSaturatedFirst);
  const usual = usualProbes(bounds) + Number(isSaturatedFirst);

  /** @param {number} server its index @param {number | null} value null: in closed loop @param {Leg[]} before */
  function legAt(server, value, before) {
    const tried = value === null ? {} : { [maximise]: value, ...lengthened(scenario, value) };
    const leg = at([{ ...point, settings: { ...point.settings, connections, ...tried } }]).legs[server];
    if (value === null) return labelled(leg, 'saturated', before);
    return labelled({ ...leg, tried: value }, probeText(maximise, value), before);
  }

  const legs = planned.legs.map((_, server) => legAt(server, isSaturatedFirst ? null : bounds.from, []));
  const series = planned.legs.map(({ label }) => label);
  return {
    planned,
    first: inTurns(legs, planned),
    about: { search: { ...find, usualLegs: usual * servers, mostLegs: most * servers } },
    most: Array(most).fill(inTurns(planned.legs, planned).legs),
    times: most,
    next(summaries, before) {
      const open = series.flatMap((name, server) => {
        const own = summaries.filter((leg) => leg.series === name);
        const value = nextValue(find, own);
        return value === null ? [] : [{ server, probes: own.length, value }];
      });
      const [first] = open.sort((a, b) => a.probes - b.probes);
      return {
        legs: first === undefined ? [] : inTurns([legAt(first.server, first.value, before)], planned).legs,
        warnings: [],
      };
    },
  };
}
