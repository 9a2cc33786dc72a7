/**
 * Runs in the page. What is shown under the pointer: every line at that moment, or the one single transfer it
 * touches.
 */
import { count } from '../../client/words/format.js';
import { boundsText } from '../../client/words/intervals.js';
import { cellTexts } from './heat-map.js';
import { FORMATS } from './scales.js';
import { SMALL_TEXT } from './theme.js';

/** @import { Drawn, DrawnDataset, Item, ModelChart, Palette, TooltipItem } from './types.js' */

/** Status numbers of the transfer log and of sampled transfers. */
export const STATUSES = ['ok', 'timeout', 'reset', 'closed', 'corrupt', 'protocol', 'unfinished', 'other'];
/** Of more lines, only those nearest to the pointer are listed. */
export const MAX_LINES = 12;
/** What a dagger at a point means. */
const DISTURBED = 'other programs used the machine';
const isCloud = (/** @type {DrawnDataset} */ dataset) => ['cloud', 'failed'].includes(dataset.role);

/** @param {Pick<DrawnDataset, 'role'>} dataset @returns {boolean} whether no place of the axis is read from it */
export const isOfDots = ({ role }) => ['cloud', 'failed', 'second', 'knee'].includes(role);

/** Farther away a point says nothing of a place, px. */
const FAR = 30;

/**
 * The nearest point of a line, by bisection. Its elements do not serve: those outside the axis are where they last
 * were.
 * @param {Drawn} chart
 * @param {number} datasetIndex
 * @param {number} x px
 * @returns {number} its index; -1: nothing is near
 */
function nearestIndex(chart, datasetIndex, x) {
  const { data, stepped } = chart.data.datasets[datasetIndex];
  const { min, max } = chart.scales.x;
  const value = chart.scales.x.getValueForPixel(x);
  const far = (/** @type {number} */ i) => Math.abs(chart.scales.x.getPixelForValue(data[i].x) - x);
  let [low, high] = [0, data.length - 1];
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (data[mid].x < value) low = mid;
    else high = mid;
  }
  // half a pixel: a place that was made of a value comes back as nearly that value
  if (stepped)
    return data.length === 0 || x > chart.scales.x.getPixelForValue(data[high].x) + 0.5
      ? -1
      : far(low) < 0.5
        ? low
        : high;
  const [near] = [low, high]
    .filter((i) => i >= 0 && i < data.length && data[i].x >= min && data[i].x <= max)
    .sort((a, b) => far(a) - far(b));
  return near === undefined || far(near) >= FAR ? -1 : near;
}

/**
 * @param {Drawn} chart
 * @param {number} x px
 * @returns {Item[]} of each visible line the nearest point, unless it is far away or a gap
 */
export function itemsAt(chart, x) {
  return chart.getSortedVisibleDatasetMetas().flatMap(({ index: datasetIndex, data }) => {
    const dataset = chart.data.datasets[datasetIndex];
    const index = isOfDots(dataset) || data.length === 0 ? -1 : nearestIndex(chart, datasetIndex, x);
    return index < 0 || Number.isNaN(dataset.data[index].y) ? [] : [{ element: data[index], datasetIndex, index }];
  });
}

/**
 * chart.js interaction mode.
 * @param {Drawn} chart
 * @param {{ x: number, y: number }} event
 * @returns {Item[]} items under the pointer
 */
export function atPointer(chart, event) {
  const { x, y } = event;
  chart.pointerY = y;
  /** @type {Item | null} */
  let touched = null;
  let least = 36;
  chart.getSortedVisibleDatasetMetas().forEach((meta) => {
    if (!isCloud(chart.data.datasets[meta.index])) return;
    meta.data.forEach((element, index) => {
      const distance = (element.x - x) ** 2 + (element.y - y) ** 2;
      if (!element.skip && distance < least)
        [least, touched] = [distance, { element, datasetIndex: meta.index, index }];
    });
  });
  if (touched) return [touched];
  const items = itemsAt(chart, x);
  if (items.length <= MAX_LINES) return items;
  const far = (/** @type {Item} */ { element }) => Math.abs(element.y - y);
  const near = [...items].sort((a, b) => far(a) - far(b)).slice(0, MAX_LINES);
  return items.filter((item) => near.includes(item));
}

/**
 * @param {Drawn} chart by chart.js
 * @param {number} x px
 * @returns {number | undefined} where a point of its lines is nearest
 */
export function nearestPoint(chart, x) {
  const values = itemsAt(chart, x).map(({ datasetIndex, index }) => chart.data.datasets[datasetIndex].data[index].x);
  const value = chart.scales.x.getValueForPixel(x);
  return values.sort((a, b) => Math.abs(a - value) - Math.abs(b - value))[0];
}

/**
 * @param {TooltipItem} item
 * @returns {boolean} whether it is worth a line: of many causes only those that were met are
 */
const isNamed = ({ dataset, raw }) => dataset.role !== 'cause' || raw.y > 0;

/**
 * @param {ModelChart} chart of the model
 * @param {TooltipItem} item a dataset of chart.js, and which point of it
 * @returns {string}
 */
function itemText(chart, { dataset, dataIndex, raw }) {
  const yText = FORMATS[chart.y.unit] ?? String;
  const whole = chart.y.unit === 'count' ? count : yText;
  const interval = dataset.intervals?.[dataIndex];
  const between = interval ? ` (${boundsText(interval, whole)})` : '';
  const disturbed = dataset.disturbed?.includes(dataIndex) ? `, ${DISTURBED}` : '';
  if (!isCloud(dataset)) return `${dataset.label}: ${whole(raw.y)}${between}${disturbed}`;
  return `connection ${raw.connection}, ${STATUSES[Number(raw.status)] ?? raw.status}: ${yText(raw.y)}`;
}

/**
 * @param {ModelChart} chart of the model
 * @param {TooltipItem} item as of a tooltip
 * @returns {string[]} without a cell, which only a pointer is in
 */
const textsOf = (chart, item) =>
  item.dataset.role === 'heat'
    ? cellTexts(item)
        .slice(1)
        .map((text) => text.trim())
    : [itemText(chart, item)];

/**
 * @param {ModelChart} chart of the model @param {Drawn} drawn by chart.js @param {number} x px
 * @returns {Array<{ colour: string, text: string }>} the values of its lines there
 */
export function lineTexts(chart, drawn, x) {
  return itemsAt(drawn, x)
    .map(({ element, datasetIndex, index }) => {
      const dataset = drawn.data.datasets[datasetIndex];
      return { chart: drawn, element, dataset, dataIndex: index, raw: dataset.data[index] };
    })
    .filter(isNamed)
    .flatMap((item) => {
      const { role, backgroundColor, borderColor } = item.dataset;
      return textsOf(chart, item).map((text) => ({ colour: role === 'cause' ? backgroundColor : borderColor, text }));
    });
}

/** @param {ModelChart} chart of the model @param {Palette} theme @returns {object} chart.js tooltip options */
export function tooltipOf(chart, theme) {
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
    titleFont: { weight: 600, size: SMALL_TEXT },
    bodyFont: { size: SMALL_TEXT },
    filter: isNamed,
    callbacks: {
      title: (/** @type {TooltipItem[]} */ items) => (items.length ? FORMATS[chart.x.unit](items[0].raw.x) : ''),
      label: (/** @type {TooltipItem} */ item) =>
        item.dataset.role === 'heat' ? cellTexts(item) : ` ${itemText(chart, item)}`,
    },
  };
}
