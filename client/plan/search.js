// Plans the legs of a search (`find`): its bounds, the most legs it can take, and each leg once it is known. Without a
// greatest rate, the first leg of each server is in closed loop, and its throughput is the greatest rate to try. The
// greatest value is planned first, so that a limit in the way of any leg is found before the first one begins.

import { mostProbes, usualProbes } from '../judge/search/bisection.js';
import { boundsUpTo, nextValue } from '../judge/search/index.js';
import { requestsOfGoal } from '../judge/search/requests.js';
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
 * @param {number} perSecond requests
 * @returns {{ durationNs?: number }} the length that the percentiles of its goals need, among those that a leg can
 *   measure at that rate; empty if the scenario's length is enough
 */
function lengthened({ durationNs, find }, perSecond) {
  const { goals, longestNs } = /** @type {Find} */ (find);
  const lengths = goals.map((goal) => Math.ceil(requestsOfGoal(goal) / perSecond) * 1e9);
  const possible = lengths.filter((ns) => ns <= longestNs);
  const neededNs = possible.length === 0 ? longestNs : Math.max(...possible);
  return neededNs > durationNs ? { durationNs: neededNs } : {};
}

/**
 * @param {PointLeg} leg @param {string} what the value that it tries @param {Leg[]} before legs of the run
 * @returns {PointLeg} with its label; a value that is measured again has another case
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
  const [base] = pointsOf(scenario);
  /** @type {Point} one server after the other, whose queues may grow */
  const point = { ...base, settings: { ...base.settings, interleave: 'off' } };
  const planned = at([point]);
  const [{ decision }] = planned.points;
  const { connections } = decision.scenario;
  const find = { ...given, to: maximise === 'connections' ? connections : given.to };
  const bounds = boundsUpTo(find);
  const isSaturatedFirst = find.to === null;
  const servers = planned.legs.length;
  const mostLegs = mostProbes(bounds) + Number(isSaturatedFirst);
  const usualLegs = usualProbes(bounds) + Number(isSaturatedFirst);

  /** @param {number} server its index @param {number | null} value null: in closed loop @param {Leg[]} before */
  function legAt(server, value, before) {
    const perSecond = maximise === 'rate' ? value : scenario.rate;
    const length = value === null || perSecond === null ? {} : lengthened(scenario, perSecond);
    const tried = value === null ? {} : { [maximise]: value, ...length };
    const leg = at([{ ...point, settings: { ...point.settings, connections, ...tried } }]).legs[server];
    if (value === null) return labelled(leg, 'saturated', before);
    return labelled({ ...leg, tried: value }, probeText(maximise, value), before);
  }

  const legs = planned.legs.map((_, server) => legAt(server, isSaturatedFirst ? null : nextValue(find, []), []));
  const series = planned.legs.map(({ label }) => label);
  return {
    planned,
    first: inTurns(legs, planned),
    about: { search: { ...find, usualLegs: usualLegs * servers, mostLegs: mostLegs * servers } },
    possibleLegs: Array(mostLegs).fill(inTurns(planned.legs, planned).legs),
    times: mostLegs,
    next(summaries, before) {
      const open = series.flatMap((name, server) => {
        const probes = summaries.filter((leg) => leg.series === name);
        const value = nextValue(find, probes);
        return value === null ? [] : [{ server, probes: probes.length, value }];
      });
      const [first] = open.sort((a, b) => a.probes - b.probes);
      return {
        legs: first === undefined ? [] : inTurns([legAt(first.server, first.value, before)], planned).legs,
        warnings: [],
      };
    },
  };
}
