// The tables of the parts over which the load of a leg was divided, instances of its server or agents, for console and
// page. A part has counts of the whole leg, and few figures of its span.

import { cellText, markOf } from './figure-values.js';
import { figures } from './figures.js';
import { count, duration, NOT_MEASURED } from '../words/format.js';

/**
 * @import { Agent, Instance, LegSummary } from '../../config/types.js'
 * @import { Leg } from './figures.js'
 */

/**
 * @typedef {Instance | Agent} Part
 *
 * @typedef {object} PartTable
 * @property {string} id  of its place on the page
 * @property {string} title  of that place
 * @property {string} heading  in the console
 * @property {string} lead  what the parts are, and what their figures cover
 * @property {(leg: Partial<LegSummary>) => Part[] | undefined} partsOf
 * @property {readonly PartColumn<Part>[]} columns  the first names the part
 */

/**
 * @template P
 * @typedef {object} PartColumn
 * @property {string} title
 * @property {(part: P, seconds: number) => string} text  seconds: length of the span of its figures
 * @property {boolean} [left]  aligned to the left
 * @property {true} [isDetail]  shown only on the page, which has more room
 * @property {(part: P) => boolean} [isBad]
 */

/**
 * @param {Part} part
 * @param {number} seconds length of the span of its figures
 * @returns {Leg} with the figures of the part
 */
function legOf({ openAtEnd, rejects, errors, transfers, figures: partFigures }, seconds) {
  const { serverCpuSeconds, cpuSeconds } = /** @type {Partial<Instance['figures'] & Agent['figures']>} */ (partFigures);
  const steady = {
    ...{ ...partFigures, fromNs: 0, toNs: seconds * 1e9 },
    ...{ server: { cpuSeconds: serverCpuSeconds }, client: { cpuSeconds } },
  };
  const leg = { connections: { openAtEnd }, rejects: { total: rejects }, errors: { total: errors }, transfers, steady };
  return /** @type {Leg} */ (/** @type {unknown} */ (leg));
}

/** @param {'client' | 'server'} side that the parts are of @returns {PartColumn<Part>[]} */
const figuresOf = (side) =>
  figures
    .filter(({ ofParts, group }) => ofParts && (group === side || (group !== 'client' && group !== 'server')))
    .map((figure) => {
      const { name, title = name, column = title, group } = figure;
      return {
        title: group === side ? title : column,
        text: (part, seconds) => cellText(figure, figure.of?.(legOf(part, seconds))),
        isBad: (part) => markOf(figure, figure.of?.(legOf(part, 0))) !== undefined,
      };
    });

/** @type {readonly PartColumn<Instance>[]} */
const INSTANCE_COLUMNS = [
  { title: 'instance', text: ({ index }) => String(index) },
  { title: 'at', left: true, text: ({ target }) => target ?? NOT_MEASURED },
  { title: 'CPU', text: ({ cpus }) => cpus ?? NOT_MEASURED },
  {
    title: 'workers',
    isDetail: true,
    text: ({ workers, workerCpus }) =>
      workers.map((worker, i) => (workerCpus ? `${worker} (CPU ${workerCpus[i]})` : worker)).join(', '),
  },
  ...figuresOf('server'),
];

/** @type {readonly PartColumn<Agent>[]} */
const AGENT_COLUMNS = [
  { title: 'agent', left: true, text: ({ name }) => name },
  { title: 'connections', text: ({ connections }) => count(connections) },
  { title: 'workers', isDetail: true, text: ({ workers }) => workers.join(', ') },
  ...figuresOf('client'),
  {
    title: 'clock',
    text: ({ clockUncertaintyNs, clockDriftNs = 0 }) =>
      clockUncertaintyNs === undefined ? NOT_MEASURED : `± ${duration(clockUncertaintyNs + Math.abs(clockDriftNs))}`,
  },
  {
    title: 'start',
    text: ({ startLateNs = 0, agentLost }) =>
      agentLost ? 'lost' : startLateNs > 0 ? `${duration(startLateNs)} late` : 'in time',
    isBad: ({ agentLost }) => Boolean(agentLost),
  },
];

/** @type {readonly PartTable[]} */
export const PART_TABLES = [
  {
    id: 'instances',
    title: 'Instances of the server',
    heading: 'each instance of the server',
    lead:
      'Each instance is a process with its own workers and its share of the connections. Rates, times and server CPU ' +
      'cover the same span as the server’s figures; counts cover the whole measurement and add up to the server’s.',
    partsOf: ({ instances }) => instances,
    columns: /** @type {readonly PartColumn<Part>[]} */ (INSTANCE_COLUMNS),
  },
  {
    id: 'agents',
    title: 'Agents',
    heading: 'each agent',
    lead:
      'Each agent is a host with its share of the connections. Counts cover the whole measurement and add up to the ' +
      'server’s; rates, times and CPU cover the same span as the server’s figures. Clock: the greatest possible offset ' +
      'between the clocks of agent and controller. Charts leave out CPU and kernel counters of the agents’ machines.',
    partsOf: ({ agents }) => agents,
    columns: /** @type {readonly PartColumn<Part>[]} */ (AGENT_COLUMNS),
  },
];
