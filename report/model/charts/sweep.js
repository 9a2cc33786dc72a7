/**
 * A sweep: throughput, CPU per transfer, response times and failures against its numeric axis, a line for each server
 * and each value of the other axes. A percentile that is not known, because too much failed, is not on the line: a dot
 * marks the maximum.
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
 * @import { Axis as ChartAxis, Chart, PageLeg, Point } from '../../types.js'
 * @import { Line as SweepLine, Sweep } from '../sweep.js'
 */

/** @typedef {SweepLine} Series */

/**
 * @typedef {{ role: string, label: (series: Series) => string, of: (f: PageLeg) => number | undefined,
 *   interval?: string }} Line  interval: the figure whose interval it has
 */

/**
 * @typedef {object} Axis  what the lines are drawn against
 * @property {(f: PageLeg) => number} of
 * @property {string} unit
 * @property {string} title  of the axis
 * @property {(value: number) => string} text
 */

/** From this ratio of the largest to the smallest value on, an axis is logarithmic. */
const DECADE = 10;
/**
 * A wide interval leaves the chart, rather than press the lines flat: room above the largest value, as its multiple.
 */
const ROOM = { linear: 1.6, log: 3 };
/** More lines cannot be told apart; of more values some are drawn, evenly chosen. */
const MOST_LINES = 8;
/** More charts would be a page of their own. */
const MOST_SERVERS = 8;

/** @param {PageLeg} f @param {string} figure @returns {[number, number] | undefined} */
function intervalOf(f, figure) {
  const found = figureOf(figure);
  return found && intervalIn(found, f.shown);
}

/** @param {number[]} points rising @param {Axis} axis @returns {ChartAxis} */
function scaleOf(points, { unit, title }) {
  const [least, most] = [points[0], points[points.length - 1]];
  if (least > 0 && (most / least >= DECADE || unit === 'connections')) {
    return { type: 'log', unit, title, ticks: points, min: least / 1.1, max: most * 1.1 };
  }
  const room = (most - least || 1) * 0.05;
  return { type: 'linear', unit, title, ticks: points, min: least - room, max: most + room };
}

/**
 * @param {Series[]} all
 * @param {{ id: string, title: string, lead: string, unit: string, log?: boolean, most?: number, lines: Line[],
 *   said: (f: PageLeg) => string, colours?: true }} what  colours: of the lines themselves, not those of their legs
 * @param {Axis} axis
 * @returns {Chart}
 */
function against(all, what, axis) {
  const measured = all.flatMap((series) => series.results.map(axis.of));
  const points = [...new Set(measured)].sort((a, b) => a - b);
  const daggers = someDisturbed(all.flatMap((series) => series.results.map(({ shown }) => shown)));
  let [min, max, high] = [Infinity, 0, 0];
  const datasets = all.flatMap((series, place) => {
    return what.lines
      .map(({ role, label, of, interval }) => {
        const values = series.results.map((f) => {
          const value = f.ran ? of(f) : undefined;
          if (value) [min, max] = [Math.min(min, value), Math.max(max, value)];
          return /** @type {Point} */ ([axis.of(f), value === undefined ? null : Number(value.toPrecision(5))]);
        });
        // dots need no gaps between them
        const own = role === 'beyond' ? values.filter(([, value]) => value !== null) : values;
        const intervals = series.results.map((f, i) =>
          interval === undefined || values[i][1] === null ? null : (intervalOf(f, interval) ?? null),
        );
        for (const one of intervals) high = Math.max(high, one?.[1] ?? 0);
        const hollow = series.results.flatMap((f, i) => (role === 'leg' && servedOnlySome(f.summary) ? [i] : []));
        const disturbed = series.results.flatMap((f, i) =>
          role === 'leg' && daggers && f.shown.disturbed > 0 ? [i] : [],
        );
        return {
          role,
          color: what.colours ? place : series.results[0].colour,
          label: label(series),
          points: own,
          ...(hollow.length > 0 ? { hollow } : {}),
          ...(disturbed.length > 0 ? { disturbed } : {}),
          ...(intervals.some((one) => one !== null) ? { intervals } : {}),
        };
      })
      .filter((one) => one.role !== 'beyond' || one.points.length > 0);
  });
  const top = (/** @type {'linear' | 'log'} */ type, /** @type {number} */ above) =>
    Math.max(max * above, Math.min(high * 1.04, max * ROOM[type]));
  const said = all.map(
    ({ name, results: own }) =>
      `${name}: ${own
        .filter((f) => f.ran)
        .map((f) => `${axis.text(axis.of(f))} ${what.said(f)}`)
        .join(', ')}`,
  );
  const leaves =
    high > top(what.log ? 'log' : 'linear', 1) ? ' A bar without an upper end reaches beyond the chart.' : '';
  return {
    id: what.id,
    kind: 'line',
    title: what.title,
    lead: what.lead + leaves,
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
      : { type: 'linear', unit: what.unit, min: 0, max: what.most ?? (top('linear', 1.12) || 1) },
    panels: [{ leg: null, datasets, alt: `${what.title}. ${said.join('; ')}.` }],
  };
}

/** @param {Series[]} all @returns {string | null} what the figures of its cases are medians of; null: of nothing */
function repeatsOf(all) {
  const cases = all.flatMap(({ results }) => results.map(({ shown }) => shown));
  if (cases.some(({ worst }) => worst.slices)) return 'the blocks of slices';
  const rounds = Math.max(1, ...cases.map((shown) => shown.rounds.length));
  return rounds > 1 ? `${count(rounds)} rounds` : null;
}

/** @param {Series[]} all @param {string} figure @returns {boolean} whether the interval of any is drawn */
const haveBars = (all, figure) =>
  all.length <= MOST_WITH_BARS && all.some(({ results }) => results.some((f) => intervalOf(f, figure)));

/**
 * @param {Series[]} all
 * @param {{ id: string, title: string }} what
 * @param {Axis} axis
 * @returns {Chart} p99 and p50
 */
export function againstResponse(all, what, axis) {
  const repeats = repeatsOf(all);
  return against(
    all,
    {
      ...what,
      lead:
        'p99, p50 as the thin line, and the mean as the dotted one. A line breaks where too many transfers failed for the ' +
        `figure to be known (for the mean: if any failed); a dot there is the longest response time.${haveBars(all, 'p99') ? ` A bar is the 95 % interval of p99${repeats === null ? '' : ` over ${repeats}`}.` : ''}`,
      unit: 'duration',
      log: true,
      said: (f) => `p99 ${figureText(f, 'p99')}`,
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

/** @param {Sweep} sweep @returns {Axis | null} null where its values are names, or one alone */
function axisOf({ axis: key, word, lines, unit, numberOf, columns }) {
  if (numberOf === null || columns.length < 2) return null;
  const text = (/** @type {PageLeg} */ f) => tickText(key, f.summary.axes?.[key]);
  const texts = new Map(lines.flatMap((line) => line.results.map((f) => [numberOf(f), text(f)])));
  const title = unit === 'rate' ? `${word}, per second` : word;
  return { of: numberOf, unit, title, text: (value) => texts.get(value) ?? String(value) };
}

/** @param {Series[]} lines @returns {string} what a point is */
function pointText(lines) {
  const repeats = repeatsOf(lines);
  if (repeats === null) return 'A point for each measurement, in its steady state.';
  return `A point is the median of ${repeats} in the steady state${haveBars(lines, 'rate') ? ', a bar its 95 % interval' : ''}.`;
}

/** The figure. */
const COST = 'server CPU per transfer';

/** @type {Line} */
const RATE = { role: 'leg', label: ({ name }) => name, of: (f) => numberOf(f, 'rate'), interval: 'rate' };

/** @template T @param {T[]} list @returns {T[]} at most as many as can be told apart, the first and the last as well */
const someOf = (list) =>
  list.length <= MOST_LINES
    ? list
    : Array.from({ length: MOST_LINES }, (_, i) => list[Math.round((i * (list.length - 1)) / (MOST_LINES - 1))]);

/**
 * Throughput against an axis that is not the main one: a chart for each server, with a line for each value of the
 * others.
 * @param {PageLeg[]} cases @param {string} key of the axis @param {string} loop
 * @returns {Chart[]}
 */
function againstOther(cases, key, loop) {
  const sweep = sweepOf(cases, key);
  const axis = sweep && axisOf(sweep);
  if (sweep === null || axis === null) return [];
  const servers = [...new Set(sweep.lines.map(({ server }) => server))];
  if (servers.length > MOST_SERVERS) return [];
  const charts = servers.map((server, i) => {
    const own = sweep.lines.filter((line) => line.server === server);
    const drawn = someOf(own).map(({ name, results: points }) => ({
      name: own.length === 1 ? name : name.replace(`${server}, `, ''),
      results: points,
    }));
    const left = own.length === drawn.length ? '' : ` ${count(drawn.length)} of ${count(own.length)} lines are drawn.`;
    const what = {
      id: `sweep-${key.replaceAll('.', '-')}-${i}`,
      title: `${servers.length > 1 ? `${server}: transfers` : 'Transfers'} per second against ${axisWord(key)} (${loop})`,
      lead: pointText(drawn) + left,
      unit: 'rate',
      said: (/** @type {PageLeg} */ f) => figureText(f, 'rate'),
      lines: [RATE],
      colours: /** @type {const} */ (true),
    };
    return against(drawn, what, axis);
  });
  const most = Math.max(...charts.map(({ y }) => y.max ?? 0));
  return charts.map((chart) => ({ ...chart, y: { ...chart.y, max: most } }));
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
    against(
      lines,
      {
        id: 'sweep-throughput',
        title: `Transfers per second against ${word} (${loop})`,
        lead: pointText(lines),
        unit: 'rate',
        said: (f) => figureText(f, 'rate'),
        lines: [RATE],
      },
      axis,
    ),
    ...(cases.some((f) => numberOf(f, COST) !== undefined)
      ? [
          against(
            lines,
            {
              id: 'sweep-cpu',
              title: `CPU per transfer against ${word}`,
              lead: `CPU time of the server in the steady state, divided by its transfers.${haveBars(lines, COST) ? ' A bar is its 95 % interval.' : ''}`,
              unit: 'duration',
              said: (f) => figureText(f, COST),
              lines: [{ role: 'leg', label: ({ name }) => name, of: (f) => numberOf(f, COST), interval: COST }],
            },
            axis,
          ),
        ]
      : []),
    againstResponse(lines, { id: 'sweep-response', title: `Response time against ${word} (${loop})` }, axis),
  ];
  if (cases.some((f) => failedShareOf(f) > 0)) {
    charts.push(
      against(
        lines,
        {
          id: 'sweep-failed',
          title: `Failed and unfinished transfers against ${word}`,
          lead: 'Share of the transfers begun: timeouts, other errors, and those without a reply at the end.',
          unit: 'share',
          most: 1,
          said: (f) => percent(failedShareOf(f)),
          lines: [{ role: 'leg', label: ({ name }) => name, of: (f) => failedShareOf(f) }],
        },
        axis,
      ),
    );
  }
  const others = otherNumericAxes(cases).flatMap((key) => againstOther(cases, key, loop));
  return [...charts, ...others];
}
