// What the load of a leg was divided over, instances of its server or agents, as columns of a table: console and page show the
// same. Pure. A part is not a leg: it has counts of the whole leg, and few figures of its span.

import { percentileText } from '../words/figures.js';
import { bareRate, coreShare, count, duration, NOT_MEASURED } from '../words/format.js';

/**
 * @typedef {NonNullable<import('../../config/types.js').LegSummary['instances']>[number]} Instance
 * @typedef {NonNullable<import('../../config/types.js').LegSummary['agents']>[number]} Agent
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

/** @template P @param {string} title @param {(part: P) => number} of @returns {PartColumn<P>} a number of failures */
const failures = (title, of) => ({ title, text: (part) => count(of(part)), isBad: (part) => of(part) > 0 });

/** @type {PartColumn<Instance | Agent>[]} */
const FIGURES = [
  { title: 'open', text: ({ openAtEnd }) => count(openAtEnd) },
  { title: 'transfers', text: ({ transfers }) => count(transfers.count) },
  { title: '/s', text: ({ figures }) => bareRate(figures.perSecond) },
  { title: 'p50', text: ({ figures }) => percentileText(figures, 'p50', 50) },
  { title: 'p99', text: ({ figures }) => percentileText(figures, 'p99', 99) },
  failures('failed', ({ transfers }) => transfers.failed + transfers.unfinished),
  failures('rejects', ({ rejects }) => rejects),
  failures('errors', ({ errors }) => errors),
];

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
  ...FIGURES,
  { title: 'server CPU', text: ({ figures }, seconds) => coreShare(figures.serverCpuSeconds, seconds) },
];

/** @type {readonly PartColumn<Agent>[]} */
export const AGENT_COLUMNS = [
  { title: 'agent', left: true, text: ({ name }) => name },
  { title: 'connections', text: ({ connections }) => count(connections) },
  { title: 'workers', isDetail: true, text: ({ workers }) => workers.join(', ') },
  ...FIGURES,
  { title: 'client CPU', text: ({ figures }, seconds) => coreShare(figures.cpuSeconds, seconds) },
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
