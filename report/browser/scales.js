/** Runs in the page. Converts axes of the chart model into chart.js scales. Percentiles are drawn as 1/(1-p). */
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

/** @import { Axis, DrawnScale, Palette, Unit } from './types.js' */

/** @type {[place: number, name: string][]} */
const PERCENTILES = [
  [1, '0 %'],
  [2, '50 %'],
  [10, '90 %'],
  [100, '99 %'],
  [1000, '99.9 %'],
  [10000, '99.99 %'],
];

/** Formats values by the unit of their axis. @type {Record<Unit, (value: number) => string>} */
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
 * Formats ticks by unit. They are shorter than in tooltips, since the chart's title has the unit.
 * @type {Record<Unit, (value: number) => string>}
 */
const TICKS = {
  ...FORMATS,
  connections: (value) => count(value),
  rate: (value) => shortCount(value),
  throughput: (value) => plain(value / 1e6),
};

/** Round steps of a time axis, s. */
const TIME_STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 43_200];

/** Digits of a tick, enough for tenths of a second after an hour. */
const TIME_DIGITS = 5;

/** @param {number} seconds @param {number} step @returns {string} whole minutes if the step is at least a minute */
function timeMark(seconds, step) {
  if (step < 60 || seconds === 0) return `${plain(seconds, TIME_DIGITS)} s`;
  const minutes = Math.round(seconds / 60);
  const [hours, remainder] = [Math.floor(minutes / 60), minutes % 60];
  return [hours ? `${hours} h` : '', remainder || !hours ? `${remainder} min` : ''].join(' ').trim();
}

/** @param {number} seconds @returns {string} 42.5 s, 7 min 10.5 s */
function minutes(seconds) {
  if (seconds < 120) return `${plain(seconds, 4)} s`;
  const minutes = Math.floor(seconds / 60);
  const remainder = plain(Math.floor((seconds - 60 * minutes) * 10) / 10, 3);
  return minutes < 60
    ? `${minutes} min ${remainder} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min ${remainder} s`;
}

/** Sets the ticks of a time axis, as many as have room. @param {DrawnScale} scale */
function timeTicks(scale) {
  const maxTicks = Math.min(8, Math.max(2, Math.floor(scale.chart.width / 58)));
  const step = TIME_STEPS.find((s) => (scale.max - scale.min) / s <= maxTicks) ?? 86_400;
  scale.ticks = [];
  for (let i = Math.ceil(scale.min / step); i * step <= scale.max; i++) scale.ticks.push({ value: i * step });
}

/**
 * Sets the ticks of a logarithmic axis: decades, and values between them if there are few. @param {DrawnScale} scale
 */
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

/** Width of a character of a tick, px. */
const CHARACTER = 6.9;
/** Least distance between two ticks, px. */
const BETWEEN_TICKS = 10;
/** Width of the labels of the other axis, px. */
const BESIDE = 55;

/**
 * Sets ticks at the measured values that have room; the last value always has a tick.
 * @param {DrawnScale} scale @param {number[]} values ascending @param {(value: number) => string} text of a tick
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
        // In a narrow chart, 0 % would overlap 50 %.
        const ticks = PERCENTILES.slice(s.chart.width < 480 ? 1 : 0).map(([value]) => ({ value }));
        s.ticks = ticks.filter(({ value }) => value <= s.max);
      },
    });
    Object.assign(scale.ticks, {
      autoSkip: false,
      callback: (/** @type {number} */ value) => PERCENTILES.find(([x]) => x === value)?.[1] ?? '',
    });
  }
  return scale;
}
