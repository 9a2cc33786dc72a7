/**
 * A chart of bars: the rate of each leg, grouped by the axis in which the legs of a server differ and whose values are
 * names, such as the commands of redis; a bar for each server. Pure.
 */
import { percent, rate } from '../../../client/results/format.js';
import { unwantedText } from '../../../client/results/phrases/replies.js';

/** @typedef {import('../../types.js').LegResults} LegResults */
/**
 * @typedef {{ series: number, colour: number, leg: string, value: number | undefined, share: number, text: string, bad: string }} Bar
 *   series: its place in the chart's; share: of the longest bar; bad: what went wrong, in words; '': nothing
 * @typedef {{ title: string, lead: string, axis: string, series: string[], groups: { name: string, bars: Bar[] }[] }} BarChart
 */

/** Axes whose values are names. @type {Record<string, (f: LegResults) => string | undefined>} */
const AXES = { test: (f) => f.test };

/** @param {LegResults} f @returns {string} */
const failureText = (f) =>
  [unwantedText(f.replies), f.failedShare > 0 ? `failed ${percent(f.failedShare)}` : '', f.servedOnlySome ?? '']
    .filter((text) => text !== '')
    .join(', ');

/** @param {LegResults[]} results @returns {BarChart | null} null unless the legs have at least two names on one axis */
export function barChart(results) {
  const found = Object.entries(AXES).find(([, of]) => new Set(results.flatMap((f) => of(f) ?? [])).size > 1);
  const isRate = results.every((f) => !f.heldOnly && f.workload !== 'once');
  if (found === undefined || !isRate) return null;
  const [axis, nameOf] = found;
  const reconnects = results.some((f) => f.workload === 'reconnect');
  const valueOf = (/** @type {LegResults} */ f) => (reconnects ? f.opensPerSecond : f.perSecond);
  const named = results.filter((f) => nameOf(f) !== undefined);
  const series = [...new Set(named.map((f) => f.series ?? f.label))];
  const most = Math.max(0, ...named.map((f) => valueOf(f) ?? 0)) || 1;
  const bar = (/** @type {LegResults} */ f) => {
    const value = f.ran ? valueOf(f) : undefined;
    return {
      series: series.indexOf(f.series ?? f.label),
      colour: f.colour,
      leg: f.label,
      value,
      share: (value ?? 0) / most,
      text: value === undefined ? (f.ran ? '–' : 'did not run') : rate(value),
      bad: f.ran ? failureText(f) : '',
    };
  };
  const names = [...new Set(named.map((f) => /** @type {string} */ (nameOf(f))))];
  return {
    title: `${reconnects ? 'Connections opened' : 'Transfers'} per second by ${axis}`,
    lead: 'A bar for each leg, from zero; the longest is the highest rate.',
    axis,
    series,
    groups: names.map((name) => ({ name, bars: named.filter((f) => nameOf(f) === name).map(bar) })),
  };
}
