/**
 * Runs in the page. The cursor: a moment that is marked in every chart over time that can be seen, with the values of
 * that moment. In the chart that is pointed at, or walked through with keys, the tooltip shows them.
 */
import { chipLine, lineTexts, nearestPoint } from './tooltip.js';
import { isTrack } from './tracks.js';
import { isOverTime } from './view.js';

/** @import { Charts } from './zoom.js' */

/**
 * Where the cursor is: a moment in s, and the chart that it was put there in.
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
    const made = document.createElement('div');
    made.className = name;
    // The reading of the chart that has the focus says it.
    made.setAttribute('aria-hidden', 'true');
    canvas.parentElement?.append(made);
    return made;
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
  // a track is low, and has room beside it
  const isBeside = isTrack(charts.chartOf(canvas)) && drawn.width - area.right >= values.offsetWidth;
  const toLeft = !isBeside && x > (area.left + area.right) / 2;
  Object.assign(values.style, {
    top: `${isBeside ? 0 : area.top + 2}px`,
    left: toLeft ? 'auto' : `${isBeside ? area.right + 6 : x + 6}px`,
    right: toLeft ? `${drawn.width - x + 6}px` : 'auto',
  });
}

/** @param {Charts} charts places the cursor anew in all charts that can be seen */
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
    // Keys have put it where it is, and the pointer has not moved it.
    if (canvas && document.activeElement !== canvas) moveCursor(charts, null, null);
  });
  window.addEventListener('scroll', () => cursor.at !== null && placeCursor(charts), { passive: true });
}
