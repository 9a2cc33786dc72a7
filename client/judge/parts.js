// What the load of a leg was divided over, instances of its server or agents, as columns of a table: console and page
// show the same. Pure. A part is not a leg: it has counts of the whole leg, and few figures of its span.

import { cellText, markOf } from './figure-values.js';
import { figures } from './figures.js';
import { count, duration, NOT_MEASURED } from '../words/format.js';

/**
 * @import { LegSummary } from '../../config/types.js'
 * @import { Leg } from './figures.js'
 */

/**
 * @typedef {NonNullable<LegSummary['instances']>[number]} Instance
 * @typedef {NonNullable<LegSummary['agents']>[number]} Agent
 */

/**
 * @template P
 * @typedef {object} PartColumn
 * @property {string} title
 * @property {(part: P, seconds: number) => string} text  seconds: of the span of its figures
 * @property {boolean} [left]  aligned to the left
 * @property {true} [isDetail]  of the page only, which has more room
 * @property {(part: P) => boolean} [isBad]
 */

/**
 * @param {Instance | Agent} part
 * @param {number} seconds of the span of its figures
 * @returns {Leg} with what is known of a part
 */
function legOf({ openAtEnd, rejects, errors, transfers, figures: own }, seconds) {
  const { serverCpuSeconds, cpuSeconds } = /** @type {Partial<Instance['figures'] & Agent['figures']>} */ (own);
  const steady = {
    ...{ ...own, fromNs: 0, toNs: seconds * 1e9 },
    ...{ server: { cpuSeconds: serverCpuSeconds }, client: { cpuSeconds } },
  };
  const leg = { connections: { openAtEnd }, rejects: { total: rejects }, errors: { total: errors }, transfers, steady };
  return /** @type {Leg} */ (/** @type {unknown} */ (leg));
}

/** @param {'client' | 'server'} side that the parts are of @returns {PartColumn<Instance | Agent>[]} */
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
export const INSTANCE_COLUMNS = [
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
export const AGENT_COLUMNS = [
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
