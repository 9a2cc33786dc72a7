/**
 * Runs in the page. The tooltip: the values of all lines at the pointer, or the single transfer under it.
 */
import { count } from '../../client/words/format.js';
import { boundsText } from '../../client/words/intervals.js';
import { cellTexts } from './heat-map.js';
import { FORMATS } from './scales.js';

/** @import { Drawn, DrawnDataset, Item, ModelChart, Tooltip, TooltipItem } from './types.js' */

/** Status numbers of the transfer log and of sampled transfers. */
export const STATUSES = ['ok', 'timeout', 'reset', 'closed', 'corrupt', 'protocol', 'unfinished', 'other'];
/** If there are more lines, only those nearest to the pointer are listed. */
export const MAX_LINES = 12;
/** Meaning of a dagger at a point. */
const DISTURBED = 'other programs used the machine';
const isCloud = (/** @type {DrawnDataset} */ dataset) => ['cloud', 'failed'].includes(dataset.role);

/** @param {Pick<DrawnDataset, 'role'>} dataset @returns {boolean} whether it consists of dots, so that keys skip it */
export const hasOnlyDots = ({ role }) => ['cloud', 'failed', 'second', 'knee'].includes(role);

/** Greatest distance of a point from the pointer, px. */
const FAR = 30;

/**
 * Finds the nearest point of a line by bisection of its data. chart.js does not update elements outside the axis.
 * @param {Drawn} chart
 * @param {number} datasetIndex
 * @param {number} x px
 * @returns {number} index of the point; -1: none is near
 */
function nearestIndex(chart, datasetIndex, x) {
  const { data, stepped } = chart.data.datasets[datasetIndex];
  const { min, max } = chart.scales.x;
  const value = chart.scales.x.getValueForPixel(x);
  const distance = (/** @type {number} */ i) => Math.abs(chart.scales.x.getPixelForValue(data[i].x) - x);
  let [low, high] = [0, data.length - 1];
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (data[mid].x < value) low = mid;
    else high = mid;
  }
  // Half a pixel: the conversion of a value to pixels and back is inexact.
  if (stepped)
    return data.length === 0 || x > chart.scales.x.getPixelForValue(data[high].x) + 0.5
      ? -1
      : distance(low) < 0.5
        ? low
        : high;
  const [near] = [low, high]
    .filter((i) => i >= 0 && i < data.length && data[i].x >= min && data[i].x <= max)
    .sort((a, b) => distance(a) - distance(b));
  return near === undefined || distance(near) >= FAR ? -1 : near;
}

/**
 * @param {Drawn} chart
 * @param {number} x px
 * @returns {Item[]} the nearest point of each visible line, unless it is far away or a gap
 */
export function itemsAt(chart, x) {
  return chart.getSortedVisibleDatasetMetas().flatMap(({ index: datasetIndex, data }) => {
    const dataset = chart.data.datasets[datasetIndex];
    const index = hasOnlyDots(dataset) || data.length === 0 ? -1 : nearestIndex(chart, datasetIndex, x);
    return index < 0 || Number.isNaN(dataset.data[index].y) ? [] : [{ element: data[index], datasetIndex, index }];
  });
}

/**
 * A chart.js interaction mode.
 * @param {Drawn} chart
 * @param {{ x: number, y: number }} event
 * @returns {Item[]} items under the pointer
 */
export function atPointer(chart, event) {
  const { x, y } = event;
  chart.pointerY = y;
  /** @type {Item | null} */
  let touched = null;
  let nearestSquare = 36;
  chart.getSortedVisibleDatasetMetas().forEach((meta) => {
    if (!isCloud(chart.data.datasets[meta.index])) return;
    meta.data.forEach((element, index) => {
      const distance = (element.x - x) ** 2 + (element.y - y) ** 2;
      if (!element.skip && distance < nearestSquare)
        [nearestSquare, touched] = [distance, { element, datasetIndex: meta.index, index }];
    });
  });
  if (touched) return [touched];
  const items = itemsAt(chart, x);
  if (items.length <= MAX_LINES) return items;
  const distanceOf = (/** @type {Item} */ { element }) => Math.abs(element.y - y);
  const near = [...items].sort((a, b) => distanceOf(a) - distanceOf(b)).slice(0, MAX_LINES);
  return items.filter((item) => near.includes(item));
}

/**
 * @param {Drawn} chart by chart.js
 * @param {number} x px
 * @returns {number | undefined} x value of the nearest point of the lines
 */
export function nearestPoint(chart, x) {
  const values = itemsAt(chart, x).map(({ datasetIndex, index }) => chart.data.datasets[datasetIndex].data[index].x);
  const value = chart.scales.x.getValueForPixel(x);
  return values.sort((a, b) => Math.abs(a - value) - Math.abs(b - value))[0];
}

/**
 * @param {TooltipItem} item
 * @returns {boolean} false for a cause that did not occur
 */
const isNamed = ({ dataset, raw }) => dataset.role !== 'cause' || raw.y > 0;

/**
 * @param {ModelChart} chart of the model
 * @param {TooltipItem} item a point of a chart.js dataset
 * @returns {string}
 */
function itemText(chart, { dataset, dataIndex, raw }) {
  const format = chart.y.unit === 'count' ? count : FORMATS[chart.y.unit];
  const interval = dataset.intervals?.[dataIndex];
  const bounds = interval ? ` (${boundsText(interval, format)})` : '';
  const disturbed = dataset.disturbed?.includes(dataIndex) ? `, ${DISTURBED}` : '';
  if (!isCloud(dataset)) return `${dataset.label}: ${format(raw.y)}${bounds}${disturbed}`;
  return `connection ${raw.connection}, ${STATUSES[Number(raw.status)] ?? raw.status}: ${format(raw.y)}`;
}

/**
 * @param {ModelChart} chart of the model
 * @param {TooltipItem} item
 * @returns {string[]} texts without the cell of a heat map, since there is no pointer
 */
const textsOf = (chart, item) =>
  item.dataset.role === 'heat'
    ? cellTexts(item)
        .slice(1)
        .map((text) => text.trim())
    : [itemText(chart, item)];

/** @param {DrawnDataset} dataset @returns {string} */
const lineColour = ({ role, backgroundColor, borderColor }) => (role === 'cause' ? backgroundColor : borderColor);

/**
 * @param {ModelChart} chart of the model @param {Drawn} drawn by chart.js @param {number} x px
 * @returns {Array<{ colour: string, text: string }>} the values of its lines at x
 */
export function lineTexts(chart, drawn, x) {
  return itemsAt(drawn, x)
    .map(({ element, datasetIndex, index }) => {
      const dataset = drawn.data.datasets[datasetIndex];
      return { chart: drawn, element, dataset, dataIndex: index, raw: dataset.data[index] };
    })
    .filter(isNamed)
    .flatMap((item) => textsOf(chart, item).map((text) => ({ colour: lineColour(item.dataset), text })));
}

/** Distance from the pointer, px. */
const ASIDE_OF_POINTER = 12;

/** @returns {HTMLElement} element above the page, since a low chart has no room for it */
function tooltipBox() {
  const known = document.getElementById('chart-tooltip');
  if (known) return known;
  const box = document.createElement('div');
  box.id = 'chart-tooltip';
  // Screen readers get the reading of the chart with the focus.
  box.setAttribute('aria-hidden', 'true');
  document.body.append(box);
  return box;
}

/** @param {string} text @param {string} colour of the chip before it @returns {HTMLElement} */
export function chipLine(text, colour) {
  const line = document.createElement('span');
  const chip = document.createElement('i');
  chip.style.background = colour;
  line.append(chip, text);
  return line;
}

export function closeTooltip() {
  tooltipBox().hidden = true;
}

/** @param {{ chart: Drawn, tooltip: Tooltip }} shown by chart.js */
function showTooltip({ chart: { canvas }, tooltip }) {
  if (tooltip.opacity === 0 || tooltip.body.length === 0) return closeTooltip();
  const lines = tooltip.body.flatMap((item, i) =>
    item.lines.map((text) => chipLine(text.trim(), lineColour(tooltip.dataPoints[i].dataset))),
  );
  const { left, top } = canvas.getBoundingClientRect();
  openTooltip({ x: left + tooltip.caretX, y: top + tooltip.caretY }, tooltip.title.join(), lines);
}

/** @param {{ x: number, y: number }} place px of the window @param {string} head @param {HTMLElement[]} lines */
export function openTooltip({ x, y }, head, lines) {
  const box = tooltipBox();
  box.hidden = false;
  const title = document.createElement('b');
  title.textContent = head;
  box.replaceChildren(title, ...lines);
  const { offsetWidth, offsetHeight } = box;
  const { clientWidth, clientHeight } = document.documentElement;
  const toLeft = x + ASIDE_OF_POINTER + offsetWidth > clientWidth && x > clientWidth / 2;
  const place = toLeft ? x - ASIDE_OF_POINTER - offsetWidth : x + ASIDE_OF_POINTER;
  box.style.left = `${Math.max(0, Math.min(place, clientWidth - offsetWidth))}px`;
  box.style.top = `${Math.max(0, Math.min(y - offsetHeight / 2, clientHeight - offsetHeight))}px`;
}

/** @param {ModelChart} chart of the model @returns {object} chart.js tooltip options */
export const tooltipOf = (chart) => ({
  mode: 'atPointer',
  intersect: false,
  enabled: false,
  external: showTooltip,
  filter: isNamed,
  callbacks: {
    title: (/** @type {TooltipItem[]} */ items) => (items.length ? FORMATS[chart.x.unit](items[0].raw.x) : ''),
    label: (/** @type {TooltipItem} */ item) =>
      item.dataset.role === 'heat' ? cellTexts(item) : itemText(chart, item),
  },
});
