/** Runs in the page. Axes of the chart model as chart.js scales: logarithmic in human units, percentiles as 1/(1-p). */
import { bytes, duration, percent, plain, rate, shortCount, throughput } from '../units.js';
import { pageFont } from './theme.js';

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
  rate: (value) => rate(value),
  throughput: (value) => throughput(value),
  bytes: (value) => bytes(value),
  cores: (value) => plain(value),
  s: (value) => `${plain(value, 4)} s`,
  share: (value) => percent(value),
  percentile: (value) => percent(1 - 1 / value),
};

/**
 * Axis texts are shorter than tooltips: units that every tick would repeat stand in the title.
 * @type {Record<string, (value: number) => string>}
 */
const TICKS = { ...FORMATS, rate: (value) => shortCount(value), throughput: (value) => plain(value / 1e6) };

/** @param {any} scale a logarithmic one: decades, and 2 and 5 between them when there are few */
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

/** @param {any} axis of the chart model @param {any} theme @param {'x' | 'y'} which @returns {any} a chart.js scale */
export function scaleOf(axis, theme, which) {
  const scale = {
    type: axis.type === 'log' || axis.type === 'percentile' ? 'logarithmic' : 'linear',
    min: axis.min,
    max: axis.max,
    grid: { color: theme.grid, drawTicks: false, lineWidth: which === 'x' && axis.type === 'time' ? 0 : 1 },
    border: { color: theme.axis },
    ticks: {
      color: theme.muted,
      font: { family: pageFont(), size: 11 },
      padding: 6,
      maxRotation: 0,
      autoSkipPadding: 12,
      callback: (/** @type {number} */ value) => TICKS[axis.unit](value),
    },
  };
  if (axis.type === 'time') Object.assign(scale.ticks, { includeBounds: false, maxTicksLimit: 7 });
  if (axis.type === 'log') Object.assign(scale, { afterBuildTicks: logTicks });
  if (axis.type === 'linear') Object.assign(scale.ticks, { maxTicksLimit: 6, includeBounds: false });
  if (axis.type === 'share') Object.assign(scale.ticks, { stepSize: 0.25 });
  if (axis.type === 'percentile') {
    Object.assign(scale, {
      afterBuildTicks: (/** @type {any} */ s) => {
        // Where it is narrow, 0 % would run into 50 %.
        s.ticks = PERCENTILES.slice(s.chart.width < 480 ? 1 : 0).map(([value]) => ({ value }));
      },
    });
    Object.assign(scale.ticks, {
      autoSkip: false,
      callback: (/** @type {number} */ value) => PERCENTILES.find(([x]) => x === value)?.[1] ?? '',
    });
  }
  return scale;
}
