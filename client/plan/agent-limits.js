// The limits of several agents as one list: doctor's table has a row for each limit, not for each limit of each agent. Pure.

import { merge } from './limits/limit.js';
import { tightest } from './variants.js';

/**
 * @typedef {import('./limits/limit.js').Limit} Limit
 * @typedef {{ name: string, decision: { limits: Limit[] } }} Share  of one agent
 */

/**
 * Of a limit that every agent keeps, the row of the agent that is nearest to it; of any other, the rows of all agents that
 * exceed it. A row names its agents in `servers`, unless it is the same for all.
 * @param {Share[]} shares
 * @returns {Limit[]} in the order of the first agent's list
 */
export function limitsOfAgents(shares) {
  const rows = shares.map(({ name, decision }) => decision.limits.map((limit) => ({ ...limit, agent: name })));
  return tightest(rows).flatMap((nearest) => {
    const { agent, ...limit } = /** @type {Limit & { agent: string }} */ (nearest);
    const same = rows.flat().filter(({ code, name }) => code === limit.code && name === limit.name);
    if (limit.exceeded) {
      const exceeded = same.filter((row) => row.exceeded);
      return merge(exceeded.map(({ agent: own, ...row }) => ({ ...row, servers: [own] })));
    }
    const isCommon =
      same.length === shares.length &&
      same.every(({ available, needed }) => available === limit.available && needed === limit.needed);
    return [{ ...limit, servers: isCommon ? [] : [agent] }];
  });
}
