// Up to how many connections a server serves all, and what it serves of the most: of the steps of a ramp.

/** @import { LegSummary } from '../../config/types.js' */

/**
 * @typedef {{ requested: number, served: number }} Served  connections at the end of a step
 * @typedef {object} RampServed
 * @property {number} [allUpTo]  connections requested in the last step that served all; absent: no step did
 * @property {Served} [broken]  the step after it: from there on not all are served; absent: all are
 * @property {Served} last  the step that requests the most; of a leg that ends with as many, at the end of the steady
 *   state
 * @property {Served} best  the step that served the most
 */

/**
 * @template {{ requested: number }} T
 * @param {T[]} steps @returns {T[]} those that request more than any before: a profile also falls
 */
export const risingSteps = (steps) =>
  steps.filter(({ requested }, i) => steps.slice(0, i).every((before) => before.requested < requested));

/**
 * Connections without a request so far are no failure of the server.
 * @param {Pick<LegSummary, 'ramp' | 'account'>} leg
 * @returns {RampServed | undefined} undefined without steps, or where they do not say what was served
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
  const told = (/** @type {Served} */ { requested, served }) => ({ requested, served });
  return {
    ...(lastWhole < 0 ? {} : { allUpTo: steps[lastWhole].requested }),
    ...(broken === undefined ? {} : { broken: told(broken) }),
    last: told(end),
    best: told(steps.reduce((most, step) => (step.served > most.served ? step : most))),
  };
}
