/** The columns of the table of totals, in their groups: which ones depends on the workload and the loop. */
import { areMany } from '../../model/leg-order.js';
import { repliesText, unwantedText } from '../../../client/words/replies.js';
import { count, duration, rate, throughput } from '../../../client/words/format.js';
import { secondsOf, areManyLate, followsProfile, heldTooFew } from '../../../client/measure/leg-figures.js';
import { percentileText } from '../../../client/words/figures.js';
import { beyondMax, openOf, opensPerSecond, requestedOf, sendsMoreOf, unansweredOf } from '../../model/page-leg.js';

/** @typedef {import('../../types.js').PageLeg} PageLeg */
/** @typedef {{ name: string, of: (f: PageLeg) => string, bad?: (f: PageLeg) => boolean }} Column */

/** @param {string} name @param {'p50' | 'p90' | 'p95' | 'p99' | 'p99_9' | 'p99_99'} key @param {number} p @returns {Column} */
const percentile = (name, key, p) => ({
  name,
  of: (f) => percentileText(f.figures, key, p),
  bad: (f) => Boolean(f.figures?.responseTimeNs) && beyondMax(f, p),
});

/**
 * @param {string} name
 * @param {(f: PageLeg) => number | undefined} of
 * @returns {Column} more than none is worth a mark
 */
const failed = (name, of) => ({ name, of: (f) => count(of(f)), bad: (f) => Boolean(of(f)) });

/** @type {Array<[string, Column[]]>} */
const GROUPS = [
  [
    'Connections',
    [
      {
        name: 'open / requested',
        of: (f) => `${count(openOf(f))} / ${count(requestedOf(f))}`,
        bad: (f) => heldTooFew(f.summary),
      },
      failed('unanswered', unansweredOf),
      failed('unanswered after drain', (f) => f.summary.connections?.neverAnswered),
      failed('rejects', (f) => f.summary.rejects?.total),
      failed('errors', (f) => f.summary.errors?.total),
      failed('lost', (f) => f.summary.connections?.lost),
      { name: 'reopened', of: (f) => count(f.summary.connections?.reopened) },
    ],
  ],
  [
    'Response time',
    [
      percentile('p50', 'p50', 50),
      percentile('p90', 'p90', 90),
      percentile('p95', 'p95', 95),
      percentile('p99', 'p99', 99),
      percentile('p99.9', 'p99_9', 99.9),
      percentile('p99.99', 'p99_99', 99.99),
      { name: 'max', of: (f) => duration(f.figures?.responseTimeNs?.max) },
    ],
  ],
  [
    'Throughput',
    [
      { name: 'transfers', of: (f) => rate(f.figures?.perSecond) },
      { name: 'payload', of: (f) => throughput(f.figures?.bytesPerSecond) },
    ],
  ],
];

/** In once a connection closes when it has its reply: what counts is how many had one. @type {Column} */
const ANSWERED = {
  name: 'answered / requested',
  of: (f) => `${count(f.summary.transfers?.count)} / ${count(requestedOf(f))}`,
  bad: (f) => f.summary.transfers?.count !== undefined && f.summary.transfers?.count < (requestedOf(f) ?? 0),
};

/** @type {Column} */
const MOST_OPEN = {
  name: 'most open / requested',
  of: (f) => `${count(f.summary.connections?.peakOpen)} / ${count(f.summary.connections?.requested)}`,
  bad: (f) => heldTooFew(f.summary),
};

/** Where connections open and close all the time what counts is how many were opened. @type {Column[]} */
const LIVED = [
  { name: 'opened', of: (f) => count(f.summary.connections?.opened) },
  { name: 'opened/s', of: (f) => rate(opensPerSecond(f)) },
];

/** In workload reconnect also the attempts. @type {Column[]} */
const OPENED = [
  { name: 'opened', of: (f) => count(f.summary.connections?.opened) },
  { name: 'attempts/s', of: (f) => rate(f.figures && f.figures.attempts / secondsOf(f.figures)) },
  { name: 'opened/s', of: (f) => rate(opensPerSecond(f)) },
];
/** In workload reconnect, how long the connects took. @type {[string, Column[]]} */
const CONNECT = [
  'Connect time',
  [
    { name: 'p50', of: (f) => duration(f.summary.connectTimeNs?.p50) },
    { name: 'p99', of: (f) => duration(f.summary.connectTimeNs?.p99) },
  ],
];

/** Over TLS, between the connect and the first request. @type {[string, Column[]]} */
const HANDSHAKE = [
  'Handshake time (TLS)',
  [
    { name: 'p50', of: (f) => duration(f.summary.handshakeTimeNs?.p50) },
    { name: 'p99', of: (f) => duration(f.summary.handshakeTimeNs?.p99) },
    { name: 'max', of: (f) => duration(f.summary.handshakeTimeNs?.max) },
  ],
];

/** Handshakes of connections that resumed an earlier session. @type {[string, Column[]]} */
const RESUMPTION = [
  'Resumed handshakes',
  [
    { name: 'count', of: (f) => count(f.summary.resumptionTimeNs?.count ?? 0) },
    { name: 'p50', of: (f) => duration(f.summary.resumptionTimeNs?.p50) },
    { name: 'p99', of: (f) => duration(f.summary.resumptionTimeNs?.p99) },
  ],
];

/** Open loop: what had to wait for a connection. @type {Column[]} */
const WAITED = [
  { name: 'late', of: (f) => count(f.figures?.late), bad: (f) => Boolean(areManyLate(f.figures)) },
  { name: 'unsent', of: (f) => count(f.figures?.unsent), bad: (f) => Boolean(f.figures?.unsent) },
];
/** Open loop: how long a request took once it was sent. @type {[string, Column[]]} */
const SERVICE = [
  'Service time (from sent)',
  [
    { name: 'p50', of: (f) => duration(f.figures?.serviceTimeNs?.p50) },
    { name: 'p99', of: (f) => duration(f.figures?.serviceTimeNs?.p99) },
    { name: 'max', of: (f) => duration(f.figures?.serviceTimeNs?.max) },
    ...WAITED,
  ],
];

/** @type {Column} */
const SENT = { name: 'payload sent', of: (f) => throughput(f.figures?.bytesSentPerSecond) };
/** @type {Column} */
const REPLIES = {
  name: 'replies',
  of: (f) => repliesText(f.figures?.statuses) || '–',
  bad: (f) => unwantedText(f.figures?.statuses) !== '',
};

/** @param {PageLeg} f @returns {boolean} whether its payload is transfers times a size */
const isEven = ({ summary: { transfers } }) =>
  transfers !== undefined && transfers.count > 0 && transfers.bytesReceived % transfers.count === 0;

/**
 * What the overview above the table already shows, and columns without any information.
 * @param {PageLeg[]} results @returns {(group: string, column: Column) => boolean}
 */
function toldAbove(results) {
  // There the overview has the times of connects.
  if (results.some((f) => f.summary.heldOnly || f.workload === 'reconnect')) return () => false;
  const none = (/** @type {(f: PageLeg) => number | boolean | undefined} */ of) => results.every((f) => !of(f));
  const told = {
    Connections: [
      'rejects',
      'errors',
      ...(none((f) => f.summary.connections?.lost) ? ['lost'] : []),
      ...(none((f) => f.summary.connections?.reopened) ? ['reopened'] : []),
      ...(none((f) => f.summary.connections?.neverAnswered || f.summary.churns || f.workload === 'once')
        ? ['unanswered after drain']
        : []),
    ],
    'Response time': [
      ...['p50', 'p99'],
      ...(none((f) => f.figures?.responseTimeNs?.p95) ? ['p95'] : []), // older runs have none
      ...(areMany(results) ? ['max'] : []),
    ],
    Throughput: [
      ...(results.some((f) => f.workload === 'once') ? [] : ['transfers']),
      ...(results.every(isEven) ? ['payload'] : []),
    ],
  };
  return (group, { name }) => Boolean(/** @type {Record<string, string[]>} */ (told)[group]?.includes(name));
}

/** @param {PageLeg[]} results @returns {typeof GROUPS} */
export function groupsOf(results) {
  // With few legs the overview has these figures, and the table would be too wide.
  const secured = areMany(results)
    ? [
        ...(results.some((f) => f.summary.handshakeTimeNs) ? [HANDSHAKE] : []),
        ...(results.some((f) => f.summary.resumptionTimeNs) ? [RESUMPTION] : []),
      ]
    : [];
  const more = [
    .../** @type {[string, Column][]} */ (results.some((f) => sendsMoreOf(f)) ? [['Throughput', SENT]] : []),
    .../** @type {[string, Column][]} */ (results.some((f) => f.figures?.statuses) ? [['Response time', REPLIES]] : []),
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
  if (!areMany(results) && results.every((f) => f.closed || f.figures?.serviceTimeNs)) return groups;
  return groups.flatMap((group) => (group[0] === 'Response time' ? [group, waited] : [group]));
}

/** @param {PageLeg[]} results @returns {typeof GROUPS} */
function groupsByWorkload(results) {
  if (results.some((f) => f.workload === 'reconnect')) {
    const [[name, [, , ...columns]], ...others] = GROUPS;
    return [[name, [...OPENED, ...columns]], CONNECT, ...others];
  }
  const [[name, [, ...columns]], times, ...others] = GROUPS;
  if (results.some((f) => f.summary.churns && f.workload !== 'reconnect'))
    return [[name, [...LIVED, ...columns.slice(1)]], times, ...others];
  if (results.some((f) => followsProfile(f.summary))) return [[name, [MOST_OPEN, ...columns]], times, ...others];
  if (!results.some((f) => f.workload === 'once')) return GROUPS;
  return [[name, [ANSWERED, ...columns]], times, ...others];
}
