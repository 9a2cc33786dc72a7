// Finds, among the steps of a ramp, the number of connections up to which a server serves all, and how many it serves
// at most.

/** @import { LegSummary } from '../../config/types.js' */

/**
 * @typedef {{ requested: number, served: number }} Served  connections at the end of a step
 * @typedef {object} RampServed
 * @property {number} [allUpTo]  connections requested in the last step that served all; absent: no step did
 * @property {Served} [broken]  the next step: from there on not all are served; absent if all are served
 * @property {Served} last  the step that requests the most; if the leg ends with as many, as served in its steady state
 * @property {Served} best  the step that served the most
 */

/**
 * @template {{ requested: number }} T
 * @param {T[]} steps @returns {T[]} those that request more than any before; a profile also falls
 */
export const risingSteps = (steps) =>
  steps.filter(({ requested }, i) => steps.slice(0, i).every((before) => before.requested < requested));

/**
 * Connections that have sent no request yet are no failure of the server.
 * @param {Pick<LegSummary, 'ramp' | 'account'>} leg
 * @returns {RampServed | undefined} undefined without steps, or if they do not say what was served
 */
export function rampServed({ ramp, account }) {
  const steps = risingSteps(ramp?.steps ?? []).flatMap(({ requested, served, idle = 0 }) =>
    served === undefined ? [] : [{ requested, served, isAll: served + idle >= requested }],
  );
  const end = steps.at(-1);
  if (end === undefined) return undefined;
  if (account !== undefined && account.requested === end.requested) {
    const { served, idle } = account;
    Object.assign(end, { served, isAll: served + idle >= end.requested });
  }
  const lastWhole = steps.findLastIndex(({ isAll }) => isAll);
  const broken = steps[lastWhole + 1];
  const servedOf = (/** @type {Served} */ { requested, served }) => ({ requested, served });
  return {
    ...(lastWhole < 0 ? {} : { allUpTo: steps[lastWhole].requested }),
    ...(broken === undefined ? {} : { broken: servedOf(broken) }),
    last: servedOf(end),
    best: servedOf(steps.reduce((best, step) => (step.served > best.served ? step : best))),
  };
}
