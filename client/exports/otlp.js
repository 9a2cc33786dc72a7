// A run as metrics of OpenTelemetry: bodies of OTLP/HTTP requests in JSON. Pure. The figures of the run have the time
// of its end; broadside.interval.* has a point for every second, so that a run can be drawn next to the figures of the
// server itself. Format: https://github.com/open-telemetry/opentelemetry-proto, metrics/v1, in the JSON mapping of
// protobuf

import { labelsOf, measuredFigures, metricsFrom, metricsOf } from './metrics.js';

/**
 * @import { LegSummary, RunSummary, Sample } from '../../config/types.js'
 * @import { Figure } from '../judge/figures.js'
 * @import { Labels, Metric } from './metrics.js'
 */

/**
 * @typedef {{ leg: LegSummary, samples: Iterable<Sample> }} LegSamples
 */

/** Seconds of a leg in one request: a collector takes some megabytes. */
const SECONDS_A_REQUEST = 300;

/** UCUM, as OpenTelemetry wants it. */
const UNITS = { '': '', seconds: 's', bytes: 'By', bytes_per_second: 'By/s', ratio: '1', cores: '{cpu}' };

/** @param {number} ms since the epoch @returns {string} ns; as text, for JSON has no 64-bit integers */
const unixNano = (ms) => String(BigInt(Math.round(ms * 1000)) * 1000n);

/** @param {number} value @returns {number | string} JSON has no infinity */
const double = (value) => (Number.isFinite(value) ? value : 'Infinity');

/** @param {Labels} labels */
const attributes = (labels) => Object.entries(labels).map(([key, value]) => ({ key, value: { stringValue: value } }));

/**
 * @template {{ labels: Labels, value: number }} P
 * @param {Omit<Metric, 'points'> & { points: P[] }} metric @param {string} name
 * @param {(point: P) => { startMs: number, endMs: number }} spanOf
 */
const metricOf = ({ unit, help, points }, name, spanOf) => ({
  name: `broadside.${name}`,
  description: help,
  unit: UNITS[unit],
  gauge: {
    dataPoints: points.map((point) => ({
      attributes: attributes(point.labels),
      startTimeUnixNano: unixNano(spanOf(point).startMs),
      timeUnixNano: unixNano(spanOf(point).endMs),
      asDouble: double(point.value),
    })),
  },
});

/**
 * @param {Figure[]} figures @param {Sample[]} samples of a leg @param {Labels} labels
 * @param {number} startMs of the leg
 */
function intervalMetrics(figures, samples, labels, startMs) {
  const metrics = metricsFrom(
    figures,
    (figure, sample) => figure.ofSample?.(sample),
    samples,
    ({ phase }) => ({ ...labels, phase }),
  );
  return metrics.map((metric) =>
    metricOf(metric, `interval.${metric.name}`, ({ of: { fromNs, toNs } }) => ({
      startMs: startMs + fromNs / 1e6,
      endMs: startMs + toNs / 1e6,
    })),
  );
}

/**
 * @param {object} run
 * @param {RunSummary} run.summary
 * @param {Iterable<LegSamples>} run.legs those that ran
 * @param {number} run.t0Ms zero of all times of the run, ms since the epoch
 * @param {string} [run.version] of Broadside when it measured; older runs do not have it
 * @returns {Generator<object>} bodies, to be sent in this order
 */
export function* otlpRequests({ summary, legs, t0Ms, version }) {
  const labels = labelsOf(summary);
  const figures = measuredFigures(summary);
  const resource = {
    attributes: attributes({ 'service.name': 'broadside', 'service.instance.id': summary.run }),
  };
  const scope = { name: 'broadside', ...(version === undefined ? {} : { version }) };
  const body = (/** @type {object[]} */ metrics) => ({
    resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }],
  });
  const span = { startMs: Date.parse(summary.startedAt), endMs: Date.parse(summary.endedAt) };
  for (const { leg, samples } of legs) {
    const startMs = t0Ms + (leg.startNs ?? 0) / 1e6;
    for (const some of inParts(samples, SECONDS_A_REQUEST)) {
      yield body(intervalMetrics(figures, some, labels(leg), startMs));
    }
  }
  yield body(metricsOf(summary).map((metric) => metricOf(metric, metric.name, () => span)));
}

/**
 * @template T
 * @param {Iterable<T>} all @param {number} most in a part
 * @returns {Generator<T[]>}
 */
function* inParts(all, most) {
  /** @type {T[]} */
  let part = [];
  for (const one of all) {
    part.push(one);
    if (part.length < most) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
