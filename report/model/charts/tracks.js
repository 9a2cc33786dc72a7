/**
 * The tracks of a run with one leg, on a common time axis: every request, requests and replies per second, the states
 * of the connections, and processor time.
 */
import { hasReplies } from '../../../client/scenario/load-text.js';
import { coverageOf } from '../../../client/measure/leg-figures.js';
import { isLoadHere } from '../../../client/measure/hosts.js';
import { machineUseOf } from '../../../client/measure/machine-use.js';
import { count, plain } from '../../../client/words/format.js';
import { end, total } from '../downsample.js';
import { figureText } from '../page-leg.js';
import { gapsOf, nothingDue } from './response-time.js';
import { stallSpans, united } from './stalls.js';
import { coresOf } from './usage.js';

/**
 * @import { Chart, ChartId, Dataset, Panel, Point, Role, Sample } from '../../types.js'
 * @import { Interval } from '../downsample.js'
 * @import { ChartInput } from './all.js'
 */

/** s. An interval needs at least this length for a rate. */
const MIN_SECONDS = 0.2;

/**
 * @param {Interval[]} intervals @param {(interval: Interval, at: number) => [value: number | null, n?: number]} of
 * @returns {Point[]} a stepped line from (0, 0): each value is at the end of its interval
 */
export const stepsOf = (intervals, of) => [
  [0, 0],
  ...intervals.map((interval, at) => /** @type {Point} */ ([end(interval), ...of(interval, at)])),
];

/**
 * @param {ChartInput} input of a single leg
 * @returns {Array<[from: number, to: number]>} spans, s since the leg's start, without a reply although some were due
 */
export const silencesOf = ({ legs: [leg], intervals: [intervals] }) =>
  united(gapsOf(intervals.filter(({ phase }) => phase !== 'drain')), stallSpans(leg));

/**
 * @param {ChartInput} input
 * @param {Pick<Chart, 'id' | 'title' | 'y' | 'legend'> & Partial<Chart>} what
 * @param {Omit<Panel, 'leg' | 'phases' | 'gaps'>} panel
 * @returns {Chart} with the time axis of all tracks
 */
export const trackOf = (input, what, panel) => ({
  ...{ kind: 'line', lead: '', x: { type: 'time', unit: 's', min: 0, max: input.xMax }, ...what },
  panels: [
    {
      ...panel,
      leg: 0,
      // Phases are veiled only if the figures leave them out.
      phases: coverageOf(input.results[0].summary) === 'steady state',
      gaps: silencesOf(input),
    },
  ],
});

/** @param {Dataset[]} datasets @returns {number} the highest value; 1 if there is none */
const highestOf = (datasets) =>
  datasets.reduce((max, { points }) => points.reduce((highest, [, y]) => Math.max(highest, y ?? 0), max), 0) || 1;

/** @param {Role} role @param {string} label @param {Point[]} points @returns {Dataset} */
const inSteps = (role, label, points) => ({ role, label, points, isStepped: true });

/** @param {ChartInput} input @returns {Chart[]} none if no transfer was due */
function loadTrack(input) {
  const { intervals, results } = input;
  const [f] = results;
  if (nothingDue(results)) return [];
  const line = (/** @type {keyof Sample['counters']} */ counter) =>
    stepsOf(intervals[0], (interval) => {
      const n = total(interval, 'counters', counter);
      // A remnant at the end is too short for a rate, unless it is the only interval.
      const isRate = interval.seconds >= MIN_SECONDS || intervals[0].length === 1;
      return [isRate && interval.seconds > 0 ? Number((n / interval.seconds).toPrecision(6)) : null, n];
    });
  const isOpenLoop = f.figures ? Boolean(f.figures.due) : f.planned?.rates !== undefined;
  const asked = f.summary.churns ? 'attempted' : isOpenLoop ? 'asked' : undefined;
  const answered = hasReplies(f.settings) ? 'answered' : 'sent';
  const datasets = [
    ...(asked ? [inSteps('due', asked, line(f.summary.churns ? 'attempts' : 'due'))] : []),
    inSteps('answered', answered, line('transfers')),
  ];
  const highest = highestOf(datasets);
  const words = asked ? `${asked} and ${answered}` : answered;
  return [
    trackOf(
      input,
      {
        ...{ id: 'load', title: `${words[0].toUpperCase()}${words.slice(1)}, per second` },
        y: { type: 'linear', unit: 'rate', min: 0, max: highest, ticks: [0, highest] },
        legend: asked ? datasets.map(({ role, label }) => ({ role, label })) : [],
      },
      { datasets, alt: `${words}: ${figureText(f, 'rate')}, ${count(f.summary.transfers?.count)} in all.` },
    ),
  ];
}

/**
 * @param {ChartInput} input
 * @returns {Chart[]} a stack of the users of the client's machine's processors; none if that was not measured
 */
function processorTrack(input) {
  const { intervals, cores, results, isServerHere } = input;
  const [legIntervals] = intervals;
  const uses = legIntervals.map((interval) => machineUseOf(interval.samples)?.busyCores);
  // cores of other hosts are those of other machines
  if (!isLoadHere(results[0].summary)) return [];
  const client = legIntervals.map((interval) => coresOf(interval, 'client'));
  const server = legIntervals.map((interval) =>
    isServerHere && !interval.last.serverMachine ? coresOf(interval, 'server') : null,
  );
  const isMeasured = server.some((value) => value !== null);
  const others = uses.map((use, i) => {
    const clientCores = client[i];
    return use === undefined || clientCores === null
      ? null
      : Number(Math.max(0, use - clientCores - (server[i] ?? 0)).toPrecision(4));
  });
  if (others.every((value) => value === null)) return [];
  const steps = (/** @type {(number | null)[]} */ values) => stepsOf(legIntervals, (_, at) => [values[at]]);
  const othersLabel = isServerHere && !isMeasured ? 'other programs and the server' : 'other programs';
  const datasets = [
    inSteps('clientCores', 'Broadside', steps(client)),
    ...(isMeasured ? [inSteps('serverCores', 'server', steps(server))] : []),
    inSteps('otherCores', othersLabel, steps(others)),
  ];
  const used = uses.reduce((/** @type {number} */ largest, use) => Math.max(largest, use ?? 0), 0);
  return [
    trackOf(
      input,
      {
        ...{ id: 'cores', title: `Processor time, of ${count(cores)} cores`, isStacked: true },
        y: { type: 'linear', unit: 'cores', min: 0, max: cores, ticks: [0, cores] },
        legend: datasets.map(({ role, label }) => ({ role, label })),
      },
      { datasets, alt: `Processor time: at most ${plain(used)} of ${count(cores)} cores in use.` },
    ),
  ];
}

/**
 * @param {ChartInput} input of a single leg
 * @param {Chart[]} charts the page's other charts, among them the heat map and the connections
 * @returns {Chart[]} only the last track shows the time axis
 */
export function tracks(input, charts) {
  const chartsOf = (/** @type {ChartId} */ id) => charts.filter((chart) => chart.id === id && !chart.empty);
  const ordered = [...chartsOf('heat'), ...loadTrack(input), ...chartsOf('connections'), ...processorTrack(input)];
  return ordered.map((chart, i) => ({
    ...chart,
    section: /** @type {const} */ ('track'),
    x: { ...chart.x, ...(i < ordered.length - 1 ? { isHidden: /** @type {const} */ (true) } : {}) },
  }));
}
