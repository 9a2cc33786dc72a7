/**
 * A sweep: throughput, response times and failures against its numeric axis, a line for each server and each value of the other
 * axes. A percentile that is not known, because too much failed, is not on the line: a dot marks the maximum.
 */
import { beyondMax } from '../leg-results.js';
import { duration, percent, rate } from '../../../client/results/format.js';
import { tickText } from '../../../client/results/axes.js';
import { sweepOf } from '../sweep.js';
import { decadeBelow } from './response-time.js';

/** @typedef {import('../../types.js').LegResults} LegResults */
/** @typedef {import('../../types.js').Point} Point */
/** @typedef {import('../sweep.js').Line} Series */

/** @typedef {{ role: string, label: (series: Series) => string, of: (f: LegResults) => number | undefined }} Line */

/**
 * @typedef {object} Axis  what the lines are drawn against
 * @property {(f: LegResults) => number} of
 * @property {string} unit
 * @property {(value: number) => string} text
 * @property {string} [section] of the page
 */

/** From this ratio of the largest to the smallest value on, an axis is logarithmic. */
const DECADE = 10;

/** @param {number[]} points rising @param {string} unit @returns {import('../../types.js').Axis} */
function scaleOf(points, unit) {
  const [least, most] = [points[0], points[points.length - 1]];
  if (least > 0 && (most / least >= DECADE || unit === 'connections')) {
    return { type: 'log', unit, ticks: points, min: least / 1.1, max: most * 1.1 };
  }
  const room = (most - least || 1) * 0.05;
  return { type: 'linear', unit, ticks: points, min: least - room, max: most + room };
}

/**
 * @param {Series[]} all @param {LegResults[]} results those that left samples, as the model has them
 * @param {{ id: string, title: string, lead: string, unit: string, log?: boolean, most?: number, lines: Line[],
 *   said: (f: LegResults) => string }} what
 * @param {Axis} axis
 * @returns {import('../../types.js').Chart}
 */
export function against(all, results, what, axis) {
  const measured = all.flatMap((series) => series.results.map(axis.of));
  const points = [...new Set(measured)].sort((a, b) => a - b);
  let [min, max] = [Infinity, 0];
  const datasets = all.flatMap((series) => {
    const leg = results.findIndex(({ id }) => id === series.results[0].id);
    return what.lines
      .map(({ role, label, of }) => {
        const values = series.results.map((f) => {
          const value = f.ran ? of(f) : undefined;
          if (value) [min, max] = [Math.min(min, value), Math.max(max, value)];
          return /** @type {Point} */ ([axis.of(f), value === undefined ? null : Number(value.toPrecision(5))]);
        });
        // dots need no gaps between them
        const own = role === 'beyond' ? values.filter(([, value]) => value !== null) : values;
        const hollow = series.results.flatMap((f, i) => (role === 'leg' && f.servedOnlySome ? [i] : []));
        return { role, leg, label: label(series), points: own, ...(hollow.length > 0 ? { hollow } : {}) };
      })
      .filter((one) => one.role !== 'beyond' || one.points.length > 0);
  });
  const said = all.map(
    ({ name, results: own }) =>
      `${name}: ${own
        .filter((f) => f.ran)
        .map((f) => `${axis.text(axis.of(f))} ${what.said(f)}`)
        .join(', ')}`,
  );
  return {
    id: what.id,
    layout: 'overlay',
    kind: 'line',
    title: what.title,
    lead: what.lead,
    ...(axis.section === undefined ? {} : { section: axis.section }),
    own: true,
    legend: [],
    x: scaleOf(points, axis.unit),
    y: what.log
      ? { type: 'log', unit: what.unit, min: Number.isFinite(min) ? decadeBelow(min) : 1e3, max: max * 1.3 || 1e9 }
      : { type: 'linear', unit: what.unit, min: 0, max: what.most ?? (max * 1.12 || 1) },
    panels: [{ leg: null, datasets, alt: `${what.title}. ${said.join('; ')}.` }],
  };
}

/** @param {'p50' | 'p99'} key @param {number} p @returns {(f: LegResults) => number | undefined} where it is known */
const known = (key, p) => (f) => (beyondMax(f, p) ? undefined : f.response?.[key]);

/**
 * @param {Series[]} all @param {LegResults[]} results those that left samples, as the model has them
 * @param {{ id: string, title: string }} what
 * @param {Axis} axis
 * @returns {import('../../types.js').Chart} p99 and p50
 */
export function againstResponse(all, results, what, axis) {
  return against(
    all,
    results,
    {
      ...what,
      lead:
        'p99, p50 as the thin line, and the mean as the dotted one. A line breaks where too many transfers failed for the ' +
        'figure to be known (the mean: any); a dot there is the longest response time.',
      unit: 'duration',
      log: true,
      said: (f) => (beyondMax(f, 0.99) ? 'unknown' : `p99 ${duration(f.response?.p99)}`),
      lines: [
        { role: 'leg', label: ({ name }) => name, of: known('p99', 0.99) },
        { role: 'thin', label: ({ name }) => `${name}, p50`, of: known('p50', 0.5) },
        {
          role: 'mean',
          label: ({ name }) => `${name}, mean`,
          of: (f) => (f.failedShare > 0 ? undefined : f.response?.mean),
        },
        {
          role: 'beyond',
          label: ({ name }) => `${name}, p99 is above`,
          of: (f) => (beyondMax(f, 0.99) ? f.response?.max : undefined),
        },
      ],
    },
    axis,
  );
}

/**
 * @param {LegResults[]} cases @param {string} loop @param {LegResults[]} [results] of the legs of the model
 * @returns {import('../../types.js').Chart[]}
 */
export function sweepCharts(cases, loop, results = cases) {
  const sweep = sweepOf(cases);
  if (sweep === null || sweep.numberOf === null || sweep.columns.length < 2) return [];
  const { lines, word, unit, numberOf, axis: key } = sweep;
  const text = (/** @type {LegResults} */ f) => tickText(key, f.axes?.[key]);
  const texts = new Map(lines.flatMap((line) => line.results.map((f) => [numberOf(f), text(f)])));
  /** @type {Axis} */
  const axis = { of: numberOf, unit, text: (value) => texts.get(value) ?? String(value), section: 'sweep' };
  const charts = [
    against(
      lines,
      results,
      {
        id: 'sweep-throughput',
        title: `Transfers per second against ${word} (${loop})`,
        lead: 'A point for each leg, in its steady state.',
        unit: 'rate',
        said: (f) => rate(f.perSecond),
        lines: [{ role: 'leg', label: ({ name }) => name, of: (f) => f.perSecond }],
      },
      axis,
    ),
    againstResponse(lines, results, { id: 'sweep-response', title: `Response time against ${word} (${loop})` }, axis),
  ];
  if (cases.some((f) => f.failedShare > 0)) {
    charts.push(
      against(
        lines,
        results,
        {
          id: 'sweep-failed',
          title: `Failed and unfinished transfers against ${word}`,
          lead: 'Share of the transfers begun: timeouts, other errors, and those without a reply when the leg ended.',
          unit: 'share',
          most: 1,
          said: (f) => percent(f.failedShare),
          lines: [{ role: 'leg', label: ({ name }) => name, of: (f) => f.failedShare }],
        },
        axis,
      ),
    );
  }
  return charts;
}
