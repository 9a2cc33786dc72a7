// The histogram of a leg's response times as one line, in steps of equal ratio, with marks at percentiles.

import { duration } from '../words/format.js';
import { heightOf } from './sparkline.js';

/**
 * @import { Histogram } from '../measure/histogram.js'
 * @import { Style } from './terminal-text.js'
 */

const MARK = '│';
const MAX_STEPS = 40;
const MIN_STEPS = 8;

/**
 * @param {Histogram} times @param {number} steps
 * @param {number[]} marks values, ascending
 * @returns {string} a character for each step, a space for an empty step, and a line at each mark
 */
function stepsText(times, steps, marks) {
  const ratio = (times.max / times.min) ** (1 / steps);
  const counts = Array(steps).fill(0);
  const stepOf = (/** @type {number} */ value) =>
    ratio > 1 ? Math.min(steps - 1, Math.max(0, Math.floor(Math.log(value / times.min) / Math.log(ratio)))) : 0;
  for (const [value, count] of times.values()) counts[stepOf(value)] += count;
  const highest = Math.max(...counts);
  const markSteps = marks.map(stepOf);
  return counts
    .map((count, step) => {
      const height = count === 0 ? ' ' : heightOf(count / highest);
      return height + MARK.repeat(markSteps.filter((at) => at === step).length);
    })
    .join('');
}

/**
 * @param {Histogram} times ns
 * @param {{ name: string, value: number }[]} marks percentiles, ascending
 * @param {number} width of the terminal @param {Style} style
 * @returns {string | null} null without times, or without room
 */
export function histogramLine(times, marks, width, style) {
  if (times.count === 0 || times.min <= 0) return null;
  const [from, to] = [duration(times.min), duration(times.max)];
  const key = marks.length === 0 ? '' : `  (${MARK} ${marks.map(({ name }) => name).join(', ')})`;
  const label = ' response times';
  const room = width - label.length - from.length - to.length - marks.length - key.length - 5;
  if (room < MIN_STEPS) return null;
  const drawn = stepsText(
    times,
    Math.min(MAX_STEPS, room),
    marks.map(({ value }) => value),
  );
  return `${label}  ${from} ${style('cyan', drawn)} ${to}${style('dim', key)}`;
}
