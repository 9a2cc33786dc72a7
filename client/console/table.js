// The end of the console's output: the legs side by side, or below each other when there are many. Pure.
// The one thing to know: what was not served comes before how fast the rest was; nothing is ranked.
import Table from 'cli-table3';
import {
  areOfRounds,
  borderless,
  clientPart,
  connectTime,
  cpu,
  coverage,
  handshakeTime,
  lateness,
  meanTime,
  mostOpen,
  networkAndServer,
  nothing,
  ran,
  responseInterval,
  responseTime,
  resumption,
  serviceTime,
  slowest,
  someServedRemark,
  idlePoll,
  intervalText,
  statusesOf,
  transferRate,
  withMark,
} from './cells.js';
import { fewPlacesText, MAX_SIDE_BY_SIDE, placesText, servedOnlySome, switchesText } from '../words/figures.js';
import { followsProfile, heldAtEnd, requestedAtEnd, sendsMore, withFigures } from '../measure/leg-figures.js';
import { accountRows } from './account-rows.js';
import { shortCauseName } from '../words/causes.js';
import { kneeCell } from '../words/knee.js';
import { endingText } from '../words/endings.js';
import { wrap } from './terminal-text.js';
import { shortened } from './shorten-labels.js';
import { sweepTable } from './sweep-table.js';
import { legRows } from './table-rows.js';
import { bareRate, bytes, count, duration, megabytes, wholePercent } from '../words/format.js';

export { borderless };

/** @typedef {import('./cells.js').LegSummary} LegSummary */
/** @typedef {import('./terminal-text.js').Style} Style */
/**
 * worst: over rounds, of the worst one; all others are medians, or the same in each; served: marked for a server that served only some.
 * @typedef {[title: string, cell: (leg: LegSummary) => string, kind?: 'worst' | 'served']} Row
 */

const leastTold = 0.05;
const WIDEST_REMARK = 120;

/** @param {Record<string, number>} causes with total @returns {string} 12 (refused 10, reset 2) in as many lines */
function byCause(causes) {
  const parts = Object.entries(causes)
    .filter(([cause, number]) => cause !== 'total' && number > 0)
    .sort((a, b) => b[1] - a[1])
    .map(([cause, number]) => `${shortCauseName(cause)} ${count(number)}`);
  return [count(causes.total), ...parts].join('\n');
}

/** @param {Record<string, number>} statuses with total @returns {string} 2xx 12, 5xx 3, in as many lines; or nothing */
const byStatus = ({ total: _total, ...statuses }) =>
  Object.entries(statuses)
    .map(([status, number]) => `${status} ${count(number)}`)
    .join('\n');

/** A longer text is broken into lines: a leg's column stays narrow. */
const MAX_ENDING = 24;

/** @param {LegSummary} leg @returns {string} how it ended, in as many lines as it takes */
const ending = ({ endedBy, complete }) =>
  complete ? endingText(endedBy) : wrap(`incomplete: ${endingText(endedBy)}`, MAX_ENDING).join('\n');

/** @param {import('./cells.js').MeasuredLeg} leg @returns {string} each side with its part of the steady state, in as many lines */
function limitText({ limitedBy, limitShares }) {
  const sides = Object.entries(limitShares ?? {})
    .filter(([, held]) => held >= leastTold)
    .sort((a, b) => b[1] - a[1]);
  if (sides.every(([side]) => side === 'none')) return limitedBy;
  return sides.map(([side, held]) => `${side} ${wholePercent(held)}`).join('\n');
}

/** @param {LegSummary} leg @returns {string} where it tells more than what came back */
function sentRate({ steady }) {
  const { bytesSentPerSecond: sent = 0, bytesPerSecond: received = 0 } = steady ?? {};
  return sendsMore(sent, received) ? megabytes(sent) : nothing;
}

/** Connections that had no reply in the drain either. */
const UNANSWERED_AFTER = 'unanswered after drain';

/** Below a figure of several rounds. */
const INTERVAL = '  95 % interval';

/** Below a percentile of the response time: what of it the client itself caused. */
const CLIENT_PART = "  client's part";

/** @type {readonly Row[]} */
const rows = Object.freeze(
  /** @type {Row[]} */ ([
    ['ended', ending],
    ['serves at once', (leg) => placesText(leg) ?? nothing],
    ['most open / requested', mostOpen, 'worst'],
    ['open / requested', ran((leg) => `${count(heldAtEnd(leg))} / ${count(requestedAtEnd(leg))}`), 'worst'],
    ['unanswered at end', ran(({ connections }) => count(connections.unansweredAtEnd)), 'worst'],
    [UNANSWERED_AFTER, ran(({ connections }) => count(connections.neverAnswered)), 'worst'],
    ['rejects', ran(({ rejects }) => byCause(rejects)), 'worst'],
    ['errors', ran(({ errors }) => byCause(errors)), 'worst'],
    ['lost / reopened', ran(({ connections: { lost, reopened } }) => `${count(lost)} / ${count(reopened)}`), 'worst'],
    [
      'lost with a worker',
      ({ connections }) => (connections?.lostWithWorker ? count(connections.lostWithWorker) : nothing),
      'worst',
    ],
    ['transfers', ran(({ transfers }) => count(transfers.count))],
    ['stray datagrams', ran(({ transfers: { strays } }) => (strays === undefined ? nothing : count(strays)))],
    [
      'failed / unfinished',
      ran(({ transfers: { failed, unfinished } }) => `${count(failed)} / ${count(unfinished)}`),
      'worst',
    ],
    [
      'warm-up',
      ({ warmup }) =>
        warmup ? `${duration(warmup.toNs - warmup.fromNs)}, ${count(warmup.transfers)} transfers` : nothing,
    ],
    ['figures of', coverage],
    ['transfers/s', transferRate, 'served'],
    [INTERVAL, (leg) => intervalText(leg, 'perSecond', bareRate)],
    ['MB/s', ({ steady }) => (steady ? megabytes(steady.bytesPerSecond) : nothing)],
    ['MB/s sent', sentRate],
    ['replies (steady)', (leg) => byStatus(statusesOf(leg)) || nothing],
    ['response p50', (leg) => responseTime(leg, 'p50', 50), 'served'],
    [INTERVAL, (leg) => intervalText(leg, 'p50Ns', duration)],
    [CLIENT_PART, (leg) => clientPart(leg, 'p50')],
    ['response p90', (leg) => responseTime(leg, 'p90', 90), 'served'],
    ['response p95', (leg) => responseTime(leg, 'p95', 95), 'served'],
    ['response p99', (leg) => responseTime(leg, 'p99', 99), 'served'],
    [INTERVAL, (leg) => intervalText(leg, 'p99Ns', duration)],
    [CLIENT_PART, (leg) => clientPart(leg, 'p99')],
    ['  95 % interval over time', (leg) => responseInterval(leg, 'p99', 99)],
    ['response p99.9', (leg) => responseTime(leg, 'p99_9', 99.9), 'served'],
    ['response max', slowest, 'served'],
    ['mean ± deviation', meanTime, 'served'],
    ['network + server p50', (leg) => networkAndServer(leg, 'p50')],
    ['network + server p99', (leg) => networkAndServer(leg, 'p99')],
    ['service p50', (leg) => serviceTime(leg, 'p50')],
    ['service p99', (leg) => serviceTime(leg, 'p99')],
    ['late / unsent', lateness, 'worst'],
    ['knee at', ({ ramp }) => kneeCell(ramp) ?? nothing],
    [
      'per connection',
      ({ steady }) =>
        steady?.perConnection ? `${count(steady.perConnection.min)} – ${count(steady.perConnection.max)}` : nothing,
    ],
    ['connect p99', connectTime],
    ['handshake p99', handshakeTime],
    ['resumed, p99', resumption],
    ['client CPU', (leg) => cpu(leg, 'client')],
    ['client idle polling', idlePoll],
    ['server CPU', (leg) => cpu(leg, 'server')],
    ['server memory', ({ serverUse }) => (serverUse ? bytes(serverUse.peakRssBytes) : nothing)],
    ['server switches/s', ({ serverUse }) => switchesText(serverUse?.contextSwitchesPerSecond) ?? nothing],
    ['limited by', ran(limitText)],
  ]),
);

/**
 * The row in place of "open / requested" where connections close when they are done: how many were answered, or opened.
 * @type {Readonly<Record<string, Row>>}
 */
const insteadOfOpen = Object.freeze({
  once: [
    'answered / requested',
    ran(({ transfers, connections: { requested } }) => `${count(transfers.count)} / ${count(requested)}`),
  ],
  reconnect: ['opened', ran(({ connections }) => count(connections.opened)), 'worst'],
});

/**
 * What a row is called, where that depends on the load.
 * @param {string} title @param {LegSummary[]} legs
 */
function titleOf(title, legs) {
  if (title === 'open / requested' && legs.some(followsProfile)) return `${title} at end`;
  // a connection counts together with those opened in its place
  if (
    title === 'per connection' &&
    legs.some(({ connections }) => connections !== undefined && connections.reopened > 0)
  )
    return `${title}, reopened`;
  return title;
}

/** @param {LegSummary[]} legs @param {string} workload @returns {Row[]} those that have a figure of at least one leg */
function rowsOf(legs, workload) {
  const instead = insteadOfOpen[workload];
  // the first row, requested, is the same in each round
  const account = accountRows(legs).map(
    ([title, cell], i) => /** @type {Row} */ (i === 0 ? [title, cell] : [title, cell, 'worst']),
  );
  const ofRounds = areOfRounds(legs);
  const marked = legs.some((leg) => servedOnlySome(leg) !== undefined);
  return (
    [...rows.slice(0, 1), ...account, ...rows.slice(1)]
      .map((row) => (instead && row[0] === 'open / requested' ? instead : row))
      // in reconnect whatever is open has only just been opened
      .filter(([title]) => workload !== 'reconnect' || title !== 'unanswered at end')
      // the account has it
      .filter(([title]) => title !== 'unanswered at end' || legs.some((leg) => leg.connections && !leg.account))
      .filter(([title]) => title !== 'serves at once' || legs.some((leg) => fewPlacesText(leg) !== undefined))
      .filter(([, cell]) => legs.some((leg) => cell(leg) !== nothing))
      .map(([title, cell, kind]) => {
        const called = titleOf(title, legs);
        return /** @type {Row} */ ([
          ofRounds && kind === 'worst' ? `${called} (worst)` : called,
          kind === 'served' ? (leg) => withMark(cell(leg), leg, marked) : cell,
        ]);
      })
  );
}

/** @param {string[]} column @returns {number} the widest line, with its padding */
const widthOf = (column) => Math.max(...column.flatMap((cell) => cell.split('\n').map((one) => one.length))) + 2;

/**
 * @param {LegSummary[]} all legs @param {number} width of the terminal; Infinity when there is none
 * @param {string} [workload]
 * @param {Style} [style]
 * @returns {string} of a sweep, a table for each figure; else a column a leg, or a row a leg when they are many or too
 *   wide; lines joined, the last without end
 */
export function legTable(all, width, workload = 'continuous', style = (_tone, text) => text) {
  const legs = all.map(withFigures);
  if (legs.some(({ series }) => series !== undefined)) return sweepTable(legs, width, workload, style);
  const shown = rowsOf(legs, workload);
  const titles = ['', ...shown.map(([title]) => title)];
  const room = legs.length === 1 ? Math.max(1, width - widthOf(titles) - 1) : Infinity;
  const columns = legs.map((leg) => [shortened(leg.label, room), ...shown.map(([, cell]) => cell(leg))]);
  const wide = [titles, ...columns].reduce((sum, column) => sum + widthOf(column), 0) - 1;
  if (legs.length > MAX_SIDE_BY_SIDE || (wide > width && legs.length > 1)) return legRows(legs, width, workload, style);
  const table = new Table({ ...borderless, colAligns: ['left', ...legs.map(() => /** @type {const} */ ('right'))] });
  titles.forEach((title, i) => table.push([title, ...columns.map((column) => column[i])]));
  const lines = table
    .toString()
    .split('\n')
    .map((one) => one.trimEnd());
  const remark = someServedRemark(legs);
  const below = remark === '' ? [] : ['', ...wrap(` ${remark}`, Math.min(width, WIDEST_REMARK))];
  return [...lines, ...below].join('\n');
}
