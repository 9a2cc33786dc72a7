/**
 * Runs in the page. Zoom of all charts over time to a span, chosen in one chart: by dragging, with Ctrl and the wheel
 * (a pinch on a touchpad is the same event), and with buttons. Keys are in walk.js.
 */
import { moveCursor } from './cursor.js';
import { FORMATS } from './scales.js';
import { fitSpan, moveSpan, zoomSpan, ZOOM_STEP } from './span.js';
import { isOverTime, wholeTime, zoomed } from './view.js';

/**
 * @import { Span } from './span.js'
 * @import { ChartModel, Drawn, ModelChart } from './types.js'
 */

/**
 * @typedef {{ page: ChartModel, chartOf: (canvas: HTMLCanvasElement) => ModelChart, canvases: () =>
 *   Iterable<HTMLCanvasElement>, changed: (canvas: HTMLCanvasElement | null) => void }} Charts of the page; changed:
 *   called when the span was chosen, with the chart in which it was chosen
 */

/** Shortest drag, px: a shorter one is a click. */
const MIN_DRAG = 6;
/** Pixels of the wheel for one step of zoom. */
const WHEEL_STEP = 100;

/** @param {Charts} charts @param {HTMLCanvasElement | null} canvas in which it was chosen @param {Span | null} span */
export function zoomTo({ page, changed }, canvas, span) {
  const whole = wholeTime(page);
  const next = span && fitSpan(span, whole);
  if (String(next) === String(zoomed.span)) return;
  zoomed.span = next;
  showSpan();
  changed(canvas);
}

/**
 * @param {Charts} charts
 * @param {HTMLCanvasElement} canvas
 * @param {number} at a moment
 * @param {number} steps negative: zoom out
 */
export function zoomBy(charts, canvas, at, steps) {
  zoomTo(charts, canvas, zoomSpan(zoomed.span, wholeTime(charts.page), at, ZOOM_STEP ** steps));
}

/** @param {Charts} charts @param {HTMLCanvasElement} canvas @param {number} share of the span's length */
export function moveBy(charts, canvas, share) {
  zoomTo(charts, canvas, moveSpan(zoomed.span, wholeTime(charts.page), share));
}

/** Updates the line that shows the span; it is hidden unless the charts are zoomed. */
export function showSpan() {
  const { span } = zoomed;
  for (const line of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-zoomed]')))
    line.hidden = span === null;
  for (const value of document.querySelectorAll('[data-name="span"]'))
    value.textContent = span ? `${FORMATS.s(span[0])} – ${FORMATS.s(span[1])}` : '';
}

/** @param {Drawn} drawn by chart.js @param {MouseEvent} event @returns {number} x of the pointer within the plot, px */
function placeOf({ canvas, chartArea: { left, right } }, { clientX }) {
  return Math.min(right, Math.max(left, clientX - canvas.getBoundingClientRect().left));
}

/** @param {Charts} charts @param {HTMLCanvasElement} canvas of a chart over time */
function listenToDrag(charts, canvas) {
  const box = document.createElement('div');
  box.className = 'selection';
  /** px @type {number | null} */
  let start = null;
  let end = 0;
  const stop = () => {
    start = null;
    box.remove();
  };
  canvas.addEventListener('pointerdown', (event) => {
    const drawn = Chart.getChart(canvas);
    if (event.button !== 0 || !event.isPrimary || !drawn?.chartArea) return;
    start = end = placeOf(drawn, event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    const drawn = Chart.getChart(canvas);
    if (start === null || !drawn) return;
    end = placeOf(drawn, event);
    if (Math.abs(end - start) < MIN_DRAG) return box.remove();
    const { top, bottom } = drawn.chartArea;
    Object.assign(box.style, {
      left: `${Math.min(start, end)}px`,
      width: `${Math.abs(end - start)}px`,
      top: `${top}px`,
      height: `${bottom - top}px`,
    });
    if (!box.isConnected) canvas.parentElement?.append(box);
  });
  canvas.addEventListener('pointerup', () => {
    const drawn = Chart.getChart(canvas);
    if (start !== null && box.isConnected && drawn) {
      // The zoom moves the points that were under the pointer.
      drawn.setActiveElements([]);
      drawn.tooltip.setActiveElements([], { x: 0, y: 0 });
      moveCursor(charts, null, null);
      zoomTo(charts, canvas, [drawn.scales.x.getValueForPixel(start), drawn.scales.x.getValueForPixel(end)]);
    }
    stop();
  });
  // A finger that moves up or down scrolls the page.
  canvas.addEventListener('pointercancel', stop);
}

/** @param {Charts} charts @param {HTMLCanvasElement} canvas of a chart over time */
function listenToWheel(charts, canvas) {
  canvas.addEventListener(
    'wheel',
    (event) => {
      const drawn = Chart.getChart(canvas);
      const isHorizontal = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (!drawn || (!event.ctrlKey && !(isHorizontal && zoomed.span))) return;
      event.preventDefault();
      // The delta is in pixels or in lines.
      const unit = event.deltaMode === 0 ? 1 : WHEEL_STEP / 3;
      if (!event.ctrlKey) return moveBy(charts, canvas, (event.deltaX * unit) / drawn.width);
      // A pinch sends many small steps, a wheel few large ones.
      const steps = Math.max(-1, Math.min(1, (-event.deltaY * unit) / WHEEL_STEP));
      zoomBy(charts, canvas, drawn.scales.x.getValueForPixel(placeOf(drawn, event)), steps);
    },
    { passive: false },
  );
}

/** @param {Charts} charts @param {HTMLCanvasElement} canvas that was drawn for the first time */
export function listenToSpan(charts, canvas) {
  if (!isOverTime(charts.chartOf(canvas))) return;
  canvas.classList.add('over-time');
  listenToDrag(charts, canvas);
  listenToWheel(charts, canvas);
  canvas.addEventListener('dblclick', () => zoomTo(charts, canvas, null));
}

/** @param {Charts} charts */
export function listenToReset(charts) {
  document.addEventListener('click', ({ target }) => {
    if (/** @type {Element} */ (target).closest('button[data-zoom="reset"]')) zoomTo(charts, null, null);
  });
}
