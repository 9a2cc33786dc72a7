// Checks that the figures of a leg agree with each other. Every rule holds exactly, whatever the server did, and also
// for an interrupted leg. The client itself miscounted a leg that breaks a rule, and none of the leg's figures can be
// trusted.

import { accountParts, partsSum } from './account.js';
import { KINDS } from './parts.js';

/**
 * @import { Sample } from '../../config/types.js'
 * @import { Data } from '../errors.js'
 * @import { MeasuredLeg } from './leg-figures.js'
 * @import { Kind } from './parts.js'
 */

/**
 * @typedef {{ code: string, data: Record<string, number | string>, text: string }} Imbalance
 * @typedef {NonNullable<MeasuredLeg[Kind]>[number]} Part  of the leg; the parts add up to it
 * @typedef {Pick<MeasuredLeg, 'connections' | 'attempts' | 'account' | 'errors' | 'rejects' | 'transfers' | 'statuses'
 *   | 'steady' | 'log' | Kind>} Figures  the parts of a leg's summary that are checked
 */

/** @type {Record<string, (data: Data) => string>} */
const TEXTS = {
  'attempts-unbalanced': ({ total, opened, rejected, abandoned }) =>
    `${total} attempts were counted, but ${opened} opened + ${rejected} rejected + ${abandoned} abandoned`,
  'errors-unbalanced': ({ errors, lost }) =>
    `${errors} errors but ${lost} lost connections were counted; the two must be equal`,
  'slots-exceeded': ({ opened, reopened, requested }) =>
    `${opened - reopened} different connections were opened, but only ${requested} were requested`,
  'peak-impossible': ({ peakOpen, openAtEnd, requested }) =>
    `${peakOpen} connections open at most and ${openAtEnd} at the end, of ${requested} requested`,
  'account-unbalanced': ({ requested, parts, leaving }) =>
    `${parts} connections are served, unanswered, connecting or waiting, of ${requested} requested and ${leaving} leaving`,
  'account-impossible': ({ part, value }) => `${value} connections are ${part} in the account`,
  'log-unbalanced': ({ rows, logged }) => `the transfer log has ${rows} rows for ${logged} transfers`,
  'requests-unbalanced': ({ due, ended, unsent }) => `${due} requests due are not ${ended} sent + ${unsent} unsent`,
  'late-impossible': ({ late, sent }) => `${late} late requests were counted, but only ${sent} requests were sent`,
  'statuses-unbalanced': ({ statuses, transfers }) => `${statuses} reply statuses for ${transfers} transfers`,
  'fairness-unbalanced': ({ connections, steady }) =>
    `steady state: ${connections} transfers added up over connections, ${steady} added up over seconds`,
  ...Object.fromEntries(
    KINDS.map(({ kind, words }) => [
      `${kind}-unbalanced`,
      ({ name, [kind]: sum, leg }) => `${name}: ${sum} added up over ${words}, but ${leg} in the leg`,
    ]),
  ),
  'count-impossible': ({ name, value, second }) => `${name} is ${value} in second ${second}`,
  'gauges-below-zero': ({ times, second }) =>
    `${times} times in second ${second}, more connections or transfers left a state than were in it`,
  'unanswered-impossible': ({ unanswered, open, second }) =>
    `${unanswered} of ${open} open connections are unanswered in second ${second}`,
  'times-unbalanced': ({ times, transfers, second }) =>
    `${times} response times for ${transfers} transfers in second ${second}`,
};

/** @param {string} code @param {Imbalance['data']} data @returns {Imbalance} */
const imbalance = (code, data) => ({ code, data, text: TEXTS[code](data) });

/** @param {boolean} holds @param {string} code @param {Imbalance['data']} data @returns {Imbalance[]} */
const unless = (holds, code, data) => (holds ? [] : [imbalance(code, data)]);

/**
 * @param {Figures} leg its summary
 * @param {Sample[]} samples of the leg, in order
 * @param {Imbalance[]} [ofSamples] violations in single samples
 * @returns {Imbalance[]} empty when the figures agree; for each rule about samples, only the first violation
 */
export function checkBooks(leg, samples, ofSamples = samples.flatMap(checkSample)) {
  return [
    ...checkTotals(leg),
    ...checkAccount(leg),
    ...KINDS.flatMap(({ kind }) => checkParts(kind, leg)),
    ...checkFairness(leg, samples),
    ...firstOfEach(ofSamples),
  ];
}

/** @param {Figures} leg @returns {Imbalance[]} */
function checkTotals({ connections, attempts, errors, transfers, statuses, log }) {
  const { requested, peakOpen, openAtEnd, opened, reopened, lost } = connections;
  const { count, failed, unfinished, due, late = 0, unsent = 0 } = transfers;
  const ended = count + failed + unfinished;
  return [
    unless(attempts.total === attempts.opened + attempts.rejected + attempts.abandoned, 'attempts-unbalanced', {
      ...attempts,
    }),
    unless(errors.total === lost, 'errors-unbalanced', { errors: errors.total, lost }),
    unless(opened - reopened <= requested, 'slots-exceeded', { opened, reopened, requested }),
    unless(openAtEnd <= peakOpen && peakOpen <= requested, 'peak-impossible', { peakOpen, openAtEnd, requested }),
    unless(log === undefined || (log.missing >= 0 && log.missing <= ended), 'log-unbalanced', {
      rows: log?.rows ?? 0,
      logged: ended,
    }),
    unless(due === undefined || due === ended + unsent, 'requests-unbalanced', { due: due ?? 0, ended, unsent }),
    unless(due === undefined || late <= due - unsent, 'late-impossible', { late, sent: (due ?? 0) - unsent }),
    unless(statuses === undefined || statuses.total === count, 'statuses-unbalanced', {
      statuses: statuses?.total ?? 0,
      transfers: count,
    }),
  ].flat();
}

/**
 * Connections that are no longer requested may still be open only where a profile falls.
 * @param {Figures} leg @returns {Imbalance[]}
 */
function checkAccount({ account, connections }) {
  if (account === undefined) return [];
  const { requested, leaving = 0 } = account;
  const { requestedAtEnd = connections.requested, openAtEnd } = connections;
  const parts = partsSum(account);
  const balanced = parts === requested + leaving && requested === requestedAtEnd;
  const mayLeave = leaving === 0 || connections.requestedAtEnd !== undefined;
  const open = account.unanswered + account.idle;
  return [
    unless(balanced && mayLeave, 'account-unbalanced', { requested, parts, leaving }),
    unless(open <= openAtEnd, 'account-impossible', { part: 'unanswered or idle', value: open }),
    ...accountParts.map((part) => unless(account[part] >= 0, 'account-impossible', { part, value: account[part] })),
  ].flat();
}

/** @param {Kind} kind @param {Figures} leg @returns {Imbalance[]} */
function checkParts(kind, { [kind]: parts, connections, attempts, errors, transfers }) {
  if (parts === undefined) return [];
  /** @type {[string, number | undefined, (part: Part) => number | undefined][]} */
  const sums = [
    ['opened', connections.opened, (part) => part.opened],
    ['lost', connections.lost, (part) => part.lost],
    ['rejects', attempts.rejected, (part) => part.rejects],
    ['errors', errors.total, (part) => part.errors],
    ['transfers', transfers.count, (part) => part.transfers.count],
    ['failed', transfers.failed, (part) => part.transfers.failed],
    ['unfinished', transfers.unfinished, (part) => part.transfers.unfinished],
    ['bytesSent', transfers.bytesSent, (part) => part.transfers.bytesSent],
    ['bytesReceived', transfers.bytesReceived, (part) => part.transfers.bytesReceived],
  ];
  return sums.flatMap(([name, leg = 0, of]) => {
    if (parts.some((part) => of(part) === undefined)) return []; // bytes in a run made before they were recorded
    const sum = parts.reduce((total, part) => total + (of(part) ?? 0), 0);
    return unless(sum === leg, `${kind}-unbalanced`, { name, [kind]: sum, leg });
  });
}

/**
 * The transfers that the connections counted themselves; absent after a worker was lost.
 * @param {Figures} leg @param {Sample[]} samples @returns {Imbalance[]}
 */
function checkFairness({ steady }, samples) {
  const perConnection = samples.at(-1)?.histograms.perConnection;
  if (!steady || !perConnection) return [];
  const connections = Math.round(perConnection.mean * perConnection.count);
  return unless(connections === steady.transfers, 'fairness-unbalanced', { connections, steady: steady.transfers });
}

/**
 * @param {Record<string, number>} counts @param {number} second @param {string} [prefix] of their names
 * @returns {Imbalance[]}
 */
function checkCounts(counts, second, prefix = '') {
  const imbalances = [];
  for (const [name, value] of Object.entries(counts)) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    imbalances.push(imbalance('count-impossible', { name: prefix + name, value, second }));
  }
  return imbalances;
}

/** @param {Sample} sample @returns {Imbalance[]} */
export function checkSample({
  second,
  counters,
  rejects,
  errors,
  gauges,
  histograms,
  slices,
  gaugesBelowZero: times = 0,
}) {
  const { open, unanswered } = gauges;
  const { transfers } = counters;
  const responses = histograms.responseTime?.count ?? 0;
  return [
    ...checkCounts(gauges, second),
    ...checkCounts(counters, second),
    ...checkCounts(rejects, second, 'rejects.'),
    ...checkCounts(errors, second, 'errors.'),
    ...unless(times === 0, 'gauges-below-zero', { times, second }),
    ...unless(unanswered <= open, 'unanswered-impossible', { unanswered, open, second }),
    // in slices only transfers that began in a measured part are timed
    ...unless(slices ? responses <= transfers : responses === transfers, 'times-unbalanced', {
      times: responses,
      transfers,
      second,
    }),
  ];
}

/** @param {Imbalance[]} imbalances @returns {Imbalance[]} */
export function firstOfEach(imbalances) {
  /** @type {Map<string, Imbalance>} */
  const first = new Map();
  for (const entry of imbalances) {
    const key = `${entry.code} ${entry.data.name ?? ''}`;
    if (!first.has(key)) first.set(key, entry);
  }
  return [...first.values()];
}
