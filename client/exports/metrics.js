// The figures of a run as metrics of monitoring systems: a name, a unit, labels and a value. Pure.
// The one thing to know: labels name the scenario, the server and the case, not the run, so that the same case of two runs
// is one time series. A percentile that failures make unknown is infinite, never a smaller number.

import { figuresOf, percentileHolds } from '../measure/leg-figures.js';

/**
 * @typedef {Record<string, string>} Labels
 * @typedef {{ count: number, sum: number, quantiles: [number, number][] }} Distribution  quantiles: 0..1 and its value
 * @typedef {{ labels: Labels, value: number | Distribution }} Point
 * @typedef {{ name: string, unit: '' | 'seconds' | 'bytes' | 'ratio', help: string, points: Point[] }} Metric  name: without
 *   its unit
 * @typedef {import('../../config/types.js').LegSummary} Leg
 */

const QUANTILES = /** @type {const} */ ([
  ['p50', 0.5],
  ['p90', 0.9],
  ['p99', 0.99],
  ['p99_9', 0.999],
]);

/**
 * @param {import('../../config/types.js').Times | undefined} times of the summary, in ns
 * @param {import('../measure/leg-figures.js').Figures} [figures] of the same span: with them, percentiles are unknown where too many failed
 * @returns {Distribution | undefined} in seconds
 */
function distribution(times, figures) {
  if (!times) return undefined;
  return {
    count: times.count,
    sum: (times.mean * times.count) / 1e9,
    quantiles: QUANTILES.map(([key, quantile]) => [
      quantile,
      figures && !percentileHolds(figures, quantile * 100) ? Infinity : times[key] / 1e9,
    ]),
  };
}

/** @param {Record<string, number> | undefined} causes with their total @param {string} label @returns {[Labels, number][]} without the total */
const each = (causes, label) =>
  Object.entries(causes ?? {}).flatMap(([name, value]) =>
    name === 'total' ? [] : [/** @type {[Labels, number]} */ ([{ [label]: name }, value])],
  );

/** @param {number | undefined} cpuSeconds @param {Record<string, any>} figures @returns {number | undefined} cores in use, on average */
const cores = (cpuSeconds, { fromNs, toNs }) =>
  cpuSeconds === undefined || toNs <= fromNs ? undefined : (cpuSeconds * 1e9) / (toNs - fromNs);

const SPLIT_PARTS = /** @type {const} */ ([
  ['connection_wait', 'connectionWaitNs', 'Open loop: waits for a free connection'],
  ['send_delay', 'sendDelayNs', 'Times until a request had left the client'],
  ['network_and_server', 'networkAndServerNs', 'Times from when a request had left the client until its reply arrived'],
  ['receive_delay', 'receiveDelayNs', "Times that a reply waited in the client's receive queue"],
]);

const CLIENT_PART_QUANTILES = /** @type {const} */ ([
  ['p50', '0.5'],
  ['p99', '0.99'],
]);

/** @type {[name: string, unit: Metric['unit'], help: string, of: (leg: Leg) => unknown][]} */
const OF_LEG = [
  ['leg_complete', '', '1 when the leg ran to its planned end, else 0.', ({ complete }) => (complete ? 1 : 0)],
  [
    'connections',
    '',
    'Connections of the leg by state; peak_open is the most at once, the others are those at the end of the steady state.',
    ({ connections: c, account }) =>
      c && [
        ...(c.requestedAtEnd === undefined
          ? [[{ state: 'requested' }, c.requested]]
          : [
              [{ state: 'peak_requested' }, c.requested],
              [{ state: 'requested' }, c.requestedAtEnd],
            ]),
        [{ state: 'peak_open' }, c.peakOpen],
        [{ state: 'open' }, c.openAtEnd],
        [{ state: 'unanswered' }, c.unansweredAtEnd],
        ...(account?.served === undefined ? [] : [[{ state: 'served' }, account.served]]),
      ],
  ],
  ['connections_lost', '', 'Open connections that ended by an error.', ({ connections }) => connections?.lost],
  ['attempts', '', 'Attempts to connect by outcome.', ({ attempts }) => attempts && each(attempts, 'outcome')],
  [
    'rejects',
    '',
    'Attempts that did not open a connection, by cause.',
    ({ rejects }) => rejects && each(rejects, 'cause'),
  ],
  [
    'errors',
    '',
    'What ended or invalidated open connections, by cause.',
    ({ errors }) => errors && each(errors, 'cause'),
  ],
  [
    'transfers',
    '',
    'Transfers of the whole leg by outcome.',
    ({ transfers: t }) =>
      t && [
        [{ outcome: 'answered' }, t.count],
        [{ outcome: 'failed' }, t.failed],
        [{ outcome: 'unfinished' }, t.unfinished],
      ],
  ],
  ['sent', 'bytes', 'Bytes sent in the whole leg.', ({ transfers }) => transfers?.bytesSent],
  ['received', 'bytes', 'Bytes received in the whole leg.', ({ transfers }) => transfers?.bytesReceived],
  ['replies', '', 'Whole replies by kind.', ({ statuses }) => statuses && each(statuses, 'kind')],
  ['transfers_per_second', '', 'Transfers per second in the steady state.', (leg) => figuresOf(leg)?.perSecond],
  [
    'response_time',
    'seconds',
    'Response times of the steady state. +Inf: too many transfers had no reply for the quantile to be known.',
    (leg) => distribution(figuresOf(leg)?.responseTimeNs, figuresOf(leg)),
  ],
  [
    'service_time',
    'seconds',
    'Open loop: times from when the request was sent, in the steady state.',
    (leg) => distribution(figuresOf(leg)?.serviceTimeNs, figuresOf(leg)),
  ],
  [
    'timestamps',
    '',
    'Transfers of the steady state that were to be split by kernel timestamps, by outcome.',
    (leg) => {
      const { timestamps } = figuresOf(leg) ?? {};
      return timestamps && [[{ outcome: 'sampled' }, timestamps.sampled], ...each(timestamps.leftOut, 'outcome')];
    },
  ],
  [
    'client_part',
    'ratio',
    "The client's own part of a quantile of the response time, of the sampled transfers of the steady state.",
    (leg) =>
      CLIENT_PART_QUANTILES.flatMap(([name, quantile]) => {
        const part = figuresOf(leg)?.timestamps?.clientPart?.[name];
        return part === undefined ? [] : [[{ quantile }, part.share]];
      }),
  ],
  ...SPLIT_PARTS.map(
    ([name, key, what]) =>
      /** @type {typeof OF_LEG[number]} */ ([
        name,
        'seconds',
        `${what}, of the sampled transfers of the steady state.`,
        (leg) => distribution(figuresOf(leg)?.timestamps?.[key]),
      ]),
  ),
  ['connect_time', 'seconds', 'Times until a connection was open.', (leg) => distribution(leg.connectTimeNs)],
  [
    'cpu_cores',
    '',
    'CPU cores in use in the steady state, on average, by side.',
    (leg) => {
      const figures = figuresOf(leg);
      if (!figures) return undefined;
      const sides = /** @type {[Labels, number | undefined][]} */ ([
        [{ side: 'client' }, cores(figures.client?.cpuSeconds, figures)],
        [{ side: 'server' }, cores(figures.server?.cpuSeconds, figures)],
      ]);
      return sides.filter(([, value]) => value !== undefined);
    },
  ],
  [
    'limited',
    'ratio',
    'Share of the steady state in which a side limited throughput.',
    ({ limitShares }) => limitShares && each(limitShares, 'side'),
  ],
];

/**
 * @param {unknown} found a value, or a list of [labels, value]
 * @param {Labels} labels of the leg
 * @returns {Point[]}
 */
function pointsOf(found, labels) {
  if (found === undefined || found === null) return [];
  if (!Array.isArray(found)) return [{ labels, value: /** @type {any} */ (found) }];
  return found.map(([more, value]) => ({ labels: { ...labels, ...more }, value }));
}

/**
 * @param {import('../../config/types.js').RunSummary} summary of a run
 * @returns {(leg: Leg) => Labels} round: only where the run has several
 */
export function labelsOf({ scenario, legs }) {
  const rounds = legs.some((/** @type {Leg} */ { round = 1 }) => round > 1);
  return ({ label, server, round = 1 }) => ({
    scenario,
    case: label,
    server: server ?? label,
    ...(rounds ? { round: String(round) } : {}),
  });
}

/**
 * @param {import('../../config/types.js').RunSummary} summary of a run
 * @returns {Metric[]} those that have a value
 */
export function metricsOf(summary) {
  const { run, scenario, complete, endedAt, legs, verdict } = summary;
  const labels = labelsOf(summary);
  /** @type {Metric[]} */
  const ofRun = [
    { name: 'run_info', unit: '', help: 'The newest run.', points: [{ labels: { scenario, run }, value: 1 }] },
    {
      name: 'run_complete',
      unit: '',
      help: '1 when every leg ran to its planned end, else 0.',
      points: [{ labels: { scenario }, value: complete ? 1 : 0 }],
    },
    {
      name: 'run_end_timestamp',
      unit: 'seconds',
      help: 'When the run ended, in seconds since the epoch.',
      points: [{ labels: { scenario }, value: Date.parse(endedAt) / 1000 }],
    },
    {
      name: 'run_passed',
      unit: '',
      help: '1 when every threshold holds, else 0.',
      points: verdict ? [{ labels: { scenario }, value: verdict.passed ? 1 : 0 }] : [],
    },
  ];
  const ofLegs = OF_LEG.map(([name, unit, help, of]) => ({
    name,
    unit,
    help,
    points: legs.flatMap((/** @type {Leg} */ leg) => pointsOf(of(leg), labels(leg))),
  }));
  return [...ofRun, ...ofLegs].filter(({ points }) => points.length > 0);
}
