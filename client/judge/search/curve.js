// The curve of a search: the response times of each leg against the value that was tried, for console and page. Pure.

import { figureOf } from '../figures.js';

/**
 * @import { Figure, Value } from '../figures.js'
 * @import { Leg, Probe, SearchSummary } from './index.js'
 */

/**
 * @typedef {{ leg: string, value: number, isSaturated: boolean, times: Value[], held: (boolean | null)[], why: Probe[]
 *   }} Point times: of PERCENTILES; held: by each goal; why: the probes of each goal; none of the leg in closed loop
 */

/** Names of figures. */
export const PERCENTILES = /** @type {const} */ (['p50', 'p99', 'p99.9']);

/**
 * @param {SearchSummary} search
 * @param {Leg[]} legs of the summary
 * @returns {{ server: string, points: Point[] }[]} for each server, by value; in closed loop it is the throughput
 */
export function curvesOf({ saturated = [], answers }, legs) {
  const figures = PERCENTILES.map((name) => /** @type {Figure} */ (figureOf(name)));
  const timesOf = (/** @type {string} */ id) => {
    const leg = legs.find((one) => one.id === id);
    return figures.map((figure) => (leg === undefined ? undefined : figure.of?.(leg)));
  };
  return [...new Set(answers.map(({ server }) => server))].map((server) => {
    const own = answers.filter((one) => one.server === server);
    const tried = own[0].probes.map(({ leg, value }, i) => {
      const why = own.map(({ probes }) => probes[i]);
      return { leg, value, isSaturated: false, times: timesOf(leg), held: why.map(({ held }) => held), why };
    });
    const first = saturated.flatMap(({ server: of, leg, perSecond }) =>
      of === server && perSecond !== undefined
        ? [{ leg, value: perSecond, isSaturated: true, times: timesOf(leg), held: [], why: [] }]
        : [],
    );
    return { server, points: [...tried, ...first].sort((a, b) => a.value - b.value) };
  });
}
