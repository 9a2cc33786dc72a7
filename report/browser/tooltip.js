/**
 * Runs in the page. What is shown under the pointer: every line at that moment, or the one single transfer it
 * touches.
 */
import { count } from '../../client/results/format.js';
import { boundsText } from '../../client/results/phrases/intervals.js';
import { cellTexts } from './heat-map.js';
import { FORMATS } from './scales.js';

/** Status numbers of the transfer log and of sampled transfers. */
export const STATUSES = ['ok', 'timeout', 'reset', 'closed', 'corrupt', 'protocol', 'unfinished', 'other'];
/** Of more lines, only those nearest to the pointer are listed. */
const MAX_LINES = 12;
const isCloud = (/** @type {any} */ dataset) => dataset.role === 'cloud' || dataset.role === 'failed';

/**
 * @param {any} elements of one dataset
 * @param {number} x px
 * @returns {number} index of the nearest, by bisection when sorted
 */
function nearest(elements, x) {
  let [low, high] = [0, elements.length - 1];
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (elements[mid].x < x) low = mid;
    else high = mid;
  }
  return low === high || x - elements[low].x <= elements[high].x - x ? low : high;
}

/** chart.js interaction mode. @param {any} chart @param {any} event @returns {any[]} items under the pointer */
export function atPointer(chart, event) {
  const { x, y } = event;
  chart.pointerY = y;
  /** @type {any[]} */
  const items = [];
  /** @type {any} */
  let touched = null;
  let least = 36;
  chart.getSortedVisibleDatasetMetas().forEach((/** @type {any} */ meta) => {
    const dataset = chart.data.datasets[meta.index];
    if (isCloud(dataset)) {
      meta.data.forEach((/** @type {any} */ element, /** @type {number} */ index) => {
        const distance = (element.x - x) ** 2 + (element.y - y) ** 2;
        if (distance < least) [least, touched] = [distance, { element, datasetIndex: meta.index, index }];
      });
    } else if (meta.data.length) {
      const index = nearest(meta.data, x);
      const element = meta.data[index];
      if (Math.abs(element.x - x) < 30 && !Number.isNaN(dataset.data[index].y))
        items.push({ element, datasetIndex: meta.index, index });
    }
  });
  if (touched) return [touched];
  if (items.length <= MAX_LINES) return items;
  const far = (/** @type {any} */ { element }) => Math.abs(element.y - y);
  const near = [...items].sort((a, b) => far(a) - far(b)).slice(0, MAX_LINES);
  return items.filter((item) => near.includes(item));
}

/** @param {any} chart of the model @param {any} theme @returns {any} chart.js tooltip options */
export function tooltipOf(chart, theme) {
  const yText = FORMATS[chart.y.unit] ?? String;
  const whole = chart.y.unit === 'count' ? count : yText;
  return {
    mode: 'atPointer',
    intersect: false,
    backgroundColor: theme.ink,
    titleColor: theme.surface,
    bodyColor: theme.surface,
    footerColor: theme.surface,
    padding: 8,
    cornerRadius: 4,
    boxPadding: 4,
    usePointStyle: false,
    caretSize: 4,
    multiKeyBackground: 'transparent',
    titleFont: { weight: 600, size: 11 },
    bodyFont: { size: 11 },
    filter: (/** @type {any} */ item) => item.dataset.role !== 'cause' || item.parsed.y > 0,
    callbacks: {
      title: (/** @type {any[]} */ items) => (items.length ? FORMATS[chart.x.unit](items[0].raw.x) : ''),
      label: (/** @type {any} */ item) => {
        if (item.dataset.role === 'heat') return cellTexts(item);
        const interval = item.dataset.intervals?.[item.dataIndex];
        const between = interval ? ` (${boundsText(interval, whole)})` : '';
        if (!isCloud(item.dataset)) return ` ${item.dataset.label}: ${whole(item.raw.y)}${between}`;
        return ` connection ${item.raw.connection}, ${STATUSES[item.raw.status] ?? item.raw.status}: ${yText(item.raw.y)}`;
      },
    },
  };
}
