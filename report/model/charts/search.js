/**
 * The trials of a search, all servers in one chart: the figure of the goals against the value that was varied. Goals
 * are lines across, and the answer of each server is a bracket on the axis of the value. Goals for several figures have
 * a chart each.
 */
import { conditionOf } from '../../../client/judge/conditions/parse.js';
import { medianOf } from '../../../client/measure/statistics.js';
import { joinNames } from '../../../client/words/lists.js';
import { CAUSES, SOUGHT, probeFigures, probeText } from '../../../client/words/search.js';
import { decadeBelow } from './response-time.js';

/**
 * @import { Figure } from '../../../client/judge/figures.js'
 * @import { Axis, Found, Probe, SearchSummary } from '../../../client/judge/search/index.js'
 * @import { Axis as ChartAxis, Chart, PageLeg, Panel, Point } from '../../types.js'
 */

/** Unit of a figure -> unit of an axis; others are drawn as plain numbers. @type {Readonly<Record<string, string>>} */
const AXES = {
  duration: 'duration',
  rate: 'rate',
  throughput: 'throughput',
  size: 'bytes',
  count: 'count',
  share: 'share',
};
/** What the x axis is. @type {Readonly<Record<Axis, { word: string, unit: string }>>} */
const SOUGHT_AXES = {
  rate: { word: 'requests per second', unit: 'rate' },
  connections: { word: 'connections', unit: 'connections' },
};
/** From this ratio of the largest to the smallest value on, an axis is logarithmic. */
const DECADE = 10;
/** Room around the points, as a share of the axis. */
const ROOM = 0.06;

/**
 * @typedef {{ figure: Figure, limit: number, clause: string, found: Found }} Goal  for one server
 * @typedef {{ value: number, y: number, probes: Probe[] }} Trial  a leg; probes: as each goal judged it
 */

/**
 * @param {Probe} probe
 * @returns {number | undefined} of its first figure; a percentile that is above all that was measured is at their
 *   maximum
 */
function figureOf({ figures: [first] }) {
  const value = first?.value ?? first?.above;
  return typeof value === 'number' ? value : undefined;
}

/** @param {number[]} values @param {Axis} maximise @returns {ChartAxis} around them */
function axisOf(values, maximise) {
  const { word: title, unit } = SOUGHT_AXES[maximise];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (least > 0 && most / least >= DECADE) return { type: 'log', unit, title, min: least / 1.2, max: most * 1.2 };
  const room = (most - least || most || 1) * ROOM;
  return { type: 'linear', unit, title, min: Math.max(0, least - room), max: most + room };
}

/** @param {number[]} values @param {string} unit @returns {ChartAxis} durations are logarithmic, as elsewhere */
function figureAxisOf(values, unit) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (unit === 'duration' && least > 0) return { type: 'log', unit, min: decadeBelow(least), max: most * 1.5 };
  return { type: 'linear', unit, min: 0, max: most * 1.12 || 1 };
}

/** @param {Axis} axis @param {Probe[]} probes @returns {string} why some failed besides the goals, and where */
function causesText(axis, probes) {
  const failed = probes.filter(({ held }) => held === false);
  const causesOf = (/** @type {Probe} */ { cause, figures }) =>
    [cause, ...figures.map((one) => one.cause)].flatMap((one) => (one && CAUSES[one]) || []);
  return [...new Set(failed.flatMap(causesOf))]
    .map((reason) => {
      const values = failed.filter((probe) => causesOf(probe).includes(reason)).map(({ value }) => value);
      return `${reason} at ${joinNames([...new Set(values)].sort((a, b) => a - b).map((value) => probeText(axis, value)))}`;
    })
    .join('; ');
}

/** @param {Goal[]} goals of a server @returns {Trial[]} by value: those with an outcome and a number to draw */
function trialsOf(goals) {
  return goals[0].found.probes
    .flatMap((probe, i) => {
      const y = figureOf(probe);
      const probes = goals.map(({ found }) => found.probes[i]).filter(({ held }) => held !== null);
      return y === undefined || probes.length === 0 ? [] : [{ value: probe.value, y, probes }];
    })
    .sort((a, b) => a.value - b.value);
}

/** @param {Trial} trial @returns {boolean} whether any of the goals held in it */
const hasHeld = ({ probes }) => probes.some(({ held }) => held);

/** @param {Trial[]} trials @returns {Point[]} the median of the trials at each value */
const mediansOf = (trials) =>
  [...new Set(trials.map(({ value }) => value))].map((value) => [
    value,
    medianOf(trials.filter((one) => one.value === value).map(({ y }) => y)),
  ]);

/**
 * Answers side by side share a row.
 * @param {{ color: number, goals: Goal[] }[]} servers
 * @returns {NonNullable<Panel['brackets']>}
 */
function bracketsOf(servers) {
  let rows = 0;
  return servers.flatMap(({ color, goals }) => {
    const first = rows;
    /** @type {number[]} where each of the server's rows is free again */
    const free = [];
    return goals
      .flatMap(({ found: { held, failed } }) => (held || failed ? [{ from: held?.value, to: failed?.value }] : []))
      .filter((one, i, all) => all.findIndex(({ from, to }) => from === one.from && to === one.to) === i)
      .sort((a, b) => (a.from ?? 0) - (b.from ?? 0))
      .map(({ from, to }) => {
        const fits = free.findIndex((end) => end < (from ?? 0));
        const row = fits < 0 ? free.length : fits;
        free[row] = to ?? Infinity;
        rows = Math.max(rows, first + row + 1);
        return {
          ...{ color, row: first + row },
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
        };
      });
  });
}

/**
 * @param {SearchSummary} search @param {Goal[]} goals for the same figure, of all servers @param {PageLeg[]} results
 * @param {number} at place among the charts
 * @returns {Chart[]} none where fewer than two values have a number to draw
 */
function chartOf({ maximise }, goals, results, at) {
  const { figure } = goals[0];
  const servers = [...new Set(goals.map(({ found }) => found.server))].flatMap((server) => {
    const own = goals.filter(({ found }) => found.server === server);
    const trials = trialsOf(own);
    const f = results.find(({ id }) => own[0].found.probes.some((probe) => probe.leg === id));
    return trials.length === 0 || f === undefined ? [] : [{ server, color: f.colour, goals: own, trials }];
  });
  const all = servers.flatMap(({ trials }) => trials);
  if (new Set(all.map(({ value }) => value)).size < 2) return [];
  const limits = new Map(goals.map(({ clause, limit }) => [clause, limit]));
  const probes = all.flatMap((trial) => trial.probes);
  const isOne = limits.size === 1;
  const causes = causesText(maximise, probes);
  const isBeyond = probes.some(({ figures: [first] }) => first.above !== undefined);
  const { word } = SOUGHT_AXES[maximise];
  return [
    {
      id: `search-${at}`,
      kind: 'line',
      title: `${figure.name} against ${word}`,
      lead:
        `A dot is a trial, the line their median. Below the axis, between the greatest value that held and the smallest that failed: the answer${isOne ? '' : ' for each goal'}.` +
        `${causes === '' ? '' : ` Why trials failed besides: ${causes}.`}` +
        `${isBeyond ? ' Where too many requests have no reply for a percentile to be known, the dot is at the longest response time.' : ''}`,
      endLabels: true,
      legend: [
        { role: 'held', label: isOne ? 'held' : 'held a goal' },
        { role: 'missed', label: isOne ? 'failed' : 'failed every goal' },
      ],
      x: axisOf(
        all.map(({ value }) => value),
        maximise,
      ),
      y: figureAxisOf([...all.map(({ y }) => y), ...limits.values()], AXES[figure.unit] ?? 'cores'),
      panels: [
        {
          leg: null,
          datasets: servers.flatMap(({ server, color, trials }) => {
            const points = (/** @type {boolean} */ isHeld) =>
              trials.filter((one) => hasHeld(one) === isHeld).map(({ value, y }) => /** @type {Point} */ ([value, y]));
            return [
              { role: 'trend', color, label: server, points: mediansOf(trials) },
              { role: 'held', color, label: `${server}, held`, points: points(true) },
              { role: 'missed', color, label: `${server}, failed`, points: points(false) },
            ];
          }),
          marks: [...limits].map(([label, limit]) => ({ axis: 'y', at: limit, label })),
          brackets: bracketsOf(servers),
          alt: `${SOUGHT[maximise]}, by ${figure.name}. ${servers
            .flatMap(({ server, goals: own }) =>
              own.map(({ clause, found: { answer } }) => `${server}, ${clause}: ${answer}`),
            )
            .join('; ')}. ${servers
            .map(
              ({ server, trials }) =>
                `${server}: ${trials.map((one) => `${probeText(maximise, one.value)} ${hasHeld(one) ? 'held' : 'failed'}, ${probeFigures(one.probes[0])}`).join('; ')}`,
            )
            .join('. ')}.`,
        },
      ],
    },
  ];
}

/**
 * @param {SearchSummary | undefined} search of the summary @param {PageLeg[]} results those that left samples
 * @returns {Chart[]}
 */
export function searchCharts(search, results) {
  const goals = (search?.answers ?? []).flatMap((found) => {
    const [{ figure, value: limit, text: clause }] = conditionOf(found.goal).clauses;
    return typeof limit === 'number' ? [{ figure, limit, clause, found }] : [];
  });
  if (search === undefined) return [];
  return [...new Set(goals.map(({ figure }) => figure))].flatMap((figure, at) =>
    chartOf(
      search,
      goals.filter((one) => one.figure === figure),
      results,
      at,
    ),
  );
}
