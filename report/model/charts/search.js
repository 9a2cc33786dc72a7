/**
 * The probes of a search, a chart for each server: the figure of the condition's first clause against the value that
 * was varied. Marks are at the limit of that clause, and at both ends of the answer. Of several goals: percentiles of
 * the response time.
 */
import { conditionOf } from '../../../client/judge/conditions/parse.js';
import { curvesOf, PERCENTILES } from '../../../client/judge/search/curve.js';
import { joinNames } from '../../../client/words/lists.js';
import { SOUGHT, probeFigures, probeText, whyText } from '../../../client/words/search.js';
import { decadeBelow } from './response-time.js';

/**
 * @import { Value } from '../../../client/judge/figures.js'
 * @import { Axis, Found, Leg, Probe, SearchSummary } from '../../../client/judge/search/index.js'
 * @import { Axis as ChartAxis, Chart, Point } from '../../types.js'
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
/** From this ratio of the largest to the smallest value on, an axis is logarithmic. */
const DECADE = 10;
/** Room around the points, as a share of the axis. */
const ROOM = 0.06;

/**
 * @param {Probe} probe
 * @returns {number | undefined} of its first figure; a percentile that is above all that was measured is at their
 *   maximum
 */
function figureOf({ figures: [first] }) {
  const value = first?.value ?? first?.above;
  return typeof value === 'number' ? value : undefined;
}

/** @param {number[]} values @param {string} unit @returns {ChartAxis} around them */
function axisOf(values, unit) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (least > 0 && most / least >= DECADE) return { type: 'log', unit, min: least / 1.2, max: most * 1.2 };
  const room = (most - least || most || 1) * ROOM;
  return { type: 'linear', unit, min: Math.max(0, least - room), max: most + room };
}

/** @param {number[]} values @param {string} unit @returns {ChartAxis} durations are logarithmic, as elsewhere */
function figureAxisOf(values, unit) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (unit === 'duration' && least > 0) return { type: 'log', unit, min: decadeBelow(least), max: most * 1.5 };
  return { type: 'linear', unit, min: 0, max: most * 1.12 || 1 };
}

/** @param {Axis} axis @param {Probe[]} probes @returns {string} what did not hold, and at which values */
function failedText(axis, probes) {
  const failed = probes.filter(({ held }) => held === false);
  const reasons = [...new Set(failed.map(reasonOf))];
  return reasons
    .map((reason) => {
      const values = failed.filter((probe) => reasonOf(probe) === reason).map(({ value }) => value);
      return `${reason} at ${joinNames([...new Set(values)].sort((a, b) => a - b).map((value) => probeText(axis, value)))}`;
    })
    .join('; ');
}

/** @param {Probe} probe that failed @returns {string} */
const reasonOf = (probe) => whyText(probe) || probe.figures[0].condition;

/**
 * @param {Pick<SearchSummary, 'maximise'> & { goal: string }} search
 * @param {Probe[]} probes
 * @returns {string} what the marks mean, as far as they are there
 */
function leadText({ maximise, goal }, probes) {
  const cross = probes.some(({ held }) => held === false)
    ? ` A cross: it failed (${failedText(maximise, probes)}).`
    : '';
  const isBeyond = probes.some(({ figures: [first] }) => first.above !== undefined);
  const beyond =
    ' Where too many requests have no reply for a percentile to be known, the mark is at the longest response time.';
  return `A dot: ${goal}.${cross}${isBeyond ? beyond : ''}`;
}

/**
 * @param {SearchSummary} search @param {Found} found @param {number} at its place
 * @returns {Chart[]} none where fewer than two values have a number to draw
 */
function chartOf({ maximise }, { label, goal, decided, probes, ...ends }, at) {
  const [{ figure, value: limit, text: clause }] = conditionOf(goal).clauses;
  const drawn = probes.filter((probe) => probe.held !== null && figureOf(probe) !== undefined);
  if (new Set(drawn.map(({ value }) => value)).size < 2 || typeof limit !== 'number') return [];
  const pointsOf = (/** @type {boolean} */ held) =>
    drawn.flatMap((probe) => (probe.held === held ? [/** @type {Point} */ ([probe.value, figureOf(probe)])] : []));
  const word = maximise === 'rate' ? 'requests per second' : 'connections';
  const said = drawn.map(
    (probe) => `${probeText(maximise, probe.value)} ${probe.held ? 'held' : 'failed'}, ${probeFigures(probe)}`,
  );
  const values = drawn.map((probe) => Number(figureOf(probe)));
  return [
    {
      id: `search-${at}`,
      layout: 'overlay',
      kind: 'line',
      title: `${label}: ${figure.name} against ${word}`,
      lead: leadText({ maximise, goal }, drawn),
      section: 'asked',
      own: true,
      legend: [
        { role: 'held', label: 'held' },
        { role: 'failed', label: 'failed' },
      ],
      x: axisOf(
        drawn.map(({ value }) => value),
        'count',
      ),
      y: figureAxisOf([...values, limit], AXES[figure.unit] ?? 'cores'),
      panels: [
        {
          leg: null,
          datasets: [
            { role: 'held', label: `held, ${figure.name}`, points: pointsOf(true) },
            { role: 'missed', label: `failed, ${figure.name}`, points: pointsOf(false) },
          ],
          marks: [
            { axis: 'y', at: limit, label: clause },
            ...(decided && ends.held ? [{ axis: /** @type {'x'} */ ('x'), at: ends.held.value, label: '' }] : []),
            ...(decided && ends.failed
              ? [{ axis: /** @type {'x'} */ ('x'), at: ends.failed.value, label: 'answer' }]
              : []),
          ],
          alt: `${SOUGHT[maximise]} for ${label}, by ${figure.name}. ${said.join('; ')}.`,
        },
      ],
    },
  ];
}

/** Of PERCENTILES, in this order. */
const ROLES = ['lowest', 'middle', 'highest'];

/** @param {Value} value @returns {number | undefined} a percentile above all that was measured is at their maximum */
function drawnTime(value) {
  const known = typeof value === 'object' ? value.above : value;
  return typeof known === 'number' && known > 0 ? known : undefined;
}

/**
 * Of several goals: response times of the legs in open loop against what was varied, a chart for each server, on the
 * same axes.
 * @param {SearchSummary} search @param {Leg[]} legs
 * @returns {Chart[]}
 */
function curveCharts(search, legs) {
  const curves = curvesOf(search, legs).map(({ server, points }) => ({
    server,
    points: points.filter(
      ({ isSaturated, times }) => !isSaturated && times.every((one) => drawnTime(one) !== undefined),
    ),
  }));
  const all = curves.flatMap(({ points }) => points);
  if (new Set(all.map(({ value }) => value)).size < 2) return [];
  const word = search.maximise === 'rate' ? 'requests per second' : 'connections';
  const times = all.flatMap(({ times: some }) => some.flatMap((one) => drawnTime(one) ?? []));
  const x = axisOf(
    all.map(({ value }) => value),
    'count',
  );
  return curves.map(({ server, points }, at) => ({
    id: `search-${at}`,
    layout: 'overlay',
    kind: 'line',
    title: `${server}: response time against ${word}`,
    lead: 'Each dot is a leg. Upright lines: the greatest value that held, for each goal. Where too many requests have no reply for a percentile to be known, it is drawn at the longest response time.',
    section: 'asked',
    own: true,
    legend: PERCENTILES.map((name, i) => ({ role: ROLES[i], label: name })),
    x,
    y: figureAxisOf(times, 'duration'),
    panels: [
      {
        leg: null,
        datasets: PERCENTILES.map((name, i) => ({
          role: ROLES[i],
          label: name,
          points: points.map(({ value, times: some }) => /** @type {Point} */ ([value, drawnTime(some[i])])),
        })),
        marks: search.answers
          .filter((one) => one.server === server && one.decided)
          .flatMap(({ goal, held }) => (held ? [{ axis: /** @type {'x'} */ ('x'), at: held.value, label: goal }] : [])),
        alt: `Response time of ${server} against ${word}. ${search.answers
          .filter((one) => one.server === server)
          .map(({ goal, answer }) => `${goal}: ${answer}`)
          .join('; ')}.`,
      },
    ],
  }));
}

/**
 * @param {SearchSummary | undefined} search of the summary
 * @param {Leg[]} legs of the summary
 * @returns {Chart[]}
 */
export function searchCharts(search, legs) {
  if (search === undefined) return [];
  if (search.goals.length > 1) return curveCharts(search, legs);
  return search.answers.flatMap((found, at) => chartOf(search, found, at));
}
