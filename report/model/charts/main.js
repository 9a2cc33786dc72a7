/** Chooses the charts at the top of the page: those of a sweep, search or ramp, and the tracks of a single leg. */
import { middle, total } from '../downsample.js';
import { causesOf, causesText, ERROR_WORDS, REJECT_WORDS } from './words.js';
import { nothingDue } from './response-time.js';
import { tracks } from './tracks.js';
import { count } from '../../../client/words/format.js';

/**
 * @import { Chart, ChartId, PageLeg, Point } from '../../types.js'
 * @import { ChartInput } from './all.js'
 */

const KINDS = /** @type {const} */ ([
  ['rejects', REJECT_WORDS],
  ['errors', ERROR_WORDS],
]);

/** @param {PageLeg} f @returns {string} such as "rejects: refused 4,210; errors: reset 12"; '' if there were none */
const failuresText = ({ summary }) =>
  KINDS.map(([kind, words]) => [kind, causesText(causesOf(summary[kind]), words, count)])
    .filter(([, text]) => text !== '')
    .map(([kind, text]) => `${kind}: ${text}`)
    .join('; ');

/**
 * @param {ChartInput} input of a single leg
 * @returns {Chart} rejects and errors together, stacked by cause
 */
function failures({ results: [f], bars: [bars], xMax, barStep }) {
  const datasets = KINDS.flatMap(([kind, words]) =>
    Object.entries(words).map(([cause, word]) => ({
      role: /** @type {const} */ ('cause'),
      ...{ cause, label: `${kind}: ${word}` },
      points: bars.map((interval) => /** @type {Point} */ ([middle(interval), total(interval, kind, cause)])),
    })),
  ).filter(({ points }) => points.some(([, n]) => n));
  const sums = bars.map((_, i) => datasets.reduce((sum, { points }) => sum + Number(points[i][1]), 0));
  const text = failuresText(f);
  return {
    id: 'failures',
    kind: 'bar',
    title: 'Rejects and errors',
    lead: `${text}; ${barStep === 1 ? 'each second' : `every ${barStep} s`}`,
    data: { barSeconds: barStep },
    empty: datasets.length > 0 ? undefined : { code: 'no-failures', data: {}, text: 'No rejects, no errors.' },
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: { type: 'linear', unit: 'count', min: 0, max: Math.max(0, ...sums) * 1.05 || 1 },
    legend: datasets.map(({ cause, label }) => ({ role: 'cause', cause, label })),
    panels: [{ leg: 0, phases: true, datasets, alt: `Rejects and errors over time. ${text || 'None'}.` }],
  };
}

/** Number of charts at the top of the page. */
const MAX_CHARTS = 4;

/** @param {Chart[]} main @param {Chart[]} charts @returns {Chart[]} each chart once, the main ones first and marked */
const mainFirst = (main, charts) => {
  const marked = [...main.map((chart) => ({ ...chart, section: /** @type {const} */ ('main') })), ...charts];
  return marked.filter(({ id }, at) => marked.findIndex((chart) => chart.id === id) === at);
};

/**
 * @param {ChartInput} input @param {Chart[]} charts the page's charts without the tracks
 * @returns {Chart[]} all charts of the page, those at the top first and marked
 */
export function withMainCharts(input, charts) {
  const sweep = charts.filter(({ part }) => part === 'sweep');
  const chartsOf = (/** @type {ChartId} */ id) => charts.filter((chart) => chart.id === id && !chart.empty);
  const ramp = charts.filter(({ id }) => id === 'steps' || id.startsWith('ramp-'));
  const main = [...sweep, ...ramp, ...chartsOf('response-by-size')];
  if (!input.isAlone) return mainFirst(main.slice(0, MAX_CHARTS), charts);
  const failed = failures(input);
  const held = nothingDue(input.results) ? chartsOf('connect') : [];
  return mainFirst([...main, ...held, ...(failed.empty ? [] : [failed])].slice(0, MAX_CHARTS), [
    ...tracks(input, charts),
    ...charts,
  ]);
}
