// Rules about a scenario whose bytes are carried by another transport than TCP: what only TCP has (TLS, unix sockets,
// some options) is refused. Pure.

/**
 * @import { Rule } from '../scenario/rules/rule.js'
 * @import { Scenario } from '../scenario/scenario.js'
 */

/**
 * @param {(scenario: Scenario) => boolean} isOver
 * @param {[path: string, code: string, when: (scenario: Scenario) => object | boolean, why: string][]} rows
 * @returns {Rule[]}
 */
export const rulesOver = (isOver, rows) =>
  rows.map(([path, code, when, why]) => ({
    path,
    code,
    when: (scenario) => {
      const found = isOver(scenario) && when(scenario);
      return found && { transport: scenario.transport, ...Object(found) };
    },
    why: (_, written) => `${written === undefined ? '' : `${written}, but `}${why}`,
  }));

export const TLS_NEEDS_TCP = 'TLS needs transport "tcp"; leave tls or transport out';
export const ONLY_TCP = 'only TCP has this option; leave it out';
