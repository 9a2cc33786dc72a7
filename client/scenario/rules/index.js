// The rules that the schema cannot state: which values are possible, and which keys go together. Each row (rule.js) is
// about the scenario alone; rules that need to know where it runs are in ../place-rules.js.

import { protocolOf } from '../../protocols/index.js';
import { parseDuration, writeDuration } from '../../words/units.js';
import { writtenAt } from '../keys/sweep.js';
import { mistake } from '../mistakes.js';
import { connectionRules } from './connections.js';
import { scenarioKeys } from '../schema.js';
import { loadRules } from './load.js';
import { measurementRules } from './measurement.js';
import { brokenRules } from './rule.js';
import { serverRules } from './servers.js';

/**
 * @import { Raw } from '../merge.js'
 * @import { Mistake, Where } from '../mistakes.js'
 * @import { Scenario } from '../scenario.js'
 * @import { Rule } from './rule.js'
 */

/**
 * A shorter slice consists mostly of its beginning and end; a longer one lasts as long as a disturbance of a shared
 * machine.
 */
const SHORTEST_SLICE_NS = 20e6;
const LONGEST_SLICE_NS = 5e9;

/**
 * @param {string} path @param {(scenario: Scenario, given: Raw) => number | null} ns  null: there is no duration
 * @param {string} longest @param {string} [shortest] absent: it must be longer than 0s
 * @returns {Rule}
 */
const withinBounds = (path, ns, longest, shortest) => ({
  path,
  code: 'out-of-range',
  when: (scenario, given) => {
    const value = ns(scenario, given);
    const max = parseDuration(longest);
    if (value === 0 && shortest === undefined) return { value };
    return value !== null && value > max && { value, max };
  },
  why: ({ value, max }, written = writeDuration(value)) =>
    value === 0 ? 'must be longer than 0s' : `${written} is too long; at most ${writeDuration(max)}`,
});

/** @param {string} path dotted @returns {(scenario: Scenario, given: Raw) => number | null} the duration there, ns */
const givenAt = (path) => (_, given) => {
  const text = writtenAt(given, path);
  return typeof text === 'string' ? parseDuration(text) : null;
};

/** @type {readonly Rule[]} */
const timeRules = [
  withinBounds('duration', ({ budget, durationNs }) => (budget ? null : durationNs), '168h'), // of a profile, too
  ...[...scenarioKeys].flatMap(([key, { 'x-most': longest, 'x-least': shortest }]) =>
    longest === undefined ? [] : [withinBounds(key, givenAt(key), longest, shortest)],
  ),
  {
    path: 'interleave',
    code: 'out-of-range',
    when: ({ interleave: value }) =>
      typeof value === 'number' && (value < SHORTEST_SLICE_NS || value > LONGEST_SLICE_NS) && { value },
    why: ({ value }, written = writeDuration(value)) =>
      `${written} is no length of a slice; give one from ${writeDuration(SHORTEST_SLICE_NS)} to ${writeDuration(LONGEST_SLICE_NS)}`,
  },
  {
    path: 'backoff.cap',
    code: 'cap-below-base',
    when: ({ backoff: { baseNs: base, capNs: cap } }) => cap < base && { base, cap },
    why: ({ base, cap }) => `${writeDuration(cap)} is less than backoff.base (${writeDuration(base)})`,
  },
];

/** The rules about a leg. @type {readonly Rule[]} in the order in which mistakes are reported */
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
 * @param {Raw} given as it was written
 * @returns {Mistake[]} of the leg, and of its protocol's options
 */
export function legMistakes(scenario, where, given) {
  const { protocol, protocolOptions } = scenario;
  const ofProtocol = protocolOf(protocol).mistakes?.(protocolOptions, scenario, Object(given[protocol])) ?? [];
  return [
    ...brokenRules(RULES, scenario, where, given),
    ...ofProtocol.map(([key, code, data, why]) => mistake(where, code, `${protocol}.${key}`, data, why)),
  ];
}
