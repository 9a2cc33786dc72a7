// The end of the console's output: the legs side by side. Pure.
// The one thing to know: what was not served stands above how fast the rest was; nothing is ranked.
import Table from 'cli-table3';
import { megabytes, memory, percent, short, time } from './figures.js';
import { percentileHolds } from '../measure/summary.js';
import { formatCount } from '../units.js';

/** @typedef {Record<string, any>} LegSummary */

const nothing = '·';
const leastTold = 0.05;
/** A table of cli-table3 that is columns and nothing else. */
export const borderless = {
  style: { head: [], border: [], 'padding-left': 1, 'padding-right': 1 },
  chars: Object.fromEntries(['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left',
    'bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'].map((part) => [part, ''])),
};

/** @param {Record<string, number>} causes with total @returns {string} 12 (refused 10, reset 2) in as many lines */
function byCause(causes) {
  const parts = Object.entries(causes).filter(([cause, count]) => cause !== 'total' && count > 0)
    .sort((a, b) => b[1] - a[1]).map(([cause, count]) =>
      `${cause === 'local' ? 'client limit' : cause} ${short(count)}`);
  return [formatCount(causes.total), ...parts].join('\n');
}

/** @param {LegSummary} leg @param {'p50' | 'p90' | 'p99' | 'p99_9' | 'max'} name @param {number} percent */
function responseTime(leg, name, percent) {
  const times = leg.steady?.responseTimeNs;
  if (!times) return nothing;
  return percentileHolds(leg.steady, percent) ? time(times[name]) : `> ${time(times.max)}`;
}

/** @param {LegSummary} leg @returns {string} each side with its part of the steady state, in as many lines */
function limitText({ limitedBy, limitShares = {} }) {
  const sides = Object.entries(limitShares).filter(([, held]) => held >= leastTold).sort((a, b) => b[1] - a[1]);
  if (sides.every(([side]) => side === 'none')) return limitedBy;
  return sides.map(([side, held]) => `${side} ${percent(held)}`).join('\n');
}

/** @param {(leg: LegSummary) => string} cell @returns {(leg: LegSummary) => string} only for a leg that ran */
const ran = (cell) => (leg) => (leg.connections ? cell(leg) : nothing);

/** @type {readonly [string, (leg: LegSummary) => string][]} */
const rows = Object.freeze(/** @type {[string, (leg: LegSummary) => string][]} */ ([
  ['ended by', ({ endedBy, complete }) => (complete ? endedBy : `${endedBy} (incomplete)`)],
  ['open / asked', ran(({ connections: { openAtEnd, asked } }) => `${formatCount(openAtEnd)} / ${formatCount(asked)}`)],
  ['unanswered at end', ran(({ connections }) => formatCount(connections.unansweredAtEnd))],
  ['never answered', ran(({ connections }) => formatCount(connections.neverAnswered))],
  ['rejects', ran(({ rejects }) => byCause(rejects))],
  ['errors', ran(({ errors }) => byCause(errors))],
  ['lost / reopened', ran(({ connections: { lost, reopened } }) => `${formatCount(lost)} / ${formatCount(reopened)}`)],
  ['transfers', ran(({ transfers }) => formatCount(transfers.count))],
  ['failed / unfinished', ran(({ transfers: { failed, unfinished } }) =>
    `${formatCount(failed)} / ${formatCount(unfinished)}`)],
  ['transfers/s', ({ steady }) => (steady ? short(steady.perSecond) : nothing)],
  ['MB/s', ({ steady }) => (steady ? megabytes(steady.bytesPerSecond) : nothing)],
  ['response p50', (leg) => responseTime(leg, 'p50', 50)],
  ['response p90', (leg) => responseTime(leg, 'p90', 90)],
  ['response p99', (leg) => responseTime(leg, 'p99', 99)],
  ['response p99.9', (leg) => responseTime(leg, 'p99_9', 99.9)],
  ['response max', (leg) => (leg.steady?.responseTimeNs ? time(leg.steady.responseTimeNs.max) : nothing)],
  ['knee', ({ ramp }) => (!ramp ? nothing : ramp.knee ? `at ${formatCount(ramp.knee.asked)}` : 'none')],
  ['per connection', ({ steady }) => (steady?.perConnection
    ? `${short(steady.perConnection.min)} – ${short(steady.perConnection.max)}` : nothing)],
  ['connect p99', ({ connectTimeNs }) => (connectTimeNs ? time(connectTimeNs.p99) : nothing)],
  ['client CPU', ({ steady }) => (steady ? share(steady, steady.client.cpuSeconds) : nothing)],
  ['server CPU', ({ steady }) => (steady?.server ? share(steady, steady.server.cpuSeconds) : nothing)],
  ['server memory', ({ serverUse }) => (serverUse ? memory(serverUse.peakRssBytes) : nothing)],
  ['limited by', ran(limitText)],
]));

/**
 * What stands for "open / asked" where connections close when they are done: how many were answered, how many opened.
 * @type {Readonly<Record<string, [string, (leg: LegSummary) => string]>>}
 */
const insteadOfOpen = Object.freeze({
  once: ['answered / asked',
    ran(({ transfers, connections: { asked } }) => `${formatCount(transfers.count)} / ${formatCount(asked)}`)],
  reconnect: ['opened', ran(({ connections }) => formatCount(connections.opened))],
});

/** @param {{ fromNs: number, toNs: number }} steady @param {number} cpuSeconds */
function share({ fromNs, toNs }, cpuSeconds) {
  return toNs > fromNs ? percent((cpuSeconds * 1e9) / (toNs - fromNs)) : nothing;
}

/**
 * @param {LegSummary[]} legs @param {number} width of the terminal; Infinity when there is none
 * @param {string} [workload]
 * @returns {string} as many tables below each other as the width asks for, without rows that say nothing of any leg
 */
export function legTable(legs, width, workload = 'continuous') {
  const instead = insteadOfOpen[workload];
  const wanted = rows.map((row) => (instead && row[0] === 'open / asked' ? instead : row))
    // in reconnect whatever is open has only just been opened
    .filter(([title]) => workload !== 'reconnect' || title !== 'unanswered at end');
  const telling = wanted.filter(([, cell]) => legs.some((leg) => cell(leg) !== nothing));
  const cells = legs.map((leg) => [leg.label, ...telling.map(([, cell]) => cell(leg))]);
  const titles = ['', ...telling.map(([title]) => title)];
  const widthOf = (/** @type {string[]} */ column) =>
    Math.max(...column.flatMap((cell) => cell.split('\n').map((one) => one.length))) + 2;
  const tables = [];
  for (let at = 0; at < cells.length;) {
    let room = width - widthOf(titles);
    /** @type {string[][]} */
    const chunk = [];
    while (at < cells.length && (chunk.length === 0 || widthOf(cells[at]) <= room)) {
      room -= widthOf(cells[at]);
      chunk.push(cells[at]);
      at += 1;
    }
    const table = new Table({ ...borderless,
      colAligns: ['left', ...chunk.map(() => /** @type {const} */ ('right'))] });
    titles.forEach((title, i) => table.push([title, ...chunk.map((column) => column[i])]));
    tables.push(table.toString().split('\n').map((one) => one.trimEnd()).join('\n'));
  }
  return tables.join('\n\n');
}
