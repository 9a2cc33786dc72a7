// Rules for scenarios with a transport other than TCP: they reject what only TCP has, such as TLS, unix sockets and
// some socket options.

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
      const data = isOver(scenario) && when(scenario);
      return data && { transport: scenario.transport, ...Object(data) };
    },
    why: (_, written) => `${written === undefined ? '' : `${written}, but `}${why}`,
  }));

export const TLS_NEEDS_TCP = 'TLS needs transport "tcp"; leave tls or transport out';
export const ONLY_TCP = 'only TCP has this option; leave it out';
