// A run as metrics of OpenTelemetry: bodies of OTLP/HTTP requests in JSON. Pure.
// The one thing to know: the figures of the run have the time of its end; broadside.interval.* has a point for every second,
// so that a run can be drawn next to the figures that the server itself reports.
// Format: https://github.com/open-telemetry/opentelemetry-proto, metrics/v1, in the JSON mapping of protobuf

import { labelsOf, metricsOf } from './metrics.js';

/**
 * @typedef {import('./metrics.js').Metric} Metric
 * @typedef {import('./metrics.js').Labels} Labels
 * @typedef {import('../measure/sample.js').Sample} Sample
 * @typedef {{ leg: import('../../config/types.js').LegSummary, samples: Sample[] }} LegSamples
 * @typedef {{ labels: Labels, value: number, atMs: number }} TimedPoint
 */

/** Seconds of a leg in one request: a collector takes some megabytes. */
const SECONDS_A_REQUEST = 300;

/** UCUM, as OpenTelemetry wants it. */
const UNITS = { '': '', seconds: 's', bytes: 'By', ratio: '1' };

/** @param {number} ms since the epoch @returns {string} ns; as text, for JSON has no 64-bit integers */
const unixNano = (ms) => String(BigInt(Math.round(ms * 1000)) * 1000n);

/** @param {number} value @returns {number | string} JSON has no infinity */
const double = (value) => (Number.isFinite(value) ? value : 'Infinity');

/** @param {Labels} labels */
const attributes = (labels) => Object.entries(labels).map(([key, value]) => ({ key, value: { stringValue: value } }));

/** @param {Metric} metric @param {{ startMs: number, endMs: number }} run */
function metricOf({ name, unit, help, points }, { startMs, endMs }) {
  const times = { startTimeUnixNano: unixNano(startMs), timeUnixNano: unixNano(endMs) };
  const isSummary = points.some(({ value }) => typeof value === 'object');
  const dataPoints = points.map(({ labels, value }) => ({
    attributes: attributes(labels),
    ...times,
    ...(typeof value === 'number'
      ? { asDouble: double(value) }
      : {
          count: String(value.count),
          sum: value.sum,
          quantileValues: value.quantiles.map(([quantile, at]) => ({ quantile, value: double(at) })),
        }),
  }));
  return {
    name: `broadside.${name}`,
    description: help,
    unit: UNITS[unit],
    ...(isSummary ? { summary: { dataPoints } } : { gauge: { dataPoints } }),
  };
}

/** @param {import('../measure/sample.js').HistogramLine | null | undefined} times @returns {[Labels, number | undefined][]} */
const quantiles = (times) =>
  times
    ? [
        [{ quantile: '0.5' }, times.p50 / 1e9],
        [{ quantile: '0.99' }, times.p99 / 1e9],
      ]
    : [];

/** @type {[name: string, unit: string, help: string, of: (sample: Sample) => [Labels, number | undefined][]][]} */
const OF_INTERVAL = [
  [
    'connections',
    '',
    'Connections at the end of the interval, by state.',
    ({ gauges }) =>
      /** @type {const} */ (['requested', 'open', 'unanswered', 'connecting']).map((state) => [
        { state },
        gauges[state],
      ]),
  ],
  [
    'transfers_per_second',
    '',
    'Transfers per second in the interval.',
    (sample) => [[{}, perSecond(sample, sample.counters.transfers)]],
  ],
  ['rejects', '', 'Rejects in the interval, of all causes.', ({ rejects }) => [[{}, total(rejects)]]],
  ['errors', '', 'Errors in the interval, of all causes.', ({ errors }) => [[{}, total(errors)]]],
  [
    'response_time',
    's',
    'Quantiles of the response times in the interval; of replies only.',
    ({ histograms }) => quantiles(histograms.responseTime),
  ],
  [
    'send_delay',
    's',
    'Quantiles of the times until a request had left the client, of the transfers sampled in the interval.',
    ({ histograms }) => quantiles(histograms.sendDelay),
  ],
  [
    'network_and_server',
    's',
    'Quantiles of the times from when a request had left until its reply arrived, of the transfers sampled in the interval.',
    ({ histograms }) => quantiles(histograms.networkAndServer),
  ],
  [
    'receive_delay',
    's',
    "Quantiles of the times that a reply waited in the client's receive queue, of the transfers sampled in the interval.",
    ({ histograms }) => quantiles(histograms.receiveDelay),
  ],
  [
    'cpu_cores',
    '',
    'CPU cores in use in the interval, by side.',
    (sample) => [
      [{ side: 'client' }, perSecond(sample, sample.client?.cpuSeconds)],
      [{ side: 'server' }, perSecond(sample, sample.server?.cpuSeconds)],
    ],
  ],
];

/** @param {Record<string, number>} causes */
const total = (causes) => Object.values(causes).reduce((sum, n) => sum + n, 0);

/** @param {Sample} sample @param {number | undefined} part @returns {number | undefined} */
const perSecond = ({ fromNs, toNs }, part) =>
  part === undefined || toNs <= fromNs ? undefined : (part * 1e9) / (toNs - fromNs);

/**
 * @param {Sample[]} samples of a leg @param {Labels} labels @param {number} startMs of the leg
 */
function intervalMetrics(samples, labels, startMs) {
  return OF_INTERVAL.map(([name, unit, help, of]) => ({
    name: `broadside.interval.${name}`,
    description: help,
    unit,
    gauge: {
      dataPoints: samples.flatMap((sample) =>
        of(sample).flatMap(([more, value]) =>
          value === undefined
            ? []
            : [
                {
                  attributes: attributes({ ...labels, phase: sample.phase, ...more }),
                  startTimeUnixNano: unixNano(startMs + sample.fromNs / 1e6),
                  timeUnixNano: unixNano(startMs + sample.toNs / 1e6),
                  asDouble: value,
                },
              ],
        ),
      ),
    },
  })).filter(({ gauge }) => gauge.dataPoints.length > 0);
}

/**
 * @param {object} run
 * @param {import('../../config/types.js').RunSummary} run.summary
 * @param {LegSamples[]} run.legs those that ran
 * @param {number} run.t0Ms zero of all times of the run, ms since the epoch
 * @param {string} [run.version] of Broadside when it measured; older runs do not have it
 * @returns {object[]} bodies, to be sent in this order
 */
export function otlpRequests({ summary, legs, t0Ms, version }) {
  const labels = labelsOf(summary);
  const resource = {
    attributes: attributes({ 'service.name': 'broadside', 'service.instance.id': summary.run }),
  };
  const scope = { name: 'broadside', ...(version === undefined ? {} : { version }) };
  const body = (/** @type {object[]} */ metrics) => ({
    resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }],
  });
  const span = { startMs: Date.parse(summary.startedAt), endMs: Date.parse(summary.endedAt) };
  const ofLegs = legs.flatMap(({ leg, samples }) => {
    const startMs = t0Ms + (leg.startNs ?? 0) / 1e6;
    const parts = Math.ceil(samples.length / SECONDS_A_REQUEST);
    return Array.from({ length: parts }, (_, i) =>
      body(intervalMetrics(samples.slice(i * SECONDS_A_REQUEST, (i + 1) * SECONDS_A_REQUEST), labels(leg), startMs)),
    );
  });
  return [...ofLegs, body(metricsOf(summary).map((metric) => metricOf(metric, span)))];
}
