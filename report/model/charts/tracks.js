/**
 * The tracks of a run of one server, below one another on one time axis: every request, what was asked and answered,
 * what became of the connections, and processor time. Pure.
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
 * @import { Chart, Dataset, Panel, Point, Sample } from '../../types.js'
 * @import { Interval } from '../downsample.js'
 * @import { ChartInput } from './all.js'
 */

/** Over a shorter time a rate says little, s. */
const LEAST_SECONDS = 0.2;

/**
 * @param {Interval[]} intervals @param {(interval: Interval, at: number) => [value: number | null, n?: number]} of
 * @returns {Point[]} of a line in steps: each value at the end of its interval, the first from (0, 0) on
 */
export const stepsOf = (intervals, of) => [
  [0, 0],
  ...intervals.map((interval, at) => /** @type {Point} */ ([end(interval), ...of(interval, at)])),
];

/**
 * @param {ChartInput} input of one leg
 * @returns {Array<[from: number, to: number]>} s since its start, in which no reply came although some were due
 */
export const silencesOf = ({ legs: [leg], intervals: [intervals] }) =>
  united(gapsOf(intervals.filter(({ phase }) => phase !== 'drain')), stallSpans(leg));

/**
 * @param {ChartInput} input
 * @param {Pick<Chart, 'id' | 'title' | 'y' | 'legend'> & Partial<Chart>} what
 * @param {Omit<Panel, 'leg' | 'phases' | 'gaps'>} panel
 * @returns {Chart} over the time that all tracks have
 */
export const trackOf = (input, what, panel) => ({
  ...{ kind: 'line', lead: '', x: { type: 'time', unit: 's', min: 0, max: input.xMax }, ...what },
  panels: [
    {
      ...panel,
      leg: 0,
      // else the figures cover what would be veiled
      phases: coverageOf(input.results[0].summary) === 'steady state',
      gaps: silencesOf(input),
    },
  ],
});

/** @param {Dataset[]} datasets @returns {number} the highest value; 1 where there is none */
const highest = (datasets) =>
  datasets.reduce((most, { points }) => points.reduce((all, [, y]) => Math.max(all, y ?? 0), most), 0) || 1;

/** @param {ChartInput} input @returns {Chart[]} none where nothing was due */
function loadTrack(input) {
  const { intervals, results } = input;
  const [f] = results;
  if (nothingDue(results)) return [];
  const line = (/** @type {keyof Sample['counters']} */ counter) =>
    stepsOf(intervals[0], (interval) => {
      const n = total(interval, 'counters', counter);
      // a moment at the end gives no rate, unless it is all there is
      const isRate = interval.seconds >= LEAST_SECONDS || intervals[0].length === 1;
      return [isRate && interval.seconds > 0 ? Number((n / interval.seconds).toPrecision(6)) : null, n];
    });
  const isOpenLoop = f.figures ? Boolean(f.figures.due) : f.planned?.rates !== undefined;
  const asked = f.summary.churns ? 'attempted' : isOpenLoop ? 'asked' : undefined;
  const answered = hasReplies(f.settings) ? 'answered' : 'sent';
  /** @type {Dataset[]} */
  const datasets = [
    ...(asked ? [{ role: 'due', label: asked, points: line(f.summary.churns ? 'attempts' : 'due') }] : []),
    { role: 'answered', label: answered, points: line('transfers') },
  ].map((dataset) => ({ ...dataset, isStepped: /** @type {const} */ (true) }));
  const most = highest(datasets);
  const words = asked ? `${asked} and ${answered}` : answered;
  return [
    trackOf(
      input,
      {
        ...{ id: 'load', title: `${words[0].toUpperCase()}${words.slice(1)}, per second` },
        y: { type: 'linear', unit: 'rate', min: 0, max: most, ticks: [0, most] },
        legend: asked ? datasets.map(({ role, label }) => ({ role, label })) : [],
      },
      { datasets, alt: `${words}: ${figureText(f, 'rate')}, ${count(f.summary.transfers?.count)} in all.` },
    ),
  ];
}

/**
 * @param {ChartInput} input
 * @returns {Chart[]} a stack of who used the processors of this machine; none where that was not measured
 */
function processorTrack(input) {
  const { intervals, cores, results, isServerHere } = input;
  const [own] = intervals;
  const uses = own.map((interval) => machineUseOf(interval.samples)?.busyCores);
  if (!isLoadHere(results[0].summary)) return [];
  const client = own.map((interval) => coresOf(interval, 'client'));
  const server = own.map((interval) =>
    isServerHere && !interval.last.serverMachine ? coresOf(interval, 'server') : null,
  );
  const isMeasured = server.some((value) => value !== null);
  const others = uses.map((use, i) => {
    const ours = client[i];
    return use === undefined || ours === null
      ? null
      : Number(Math.max(0, use - ours - (server[i] ?? 0)).toPrecision(4));
  });
  if (others.every((value) => value === null)) return [];
  const steps = (/** @type {(number | null)[]} */ values) => stepsOf(own, (_, at) => [values[at]]);
  const rest = isServerHere && !isMeasured ? 'other programs and the server' : 'other programs';
  /** @type {Dataset[]} */
  const datasets = [
    { role: 'clientCores', label: 'Broadside', points: steps(client) },
    ...(isMeasured ? [{ role: 'serverCores', label: 'server', points: steps(server) }] : []),
    { role: 'otherCores', label: rest, points: steps(others) },
  ].map((dataset) => ({ ...dataset, isStepped: /** @type {const} */ (true) }));
  const used = uses.reduce((/** @type {number} */ most, use) => Math.max(most, use ?? 0), 0);
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
 * @param {ChartInput} input of one leg @param {Chart[]} charts all others of the page, with the first track if any
 *   request was due, and the connections
 * @returns {Chart[]} the tracks, and the one below has the time axis of all
 */
export function tracks(input, charts) {
  const of = (/** @type {string} */ id) => charts.filter((chart) => chart.id === id && !chart.empty);
  const all = [...of('heat'), ...loadTrack(input), ...of('connections'), ...processorTrack(input)];
  return all.map((chart, i) => ({
    ...chart,
    section: /** @type {const} */ ('track'),
    x: { ...chart.x, ...(i < all.length - 1 ? { isHidden: /** @type {const} */ (true) } : {}) },
  }));
}
