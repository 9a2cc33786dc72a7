// The response times of a leg as one line: how many there are from the shortest to the longest, in steps of equal
// ratio, with p50 and p99 between them. Pure.

import { duration } from '../words/format.js';
import { heightOf } from './sparkline.js';

/**
 * @import { Histogram } from '../measure/histogram.js'
 * @import { Style } from './terminal-text.js'
 */

const MARK = '│';
const MOST_STEPS = 40;
const LEAST_STEPS = 8;

/**
 * @param {Histogram} times @param {number} steps
 * @param {number[]} marks values, ascending
 * @returns {string} a character for each step, a space where nothing is in it; and a line at each mark
 */
function steps(times, steps, marks) {
  const ratio = (times.max / times.min) ** (1 / steps);
  const counts = Array(steps).fill(0);
  const stepOf = (/** @type {number} */ value) =>
    ratio > 1 ? Math.min(steps - 1, Math.max(0, Math.floor(Math.log(value / times.min) / Math.log(ratio)))) : 0;
  for (const [value, count] of times.values()) counts[stepOf(value)] += count;
  const most = Math.max(...counts);
  const isAfter = marks.map(stepOf);
  return counts
    .map((count, step) => {
      const height = count === 0 ? ' ' : heightOf(count / most);
      return height + MARK.repeat(isAfter.filter((at) => at === step).length);
    })
    .join('');
}

/**
 * @param {Histogram} times ns
 * @param {{ name: string, value: number }[]} marks percentiles, ascending
 * @param {number} width of the terminal @param {Style} style
 * @returns {string | null} null where there are no times, or no room
 */
export function histogramLine(times, marks, width, style) {
  if (times.count === 0 || times.min <= 0) return null;
  const [from, to] = [duration(times.min), duration(times.max)];
  const said = marks.length === 0 ? '' : `  (${MARK} ${marks.map(({ name }) => name).join(', ')})`;
  const label = ' response times';
  const room = width - label.length - from.length - to.length - marks.length - said.length - 5;
  if (room < LEAST_STEPS) return null;
  const drawn = steps(
    times,
    Math.min(MOST_STEPS, room),
    marks.map(({ value }) => value),
  );
  return `${label}  ${from} ${style('cyan', drawn)} ${to}${style('dim', said)}`;
}
