// The legs of a search (`find`): its bounds, the most legs it can take, and each leg once it is known. Without a
// greatest rate the first leg of each server is in closed loop, and its throughput is the greatest one to try. The
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
 * @returns {{ durationNs?: number }} as long as the percentiles of its goals need, of those that a leg can tell at that
 *   rate; empty where the scenario's is long enough
 */
function lengthened({ durationNs, find }, perSecond) {
  const { goals, longestNs } = /** @type {Find} */ (find);
  const lengths = goals.map((goal) => Math.ceil(requestsOfGoal(goal) / perSecond) * 1e9);
  const possible = lengths.filter((ns) => ns <= longestNs);
  const neededNs = possible.length === 0 ? longestNs : Math.max(...possible);
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
