// The agents that answered doctor: a row for each, with what its host has, and what its share of a load needs of that. Pure.

import { bytes, count, duration, NOT_MEASURED } from '../words/format.js';
import { plainTable } from './plain-table.js';

/**
 * @typedef {import('../plan/limits/limit.js').Limit} Limit
 *
 * @typedef {object} FoundAgent
 * @property {string} name
 * @property {import('../run/agents/find-agents.js').AgentCondition} state
 * @property {string | null} run        that it works for now
 * @property {string} broadside         its version
 * @property {string[]} allow           networks that it may send load to
 * @property {boolean} isForServers     it is to start the servers, and sends no load
 * @property {import('../run/agents/messages.js').Serves | null} serves  what it may start; null: no servers
 * @property {Pick<import('../machine/host.js').Host, 'cores' | 'memoryAvailableBytes' | 'descriptors' | 'ports'>} host
 * @property {number | null} clockUncertaintyNs  by which the start of its load may be off; null: not measured
 * @property {{ connections: number, workers: number, limits: Limit[], fits: boolean } | null} share  of the load; null: it has none
 */

/** @type {Record<FoundAgent['state'], (agent: FoundAgent) => string>} */
const STATES = {
  free: ({ isForServers }) => (isForServers ? 'free, for servers' : 'free'),
  busy: ({ run }) => `busy: ${run}`,
  'other-version': ({ broadside }) => `other version: ${broadside}`,
};

/**
 * @param {FoundAgent} agent @param {string} code of the limit @param {number} available where its share has no such limit
 * @param {(value: number) => string} text
 * @returns {string} what is needed, where that is known, and what there is
 */
function amount({ share }, code, available, text) {
  const limit = share?.limits.find((one) => one.code === code);
  if (limit === undefined || limit.needed === null) return text(available);
  return `${text(limit.needed)} of ${limit.available === null ? 'any' : text(limit.available)}`;
}

/** @param {NonNullable<FoundAgent['serves']>} serves */
const servesText = ({ servers, commands }) => [...servers, ...(commands ? ['commands'] : [])].join(', ');

/** @type {{ title: string, right?: boolean, ofLoad?: boolean, ofServers?: boolean, cell: (agent: FoundAgent) => string }[]} */
const COLUMNS = [
  { title: 'agent', cell: ({ name }) => name },
  { title: 'state', cell: (agent) => STATES[agent.state](agent) },
  {
    title: 'connections',
    right: true,
    ofLoad: true,
    cell: ({ share }) => (share ? count(share.connections) : NOT_MEASURED),
  },
  { title: 'workers', right: true, ofLoad: true, cell: ({ share }) => (share ? count(share.workers) : NOT_MEASURED) },
  { title: 'cores', right: true, cell: ({ host }) => count(host.cores) },
  {
    title: 'memory',
    right: true,
    cell: (agent) => amount(agent, 'client-memory', agent.host.memoryAvailableBytes, bytes),
  },
  {
    title: 'descriptors',
    right: true,
    cell: (agent) => amount(agent, 'worker-descriptors', agent.host.descriptors, count),
  },
  { title: 'ports', right: true, cell: (agent) => amount(agent, 'local-ports', agent.host.ports, count) },
  {
    title: 'clock',
    right: true,
    cell: ({ clockUncertaintyNs }) =>
      clockUncertaintyNs === null ? NOT_MEASURED : `± ${duration(clockUncertaintyNs)}`,
  },
  { title: 'fits', ofLoad: true, cell: ({ share }) => (share === null ? NOT_MEASURED : share.fits ? 'yes' : 'no') },
  { title: 'may start', ofServers: true, cell: ({ serves }) => (serves ? servesText(serves) : NOT_MEASURED) },
  { title: 'may send load to', cell: ({ allow }) => allow.join(', ') },
];

/**
 * @param {FoundAgent[]} agents @param {import('./terminal-text.js').Style} style
 * @returns {string} lines joined, the last without a line end
 */
export function foundAgentsTable(agents, style) {
  const hasLoad = agents.some(({ share }) => share !== null);
  const hasServers = agents.some(({ serves }) => serves);
  const columns = COLUMNS.filter(
    ({ ofLoad = false, ofServers = false }) => (hasLoad || !ofLoad) && (hasServers || !ofServers),
  );
  const right = columns.flatMap((column, i) => (column.right ? [i] : []));
  const [head, ...rows] = plainTable(
    columns.map(({ title }) => title),
    agents.map((agent) => columns.map(({ cell }) => cell(agent))),
    right,
  ).split('\n');
  return [style('bold', head), ...rows].join('\n');
}
