// The end of the console's output of legs whose workers were on agents: a row for each agent, which add up to the leg. Pure.

import { plainTable } from './plain-table.js';
import { bareRate, count, duration, NOT_MEASURED } from '../words/format.js';
import { percentileText } from '../words/figures.js';

/** @typedef {import('./cells.js').LegSummary} LegSummary */
/** @typedef {import('./terminal-text.js').Style} Style */

const HEAD = [
  'leg',
  'agent',
  'connections',
  'open',
  'transfers',
  '/s',
  'p50',
  'p99',
  'failed',
  'rejects',
  'errors',
  'clock',
];
const RIGHT = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

/** @param {any} agent of a leg's summary @returns {string} by how much its seconds may be apart from the controller's */
function clockText({ clockUncertaintyNs, clockDriftNs = 0, startLateNs = 0, agentLost }) {
  if (agentLost) return 'lost';
  if (clockUncertaintyNs === undefined) return NOT_MEASURED;
  return `± ${duration(clockUncertaintyNs + Math.abs(clockDriftNs))}${startLateNs > 0 ? `, ${duration(startLateNs)} late` : ''}`;
}

/** @param {any} leg @returns {string[][]} */
function rowsOf({ label, agents }) {
  return agents.map((/** @type {any} */ one, /** @type {number} */ i) => [
    i === 0 ? label : '',
    one.name,
    count(one.connections),
    count(one.openAtEnd),
    count(one.transfers.count),
    bareRate(one.figures.perSecond),
    percentileText(one.figures, 'p50', 50),
    percentileText(one.figures, 'p99', 99),
    count(one.transfers.failed + one.transfers.unfinished),
    count(one.rejects),
    count(one.errors),
    clockText(one),
  ]);
}

/**
 * @param {LegSummary[]} legs
 * @param {Style} style
 * @returns {string | null} lines joined, the last without a line end; null where no leg had agents
 */
export function agentTable(legs, style) {
  const divided = legs.filter((/** @type {any} */ { agents }) => agents);
  if (divided.length === 0) return null;
  const [head, ...rows] = plainTable(HEAD, divided.flatMap(rowsOf), RIGHT).split('\n');
  return [style('bold', 'each agent'), style('dim', head), ...rows].join('\n');
}
