// The curve of a search, for console and page: the response times of each leg against the value that was tried.

import { figureOf } from '../figures.js';

/**
 * @import { Figure, Value } from '../figures.js'
 * @import { Leg, Probe, SearchSummary } from './index.js'
 */

/**
 * @typedef {{ leg: string, value: number, isSaturated: boolean, times: Value[], held: (boolean | null)[], why: Probe[]
 *   }} Point  times: of PERCENTILES; held: for each goal; why: the probe of each goal; both empty for a leg in closed
 *   loop
 */

/** Names of figures. */
export const PERCENTILES = /** @type {const} */ (['p50', 'p99', 'p99.9']);

/**
 * @param {SearchSummary} search
 * @param {Leg[]} legs of the summary
 * @returns {{ server: string, points: Point[] }[]} points sorted by value; the value of a leg in closed loop is its
 *   throughput
 */
export function curvesOf({ saturated = [], answers }, legs) {
  const figures = PERCENTILES.map((name) => /** @type {Figure} */ (figureOf(name)));
  const timesOf = (/** @type {string} */ id) => {
    const leg = legs.find((candidate) => candidate.id === id);
    return figures.map((figure) => (leg === undefined ? undefined : figure.of?.(leg)));
  };
  return [...new Set(answers.map(({ server }) => server))].map((server) => {
    const serverAnswers = answers.filter((answer) => answer.server === server);
    const tried = serverAnswers[0].probes.map(({ leg, value }, i) => {
      const why = serverAnswers.map(({ probes }) => probes[i]);
      return { leg, value, isSaturated: false, times: timesOf(leg), held: why.map(({ held }) => held), why };
    });
    const closedLoop = saturated.flatMap(({ server: saturatedServer, leg, perSecond }) =>
      saturatedServer === server && perSecond !== undefined
        ? [{ leg, value: perSecond, isSaturated: true, times: timesOf(leg), held: [], why: [] }]
        : [],
    );
    return { server, points: [...tried, ...closedLoop].sort((a, b) => a.value - b.value) };
  });
}
