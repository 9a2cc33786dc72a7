/** Runs in the page. Axes of the chart model as chart.js scales: logarithmic in human units, percentiles as 1/(1-p). */
import {
  bytes,
  count,
  duration,
  payload,
  percent,
  plain,
  rate,
  shortCount,
  throughput,
} from '../../client/words/format.js';
import { pageFont, SMALL_TEXT } from './theme.js';

/** @import { Axis, DrawnScale, Palette } from './types.js' */

/** @type {[place: number, name: string][]} */
const PERCENTILES = [
  [1, '0 %'],
  [2, '50 %'],
  [10, '90 %'],
  [100, '99 %'],
  [1000, '99.9 %'],
  [10000, '99.99 %'],
];

/** How a value of an axis' unit is written. @type {Record<string, (value: number) => string>} */
export const FORMATS = {
  duration: (value) => duration(value),
  count: (value) => shortCount(value),
  connections: (value) => `${count(value)} connections`,
  rate: (value) => rate(value),
  throughput: (value) => throughput(value),
  bytes: (value) => bytes(value),
  payload: (value) => payload(value),
  cores: (value) => plain(value),
  s: minutes,
  share: (value) => percent(value),
  percentile: (value) => percent(1 - 1 / value),
};

/**
 * Texts of ticks are shorter than those of tooltips: their unit is in the title of the chart.
 * @type {Record<string, (value: number) => string>}
 */
const TICKS = {
  ...FORMATS,
  connections: (value) => count(value),
  rate: (value) => shortCount(value),
  throughput: (value) => plain(value / 1e6),
};

/** Round steps of a time axis, s. */
const TIME_STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 43_200];

/** Of a mark, so that neighbours differ by tenths of a second in the middle of an hour, too. */
const TIME_DIGITS = 5;

/** @param {number} seconds @param {number} step @returns {string} whole minutes where the marks are minutes apart */
function timeMark(seconds, step) {
  if (step < 60 || seconds === 0) return `${plain(seconds, TIME_DIGITS)} s`;
  const minutes = Math.round(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours ? `${hours} h` : '', rest || !hours ? `${rest} min` : ''].join(' ').trim();
}

/** @param {number} seconds @returns {string} 42.5 s, 7 min 10.5 s */
function minutes(seconds) {
  if (seconds < 120) return `${plain(seconds, 4)} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = plain(Math.floor((seconds - 60 * minutes) * 10) / 10, 3);
  return minutes < 60 ? `${minutes} min ${rest} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min ${rest} s`;
}

/** @param {DrawnScale} scale over time: as many marks as have room side by side */
function timeTicks(scale) {
  const most = Math.min(8, Math.max(2, Math.floor(scale.chart.width / 58)));
  const step = TIME_STEPS.find((s) => (scale.max - scale.min) / s <= most) ?? 86_400;
  scale.ticks = [];
  for (let i = Math.ceil(scale.min / step); i * step <= scale.max; i++) scale.ticks.push({ value: i * step });
}

/** @param {DrawnScale} scale a logarithmic one: decades, and 2 and 5 between them when there are few */
function logTicks(scale) {
  const ticks = [];
  const decades = Math.log10(scale.max / scale.min);
  const steps = decades > 3 ? [1] : decades > 1.2 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
  for (let e = Math.floor(Math.log10(scale.min)); e <= Math.ceil(Math.log10(scale.max)); e++) {
    for (const step of steps) {
      const value = step * 10 ** e;
      if (value >= scale.min * 0.999 && value <= scale.max * 1.001) ticks.push({ value });
    }
  }
  scale.ticks = ticks;
}

/** Of a character of a tick, and between two ticks, px. */
const CHARACTER = 6.9;
const BETWEEN_TICKS = 10;
/** What the labels of the other axis take of the width, px. */
const BESIDE = 55;

/**
 * The values that were measured, as far as they have room; the last one always has.
 * @param {DrawnScale} scale @param {number[]} values rising @param {(value: number) => string} text of a tick
 */
function givenTicks(scale, values, text) {
  const { min, max, type, chart, maxWidth } = scale;
  const at = (/** @type {number} */ value) =>
    (type === 'linear' ? (value - min) / (max - min) : Math.log(value / min) / Math.log(max / min)) *
    (Math.min(chart.width, maxWidth) - BESIDE);
  const room = BETWEEN_TICKS + CHARACTER * Math.max(...values.map((value) => text(value).length));
  /** @type {number[]} */
  const shown = [];
  for (const value of [...values].reverse()) {
    if (shown.length === 0 || at(shown[shown.length - 1]) - at(value) >= room) shown.push(value);
  }
  scale.ticks = shown.reverse().map((value) => ({ value }));
}

/**
 * @param {Axis} axis of the chart model
 * @param {Palette} theme
 * @param {'x' | 'y'} which
 * @returns a chart.js scale
 */
export function scaleOf(axis, theme, which) {
  const scale = {
    type: axis.type === 'log' || axis.type === 'percentile' ? 'logarithmic' : 'linear',
    min: axis.min,
    max: axis.max,
    grid: {
      display: true,
      color: theme.grid,
      drawTicks: false,
      lineWidth: which === 'x' && axis.type === 'time' ? 0 : 1,
    },
    border: { color: theme.axis },
    title: {
      display: which === 'x' && axis.title !== undefined,
      text: axis.title,
      color: theme.muted,
      font: { family: pageFont(), size: SMALL_TEXT },
      padding: { top: 2, bottom: 2 },
    },
    ticks: {
      display: true,
      color: theme.muted,
      font: { family: pageFont(), size: SMALL_TEXT },
      padding: 6,
      maxRotation: 0,
      autoSkipPadding: 12,
      callback: (/** @type {number} */ value) => TICKS[axis.unit](value),
    },
  };
  if (axis.type === 'time') {
    Object.assign(scale, { afterBuildTicks: timeTicks });
    Object.assign(scale.ticks, {
      autoSkip: false,
      callback: (/** @type {number} */ value, /** @type {number} */ _at, /** @type {{ value: number }[]} */ ticks) =>
        timeMark(value, ticks.length > 1 ? ticks[1].value - ticks[0].value : 1),
    });
  }
  if (axis.type === 'log') Object.assign(scale, { afterBuildTicks: logTicks });
  const { ticks: given } = axis;
  if (given) {
    Object.assign(scale, {
      afterBuildTicks: (/** @type {DrawnScale} */ s) => givenTicks(s, given, TICKS[axis.unit]),
    });
    Object.assign(scale.ticks, { autoSkip: false });
  }
  if (axis.type === 'linear') Object.assign(scale.ticks, { maxTicksLimit: 6, includeBounds: false });
  if (axis.type === 'percentile') {
    Object.assign(scale, {
      afterBuildTicks: (/** @type {DrawnScale} */ s) => {
        // Where it is narrow, 0 % would run into 50 %.
        const all = PERCENTILES.slice(s.chart.width < 480 ? 1 : 0).map(([value]) => ({ value }));
        s.ticks = all.filter(({ value }) => value <= s.max);
      },
    });
    Object.assign(scale.ticks, {
      autoSkip: false,
      callback: (/** @type {number} */ value) => PERCENTILES.find(([x]) => x === value)?.[1] ?? '',
    });
  }
  return scale;
}
