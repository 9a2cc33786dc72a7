/**
 * Runs in the page. The cursor marks a moment in every visible chart over time, with the values at that moment. In the
 * chart under the pointer, or read with keys, the tooltip shows the values.
 */
import { chipLine, lineTexts, nearestPoint } from './tooltip.js';
import { isTrack } from './tracks.js';
import { isOverTime } from './view.js';

/** @import { Charts } from './zoom.js' */

/**
 * The cursor's moment, s, and the chart in which it was set.
 * @type {{ at: number | null, from: HTMLCanvasElement | null }}
 */
const cursor = { at: null, from: null };

/**
 * The line and the values of a chart.
 * @type {WeakMap<HTMLCanvasElement, { line: HTMLElement, values: HTMLElement }>}
 */
const marksOfCursor = new WeakMap();

/** @param {HTMLCanvasElement} canvas @returns {{ line: HTMLElement, values: HTMLElement }} */
function marksAt(canvas) {
  const known = marksOfCursor.get(canvas);
  if (known) return known;
  const [line, values] = ['cursor-line', 'cursor-values'].map((name) => {
    const element = document.createElement('div');
    element.className = name;
    // Screen readers get the reading of the chart with the focus.
    element.setAttribute('aria-hidden', 'true');
    canvas.parentElement?.append(element);
    return element;
  });
  marksOfCursor.set(canvas, { line, values });
  return { line, values };
}

/** @param {HTMLElement} place @param {ReturnType<typeof lineTexts>} texts */
function showValues(place, texts) {
  place.replaceChildren(...texts.map(({ colour, text }) => chipLine(text, colour)));
  place.hidden = texts.length === 0;
}

/** @param {Charts} charts @param {HTMLCanvasElement} canvas */
function placeIn(charts, canvas) {
  const drawn = Chart.getChart(canvas);
  const { at, from } = cursor;
  const { top, bottom } = canvas.getBoundingClientRect();
  const isSeen = bottom > 0 && top < window.innerHeight;
  const x = drawn && at !== null ? drawn.scales.x.getPixelForValue(at) : NaN;
  const area = drawn?.chartArea;
  if (!isSeen || !drawn || !area || !(x >= area.left - 1 && x <= area.right + 1)) {
    const known = marksOfCursor.get(canvas);
    if (known) known.line.hidden = known.values.hidden = true;
    return;
  }
  const { line, values } = marksAt(canvas);
  line.hidden = false;
  Object.assign(line.style, { left: `${x}px`, top: `${area.top}px`, height: `${area.bottom - area.top}px` });
  if (canvas === from) {
    values.hidden = true;
    return;
  }
  showValues(values, lineTexts(charts.chartOf(canvas), drawn, x));
  // A track is low, but has room beside it.
  const isBeside = isTrack(charts.chartOf(canvas)) && drawn.width - area.right >= values.offsetWidth;
  const toLeft = !isBeside && x > (area.left + area.right) / 2;
  Object.assign(values.style, {
    top: `${isBeside ? 0 : area.top + 2}px`,
    left: toLeft ? 'auto' : `${isBeside ? area.right + 6 : x + 6}px`,
    right: toLeft ? `${drawn.width - x + 6}px` : 'auto',
  });
}

/** Places the cursor in all visible charts. @param {Charts} charts */
export function placeCursor(charts) {
  for (const canvas of charts.canvases()) if (isOverTime(charts.chartOf(canvas))) placeIn(charts, canvas);
}

let isPlanned = false;

/** @param {Charts} charts @param {number | null} at s; null: nowhere @param {HTMLCanvasElement | null} from */
export function moveCursor(charts, at, from) {
  if (cursor.at === at && cursor.from === from) return;
  Object.assign(cursor, { at, from });
  if (isPlanned) return;
  isPlanned = true;
  window.requestAnimationFrame(() => {
    isPlanned = false;
    placeCursor(charts);
  });
}

/** @param {Charts} charts */
export function listenToCursor(charts) {
  const overTime = (/** @type {EventTarget | null} */ target) =>
    target instanceof Element ? /** @type {HTMLCanvasElement | null} */ (target.closest('canvas.over-time')) : null;
  document.addEventListener('pointermove', ({ target, clientX }) => {
    const canvas = overTime(target);
    const drawn = canvas && Chart.getChart(canvas);
    if (!canvas || !drawn?.chartArea) return;
    const { left, right } = drawn.chartArea;
    const x = clientX - canvas.getBoundingClientRect().left;
    if (x < left || x > right) return moveCursor(charts, null, null);
    moveCursor(charts, nearestPoint(drawn, x) ?? drawn.scales.x.getValueForPixel(x), canvas);
  });
  document.addEventListener('pointerout', ({ target }) => {
    const canvas = overTime(target);
    // If the chart has the focus, keys have set the cursor.
    if (canvas && document.activeElement !== canvas) moveCursor(charts, null, null);
  });
  window.addEventListener('scroll', () => cursor.at !== null && placeCursor(charts), { passive: true });
}
