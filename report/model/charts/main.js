/**
 * The charts at the top of the page, all servers in one panel each: response time, transfers, connections, and rejects
 * and errors over time. Of a sweep or a search: what that run asks; of one server: its tracks. Pure.
 */
import { drainFrom, end, hadTurn, lineOf, middle, percentilesOf, Range, total } from '../downsample.js';
import { fatesOf } from './connections.js';
import { causesOf, causesText, ERROR_WORDS, REJECT_WORDS } from './words.js';
import { cloudOf, decadeBelow, nothingDue, rangeOf } from './response-time.js';
import { stallMarks } from './stalls.js';
import { tracks } from './tracks.js';
import { coverageOf } from '../../../client/measure/leg-figures.js';
import { count } from '../../../client/words/format.js';
import { figureText, openOf, requestedOf, unansweredOf } from '../page-leg.js';

/**
 * @import { Chart, Dataset, PageLeg, Point } from '../../types.js'
 * @import { Interval } from '../downsample.js'
 * @import { ChartInput } from './all.js'
 */

/** Single transfers of all servers together: more dots hide the lines. */
const MOST_DOTS = 1500;

/**
 * @param {ChartInput} input
 * @returns {Chart} a median with its band up to p99 for each server, and the slowest transfers
 */
function responseTimes({ legs, results, intervals, loop, xMax }) {
  const range = new Range();
  const datasets = legs.flatMap((leg, i) => {
    const drain = drainFrom(intervals[i], results[i]);
    const shown = intervals[i].filter(hadTurn);
    const times = shown.map((interval) => percentilesOf(interval, 'responseTime'));
    const line = (/** @type {'p50' | 'p99'} */ name) =>
      lineOf(shown, (interval, at) => {
        const value = times[at]?.[name] ?? null;
        range.add(value, middle(interval) > drain);
        return name === 'p50' ? [middle(interval), value, times[at]?.count ?? 0] : [middle(interval), value];
      });
    const cloud = cloudOf(leg, results[i].summary.startNs ?? 0, Math.ceil(MOST_DOTS / legs.length), true);
    for (const [x, y] of [...cloud.ok, ...cloud.failed]) range.add(y, x > drain);
    /** @type {Dataset[]} */
    const own = [
      { role: 'band', leg: i, label: `${leg.label}, p99`, points: line('p99') },
      { role: 'leg', leg: i, label: leg.label, points: line('p50') },
      { role: 'slowest', leg: i, label: `${leg.label}, slowest`, points: cloud.ok },
      { role: 'failed', leg: i, label: `${leg.label}, failed or unfinished`, points: cloud.failed },
    ];
    return own.filter(({ points }) => points.length > 0);
  });
  const [min, max] = rangeOf(range);
  const said = results.map((f) => {
    const [p50, p99, longest] = ['p50', 'p99', 'max'].map((name) => figureText(f, name));
    return `${f.label}, ${coverageOf(f.summary)}: p50 ${p50}, p99 ${p99}, max ${longest}`;
  });
  return {
    id: 'main-response',
    layout: 'overlay',
    kind: 'line',
    title: `Response time (${loop})`,
    lead: 'p50 as a line, the band up to p99; dots: the slowest transfers; crosses: failed',
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: { type: 'log', unit: 'duration', min: decadeBelow(min), max: max * 1.3 },
    empty: nothingDue(results),
    legend: [],
    panels: [
      {
        leg: null,
        phases: true,
        marks: stallMarks(legs),
        datasets,
        alt: `Response time over time. ${said.join('; ')}.`,
      },
    ],
  };
}

/**
 * @param {ChartInput} input
 * @returns {Chart} requested once where all have the same, and served for each server: open ones may have no reply
 */
function connections({ legs, results, intervals, xMax }) {
  let most = 0;
  const line = (/** @type {number} */ i, /** @type {'requested' | 'served'} */ name) =>
    intervals[i].map((interval) => {
      const { last } = interval;
      const value = name === 'served' ? fatesOf(results[i], last).served : last.gauges.requested;
      most = Math.max(most, value ?? 0);
      return /** @type {Point} */ ([end(interval), value ?? null]);
    });
  const requested = legs.map((_, i) => line(i, 'requested'));
  const areAlike = requested.every((points) => JSON.stringify(points) === JSON.stringify(requested[0]));
  /** @type {Dataset[]} */
  const datasets = [
    ...(areAlike ? requested.slice(0, 1) : requested).map((points, i) => ({
      role: 'requested',
      label: areAlike ? 'requested' : `${legs[i].label}, requested`,
      ...(areAlike ? {} : { leg: i }),
      points,
    })),
    ...legs.map((leg, i) => ({ role: 'leg', leg: i, label: `${leg.label}, served`, points: line(i, 'served') })),
  ];
  const said = results.map(
    (f) =>
      `${f.label}: requested ${count(requestedOf(f))}, open ${count(openOf(f))}, unanswered ${count(unansweredOf(f))}`,
  );
  return {
    id: 'main-connections',
    layout: 'overlay',
    kind: 'line',
    title: 'Connections served',
    lead: 'open, and on which replies came; grey: requested',
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: { type: 'linear', unit: 'count', min: 0, max: most * 1.05 || 1 },
    legend: [],
    panels: [{ leg: null, phases: true, datasets, alt: `Connections over time. ${said.join('; ')}.` }],
  };
}

const KINDS = /** @type {const} */ ([
  ['rejects', REJECT_WORDS],
  ['errors', ERROR_WORDS],
]);

/** @param {PageLeg} f @returns {string} such as "rejects: refused 4,210; errors: reset 12"; empty without any */
const failuresText = ({ summary }) =>
  KINDS.map(([kind, words]) => [kind, causesText(causesOf(summary[kind]), words, count)])
    .filter(([, text]) => text !== '')
    .map(([kind, text]) => `${kind}: ${text}`)
    .join('; ');

/** Legs whose rejects and errors are told in words, and drawn whatever is chosen. */
const MOST_SAID = 6;

/**
 * @param {ChartInput} input
 * @returns {Chart} rejects and errors together: stacked by cause of one server, a line for each of several
 */
function failures({ legs, results, bars, xMax, barStep }) {
  const counts = (/** @type {Interval} */ interval) =>
    KINDS.flatMap(([kind, words]) =>
      Object.keys(words).map((cause) => ({ kind, cause, n: total(interval, kind, cause) })),
    );
  let most = 0;
  const sums = bars.map((own) =>
    lineOf(own, (interval) => {
      const n = counts(interval).reduce((sum, one) => sum + one.n, 0);
      most = Math.max(most, n);
      return /** @type {Point} */ ([middle(interval), n]);
    }),
  );
  const failed = legs.flatMap((_, i) => (sums[i].some(([, n]) => n) ? [i] : []));
  const isOne = legs.length === 1;
  /** @type {Dataset[]} */
  const datasets = isOne
    ? KINDS.flatMap(([kind, words]) =>
        Object.entries(words).map(([cause, word]) => ({
          ...{ role: 'cause', cause, label: `${kind}: ${word}` },
          points: bars[0].map((interval) => /** @type {Point} */ ([middle(interval), total(interval, kind, cause)])),
        })),
      ).filter(({ points }) => points.some(([, n]) => n))
    : failed.map((i) => ({ role: 'leg', leg: i, label: legs[i].label, points: sums[i] }));
  const said = failed.map((i) => (isOne ? failuresText(results[i]) : `${legs[i].label}: ${failuresText(results[i])}`));
  const who =
    said.length <= MOST_SAID ? said.join(' · ') : `Of ${count(legs.length)} legs ${count(said.length)} had any`;
  return {
    id: 'main-failures',
    layout: 'overlay',
    kind: isOne ? 'bar' : 'line',
    title: 'Rejects and errors',
    lead: `${who}; ${barStep === 1 ? 'each second' : `every ${barStep} s`}`,
    data: { barSeconds: barStep },
    empty: failed.length > 0 ? undefined : { code: 'no-failures', data: {}, text: 'No rejects, no errors.' },
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: { type: 'linear', unit: 'count', min: 0, max: most * 1.05 || 1 },
    legend: isOne ? datasets.map(({ cause, label }) => ({ role: 'cause', cause, label })) : [],
    panels: [{ leg: null, phases: true, datasets, alt: `Rejects and errors over time. ${said.join('; ') || 'None'}.` }],
  };
}

/** Places of charts at the top. */
const MOST_CHARTS = 4;

/** @param {Chart[]} main @param {Chart[]} others @returns {Chart[]} each once, those at the top first and marked */
const placed = (main, others) => {
  const all = [...main.map((chart) => ({ ...chart, section: /** @type {const} */ ('main') })), ...others];
  return all.filter(({ id }, at) => all.findIndex((one) => one.id === id) === at);
};

/**
 * @param {ChartInput} input @param {Chart[]} charts all others of the page
 * @returns {Chart[]} all charts of the page, those at the top first and marked as such
 */
export function withMainCharts(input, charts) {
  const asked = charts.filter(({ section }) => section === 'asked');
  const of = (/** @type {string} */ id) => charts.filter((chart) => chart.id === id && !chart.empty);
  const failed = failures(input);
  if (input.isAlone) {
    const held = nothingDue(input.results) ? of('connect') : [];
    const main = [...asked, ...of('response-by-size'), ...held, ...(failed.empty ? [] : [failed])];
    return placed(main.slice(0, MOST_CHARTS), [...tracks(input, charts), ...charts]);
  }
  // the strip that is the legend of charts over time is below those of a sweep or a search
  const own = new Set(failed.panels[0].datasets.map(({ leg }) => leg)).size <= MOST_SAID;
  const besides = own ? [{ ...failed, own, ownLines: /** @type {const} */ (true) }] : [];
  const overTime = [
    ...of('response-by-size'),
    ...of('opens'),
    ...(nothingDue(input.results) ? of('connect') : [responseTimes(input)]),
    ...of('transfers'),
    connections(input),
    ...(failed.empty ? of('percentiles') : []),
  ].slice(0, MOST_CHARTS - (failed.empty ? 0 : 1));
  const main = asked.length > 0 ? [...asked.slice(0, MOST_CHARTS - 1), ...besides] : [...overTime, failed];
  return placed(main, charts);
}
