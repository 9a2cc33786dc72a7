// The tables of what a leg's load was divided over, instances of its server or agents: a row each, which add up to the leg. Pure.

import { bareRate, count, duration, NOT_MEASURED } from '../words/format.js';
import { percentileText } from '../words/figures.js';
import { textTable } from './text-table.js';

/** @typedef {import('../../config/types.js').LegSummary} LegSummary */
/** @typedef {NonNullable<LegSummary['instances']>[number]} Instance */
/** @typedef {NonNullable<LegSummary['agents']>[number]} Agent */
/** @template P @typedef {{ label: string, part: P }} Row  label: of its leg, in the first row */
/** @template P @typedef {import('./text-table.js').Column<Row<P>>} Column */

/** @param {Agent} agent @returns {string} by how much its seconds may be apart from the controller's */
function clockText({ clockUncertaintyNs, clockDriftNs = 0, startLateNs = 0, agentLost }) {
  if (agentLost) return 'lost';
  if (clockUncertaintyNs === undefined) return NOT_MEASURED;
  return `± ${duration(clockUncertaintyNs + Math.abs(clockDriftNs))}${startLateNs > 0 ? `, ${duration(startLateNs)} late` : ''}`;
}

/** @type {Column<any>} */
const LEG = { title: 'leg', left: true, text: ({ label }) => label };

/** @type {Column<Instance | Agent>[]} */
const FIGURES = [
  { title: 'open', text: ({ part }) => count(part.openAtEnd) },
  { title: 'transfers', text: ({ part }) => count(part.transfers.count) },
  { title: '/s', text: ({ part }) => bareRate(part.figures.perSecond) },
  { title: 'p50', text: ({ part }) => percentileText(part.figures, 'p50', 50) },
  { title: 'p99', text: ({ part }) => percentileText(part.figures, 'p99', 99) },
  { title: 'failed', text: ({ part: { transfers } }) => count(transfers.failed + transfers.unfinished) },
  { title: 'rejects', text: ({ part }) => count(part.rejects) },
  { title: 'errors', text: ({ part }) => count(part.errors) },
];

/** @type {Column<Instance>[]} */
const INSTANCE = [
  LEG,
  { title: 'instance', text: ({ part }) => String(part.index) },
  { title: 'at', left: true, text: ({ part }) => part.target ?? NOT_MEASURED },
  { title: 'CPU', text: ({ part }) => part.cpus ?? NOT_MEASURED },
  ...FIGURES,
];

/** @type {Column<Agent>[]} */
const AGENT = [
  LEG,
  { title: 'agent', left: true, text: ({ part }) => part.name },
  { title: 'connections', text: ({ part }) => count(part.connections) },
  ...FIGURES,
  { title: 'clock', text: ({ part }) => clockText(part) },
];

/**
 * @template P
 * @param {string} title @param {Column<P>[]} columns @param {LegSummary[]} legs @param {(leg: LegSummary) => P[] | undefined} partsOf
 * @param {import('./terminal-text.js').Style} style
 * @returns {string | null} lines joined, the last without a line end; null where no leg has such parts
 */
function partTable(title, columns, legs, partsOf, style) {
  const rows = legs.flatMap((leg) =>
    (partsOf(leg) ?? []).map((part, i) => ({ label: i === 0 ? leg.label : '', part })),
  );
  if (rows.length === 0) return null;
  return [style('bold', title), ...textTable(columns, rows, { style, tone: 'dim' }).lines].join('\n');
}

/** @param {LegSummary[]} legs @param {import('./terminal-text.js').Style} style @returns {string | null} null where no server has several instances */
export const instanceTable = (legs, style) =>
  partTable('each instance of the server', INSTANCE, legs, ({ instances }) => instances, style);

/** @param {LegSummary[]} legs @param {import('./terminal-text.js').Style} style @returns {string | null} null where no leg had agents */
export const agentTable = (legs, style) => partTable('each agent', AGENT, legs, ({ agents }) => agents, style);
