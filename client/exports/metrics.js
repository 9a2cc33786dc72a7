// The figures of a run as metrics of monitoring systems: a name, a unit, labels and a value. Pure. Labels name the
// scenario, the server and the case, not the run, so that the same case of two runs is one time series. A percentile
// that failures make unknown is infinite, never a smaller number.

import { areRepeated } from '../judge/cases.js';
import { shownCase, shownCases, valueOf } from '../judge/value-of.js';
import { isAbove } from '../judge/figure-values.js';
import { figures, meaningOf } from '../judge/figures.js';

/**
 * @import { LegSummary as Leg, RunSummary } from '../../config/types.js'
 * @import { Figure, Unit, Value } from '../judge/figures.js'
 */

/**
 * @typedef {Record<string, string>} Labels
 * @typedef {{ labels: Labels, value: number }} Point
 * @typedef {'' | 'seconds' | 'bytes' | 'bytes_per_second' | 'ratio' | 'cores'} MetricUnit
 * @typedef {{ name: string, unit: MetricUnit, help: string, points: Point[] }} Metric  name: without its unit
 */

/** In base units: what a value is divided by. @type {Readonly<Record<Unit, [unit: MetricUnit, divisor: number]>>} */
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

/** What stands for a quantile at the end of a name. @type {[RegExp, (found: string) => number][]} */
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
    const found = unit === 'duration' || unit === 'share' ? pattern.exec(name) : null;
    if (found === null) continue;
    const rest = name.slice(0, found.index).replace(/^response$/, '') || group;
    const isTime = unit === 'duration' && !rest.endsWith('time');
    return { name: snake(isTime ? `${rest} time` : rest), labels: { quantile: String(quantileOf(found[1])) } };
  }
  return { name: snake(['mean', 'deviation'].includes(name) ? `${group} ${name}` : name), labels: {} };
}

/**
 * @param {Figure} figure @param {Value} value
 * @returns {{ more: Labels, value: number }[]} one, or none: it was not measured, or is only known to be more than
 *   something
 */
function numbersOf({ unit }, value) {
  if (typeof value === 'string') return [{ more: { side: value }, value: 1 }];
  if (typeof value === 'number') return [{ more: {}, value: value / UNITS[unit][1] }];
  return value !== undefined && isAbove(value) && value.infinite ? [{ more: {}, value: Infinity }] : [];
}

/** @param {Figure} figure @returns {string} */
const helpOf = (figure) =>
  `${figure.group}: ${figure.partOf === undefined ? meaningOf(figure) : `parts of ${figure.partOf}`}`;

/**
 * Where a run does not measure what a figure needs, its samples count zeros.
 * @param {Pick<RunSummary, 'config' | 'legs'>} summary @returns {Figure[]} the others
 */
export const measuredFigures = ({ config, legs }) =>
  figures.filter(
    ({ needs }) =>
      (needs !== 'open loop' || config.loop === 'open') &&
      (needs !== 'kinds of replies' || legs.some(({ statuses }) => statuses !== undefined)),
  );

/**
 * @template T
 * @param {Figure[]} figures @param {(figure: Figure, one: T) => Value} read @param {T[]} all legs, or samples
 * @param {(one: T) => Labels} labelsOf
 * @returns {(Omit<Metric, 'points'> & { points: (Point & { of: T })[] })[]} those that have a value
 */
export function metricsFrom(figures, read, all, labelsOf) {
  /** @type {Map<string, Omit<Metric, 'points'> & { points: (Point & { of: T })[] }>} */
  const metrics = new Map();
  for (const figure of figures) {
    const { name, labels } = seriesOf(figure);
    const points = all.flatMap((of) =>
      numbersOf(figure, read(figure, of)).map(({ more, value }) => ({
        ...{ of, value },
        labels: { ...labelsOf(of), ...labels, ...more },
      })),
    );
    if (points.length === 0) continue;
    const metric = metrics.get(name) ?? { name, unit: UNITS[figure.unit][0], help: helpOf(figure), points: [] };
    metrics.set(name, { ...metric, points: [...metric.points, ...points] });
  }
  return [...metrics.values()];
}

/**
 * @param {RunSummary} summary of a run
 * @returns {(leg: Leg) => Labels} round, start: only where the run has several
 */
export function labelsOf({ scenario, legs }) {
  const rounds = legs.some(({ round = 1 }) => round > 1);
  const starts = legs.some(({ start }) => start !== undefined);
  return ({ label, server, round = 1, start = 1 }) => ({
    scenario,
    case: label,
    server: server ?? label,
    ...(rounds ? { round: String(round) } : {}),
    ...(starts ? { start: String(start) } : {}),
  });
}

/**
 * @param {RunSummary} summary of a run
 * @returns {Metric[]} those that have a value
 */
export function metricsOf(summary) {
  const { run, scenario, complete, endedAt, legs, verdict } = summary;
  const labels = labelsOf(summary);
  const one = (/** @type {string} */ name, /** @type {string} */ help, /** @type {Point[]} */ ...points) => ({
    ...{ name, help, points },
    unit: /** @type {const} */ (''),
  });
  const ofRun = { scenario };
  return [
    one('run_info', 'The newest run.', { labels: { scenario, run }, value: 1 }),
    one('run_complete', '1 when every leg ran to its planned end, else 0.', { labels: ofRun, value: Number(complete) }),
    {
      ...one('run_end_timestamp', 'When the run ended, in seconds since the epoch.'),
      unit: /** @type {const} */ ('seconds'),
      points: [{ labels: ofRun, value: Date.parse(endedAt) / 1000 }],
    },
    ...(verdict
      ? [one('run_passed', '1 when every threshold holds, else 0.', { labels: ofRun, value: Number(verdict.passed) })]
      : []),
    one(
      'leg_complete',
      '1 when the leg ran to its planned end, else 0.',
      ...legs.map((leg) => ({ labels: labels(leg), value: Number(leg.complete) })),
    ),
    ...metricsFrom(
      measuredFigures(summary),
      (figure, shown) => valueOf(figure, shown).value,
      // of several rounds and starts each has a series of its own
      areRepeated(legs) ? legs.map((leg) => shownCase([leg])) : shownCases(summary),
      ({ worst }) => labels(worst),
    ),
  ];
}
