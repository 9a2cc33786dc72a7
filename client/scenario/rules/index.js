// What the schema cannot state: which values are possible, and which keys go together. One table of rows (rule.js), each about
// the scenario alone; those that need to know where it is to run are in ../place-rules.js. Pure.

import { protocolOf } from '../../protocols/index.js';
import { mistake } from '../mistakes.js';
import { connectionRules } from './connections.js';
import { loadRules } from './load.js';
import { measurementRules } from './measurement.js';
import { brokenRules } from './rule.js';
import { serverRules } from './servers.js';
import { timeRules } from './times.js';

/**
 * @typedef {import('./rule.js').Rule} Rule
 * @typedef {import('../scenario.js').Scenario} Scenario
 */

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
 * @param {import('../mistakes.js').Where} where
 * @param {any} given as it was written
 * @returns {import('../mistakes.js').Mistake[]} those of a leg, with those of its protocol's options
 */
export function legMistakes(scenario, where, given) {
  const { protocol, protocolOptions } = scenario;
  const own = protocolOf(protocol).mistakes?.(protocolOptions, scenario, Object(given[protocol])) ?? [];
  return [
    ...brokenRules(RULES, scenario, where, given),
    ...own.map(([key, code, data, why]) => mistake(where, code, `${protocol}.${key}`, data, why)),
  ];
}
