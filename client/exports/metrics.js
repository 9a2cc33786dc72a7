// Converts the figures of a run into metrics for monitoring systems: a name, a unit, labels and a value. Labels name
// the scenario, the server and the case, not the run, so that a case of several runs is metricOf time series. A
// percentile that is unknown because of failures is infinite.

import { areRepeated } from '../judge/cases.js';
import { shownCase, shownCases, valueOf } from '../judge/value-of.js';
import { isAbove } from '../judge/figure-values.js';
import { figures } from '../judge/figures.js';

/**
 * @import { LegSummary as Leg, RunSummary } from '../../config/types.js'
 * @import { Figure, Unit, Value } from '../judge/figures.js'
 */

/**
 * @typedef {Record<string, string>} Labels
 * @typedef {{ labels: Labels, value: number }} Point
 * @typedef {'' | 'seconds' | 'bytes' | 'bytes_per_second' | 'ratio' | 'cores'} MetricUnit
 * @typedef {{ name: string, unit: MetricUnit, help: string, points: Point[] }} Metric  name: without the unit
 */

/** Units of metrics, and the divisor of a value. @type {Readonly<Record<Unit, [unit: MetricUnit, divisor: number]>>} */
const UNITS = {
  duration: ['seconds', 1e9],
  rate: ['', 1],
  throughput: ['bytes_per_second', 1],
  size: ['bytes', 1],
  count: ['', 1],
  share: ['ratio', 1],
  cpu: ['cores', 1],
  side: ['', 1],
};

/** @param {string} text @returns {string} such as transfers_per_second */
const snake = (text) =>
  text
    .replace(/\/s$/, ' per second')
    .replace(/[^a-z0-9]+/gi, '_')
    .toLowerCase();

/** Endings of the names of percentiles, and the quantile of each. @type {[RegExp, (percent: string) => number][]} */
const QUANTILES = [
  [/ ?p(\d+(?:\.\d+)?)$/, (percent) => Number((Number(percent) / 100).toPrecision(6))],
  [/ ?max$/, () => 1],
  [/ ?min$/, () => 0],
];

/**
 * One metric holds all quantiles of a distribution, and all parts of a total.
 * @param {Figure} figure
 * @returns {{ name: string, labels: Labels }} such as response_time and { quantile: "0.99" }, rejects_by_part and {
 *   part: "refused" }
 */
function seriesOf({ name, title = name, unit, group }) {
  const [whole, part] = name.split('.');
  if (part !== undefined && !/^p\d/.test(name)) return { name: snake(`${whole} by part`), labels: { part } };
  if (unit === 'rate') return { name: snake(title), labels: {} };
  for (const [pattern, quantileOf] of QUANTILES) {
    const suffix = unit === 'duration' || unit === 'share' ? pattern.exec(name) : null;
    if (suffix === null) continue;
    const prefix = name.slice(0, suffix.index).replace(/^response$/, '') || group;
    const isTime = unit === 'duration' && !prefix.endsWith('time');
    return { name: snake(isTime ? `${prefix} time` : prefix), labels: { quantile: String(quantileOf(suffix[1])) } };
  }
  return { name: snake(['mean', 'deviation'].includes(name) ? `${group} ${name}` : name), labels: {} };
}

/**
 * @param {Figure} figure @param {Value} value
 * @returns {{ more: Labels, value: number }[]} metricOf number; none if it was not measured, or only a lower bound is
 *   known
 */
function numbersOf({ unit }, value) {
  if (typeof value === 'string') return [{ more: { side: value }, value: 1 }];
  if (typeof value === 'number') return [{ more: {}, value: value / UNITS[unit][1] }];
  return value !== undefined && isAbove(value) && value.infinite ? [{ more: {}, value: Infinity }] : [];
}

/** @param {Figure} figure @param {Labels} labels of its series @returns {string} what the metric holds */
function helpOf({ group, name, title = name, about }, { part, quantile }) {
  if (part !== undefined) return `${group}: ${name.split('.')[0]}, by part`;
  if (about !== undefined || quantile === undefined) return `${group}: ${about ?? title}`;
  return `${group}: ${QUANTILES.reduce((text, [ending]) => text.replace(ending, ''), title)}, by quantile`;
}

/**
 * Leaves out figures that the run did not measure, since their counts in the samples are zeros.
 * @param {Pick<RunSummary, 'config' | 'legs'>} summary @returns {Figure[]}
 */
export const measuredFigures = ({ config, legs }) =>
  figures.filter(
    ({ needs }) =>
      (needs !== 'open loop' || config.loop === 'open') &&
      (needs !== 'kinds of replies' || legs.some(({ statuses }) => statuses !== undefined)),
  );

/**
 * @template T
 * @param {Figure[]} figures @param {(figure: Figure, source: T) => Value} read @param {T[]} sources legs, or samples
 * @param {(source: T) => Labels} labelsOf
 * @returns {(Omit<Metric, 'points'> & { points: (Point & { of: T })[] })[]} the metrics that have a value
 */
export function metricsFrom(figures, read, sources, labelsOf) {
  /** @type {Map<string, Omit<Metric, 'points'> & { points: (Point & { of: T })[] }>} */
  const metrics = new Map();
  for (const figure of figures) {
    const { name, labels } = seriesOf(figure);
    const points = sources.flatMap((of) =>
      numbersOf(figure, read(figure, of)).map(({ more, value }) => ({
        ...{ of, value },
        labels: { ...labelsOf(of), ...labels, ...more },
      })),
    );
    if (points.length === 0) continue;
    const metric = metrics.get(name) ?? { name, unit: UNITS[figure.unit][0], help: helpOf(figure, labels), points: [] };
    metrics.set(name, { ...metric, points: [...metric.points, ...points] });
  }
  return [...metrics.values()];
}

/**
 * @param {RunSummary} summary of a run
 * @returns {(leg: Leg) => Labels} with round and start if the run has several
 */
export function labelsOf({ scenario, legs }) {
  const hasRounds = legs.some(({ round = 1 }) => round > 1);
  const hasStarts = legs.some(({ start }) => start !== undefined);
  return ({ label, server, round = 1, start = 1 }) => ({
    scenario,
    case: label,
    server: server ?? label,
    ...(hasRounds ? { round: String(round) } : {}),
    ...(hasStarts ? { start: String(start) } : {}),
  });
}

/**
 * @param {RunSummary} summary of a run
 * @returns {Metric[]} the metrics that have a value
 */
export function metricsOf(summary) {
  const { run, scenario, complete, endedAt, legs, verdict } = summary;
  const labels = labelsOf(summary);
  const metricOf = (/** @type {string} */ name, /** @type {string} */ help, /** @type {Point[]} */ ...points) => ({
    ...{ name, help, points },
    unit: /** @type {const} */ (''),
  });
  const runLabels = { scenario };
  return [
    metricOf('run_info', 'The newest run.', { labels: { scenario, run }, value: 1 }),
    metricOf('run_complete', '1 when every leg ran to its planned end, else 0.', {
      labels: runLabels,
      value: Number(complete),
    }),
    {
      ...metricOf('run_end_timestamp', 'When the run ended, in seconds since the epoch.'),
      unit: /** @type {const} */ ('seconds'),
      points: [{ labels: runLabels, value: Date.parse(endedAt) / 1000 }],
    },
    ...(verdict
      ? [
          metricOf('run_passed', '1 when every threshold holds, else 0.', {
            labels: runLabels,
            value: Number(verdict.passed),
          }),
        ]
      : []),
    metricOf(
      'leg_complete',
      '1 when the leg ran to its planned end, else 0.',
      ...legs.map((leg) => ({ labels: labels(leg), value: Number(leg.complete) })),
    ),
    ...metricsFrom(
      measuredFigures(summary),
      (figure, shown) => valueOf(figure, shown).value,
      // Each of several rounds and starts has its own series.
      areRepeated(legs) ? legs.map((leg) => shownCase([leg])) : shownCases(summary),
      ({ worst }) => labels(worst),
    ),
  ];
}
