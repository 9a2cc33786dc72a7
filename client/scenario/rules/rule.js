// The shape of a rule about scenarios: the key at fault, the code of the mistake, when it applies, and its text.

import { mistake, writtenText } from '../mistakes.js';

/**
 * @import { Data } from '../../errors.js'
 * @import { Raw } from '../merge.js'
 * @import { Mistake, Where } from '../mistakes.js'
 * @import { Scenario } from '../scenario.js'
 */

/**
 * @typedef {object} Rule
 * @property {string} path  of the key at fault; its [] is an item of a list, and `each` gives the items
 * @property {string} code
 * @property {(scenario: Scenario, given: Raw, item?: any) => Data | false | null | undefined} when  the data of the
 *   mistake; falsy if there is none. given: the scenario as written, without defaults
 * @property {(data: Data, written: string | undefined, isOfFile: boolean) => string} why  for people, without the
 *   place: what is wrong, and what to do. written: the value of the key, if given; isOfFile: whether a scenario file
 *   gives it
 * @property {(scenario: Scenario, given: Raw) => [path: string, item: unknown][]} [each]  the places to which the rule
 *   applies, with their values; absent: `path` alone
 */

/**
 * @param {readonly Rule[]} rules
 * @param {Scenario} scenario
 * @param {Where} where
 * @param {Raw} [given] the scenario as written
 * @returns {Mistake[]} for each path only the first broken rule
 */
export function brokenRules(rules, scenario, where, given = {}) {
  /** @type {Mistake[]} */
  const mistakes = [];
  for (const { path, code, when, why, each } of rules) {
    if (mistakes.some((earlier) => earlier.path === path)) continue;
    for (const [place, item] of each?.(scenario, given) ?? [[path, undefined]]) {
      const data = when(scenario, given, item);
      if (!data) continue;
      const isOfFile = !where(place).startsWith('--');
      mistakes.push(mistake(where, code, place, data, why(data, writtenText(given, place), isOfFile)));
    }
  }
  return mistakes;
}

/**
 * Rules that hold under one condition.
 * @param {(scenario: Scenario) => Data | boolean | null} applies  the data that all have in common, or whether they
 *   apply
 * @param {Rule[]} rules
 * @returns {Rule[]}
 */
export const provided = (applies, rules) =>
  rules.map(({ when, ...rule }) => ({
    ...rule,
    when: (scenario, given, item) => {
      const common = applies(scenario);
      const data = common && when(scenario, given, item);
      return data && { ...Object(common), ...data };
    },
  }));
