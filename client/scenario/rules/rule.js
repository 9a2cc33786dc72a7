// The shape of a rule about scenarios: the key at fault, the code of the mistake, when it applies, and its text. Pure.

import { mistake, writtenText } from '../mistakes.js';

/**
 * @import { Data } from '../../errors.js'
 * @import { Raw } from '../merge.js'
 * @import { Mistake, Where } from '../mistakes.js'
 * @import { Scenario } from '../scenario.js'
 */

/**
 * @typedef {object} Rule
 * @property {string} path  of the key at fault; [] in it: there are several, which `each` lists
 * @property {string} code
 * @property {(scenario: Scenario, given: Raw, item?: any) => Data | false | null | undefined} when  the data of the
 *   mistake, or something false where there is none. given: the scenario as written, without defaults
 * @property {(data: Data, written: string | undefined, isOfFile: boolean) => string} why  for people, without the
 *   place: what is wrong, and what to do. written: the value of the key, if it is given; isOfFile: by a scenario file
 * @property {(scenario: Scenario, given: Raw) => [path: string, item: unknown][]} [each]  the places that the rule is
 *   about, with what stands there; absent: `path` alone
 */

/**
 * @param {readonly Rule[]} rules
 * @param {Scenario} scenario
 * @param {Where} where
 * @param {Raw} [given] the scenario as written
 * @returns {Mistake[]} of the rules with one path only the first that is broken
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
 *   hold
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
