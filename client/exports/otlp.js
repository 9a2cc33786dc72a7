// Converts a run into metrics of OpenTelemetry: bodies of OTLP/HTTP requests in JSON. The figures of the run have the
// time of its end; broadside.interval.* has a point for every second. Format:
// https://github.com/open-telemetry/opentelemetry-proto, metrics/v1, in the JSON mapping of protobuf.

import { labelsOf, measuredFigures, metricsFrom, metricsOf } from './metrics.js';

/**
 * @import { LegSummary, RunSummary, Sample } from '../../config/types.js'
 * @import { Figure } from '../judge/figures.js'
 * @import { Labels, Metric } from './metrics.js'
 */

/**
 * @typedef {{ leg: LegSummary, samples: Iterable<Sample> }} LegSamples
 */

/** Seconds of a leg in one request, since collectors limit requests to some megabytes. */
const SECONDS_A_REQUEST = 300;

/** Units in UCUM, the notation of OpenTelemetry. */
const UNITS = { '': '', seconds: 's', bytes: 'By', bytes_per_second: 'By/s', ratio: '1', cores: '{cpu}' };

/** @param {number} ms since the epoch @returns {string} ns, as a text, since JSON has no 64-bit integers */
const unixNano = (ms) => String(BigInt(Math.round(ms * 1000)) * 1000n);

/** @param {number} value @returns {number | string} a text for infinity, which JSON lacks */
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
 * @param {Iterable<LegSamples>} run.legs the legs that ran
 * @param {number} run.t0Ms zero of all times of the run, ms since the epoch
 * @param {string} [run.version] of Broadside; absent in older runs
 * @returns {Generator<object>} bodies of requests, in the order of sending
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
    for (const part of inParts(samples, SECONDS_A_REQUEST)) {
      yield body(intervalMetrics(figures, part, labels(leg), startMs));
    }
  }
  yield body(metricsOf(summary).map((metric) => metricOf(metric, metric.name, () => span)));
}

/**
 * @template T
 * @param {Iterable<T>} items @param {number} maxLength of a part
 * @returns {Generator<T[]>}
 */
function* inParts(items, maxLength) {
  /** @type {T[]} */
  let part = [];
  for (const item of items) {
    part.push(item);
    if (part.length < maxLength) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
