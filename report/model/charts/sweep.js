/**
 * The charts of a sweep: throughput, CPU per transfer, response times and failures against its numeric axis, with
 * a line for each server and each value of the other axes. If too many transfers failed for a percentile to be known,
 * the line breaks and a dot marks the maximum.
 */
import { MOST_WITH_BARS } from '../leg-marks.js';
import { someDisturbed } from '../../../client/judge/disturbances.js';
import { count, percent } from '../../../client/words/format.js';
import { axisWord, tickText } from '../../../client/words/axes.js';
import { otherNumericAxes, sweepOf } from '../sweep.js';
import { decadeBelow } from './response-time.js';
import { servedOnlySome } from '../../../client/words/figures.js';
import { intervalOf as intervalIn } from '../../../client/judge/value-of.js';
import { figureOf } from '../../../client/judge/figures.js';
import { failedShareOf, figureText, maxBelow, numberOf } from '../page-leg.js';

/**
 * @import { Axis as ChartAxis, Chart, ChartId, PageLeg, Point, Role, Unit } from '../../types.js'
 * @import { Line as SweepLine, Sweep } from '../sweep.js'
 */

/** @typedef {SweepLine} Series */

/**
 * @typedef {{ role: Role, label: (series: Series) => string, of: (f: PageLeg) => number | undefined,
 *   interval?: string }} Line  interval: name of the figure whose interval the line shows
 */

/**
 * @typedef {object} Axis  the x axis
 * @property {(f: PageLeg) => number} of
 * @property {Unit} unit
 * @property {string} title  of the axis
 * @property {(value: number) => string} text
 */

/** An axis is logarithmic if the ratio of its largest to its smallest value is at least this. */
const DECADE = 10;
/** Greatest height of an axis, as a multiple of the largest value. Wider intervals are cut, so that lines stay high. */
const ROOM = { linear: 1.6, log: 3 };
/** More lines cannot be told apart. Of more values, evenly spaced ones are drawn. */
const MAX_LINES = 8;
/** With more servers, there are no charts against other axes. */
const MAX_SERVERS = 8;

/** @param {PageLeg} f @param {string} figure @returns {[number, number] | undefined} */
function intervalOf(f, figure) {
  const definition = figureOf(figure);
  return definition && intervalIn(definition, f.shown);
}

/** @param {number[]} points ascending @param {Axis} axis @returns {ChartAxis} */
function scaleOf(points, { unit, title }) {
  const [min, max] = [points[0], points[points.length - 1]];
  if (min > 0 && (max / min >= DECADE || unit === 'connections')) {
    return { type: 'log', unit, title, ticks: points, min: min / 1.1, max: max * 1.1 };
  }
  const room = (max - min || 1) * 0.05;
  return { type: 'linear', unit, title, ticks: points, min: min - room, max: max + room };
}

/**
 * @param {Series[]} allSeries
 * @param {{ id: ChartId, title: string, lead: string, unit: Unit, log?: boolean, max?: number, lines: Line[],
 *   textOf: (f: PageLeg) => string, colours?: true }} what  textOf: a point, in the text for screen readers; colours:
 *   each line has a colour of its own, instead of its server's
 * @param {Axis} axis
 * @returns {Chart}
 */
function chartAgainst(allSeries, what, axis) {
  const measured = allSeries.flatMap((series) => series.results.map(axis.of));
  const points = [...new Set(measured)].sort((a, b) => a - b);
  const daggers = someDisturbed(allSeries.flatMap((series) => series.results.map(({ shown }) => shown)));
  let [min, max, high] = [Infinity, 0, 0];
  const datasets = allSeries.flatMap((series, place) => {
    return what.lines
      .map(({ role, label, of, interval }) => {
        const values = series.results.map((f) => {
          const value = f.ran ? of(f) : undefined;
          if (value) [min, max] = [Math.min(min, value), Math.max(max, value)];
          return /** @type {Point} */ ([axis.of(f), value === undefined ? null : Number(value.toPrecision(5))]);
        });
        const drawn = role === 'beyond' ? values.filter(([, value]) => value !== null) : values;
        const intervals = series.results.map((f, i) =>
          interval === undefined || values[i][1] === null ? null : (intervalOf(f, interval) ?? null),
        );
        for (const range of intervals) high = Math.max(high, range?.[1] ?? 0);
        const hollow = series.results.flatMap((f, i) => (role === 'leg' && servedOnlySome(f.summary) ? [i] : []));
        const disturbed = series.results.flatMap((f, i) =>
          role === 'leg' && daggers && f.shown.disturbed > 0 ? [i] : [],
        );
        return {
          role,
          color: what.colours ? place : series.results[0].colour,
          label: label(series),
          points: drawn,
          ...(hollow.length > 0 ? { hollow } : {}),
          ...(disturbed.length > 0 ? { disturbed } : {}),
          ...(intervals.some((range) => range !== null) ? { intervals } : {}),
        };
      })
      .filter((dataset) => dataset.role !== 'beyond' || dataset.points.length > 0);
  });
  const top = (/** @type {'linear' | 'log'} */ type, /** @type {number} */ above) =>
    Math.max(max * above, Math.min(high * 1.04, max * ROOM[type]));
  const texts = allSeries.map(
    ({ name, results }) =>
      `${name}: ${results
        .filter((f) => f.ran)
        .map((f) => `${axis.text(axis.of(f))} ${what.textOf(f)}`)
        .join(', ')}`,
  );
  const cutText =
    high > top(what.log ? 'log' : 'linear', 1) ? ' A bar without an upper end reaches beyond the chart.' : '';
  return {
    id: what.id,
    kind: 'line',
    title: what.title,
    lead: what.lead + cutText,
    endLabels: true,
    legend: [],
    x: scaleOf(points, axis),
    y: what.log
      ? {
          type: 'log',
          unit: what.unit,
          min: Number.isFinite(min) ? decadeBelow(min) : 1e3,
          max: top('log', 1.3) || 1e9,
        }
      : { type: 'linear', unit: what.unit, min: 0, max: what.max ?? (top('linear', 1.12) || 1) },
    panels: [{ leg: null, datasets, alt: `${what.title}. ${texts.join('; ')}.` }],
  };
}

/** @param {Series[]} allSeries @returns {string | null} the values that figures are medians of; null if there is one */
function repeatsOf(allSeries) {
  const cases = allSeries.flatMap(({ results }) => results.map(({ shown }) => shown));
  if (cases.some(({ worst }) => worst.slices)) return 'the blocks of slices';
  const rounds = Math.max(1, ...cases.map((shown) => shown.rounds.length));
  return rounds > 1 ? `${count(rounds)} rounds` : null;
}

/** @param {Series[]} allSeries @param {string} figure @returns {boolean} whether intervals of the figure are drawn */
const haveBars = (allSeries, figure) =>
  allSeries.length <= MOST_WITH_BARS && allSeries.some(({ results }) => results.some((f) => intervalOf(f, figure)));

/**
 * @param {Series[]} allSeries
 * @param {{ id: ChartId, title: string }} what
 * @param {Axis} axis
 * @returns {Chart} p99, p50 and the mean
 */
export function responseTimeAgainst(allSeries, what, axis) {
  const repeats = repeatsOf(allSeries);
  return chartAgainst(
    allSeries,
    {
      ...what,
      lead:
        'p99, p50 as the thin line, and the mean as the dotted one. A line breaks where too many transfers failed for the ' +
        `figure to be known (for the mean: if any failed); a dot there is the longest response time.${haveBars(allSeries, 'p99') ? ` A bar is the 95 % interval of p99${repeats === null ? '' : ` over ${repeats}`}.` : ''}`,
      unit: 'duration',
      log: true,
      textOf: (f) => `p99 ${figureText(f, 'p99')}`,
      lines: [
        { role: 'leg', label: ({ name }) => name, of: (f) => numberOf(f, 'p99'), interval: 'p99' },
        { role: 'thin', label: ({ name }) => `${name}, p50`, of: (f) => numberOf(f, 'p50') },
        {
          role: 'mean',
          label: ({ name }) => `${name}, mean`,
          of: (f) => (failedShareOf(f) > 0 ? undefined : numberOf(f, 'mean')),
        },
        {
          role: 'beyond',
          label: ({ name }) => `${name}, p99 is above`,
          of: (f) => maxBelow(f, 'p99'),
        },
      ],
    },
    axis,
  );
}

/** @param {Sweep} sweep @returns {Axis | null} null if its values are names, or there is only one */
function axisOf({ axis: key, word, lines, unit, numberOf, columns }) {
  if (numberOf === null || columns.length < 2) return null;
  const text = (/** @type {PageLeg} */ f) => tickText(key, f.summary.axes?.[key]);
  const texts = new Map(lines.flatMap((line) => line.results.map((f) => [numberOf(f), text(f)])));
  const title = unit === 'rate' ? `${word}, per second` : word;
  return { of: numberOf, unit, title, text: (value) => texts.get(value) ?? String(value) };
}

/** @param {Series[]} lines @returns {string} explanation of a point */
function pointText(lines) {
  const repeats = repeatsOf(lines);
  if (repeats === null) return 'A point for each measurement, in its steady state.';
  return `A point is the median of ${repeats} in the steady state${haveBars(lines, 'rate') ? ', a bar its 95 % interval' : ''}.`;
}

/** Name of the figure. */
const COST = 'server CPU per transfer';

/** @type {Line} */
const RATE = { role: 'leg', label: ({ name }) => name, of: (f) => numberOf(f, 'rate'), interval: 'rate' };

/** @template T @param {T[]} list @returns {T[]} up to MAX_LINES of them, evenly spaced, with the first and the last */
const evenlySpaced = (list) =>
  list.length <= MAX_LINES
    ? list
    : Array.from({ length: MAX_LINES }, (_, i) => list[Math.round((i * (list.length - 1)) / (MAX_LINES - 1))]);

/**
 * Throughput against an axis other than the main one: a chart for each server, with a line for each value of the
 * remaining axes.
 * @param {PageLeg[]} cases @param {string} key of the axis @param {string} loop
 * @returns {Chart[]}
 */
function chartsAgainst(cases, key, loop) {
  const sweep = sweepOf(cases, key);
  const axis = sweep && axisOf(sweep);
  if (sweep === null || axis === null) return [];
  const servers = [...new Set(sweep.lines.map(({ server }) => server))];
  if (servers.length > MAX_SERVERS) return [];
  const charts = servers.map((server, i) => {
    const serverLines = sweep.lines.filter((line) => line.server === server);
    const drawn = evenlySpaced(serverLines).map(({ name, results }) => ({
      name: serverLines.length === 1 ? name : name.replace(`${server}, `, ''),
      results,
    }));
    const leftOut =
      serverLines.length === drawn.length
        ? ''
        : ` ${count(drawn.length)} of ${count(serverLines.length)} lines are drawn.`;
    return chartAgainst(
      drawn,
      {
        id: `sweep-${key.replaceAll('.', '-')}-${i}`,
        title: `${servers.length > 1 ? `${server}: transfers` : 'Transfers'} per second against ${axisWord(key)} (${loop})`,
        lead: pointText(drawn) + leftOut,
        unit: 'rate',
        textOf: (f) => figureText(f, 'rate'),
        lines: [RATE],
        colours: true,
      },
      axis,
    );
  });
  const max = Math.max(...charts.map(({ y }) => y.max ?? 0));
  return charts.map((chart) => ({ ...chart, y: { ...chart.y, max } }));
}

/**
 * @param {PageLeg[]} cases @param {string} loop
 * @returns {Chart[]}
 */
export function sweepCharts(cases, loop) {
  const sweep = sweepOf(cases);
  const axis = sweep && axisOf(sweep);
  if (sweep === null || axis === null) return [];
  const { lines, word } = sweep;
  const charts = [
    chartAgainst(
      lines,
      {
        id: 'sweep-throughput',
        title: `Transfers per second against ${word} (${loop})`,
        lead: pointText(lines),
        unit: 'rate',
        textOf: (f) => figureText(f, 'rate'),
        lines: [RATE],
      },
      axis,
    ),
    ...(cases.some((f) => numberOf(f, COST) !== undefined)
      ? [
          chartAgainst(
            lines,
            {
              id: 'sweep-cpu',
              title: `CPU per transfer against ${word}`,
              lead: `CPU time of the server in the steady state, divided by its transfers.${haveBars(lines, COST) ? ' A bar is its 95 % interval.' : ''}`,
              unit: 'duration',
              textOf: (f) => figureText(f, COST),
              lines: [{ role: 'leg', label: ({ name }) => name, of: (f) => numberOf(f, COST), interval: COST }],
            },
            axis,
          ),
        ]
      : []),
    responseTimeAgainst(lines, { id: 'sweep-response', title: `Response time against ${word} (${loop})` }, axis),
  ];
  if (cases.some((f) => failedShareOf(f) > 0)) {
    charts.push(
      chartAgainst(
        lines,
        {
          id: 'sweep-failed',
          title: `Failed and unfinished transfers against ${word}`,
          lead: 'Share of the transfers begun: timeouts, other errors, and those without a reply at the end.',
          unit: 'share',
          max: 1,
          textOf: (f) => percent(failedShareOf(f)),
          lines: [{ role: 'leg', label: ({ name }) => name, of: (f) => failedShareOf(f) }],
        },
        axis,
      ),
    );
  }
  const others = otherNumericAxes(cases).flatMap((key) => chartsAgainst(cases, key, loop));
  return [...charts, ...others];
}
