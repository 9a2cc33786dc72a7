// What the schema cannot state: which values are possible, and which keys go together. One table of rows (rule.js),
// each about the scenario alone; those that need to know where it is to run are in ../place-rules.js. Pure.

import { protocolOf } from '../../protocols/index.js';
import { writeDuration } from '../../words/units.js';
import { mistake } from '../mistakes.js';
import { connectionRules } from './connections.js';
import { loadRules } from './load.js';
import { measurementRules } from './measurement.js';
import { brokenRules } from './rule.js';
import { serverRules } from './servers.js';

/**
 * @import { Mistake, Where } from '../mistakes.js'
 * @import { Scenario } from '../scenario.js'
 * @import { Rule } from './rule.js'
 */

const HOUR_NS = 3600e9;
const WEEK_NS = 24 * 7 * HOUR_NS;
/**
 * A shorter slice is mostly its beginning and its end; a longer one lasts as long as what disturbs a shared machine.
 */
const SHORTEST_SLICE_NS = 20e6;
const LONGEST_SLICE_NS = 5e9;

/**
 * @param {string} path
 * @param {(scenario: Scenario) => number | null} ns  null: the key does not hold a duration
 * @param {{ zero?: boolean, max?: number }} [bounds]
 * @returns {Rule}
 */
const time = (path, ns, { zero = false, max = HOUR_NS } = {}) => ({
  path,
  code: 'out-of-range',
  when: (scenario) => {
    const value = ns(scenario);
    if (value === 0 && !zero) return { value };
    return value !== null && value > max && { value, max };
  },
  why: ({ value }, written = writeDuration(value)) =>
    value === 0 ? 'must be longer than 0s' : `${written} is too long; at most ${writeDuration(max)}`,
});

/** The bounds of every key that holds a duration. @type {readonly Rule[]} */
const timeRules = [
  time('duration', ({ budget, durationNs }) => (budget ? null : durationNs), {
    max: WEEK_NS,
  }),
  time('budget', (one) => (one.budget ? one.durationNs : null), { max: WEEK_NS }),
  time('warmup', (one) => (one.warmupTransfers === null ? one.warmupNs : null), { zero: true }),
  time('warmupTimeout', (one) => (one.warmupTransfers === null ? null : one.warmupNs)),
  time('ramp.every', (one) => one.ramp.everyNs),
  time('pause', (one) => one.pauseNs, { zero: true }),
  {
    path: 'interleave',
    code: 'out-of-range',
    when: ({ interleave: value }) =>
      typeof value === 'number' && (value < SHORTEST_SLICE_NS || value > LONGEST_SLICE_NS) && { value },
    why: ({ value }, written = writeDuration(value)) =>
      `${written} is no length of a slice; give one from ${writeDuration(SHORTEST_SLICE_NS)} to ${writeDuration(LONGEST_SLICE_NS)}`,
  },
  time('legGap', (one) => one.legGapNs, { zero: true }),
  time('heartbeat', (one) => one.heartbeatNs, { zero: true }),
  time('connectTimeout', (one) => one.connectTimeoutNs),
  time('transferTimeout', (one) => one.transferTimeoutNs),
  time('drainTimeout', (one) => one.drainTimeoutNs, { zero: true }),
  time('lifetime.time', (one) => one.lifetime?.timeNs ?? null, { max: WEEK_NS }),
  time('backoff.base', (one) => one.backoff.baseNs),
  time('backoff.cap', (one) => one.backoff.capNs),
  {
    path: 'backoff.cap',
    code: 'cap-below-base',
    when: ({ backoff: { baseNs: base, capNs: cap } }) => cap < base && { base, cap },
    why: ({ base, cap }) => `${writeDuration(cap)} is less than backoff.base (${writeDuration(base)})`,
  },
];

/** Of each leg. @type {readonly Rule[]} in the order in which mistakes are reported */
export const RULES = Object.freeze([
  ...timeRules,
  ...loadRules,
  ...measurementRules,
  ...serverRules,
  ...connectionRules,
]);

/**
 * @param {Scenario} scenario completed
 * @param {Where} where
 * @param {any} given as it was written
 * @returns {Mistake[]} those of a leg, with those of its protocol's options
 */
export function legMistakes(scenario, where, given) {
  const { protocol, protocolOptions } = scenario;
  const own = protocolOf(protocol).mistakes?.(protocolOptions, scenario, Object(given[protocol])) ?? [];
  return [
    ...brokenRules(RULES, scenario, where, given),
    ...own.map(([key, code, data, why]) => mistake(where, code, `${protocol}.${key}`, data, why)),
  ];
}
