/** The columns of the table of totals, in their groups: which ones depends on the workload and the loop. */
import { beyondMax, percentileText } from '../../model/leg-results.js';
import { areMany } from '../../model/leg-order.js';
import { repliesText, unwantedText } from '../../../client/words/replies.js';
import { count, duration, rate, throughput } from '../../../client/words/format.js';

/** @typedef {import('../../types.js').LegResults} LegResults */
/** @typedef {{ name: string, of: (f: LegResults) => string, bad?: (f: LegResults) => boolean }} Column */

/** @param {string} name @param {'p50' | 'p90' | 'p95' | 'p99' | 'p99_9' | 'p99_99'} key @param {number} p @returns {Column} */
const percentile = (name, key, p) => ({
  name,
  of: (f) => percentileText(f, key, p),
  bad: (f) => Boolean(f.response) && beyondMax(f, p),
});

/**
 * @param {string} name
 * @param {keyof LegResults} key
 * @param {boolean} [bad] whether more than none is worth a mark
 * @returns {Column}
 */
const counted = (name, key, bad) => ({
  name,
  of: (f) => count(/** @type {number} */ (f[key])),
  bad: (f) => Boolean(bad && f[key]),
});

/** @type {Array<[string, Column[]]>} */
const GROUPS = [
  [
    'Connections',
    [
      { name: 'open / requested', of: (f) => `${count(f.open)} / ${count(f.requested)}`, bad: (f) => f.heldTooFew },
      counted('unanswered', 'unanswered', true),
      counted('unanswered after drain', 'neverAnswered', true),
      counted('rejects', 'rejectsTotal', true),
      counted('errors', 'errorsTotal', true),
      counted('lost', 'lost', true),
      counted('reopened', 'reopened'),
    ],
  ],
  [
    'Response time',
    [
      percentile('p50', 'p50', 0.5),
      percentile('p90', 'p90', 0.9),
      percentile('p95', 'p95', 0.95),
      percentile('p99', 'p99', 0.99),
      percentile('p99.9', 'p99_9', 0.999),
      percentile('p99.99', 'p99_99', 0.9999),
      { name: 'max', of: (f) => duration(f.response?.max) },
    ],
  ],
  [
    'Throughput',
    [
      { name: 'transfers', of: (f) => rate(f.perSecond) },
      { name: 'payload', of: (f) => throughput(f.bytesPerSecond) },
    ],
  ],
];

/** In once a connection closes when it has its reply: what counts is how many had one. @type {Column} */
const ANSWERED = {
  name: 'answered / requested',
  of: (f) => `${count(f.transfers)} / ${count(f.requested)}`,
  bad: (f) => f.transfers !== undefined && f.transfers < (f.requested ?? 0),
};

/** @type {Column} */
const MOST_OPEN = {
  name: 'most open / requested',
  of: (f) => `${count(f.peakOpen)} / ${count(f.peakRequested)}`,
  bad: (f) => f.heldTooFew,
};

/** Where connections open and close all the time what counts is how many were opened. @type {Column[]} */
const LIVED = [
  { name: 'opened', of: (f) => count(f.opened) },
  { name: 'opened/s', of: (f) => rate(f.opensPerSecond) },
];

/** In workload reconnect also the attempts. @type {Column[]} */
const OPENED = [
  { name: 'opened', of: (f) => count(f.opened) },
  { name: 'attempts/s', of: (f) => rate(f.attemptsPerSecond) },
  { name: 'opened/s', of: (f) => rate(f.opensPerSecond) },
];
/** In workload reconnect, how long the connects took. @type {[string, Column[]]} */
const CONNECT = [
  'Connect time',
  [
    { name: 'p50', of: (f) => duration(f.connect?.p50) },
    { name: 'p99', of: (f) => duration(f.connect?.p99) },
  ],
];

/** Over TLS, between the connect and the first request. @type {[string, Column[]]} */
const HANDSHAKE = [
  'Handshake time (TLS)',
  [
    { name: 'p50', of: (f) => duration(f.handshake?.p50) },
    { name: 'p99', of: (f) => duration(f.handshake?.p99) },
    { name: 'max', of: (f) => duration(f.handshake?.max) },
  ],
];

/** Handshakes of connections that resumed an earlier session. @type {[string, Column[]]} */
const RESUMPTION = [
  'Resumed handshakes',
  [
    { name: 'count', of: (f) => count(f.resumption?.count ?? 0) },
    { name: 'p50', of: (f) => duration(f.resumption?.p50) },
    { name: 'p99', of: (f) => duration(f.resumption?.p99) },
  ],
];

/** Open loop: what had to wait for a connection. @type {Column[]} */
const WAITED = [
  { name: 'late', of: (f) => count(f.late), bad: (f) => Boolean(f.manyLate) },
  { name: 'unsent', of: (f) => count(f.unsent), bad: (f) => Boolean(f.unsent) },
];
/** Open loop: how long a request took once it was sent. @type {[string, Column[]]} */
const SERVICE = [
  'Service time (from sent)',
  [
    { name: 'p50', of: (f) => duration(f.service?.p50) },
    { name: 'p99', of: (f) => duration(f.service?.p99) },
    { name: 'max', of: (f) => duration(f.service?.max) },
    ...WAITED,
  ],
];

/** @type {Column} */
const SENT = { name: 'payload sent', of: (f) => throughput(f.bytesSentPerSecond) };
/** @type {Column} */
const REPLIES = {
  name: 'replies',
  of: (f) => repliesText(f.replies) || '–',
  bad: (f) => unwantedText(f.replies) !== '',
};

/** @param {LegResults} f @returns {boolean} whether its payload is transfers times a size */
const isEven = ({ bytesReceived = 0, transfers = 0 }) => transfers > 0 && bytesReceived % transfers === 0;

/**
 * What the overview above the table already shows, and columns without any information.
 * @param {LegResults[]} results @returns {(group: string, column: Column) => boolean}
 */
function toldAbove(results) {
  // There the overview has the times of connects.
  if (results.some((f) => f.heldOnly || f.workload === 'reconnect')) return () => false;
  const none = (/** @type {(f: LegResults) => number | boolean | undefined} */ of) => results.every((f) => !of(f));
  const told = {
    Connections: [
      'rejects',
      'errors',
      ...(none((f) => f.lost) ? ['lost'] : []),
      ...(none((f) => f.reopened) ? ['reopened'] : []),
      ...(none((f) => f.neverAnswered || f.churns || f.workload === 'once') ? ['unanswered after drain'] : []),
    ],
    'Response time': [
      ...['p50', 'p99'],
      ...(none((f) => f.response?.p95) ? ['p95'] : []), // older runs have none
      ...(areMany(results) ? ['max'] : []),
    ],
    Throughput: [
      ...(results.some((f) => f.workload === 'once') ? [] : ['transfers']),
      ...(results.every(isEven) ? ['payload'] : []),
    ],
  };
  return (group, { name }) => Boolean(/** @type {Record<string, string[]>} */ (told)[group]?.includes(name));
}

/** @param {LegResults[]} results @returns {typeof GROUPS} */
export function groupsOf(results) {
  // With few legs the overview has these figures, and the table would be too wide.
  const secured = areMany(results)
    ? [
        ...(results.some((f) => f.handshake) ? [HANDSHAKE] : []),
        ...(results.some((f) => f.resumption) ? [RESUMPTION] : []),
      ]
    : [];
  const more = [
    .../** @type {[string, Column][]} */ (results.some((f) => f.sendsMore) ? [['Throughput', SENT]] : []),
    .../** @type {[string, Column][]} */ (
      results.some((f) => Object.keys(f.replies).length > 0) ? [['Response time', REPLIES]] : []
    ),
  ];
  const isTold = toldAbove(results);
  const groups = [...groupsByWorkload(results), ...secured]
    .map(
      /** @returns {[string, Column[]]} */ ([name, columns]) => [
        name,
        [
          ...columns.filter((column) => !isTold(name, column)),
          ...more.flatMap(([group, column]) => (group === name ? [column] : [])),
        ],
      ],
    )
    .filter(([, columns]) => columns.length > 0);
  if (results.every((f) => f.closed)) return groups;
  /** @type {[string, Column[]]} as above: with few legs the overview has the service times */
  const waited = areMany(results) ? SERVICE : ['Requests', WAITED];
  // The cards have them, next to the service time.
  if (!areMany(results) && results.every((f) => f.closed || f.service)) return groups;
  return groups.flatMap((group) => (group[0] === 'Response time' ? [group, waited] : [group]));
}

/** @param {LegResults[]} results @returns {typeof GROUPS} */
function groupsByWorkload(results) {
  if (results.some((f) => f.workload === 'reconnect')) {
    const [[name, [, , ...columns]], ...others] = GROUPS;
    return [[name, [...OPENED, ...columns]], CONNECT, ...others];
  }
  const [[name, [, ...columns]], times, ...others] = GROUPS;
  if (results.some((f) => f.churns && f.workload !== 'reconnect'))
    return [[name, [...LIVED, ...columns.slice(1)]], times, ...others];
  if (results.some((f) => f.followsProfile)) return [[name, [MOST_OPEN, ...columns]], times, ...others];
  if (!results.some((f) => f.workload === 'once')) return GROUPS;
  return [[name, [ANSWERED, ...columns]], times, ...others];
}
