/**
 * The charts of a search's trials, one for each figure that has a goal: the figure against the value that was varied. A
 * goal is a line across, a server's answer a bracket on the axis of the value.
 */
import { conditionOf } from '../../../client/judge/conditions/parse.js';
import { medianOf } from '../../../client/measure/statistics.js';
import { joinNames } from '../../../client/words/lists.js';
import { CAUSES, SOUGHT, probeFigures, probeText } from '../../../client/words/search.js';
import { decadeBelow } from './response-time.js';

/**
 * @import { Figure } from '../../../client/judge/figures.js'
 * @import { Axis, Found, Probe, SearchSummary } from '../../../client/judge/search/index.js'
 * @import { Axis as ChartAxis, Chart, PageLeg, Panel, Point, Unit } from '../../types.js'
 */

/** Key: unit of a figure; value: unit of an axis. Others are plain numbers. @type {Readonly<Record<string, Unit>>} */
const AXES = {
  duration: 'duration',
  rate: 'rate',
  throughput: 'throughput',
  size: 'bytes',
  count: 'count',
  share: 'share',
};
/** Titles and units of the x axis. @type {Readonly<Record<Axis, { word: string, unit: Unit }>>} */
const SOUGHT_AXES = {
  rate: { word: 'requests per second', unit: 'rate' },
  connections: { word: 'connections', unit: 'connections' },
};
/** An axis is logarithmic if the ratio of its largest to its smallest value is at least this. */
const DECADE = 10;
/** Room around the points, as a share of the axis. */
const ROOM = 0.06;

/**
 * @typedef {{ figure: Figure, limit: number, clause: string, result: Found }} Goal  of a server
 * @typedef {{ value: number, y: number, probes: Probe[] }} Trial  a leg; probes: the result for each goal
 */

/**
 * @param {Probe} probe
 * @returns {number | undefined} value of its first figure; the maximum, if it is a percentile above all measured times
 */
function figureOf({ figures: [first] }) {
  const value = first?.value ?? first?.above;
  return typeof value === 'number' ? value : undefined;
}

/** @param {number[]} values @param {Axis} maximise @returns {ChartAxis} around them */
function axisOf(values, maximise) {
  const { word: title, unit } = SOUGHT_AXES[maximise];
  const [min, max] = [Math.min(...values), Math.max(...values)];
  if (min > 0 && max / min >= DECADE) return { type: 'log', unit, title, min: min / 1.2, max: max * 1.2 };
  const room = (max - min || max || 1) * ROOM;
  return { type: 'linear', unit, title, min: Math.max(0, min - room), max: max + room };
}

/** @param {number[]} values @param {Unit} unit @returns {ChartAxis} logarithmic for durations */
function figureAxisOf(values, unit) {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  if (unit === 'duration' && min > 0) return { type: 'log', unit, min: decadeBelow(min), max: max * 1.5 };
  return { type: 'linear', unit, min: 0, max: max * 1.12 || 1 };
}

/**
 * @param {Axis} axis @param {Probe[]} probes
 * @returns {string} causes of failed probes other than goals, with values
 */
function causesText(axis, probes) {
  const failed = probes.filter(({ held }) => held === false);
  const causesOf = (/** @type {Probe} */ { cause, figures }) =>
    [cause, ...figures.map((figure) => figure.cause)].flatMap((name) => (name && CAUSES[name]) || []);
  return [...new Set(failed.flatMap(causesOf))]
    .map((reason) => {
      const values = failed.filter((probe) => causesOf(probe).includes(reason)).map(({ value }) => value);
      return `${reason} at ${joinNames([...new Set(values)].sort((a, b) => a - b).map((value) => probeText(axis, value)))}`;
    })
    .join('; ');
}

/** @param {Goal[]} goals of a server @returns {Trial[]} the trials with an outcome and a number, by value */
function trialsOf(goals) {
  return goals[0].result.probes
    .flatMap((probe, i) => {
      const y = figureOf(probe);
      const probes = goals.map(({ result }) => result.probes[i]).filter(({ held }) => held !== null);
      return y === undefined || probes.length === 0 ? [] : [{ value: probe.value, y, probes }];
    })
    .sort((a, b) => a.value - b.value);
}

/** @param {Trial} trial @returns {boolean} whether any goal held */
const hasHeld = ({ probes }) => probes.some(({ held }) => held);

/** @param {Trial[]} trials @returns {Point[]} median of the trials at each value */
const mediansOf = (trials) =>
  [...new Set(trials.map(({ value }) => value))].map((value) => [
    value,
    medianOf(trials.filter((trial) => trial.value === value).map(({ y }) => y)),
  ]);

/**
 * Brackets that do not overlap share a row.
 * @param {{ color: number, goals: Goal[] }[]} servers
 * @returns {NonNullable<Panel['brackets']>}
 */
function bracketsOf(servers) {
  let rows = 0;
  return servers.flatMap(({ color, goals }) => {
    const first = rows;
    /** @type {number[]} end of the last bracket in each of the server's rows */
    const ends = [];
    return goals
      .flatMap(({ result: { held, failed } }) => (held || failed ? [{ from: held?.value, to: failed?.value }] : []))
      .filter((bracket, i, brackets) => {
        const isSame = (/** @type {typeof bracket} */ { from, to }) => from === bracket.from && to === bracket.to;
        return brackets.findIndex(isSame) === i;
      })
      .sort((a, b) => (a.from ?? 0) - (b.from ?? 0))
      .map(({ from, to }) => {
        const freeRow = ends.findIndex((end) => end < (from ?? 0));
        const row = freeRow < 0 ? ends.length : freeRow;
        ends[row] = to ?? Infinity;
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
 * @param {number} at index of the chart
 * @returns {Chart[]} none if fewer than two values have a number to draw
 */
function chartOf({ maximise }, goals, results, at) {
  const { figure } = goals[0];
  const servers = [...new Set(goals.map(({ result }) => result.server))].flatMap((server) => {
    const serverGoals = goals.filter(({ result }) => result.server === server);
    const trials = trialsOf(serverGoals);
    const f = results.find(({ id }) => serverGoals[0].result.probes.some((probe) => probe.leg === id));
    return trials.length === 0 || f === undefined ? [] : [{ server, color: f.colour, goals: serverGoals, trials }];
  });
  const allTrials = servers.flatMap(({ trials }) => trials);
  if (new Set(allTrials.map(({ value }) => value)).size < 2) return [];
  const limits = new Map(goals.map(({ clause, limit }) => [clause, limit]));
  const probes = allTrials.flatMap((trial) => trial.probes);
  const hasOneGoal = limits.size === 1;
  const causes = causesText(maximise, probes);
  const isBeyond = probes.some(({ figures: [first] }) => first.above !== undefined);
  const { word } = SOUGHT_AXES[maximise];
  return [
    {
      id: `search-${at}`,
      kind: 'line',
      title: `${figure.name} against ${word}`,
      lead:
        `A dot is a trial, the line their median. Below the axis, between the greatest value that held and the smallest that failed: the answer${hasOneGoal ? '' : ' for each goal'}.` +
        `${causes === '' ? '' : ` Other causes of failed trials: ${causes}.`}` +
        `${isBeyond ? ' If too many requests have no reply, the percentile is unknown and the dot is at the longest response time.' : ''}`,
      endLabels: true,
      legend: [
        { role: 'held', label: hasOneGoal ? 'held' : 'held a goal' },
        { role: 'missed', label: hasOneGoal ? 'failed' : 'failed every goal' },
      ],
      x: axisOf(
        allTrials.map(({ value }) => value),
        maximise,
      ),
      y: figureAxisOf([...allTrials.map(({ y }) => y), ...limits.values()], AXES[figure.unit] ?? 'cores'),
      panels: [
        {
          leg: null,
          datasets: servers.flatMap(({ server, color, trials }) => {
            const points = (/** @type {boolean} */ isHeld) =>
              trials
                .filter((trial) => hasHeld(trial) === isHeld)
                .map(({ value, y }) => /** @type {Point} */ ([value, y]));
            return [
              { role: 'trend', color, label: server, points: mediansOf(trials) },
              { role: 'held', color, label: `${server}, held`, points: points(true) },
              { role: 'missed', color, label: `${server}, failed`, points: points(false) },
            ];
          }),
          marks: [...limits].map(([label, limit]) => ({ axis: 'y', at: limit, label })),
          brackets: bracketsOf(servers),
          alt: `${SOUGHT[maximise]}, by ${figure.name}. ${servers
            .flatMap(({ server, goals: serverGoals }) =>
              serverGoals.map(({ clause, result }) => `${server}, ${clause}: ${result.answer}`),
            )
            .join('; ')}. ${servers
            .map(
              ({ server, trials }) =>
                `${server}: ${trials.map((trial) => `${probeText(maximise, trial.value)} ${hasHeld(trial) ? 'held' : 'failed'}, ${probeFigures(trial.probes[0])}`).join('; ')}`,
            )
            .join('. ')}.`,
        },
      ],
    },
  ];
}

/**
 * @param {SearchSummary | undefined} search of the summary @param {PageLeg[]} results the legs with samples
 * @returns {Chart[]}
 */
export function searchCharts(search, results) {
  const goals = (search?.answers ?? []).flatMap((result) => {
    const [{ figure, value: limit, text: clause }] = conditionOf(result.goal).clauses;
    return typeof limit === 'number' ? [{ figure, limit, clause, result }] : [];
  });
  if (search === undefined) return [];
  return [...new Set(goals.map(({ figure }) => figure))].flatMap((figure, at) =>
    chartOf(
      search,
      goals.filter((goal) => goal.figure === figure),
      results,
      at,
    ),
  );
}
