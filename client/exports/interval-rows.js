// The samples of a run as CSV (RFC 4180): one line per leg and interval, units in the header. Pure.
// What was not measured is an empty field.

import { errorCauses, rejectCauses } from '../measure/fields.js';

/**
 * @import { Sample } from '../../config/types.js'
 * @import { histogramNames } from '../measure/fields.js'
 */

/**
 * @typedef {{ leg: { id: string, label: string, server: string, round?: number, start?: number }, samples:
 *   Iterable<Sample> }} LegSamples
 * @typedef {[name: string, value: (sample: Sample, leg: LegSamples['leg']) => string | number | null | undefined]}
 *   Column
 */

/** @param {keyof Sample['gauges']} name @returns {Column} */
const gauge = (name) => [`${snake(name)}_connections`, ({ gauges }) => gauges[name]];

/** @param {'responseTime' | 'serviceTime' | 'connectTime'} name @returns {Column[]} */
const times = (name) =>
  /** @type {const} */ (['p50', 'p90', 'p99', 'p99_9', 'max']).map((key) => [
    `${snake(name)}_${key}_ns`,
    ({ histograms }) => histograms[name]?.[key],
  ]);

/**
 * Of the transfers that kernel timestamps split.
 * @param {typeof histogramNames[number]} name of their histogram @param {string} column
 * @returns {Column[]}
 */
const parts = (name, column) =>
  /** @type {const} */ (['p50', 'p99', 'max']).map((key) => [
    `${column}_${key}_ns`,
    ({ histograms }) => histograms[name]?.[key],
  ]);

/** @param {Sample} sample @returns {number | undefined} transfers that were to be split and were not */
function leftOut({ timestampsLeftOut, histograms }) {
  if (timestampsLeftOut === undefined) return histograms.splitResponse && 0;
  return Object.values(timestampsLeftOut).reduce((sum, n) => sum + n, 0);
}

/** @param {string} name @returns {string} such as backing_off */
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** @param {Sample} sample */
const seconds = ({ fromNs, toNs }) => (toNs - fromNs) / 1e9;

/**
 * @param {number | undefined} part of the span
 * @param {Sample} sample
 * @returns {number | undefined} a second; none without a span
 */
const perSecond = (part, sample) =>
  part === undefined || seconds(sample) <= 0 ? undefined : round(part / seconds(sample));

/** @param {number} value @returns {number} to a thousandth */
const round = (value) => Math.round(value * 1000) / 1000;

/** @type {Column[]} */
const COLUMNS = [
  ['leg', (sample, { id }) => id],
  ['label', (sample, { label }) => label],
  ['server', (sample, { server }) => server],
  ['round', (sample, leg) => leg.round ?? 1],
  ['start', (sample, leg) => leg.start ?? 1],
  ['phase', ({ phase }) => phase],
  ['from_s', ({ fromNs }) => fromNs / 1e9],
  ['to_s', ({ toNs }) => toNs / 1e9],
  gauge('requested'),
  gauge('open'),
  gauge('unanswered'),
  gauge('connecting'),
  gauge('backingOff'),
  ['opened', ({ counters }) => counters.opened],
  ['lost', ({ counters }) => counters.lost],
  ['transfers', ({ counters }) => counters.transfers],
  ['failed', ({ counters }) => counters.failed],
  ['unfinished', ({ counters }) => counters.unfinished],
  ['transfers_per_s', (sample) => perSecond(sample.counters.transfers, sample)],
  ['sent_bytes', ({ counters }) => counters.bytesSent],
  ['received_bytes', ({ counters }) => counters.bytesReceived],
  ['due', ({ counters }) => counters.due],
  ['late', ({ counters }) => counters.late],
  ['unsent', ({ counters }) => counters.unsent],
  ...times('responseTime'),
  ...times('serviceTime'),
  ...times('connectTime'),
  ['timestamps_sampled', ({ histograms }) => histograms.splitResponse?.count],
  ['timestamps_left_out', leftOut],
  ...parts('splitResponse', 'sampled_response_time'),
  ...parts('connectionWait', 'connection_wait'),
  ...parts('sendDelay', 'send_delay'),
  ...parts('networkAndServer', 'network_and_server'),
  ...parts('receiveDelay', 'receive_delay'),
  ...rejectCauses.map((cause) => /** @type {Column} */ ([`rejects_${cause}`, ({ rejects }) => rejects[cause]])),
  ...errorCauses.map((cause) => /** @type {Column} */ ([`errors_${cause}`, ({ errors }) => errors[cause]])),
  ['client_cores', (sample) => perSecond(sample.client?.cpuSeconds, sample)],
  ['server_cores', (sample) => perSecond(sample.server?.cpuSeconds, sample)],
  ['client_memory_bytes', ({ client }) => client?.rssBytes],
  ['server_memory_bytes', ({ server }) => server?.rssBytes],
  ['limited_by', ({ limitedBy }) => limitedBy],
];

/** @param {string | number | null | undefined} value @returns {string} quoted where RFC 4180 requires it */
function field(value) {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * @param {Iterable<LegSamples>} legs in order
 * @returns {Generator<string>} the lines; none when no leg has a sample
 */
export function* intervalRows(legs) {
  let isFirst = true;
  for (const { leg, samples } of legs) {
    for (const sample of samples) {
      if (isFirst) yield `${COLUMNS.map(([name]) => name).join(',')}\n`;
      isFirst = false;
      yield `${COLUMNS.map(([, value]) => field(value(sample, leg))).join(',')}\n`;
    }
  }
}
