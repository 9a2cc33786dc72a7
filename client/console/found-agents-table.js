// The agents that answered doctor: a row for each, with what its host has, and what its share of a load needs of that.
// Pure.

import { bytes, count, duration, NOT_MEASURED } from '../words/format.js';
import { textTable } from './text-table.js';

/**
 * @import { Limit } from '../../config/types.js'
 * @import { Host } from '../machine/host.js'
 * @import { AgentCondition } from '../run/agents/find-agents.js'
 * @import { Serves } from '../run/agents/messages.js'
 * @import { Style } from './terminal-text.js'
 * @import { Column as TextColumn } from './text-table.js'
 */

/**
 * @typedef {object} FoundAgent
 * @property {string} name
 * @property {AgentCondition} state
 * @property {string | null} run        that it works for now
 * @property {string} broadside         its version
 * @property {string[]} allow           networks that it may send load to
 * @property {boolean} isForServers     it is to start the servers, and sends no load
 * @property {Serves | null} serves  what it may start; null: no servers
 * @property {Pick<Host, 'cores' | 'memoryAvailableBytes' | 'descriptors' | 'ports'>} host
 * @property {number | null} clockUncertaintyNs  by which the start of its load may be off; null: not measured
 * @property {{ connections: number, workers: number, limits: Limit[], fits: boolean } | null} share  of the load; null:
 *   it has none
 */

/** @type {Record<FoundAgent['state'], (agent: FoundAgent) => string>} */
const STATES = {
  free: ({ isForServers }) => (isForServers ? 'free, for servers' : 'free'),
  busy: ({ run }) => `busy: ${run}`,
  'other-version': ({ broadside }) => `other version: ${broadside}`,
};

/**
 * @param {FoundAgent} agent
 * @param {string} code of the limit
 * @param {number} available where its share has no such limit
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

/** @typedef {TextColumn<FoundAgent>} Column */

/** Of its share of the load. @type {Column[]} */
const SHARE = [
  { title: 'connections', text: ({ share }) => count(share?.connections) },
  { title: 'workers', text: ({ share }) => count(share?.workers) },
];

/** @type {Column[]} */
const HOST = [
  { title: 'cores', text: ({ host }) => count(host.cores) },
  { title: 'memory', text: (agent) => amount(agent, 'client-memory', agent.host.memoryAvailableBytes, bytes) },
  { title: 'descriptors', text: (agent) => amount(agent, 'worker-descriptors', agent.host.descriptors, count) },
  { title: 'ports', text: (agent) => amount(agent, 'local-ports', agent.host.ports, count) },
  {
    title: 'clock',
    text: ({ clockUncertaintyNs }) =>
      clockUncertaintyNs === null ? NOT_MEASURED : `± ${duration(clockUncertaintyNs)}`,
  },
];

/** @type {Column} */
const FITS = {
  title: 'fits',
  left: true,
  text: ({ share }) => (share === null ? NOT_MEASURED : share.fits ? 'yes' : 'no'),
};

/** @type {Column} */
const MAY_START = {
  title: 'may start',
  left: true,
  text: ({ serves }) => (serves ? servesText(serves) : NOT_MEASURED),
};

/**
 * @param {FoundAgent[]} agents @param {Style} style
 * @returns {string} lines joined, the last without a line end
 */
export function foundAgentsTable(agents, style) {
  const hasLoad = agents.some(({ share }) => share !== null);
  const hasServers = agents.some(({ serves }) => serves);
  /** @type {Column[]} */
  const columns = [
    { title: 'agent', left: true, text: ({ name }) => name },
    { title: 'state', left: true, text: (agent) => STATES[agent.state](agent) },
    ...(hasLoad ? SHARE : []),
    ...HOST,
    ...(hasLoad ? [FITS] : []),
    ...(hasServers ? [MAY_START] : []),
    { title: 'may send load to', left: true, text: ({ allow }) => allow.join(', ') },
  ];
  return textTable(columns, agents, { style }).lines.join('\n');
}
