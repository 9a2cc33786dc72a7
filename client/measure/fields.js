// The fields that engines count and measure in each second of a leg: a row for each. They define enums and names in C
// (setup/names-header.js), the join over workers (sample-merge.js), samples (sample.js), their totals of a leg
// (leg-summary.js), and their schema (config/schema/fields.json, by `npm run reference`).

import { ERRORS, REJECTS } from './causes.js';

/**
 * @typedef {object} Field
 * @property {string} name  in reports of engines, and in its part of a sample unless `at` says otherwise; in C
 *   `bytesSent` is COUNT_BYTES_SENT
 * @property {string} about  its meaning
 *
 * @typedef {Field & { at?: string | null, byPrimary?: true, ofLeg?: 'always' | 'open loop' | 'udp' }} Counter
 *   at: its place in a sample, null: in none; byPrimary: no engine counts it; ofLeg: the load with which the summary of
 *   a leg has its sum
 * @typedef {Field & { byPrimary?: true, lasts?: true, isOptional?: true }} Gauge  the sum over workers, the last value
 *   over seconds; lasts: it counts also after a worker has ended; isOptional: a sample may lack it
 * @typedef {Field & { isOptional?: true, isRead?: true }} Timing  isOptional: absent from a sample without such a time,
 *   which otherwise has null; isRead: single readings, no histogram in C
 */

/** What happened in the span. @satisfies {readonly Counter[]} */
export const COUNTERS = /** @type {const} */ ([
  { name: 'attempts', about: 'tries to connect' },
  { name: 'opened', about: 'connections opened' },
  { name: 'reopened', about: 'of those, in a slot that had a connection before' },
  { name: 'lost', about: 'open connections that ended by an error' },
  { name: 'lostWithWorker', about: 'open connections lost because a worker of the client died', byPrimary: true },
  { name: 'abandoned', about: 'attempts in flight when the leg ended' },
  { name: 'transfers', about: 'whole, verified replies' },
  { name: 'failed', about: 'transfers that ended by an error', ofLeg: 'always' },
  { name: 'unfinished', about: 'transfers cut off by the end of the leg', ofLeg: 'always' },
  {
    name: 'bytesSent',
    ofLeg: 'always',
    about: 'what the kernel had taken of requests and control messages when a send was done or had broken off',
  },
  { name: 'bytesReceived', about: 'over TLS after decryption', ofLeg: 'always' },
  { name: 'due', about: 'requests that the schedule called for', ofLeg: 'open loop' },
  { name: 'late', about: 'of those due, sent after waiting for a connection', ofLeg: 'open loop' },
  { name: 'unsent', about: 'of those due, never sent', ofLeg: 'open loop' },
  {
    name: 'strays',
    ofLeg: 'udp',
    about: 'datagrams of UDP that were not the next one of the reply awaited (late, repeated or out of order)',
  },
  { name: 'logRows', about: 'rows of the transfer log', at: null },
  { name: 'tcpSampled', about: 'connections of histograms.rtt', at: 'tcp.sampled' },
  {
    name: 'tcpRetransmitted',
    at: 'tcp.retransmitted',
    about: 'of those, connections that have retransmitted since they opened',
  },
  { name: 'tcpRetransmits', about: 'how many retransmissions that were', at: 'tcp.retransmits' },
  { name: 'measured', about: 'transfers that ended in the measured part of a slice', at: 'slices.transfers' },
  { name: 'afterSlices', about: 'transfers that ended in a slice of another leg', at: 'slices.late' },
  {
    name: 'closedInPause',
    at: 'slices.closed',
    about: 'idle connections that the peer closed in slices of other legs',
  },
  { name: 'gaugesBelowZero', about: 'times that a gauge would have become negative', at: 'gaugesBelowZero' },
]);

/** State at the end of the span. @satisfies {readonly Gauge[]} */
export const GAUGES = /** @type {const} */ ([
  { name: 'requested', about: 'active slots', lasts: true },
  { name: 'connecting', about: 'attempts in flight' },
  { name: 'open', about: 'connections established' },
  { name: 'unanswered', about: 'open connections that have sent a request and have had no reply yet' },
  { name: 'backingOff', about: 'slots that wait before they try again' },
  { name: 'inFlight', about: 'transfers in flight' },
  { name: 'neverAnswered', about: 'slots that have sent a request and have never had a reply', lasts: true },
  { name: 'queued', about: 'slots that wait for the connect limiter' },
  { name: 'openedLastSecond', about: 'of unanswered, those opened in the span' },
  { name: 'waiting', about: 'open loop: requests that are due and wait for a connection' },
  { name: 'peakOpen', about: 'the most open at one time in the span, summed over the workers', isOptional: true },
  { name: 'answered', about: 'open connections that have had a reply', isOptional: true },
  { name: 'lostBackingOff', about: 'of backingOff, slots whose connection was lost', isOptional: true },
  {
    name: 'renewing',
    isOptional: true,
    about: 'of connecting, slots whose last connection was answered and closed as planned',
  },
  {
    name: 'withoutWorker',
    byPrimary: true,
    isOptional: true,
    about: 'of requested, slots of a worker of the client that died and was not yet replaced; absent if none',
  },
]);

/** Times, in ns. @satisfies {readonly Timing[]} */
export const HISTOGRAMS = /** @type {const} */ ([
  {
    name: 'responseTime',
    about: 'from when a request was due (open loop) or sent (closed loop) until the last byte of its reply',
  },
  {
    name: 'serviceTime',
    isOptional: true,
    about: 'from when a request was sent; open loop only: in closed loop it equals responseTime',
  },
  { name: 'sendGap', isOptional: true, about: 'from one request sent by a worker to its next; open loop only' },
  { name: 'connectTime', about: 'from the attempt until TCP was connected' },
  {
    name: 'handshakeTime',
    isOptional: true,
    about: 'from the first byte of the TLS handshake sent to the last one received; full handshakes only',
  },
  { name: 'resumptionTime', about: 'the same of resumed handshakes (tls.resume)', isOptional: true },
  { name: 'recoveryTime', about: 'from when a connection was lost until its slot was open again' },
  {
    name: 'idleTime',
    isOptional: true,
    about:
      'of connections that the server ended while they awaited no reply: for how long they had not, to the millisecond',
  },
  {
    name: 'rtt',
    isRead: true,
    about:
      "TCP's smoothed round-trip time of up to 64 open connections per worker, drawn at random at the end of the span",
  },
  {
    name: 'splitResponse',
    isOptional: true,
    about: 'response times of the transfers that were split by kernel timestamps',
  },
  {
    name: 'sendDelay',
    isOptional: true,
    about: 'of those: until the last byte of the request left for the network device',
  },
  {
    name: 'networkAndServer',
    isOptional: true,
    about: '... from then until the last byte of the reply arrived at this host',
  },
  { name: 'receiveDelay', about: '... from then until it was read', isOptional: true },
  {
    name: 'connectionWait',
    isOptional: true,
    about: '... before all of these, from when the request was due until a connection was free; open loop only',
  },
  {
    name: 'withoutClient',
    isOptional: true,
    about: '... connectionWait and networkAndServer together; open loop only',
  },
  {
    name: 'perConnection',
    isOptional: true,
    about: 'transfers of each slot in the steady state; in the last line of a leg, if no worker was lost',
  },
]);

/** Kinds of whole replies, of protocols that tell kinds apart. @satisfies {readonly Field[]} */
export const REPLIES = /** @type {const} */ ([
  { name: '2xx', about: 'http' },
  { name: '3xx', about: 'http: redirects' },
  { name: '4xx', about: 'http' },
  { name: '5xx', about: 'http' },
  { name: 'ok', about: 'as requested; http: 304' },
  { name: 'miss', about: 'redis, memcached: there is no such key' },
  { name: 'error', about: 'redis, memcached, nats: an error' },
  { name: 'wrong-status', about: 'http: not the status that is expected' },
  { name: 'wrong-body', about: 'http: not the body that is expected' },
]);

/** Why a transfer that was to be split by kernel timestamps was not. @satisfies {readonly Field[]} */
export const OMISSIONS = /** @type {const} */ ([
  { name: 'largeRequest', about: 'the request is more than the kernel takes at once' },
  { name: 'sendBlocked', about: 'the kernel did not take the request at once' },
  { name: 'sentTogether', about: 'other requests followed in the same send, whose stamp is that of the last' },
  { name: 'noSendStamp', about: 'the stamp of the send was lost, or merged with that of a later send' },
  { name: 'readTogether', about: 'other bytes followed in the same read, whose stamp is that of the last' },
  { name: 'noReplyStamp', about: 'the stamp of the reply was lost, or merged with a later one' },
  { name: 'clockStepped', about: "the system's clock was set meanwhile" },
  { name: 'outOfOrder', about: 'the stamps contradict the times of the transfer' },
]);

/**
 * @template {string} N
 * @param {readonly { readonly name: N }[]} rows
 * @returns {readonly N[]}
 */
const namesOf = (rows) => Object.freeze(rows.map(({ name }) => name));

/** @typedef {Exclude<typeof COUNTERS[number], { at: unknown }>} PlainCounter */

/** The names of a sample's `counters`. */
export const counterNames = namesOf(
  COUNTERS.filter((row) => !('at' in row)).map((row) => /** @type {PlainCounter} */ (row)),
);
export const rejectCauses = namesOf(REJECTS);
export const errorCauses = namesOf(ERRORS);
export const statusNames = namesOf(REPLIES);
export const leftOutCauses = namesOf(OMISSIONS);
/** The gauges that engines report. */
export const gaugeNames = namesOf(GAUGES.filter((row) => row.name !== 'withoutWorker'));
/** The histograms of each interval. */
export const histogramNames = namesOf(HISTOGRAMS.filter((row) => row.name !== 'perConnection'));

/**
 * @template {string} K
 * @param {Record<string, number>} record
 * @param {readonly K[]} names
 * @returns {Record<K, number>} 0 for absent names
 */
export function pick(record, names) {
  return /** @type {Record<K, number>} */ (Object.fromEntries(names.map((name) => [name, record[name] ?? 0])));
}
