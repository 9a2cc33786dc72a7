/**
 * The probes of a search, a chart for each server: the figure of the condition's first clause against the value that was
 * varied. Marks are at the limit of that clause, and at both ends of the answer.
 */
import { conditionOf } from '../../../client/judge/conditions/parse.js';
import { joinNames } from '../../../client/words/lists.js';
import { GOALS, probeFigures, probeText, whyText } from '../../../client/words/search.js';
import { decadeBelow } from './response-time.js';

/**
 * @typedef {import('../../../client/judge/search/index.js').SearchSummary} SearchSummary
 * @typedef {import('../../../client/judge/search/index.js').Found} Found
 * @typedef {import('../../../client/judge/search/index.js').Probe} Probe
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

/** @param {Probe} probe @returns {number | undefined} of its first figure; a percentile that is above all that was measured is at their maximum */
function figureOf({ figures: [first] }) {
  const value = first?.value ?? first?.above;
  return typeof value === 'number' ? value : undefined;
}

/** @param {number[]} values @param {string} unit @returns {import('../../types.js').Axis} around them */
function axisOf(values, unit) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (least > 0 && most / least >= DECADE) return { type: 'log', unit, min: least / 1.2, max: most * 1.2 };
  const room = (most - least || most || 1) * ROOM;
  return { type: 'linear', unit, min: Math.max(0, least - room), max: most + room };
}

/** @param {number[]} values @param {string} unit @returns {import('../../types.js').Axis} durations are logarithmic, as elsewhere */
function figureAxisOf(values, unit) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (unit === 'duration' && least > 0) return { type: 'log', unit, min: decadeBelow(least), max: most * 1.5 };
  return { type: 'linear', unit, min: 0, max: most * 1.12 || 1 };
}

/** @param {import('../../../client/judge/search/index.js').Axis} axis @param {Probe[]} probes @returns {string} what did not hold, and at which values */
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

/** @param {Pick<SearchSummary, 'maximise' | 'while'>} search @param {Probe[]} probes @returns {string} what the marks mean, as far as they are there */
function leadText({ maximise, while: condition }, probes) {
  const cross = probes.some(({ held }) => held === false)
    ? ` A cross: it failed (${failedText(maximise, probes)}).`
    : '';
  const isBeyond = probes.some(({ figures: [first] }) => first.above !== undefined);
  const beyond =
    ' Where too many requests have no reply for a percentile to be known, the mark is at the longest response time.';
  return `A dot: ${condition}.${cross}${isBeyond ? beyond : ''}`;
}

/**
 * @param {SearchSummary} search @param {Found} found @param {number} at its place
 * @returns {import('../../types.js').Chart[]} none where fewer than two values have a number to draw
 */
function chartOf({ maximise, while: text }, { label, decided, probes, ...ends }, at) {
  const [{ figure, value: limit, text: clause }] = conditionOf(text).clauses;
  const drawn = probes.filter((probe) => probe.held !== null && figureOf(probe) !== undefined);
  if (new Set(drawn.map(({ value }) => value)).size < 2 || typeof limit !== 'number') return [];
  const pointsOf = (/** @type {boolean} */ held) =>
    drawn.flatMap((probe) =>
      probe.held === held ? [/** @type {import('../../types.js').Point} */ ([probe.value, figureOf(probe)])] : [],
    );
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
      lead: leadText({ maximise, while: text }, drawn),
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
          alt: `${GOALS[maximise]} for ${label}, by ${figure.name}. ${said.join('; ')}.`,
        },
      ],
    },
  ];
}

/**
 * @param {SearchSummary | undefined} search of the summary
 * @returns {import('../../types.js').Chart[]}
 */
export const searchCharts = (search) =>
  search === undefined ? [] : search.servers.flatMap((found, at) => chartOf(search, found, at));
