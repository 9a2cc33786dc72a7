/**
 * Runs in the page. Keys for the chart with the focus: left and right go from point to point, up and down to the same
 * chart of another server, + and - zoom, 0 and Escape end the zoom. Each figure is one stop of the Tab key.
 */
import { moveCursor } from './cursor.js';
import { FORMATS } from './scales.js';
import { spanWith } from './span.js';
import { hasOnlyDots, itemsAt, lineTexts, MAX_LINES, nearestPoint } from './tooltip.js';
import { isOverTime, wholeTime, zoomed } from './view.js';
import { moveBy, zoomBy, zoomTo } from './zoom.js';

/**
 * @import { Drawn } from './types.js'
 * @import { Charts } from './zoom.js'
 */

/** Share of the span's length by which Shift with an arrow moves it. */
const STRIDE = 0.25;

/**
 * The reader's place in the chart with the focus, in units of its axis.
 * @type {{ at: number | null, canvas: HTMLCanvasElement | null }}
 */
const place = { at: null, canvas: null };

/** @param {Drawn} drawn by chart.js @returns {number[]} x values of the points of visible lines, ascending */
function stopsOf(drawn) {
  const stops = new Set();
  for (const { index } of drawn.getSortedVisibleDatasetMetas()) {
    const dataset = drawn.data.datasets[index];
    if (hasOnlyDots(dataset)) continue;
    for (const { x, y } of dataset.data) if (!Number.isNaN(y)) stops.add(x);
  }
  return [...stops].sort((a, b) => a - b);
}

/** @returns {HTMLElement} the element that screen readers read when it changes */
function readingElement() {
  const known = document.getElementById('chart-reading');
  if (known) return known;
  const element = document.createElement('p');
  element.id = 'chart-reading';
  element.setAttribute('role', 'status');
  document.body.append(element);
  return element;
}

/**
 * Moves the reader to a place, and shows and reads the values there.
 * @param {Charts} charts
 * @param {HTMLCanvasElement} canvas
 * @param {Drawn} drawn
 * @param {number} at in units of the axis
 */
function stopAt(charts, canvas, drawn, at) {
  Object.assign(place, { at, canvas });
  const chart = charts.chartOf(canvas);
  const x = drawn.scales.x.getPixelForValue(at);
  const texts = lineTexts(chart, drawn, x).map((line) => line.text);
  const text = [FORMATS[chart.x.unit](at), ...texts].join(', ');
  if (readingElement().textContent !== text) readingElement().textContent = text;
  const items = itemsAt(drawn, x).slice(0, MAX_LINES);
  const y = items[0]?.element.y ?? drawn.chartArea.top;
  drawn.pointerY = y;
  drawn.setActiveElements(items);
  drawn.tooltip.setActiveElements(items, { x, y });
  drawn.draw();
  if (isOverTime(chart)) moveCursor(charts, at, canvas);
}

/** Shows and reads the values at the reader's place again after the points were changed. @param {Charts} charts */
export function readAgain(charts) {
  const { at, canvas } = place;
  const drawn = canvas && Chart.getChart(canvas);
  if (canvas && drawn && at !== null) stopAt(charts, canvas, drawn, at);
}

/** @param {Charts} charts @param {HTMLCanvasElement} canvas */
function leave(charts, canvas) {
  if (place.canvas !== canvas) return;
  Object.assign(place, { at: null, canvas: null });
  const drawn = Chart.getChart(canvas);
  drawn?.setActiveElements([]);
  drawn?.tooltip.setActiveElements([], { x: 0, y: 0 });
  drawn?.draw();
  moveCursor(charts, null, null);
}

/**
 * @param {Charts} charts
 * @param {HTMLCanvasElement} canvas
 * @param {Drawn} drawn
 * @param {(stops: number[], now: number) => number | undefined} next
 */
function walk(charts, canvas, drawn, next) {
  const { left, right } = drawn.chartArea;
  const middle = place.canvas === canvas && place.at !== null ? place.at : nearestPoint(drawn, (left + right) / 2);
  const stops = stopsOf(drawn);
  const at = next(stops, middle ?? stops[0]);
  if (at === undefined) return;
  const isZoomed = isOverTime(charts.chartOf(canvas)) && zoomed.span;
  if (isZoomed) zoomTo(charts, canvas, spanWith(zoomed.span, wholeTime(charts.page), at));
  stopAt(charts, canvas, drawn, at);
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {number} by
 * @returns {HTMLCanvasElement | undefined} canvas of another server in the same figure, or of another track
 */
function neighbour(canvas, by) {
  const figures = canvas.closest('.tracks') ?? canvas.closest('article');
  const canvases = [...(figures?.querySelectorAll('canvas') ?? [])];
  return canvases[canvases.indexOf(canvas) + by];
}

/** @param {HTMLCanvasElement} canvas becomes the figure's stop of the Tab key */
function makeStop(canvas) {
  for (const other of canvas.closest('article')?.querySelectorAll('canvas') ?? []) other.tabIndex = -1;
  canvas.tabIndex = 0;
}

/** Explanations of the keys for screen readers. */
const HELP = {
  'chart-keys': 'Left and right arrow read the values, up and down go to another chart.',
  'chart-keys-time': 'Left and right arrow read the values, up and down go to another chart, plus and minus zoom.',
};

function writeHelp() {
  for (const [id, text] of Object.entries(HELP)) {
    const element = document.createElement('p');
    element.id = id;
    element.hidden = true;
    element.textContent = text;
    document.body.append(element);
  }
}

/**
 * The first canvas of each figure becomes its stop of the Tab key. The role is "application", since screen readers do
 * not pass arrow keys to an image.
 * @param {Charts} charts
 */
export function makeStops({ chartOf }) {
  for (const figure of document.querySelectorAll('article')) {
    const canvases = [...figure.querySelectorAll('canvas')].filter((canvas) => chartOf(canvas));
    for (const canvas of canvases) {
      canvas.setAttribute('role', 'application');
      canvas.setAttribute('aria-roledescription', 'chart');
      canvas.setAttribute('aria-describedby', isOverTime(chartOf(canvas)) ? 'chart-keys-time' : 'chart-keys');
    }
    if (canvases.length > 0 && canvases.every(({ tabIndex }) => tabIndex < 0)) makeStop(canvases[0]);
  }
}

/**
 * @param {Charts} charts
 * @returns {Record<string, (canvas: HTMLCanvasElement, drawn: Drawn) => void>} of charts over time
 */
const zoomKeys = (charts) => {
  const middle = (/** @type {HTMLCanvasElement} */ canvas, /** @type {Drawn} */ { scales: { x } }) =>
    place.canvas === canvas && place.at !== null ? place.at : (x.min + x.max) / 2;
  return {
    '+': (canvas, drawn) => zoomBy(charts, canvas, middle(canvas, drawn), 1),
    '=': (canvas, drawn) => zoomBy(charts, canvas, middle(canvas, drawn), 1),
    '-': (canvas, drawn) => zoomBy(charts, canvas, middle(canvas, drawn), -1),
    0: (canvas) => zoomTo(charts, canvas, null),
    'Shift+ArrowLeft': (canvas) => moveBy(charts, canvas, -STRIDE),
    'Shift+ArrowRight': (canvas) => moveBy(charts, canvas, STRIDE),
  };
};

/**
 * @param {Charts} charts
 * @returns {Record<string, (canvas: HTMLCanvasElement, drawn: Drawn) => void>} of every chart
 */
const walkKeys = (charts) => ({
  ArrowLeft: (canvas, drawn) =>
    walk(charts, canvas, drawn, (stops, now) => [...stops].reverse().find((x) => x < now) ?? stops[0]),
  ArrowRight: (canvas, drawn) =>
    walk(charts, canvas, drawn, (stops, now) => stops.find((x) => x > now) ?? stops[stops.length - 1]),
  Home: (canvas, drawn) => walk(charts, canvas, drawn, (stops) => stops[0]),
  End: (canvas, drawn) => walk(charts, canvas, drawn, (stops) => stops[stops.length - 1]),
});

/**
 * @param {Charts} charts
 * @param {HTMLCanvasElement} canvas
 * @param {string} key
 * @returns {boolean} whether the key has a meaning
 */
function press(charts, canvas, key) {
  const isTimed = isOverTime(charts.chartOf(canvas));
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    const next = neighbour(canvas, key === 'ArrowUp' ? -1 : 1);
    const { at } = place;
    if (!next) return false;
    next.focus();
    const drawn = Chart.getChart(next);
    if (drawn && at !== null) stopAt(charts, next, drawn, at);
    return true;
  }
  if (key === 'Escape') {
    const isUsed = (isTimed && zoomed.span !== null) || place.canvas === canvas;
    if (isTimed && zoomed.span) zoomTo(charts, canvas, null);
    else leave(charts, canvas);
    return isUsed;
  }
  const drawn = Chart.getChart(canvas);
  const act = walkKeys(charts)[key] ?? (isTimed ? zoomKeys(charts)[key] : undefined);
  if (!drawn?.chartArea || !act) return false;
  act(canvas, drawn);
  const { at } = place;
  // After the span has moved, the reader's place has another x.
  if (isTimed && at !== null && place.canvas === canvas) stopAt(charts, canvas, drawn, at);
  return true;
}

/** @param {Charts} charts */
export function listenToKeys(charts) {
  readingElement();
  writeHelp();
  makeStops(charts);
  const canvasOf = (/** @type {EventTarget | null} */ target) =>
    target instanceof Element ? /** @type {HTMLCanvasElement | null} */ (target.closest('canvas[id^="chart-"]')) : null;
  document.addEventListener('keydown', (event) => {
    const canvas = canvasOf(event.target);
    if (!canvas || event.ctrlKey || event.metaKey || event.altKey) return;
    const isArrow = event.key.startsWith('Arrow');
    if (press(charts, canvas, isArrow && event.shiftKey ? `Shift+${event.key}` : event.key)) event.preventDefault();
  });
  document.addEventListener('focusin', ({ target }) => {
    const canvas = canvasOf(target);
    if (canvas) makeStop(canvas);
  });
  document.addEventListener('focusout', ({ target }) => {
    const canvas = canvasOf(target);
    if (canvas) leave(charts, canvas);
  });
}
