// Key `untilConfident`: the steady state lasts until percentiles are known well enough, or up to `maximum`. Pure.
// The one thing to know: the resolved `durationNs` is then the maximum, for which everything is planned; `duration` as
// written is the least.

import { parseDuration, writeDuration } from '../../results/units.js';
import { mistake } from '../mistakes.js';

/** @typedef {import('../../results/checks/confidence.js').UntilConfident} UntilConfident */

/** @param {any} raw valid by the schema @returns {{ untilConfident: UntilConfident | null, durationNs: number }} */
export function lengthOfSteadyState({ duration, untilConfident }) {
  const durationNs = parseDuration(duration);
  if (untilConfident === undefined) return { untilConfident: null, durationNs };
  const { maximum, ...percentiles } = untilConfident;
  const shares = Object.fromEntries(
    Object.entries(percentiles).map(([name, text]) => [name, Number(String(text).slice(0, -1)) / 100]),
  );
  return { untilConfident: { shares, minNs: durationNs }, durationNs: parseDuration(maximum) };
}

/**
 * @param {import('../scenario.js').Scenario} scenario @returns {[code: string, data: Record<string, unknown>, why: string] | null}
 *   what keeps percentile intervals from being known
 */
function obstacle({ workload, heartbeatNs, rateProfile, connectionsProfile, transfers, lifetime }) {
  if (workload === 'once') return ['key-not-for-workload', { workload }, 'workload "once" has no steady state'];
  if (workload === 'hold' && heartbeatNs === 0) {
    return ['hold-without-heartbeat', { workload }, 'workload "hold" without a heartbeat has no transfers'];
  }
  if (rateProfile !== null || connectionsProfile !== null) {
    const key = rateProfile === null ? 'connections' : 'rate';
    return [
      'confidence-with-profile',
      { key },
      `the load follows a profile (${key}), so its seconds cannot be compared`,
    ];
  }
  if (transfers !== null) return ['confidence-with-end', { key: 'transfers' }, 'a leg ends after its transfers'];
  if (lifetime?.reopen === false) {
    return ['confidence-with-end', { key: 'lifetime.reopen' }, 'a leg ends when its connections have closed for good'];
  }
  return null;
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function untilConfidentMistakes(scenario, where) {
  const { untilConfident, durationNs } = scenario;
  if (!untilConfident) return [];
  /** @type {import('../mistakes.js').Mistake[]} */
  const mistakes = [];
  const add = (
    /** @type {string} */ code,
    /** @type {string} */ path,
    /** @type {any} */ data,
    /** @type {string} */ why,
  ) => mistakes.push(mistake(where, code, path, data, why));
  if (Object.keys(untilConfident.shares).length === 0) {
    add('no-percentile', 'untilConfident', {}, 'names no percentile; give one, such as {"p99": "5%"}');
  }
  for (const [name, share] of Object.entries(untilConfident.shares)) {
    if (!(share > 0 && share < 1)) {
      add('out-of-range', `untilConfident.${name}`, { value: share }, 'must be more than 0% and less than 100%');
    }
  }
  const path = 'untilConfident.maximum';
  if (durationNs <= untilConfident.minNs) {
    const least = writeDuration(untilConfident.minNs);
    add(
      'maximum-below-duration',
      path,
      { maximum: durationNs, duration: untilConfident.minNs },
      `${writeDuration(durationNs)} is not longer than duration (${least}), the least length of the steady state; give a longer maximum or a shorter duration`,
    );
  }
  const found = obstacle(scenario);
  if (found) add(found[0], 'untilConfident', found[1], `${found[2]}; leave untilConfident out`);
  return mistakes;
}
