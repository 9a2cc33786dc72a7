// The names of everything that an engine counts, in the order of the documents. Pure.

export const counterNames = Object.freeze(
  /** @type {const} */ ([
    'attempts',
    'opened',
    'reopened',
    'lost',
    'lostWithWorker',
    'abandoned',
    'transfers',
    'failed',
    'unfinished',
    'bytesSent',
    'bytesReceived',
    'due',
    'late',
    'unsent',
    'strays',
  ]),
);
export const rejectCauses = Object.freeze(
  /** @type {const} */ (['refused', 'reset', 'timeout', 'unreachable', 'local', 'handshake', 'greeting', 'other']),
);
export const errorCauses = Object.freeze(
  /** @type {const} */ (['reset', 'closed', 'timeout', 'corrupt', 'protocol', 'other']),
);
export const gaugeNames = Object.freeze(
  /** @type {const} */ ([
    'requested',
    'connecting',
    'open',
    'unanswered',
    'backingOff',
    'inFlight',
    'neverAnswered',
    'queued',
    'openedLastSecond',
    'waiting',
    'peakOpen',
    'answered',
    'lostBackingOff',
    'renewing',
  ]),
);
/** Whole replies by what kind of reply they are, of protocols that tell kinds apart. */
export const statusNames = Object.freeze(
  /** @type {const} */ (['2xx', '3xx', '4xx', '5xx', 'ok', 'miss', 'error', 'wrong-status', 'wrong-body']),
);
/** Of the open connections whose TCP_INFO was read: how many, those with a retransmission ever, how many of these. */
export const tcpCounterNames = Object.freeze({
  sampled: 'tcpSampled',
  retransmitted: 'tcpRetransmitted',
  retransmits: 'tcpRetransmits',
});

/** Why a transfer that was to be split by kernel timestamps was not. */
export const leftOutCauses = Object.freeze(
  /** @type {const} */ ([
    'largeRequest',
    'sendBlocked',
    'sentTogether',
    'noSendStamp',
    'readTogether',
    'noReplyStamp',
    'clockStepped',
    'outOfOrder',
  ]),
);
/**
 * What an engine says of the transfers that were split by kernel timestamps: their response times, and the parts of
 * these.
 */
export const splitNames = Object.freeze(
  /** @type {const} */ ([
    'splitResponse',
    'sendDelay',
    'networkAndServer',
    'receiveDelay',
    'connectionWait',
    'withoutClient',
  ]),
);

/**
 * @template {string} K
 * @param {Record<string, number>} record
 * @param {readonly K[]} names
 * @returns {Record<K, number>} those that are absent are 0
 */
export function pick(record, names) {
  return /** @type {Record<K, number>} */ (Object.fromEntries(names.map((name) => [name, record[name] ?? 0])));
}
