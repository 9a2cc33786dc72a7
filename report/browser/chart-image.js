/**
 * Runs in the page. A figure as one picture: title, run, legend, and its charts as they are on the screen, each with
 * its heading and note, on the page's background.
 */
import { currentTheme, pageFont } from './theme.js';

/** @import { Drawn, DrawnDataset } from './types.js' */

/** Around everything, px. */
const PADDING = 16;
const TITLE = { font: '650 16px', line: 22 };
const SMALL = { font: '400 12px', line: 18 };
/** Between two entries of the legend, and the room of a swatch, px. */
const BETWEEN_ENTRIES = 18;
const SWATCH = { width: 18, room: 25 };
/** What a label of the y axis reaches below its plot, px. */
const HALF_LABEL = 7;
/** Browsers make no larger canvas, px. */
const MAX_SIDE = 16_000;

/** @typedef {{ label: string, draw: (context: CanvasRenderingContext2D, x: number, middle: number) => void }} Entry */

/**
 * @param {CanvasRenderingContext2D} context with its font
 * @param {string} text
 * @param {number} width
 * @returns {string[]} lines
 */
function wrapped(context, text, width) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.trim().split(/\s+/)) {
    const longer = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length && context.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} middle
 * @param {string} colour
 * @param {number[]} dash
 */
function drawLine(context, x, middle, colour, dash) {
  context.strokeStyle = colour;
  context.lineWidth = 2.5;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(x, middle);
  context.lineTo(x + SWATCH.width, middle);
  context.stroke();
  context.setLineDash([]);
}

/** @param {DrawnDataset} dataset of chart.js @returns {Entry} */
const entryOfLine = ({ label, borderColor, borderDash }) => ({
  label,
  draw: (context, x, middle) => drawLine(context, x, middle, borderColor, borderDash ?? []),
});

/** @param {HTMLElement} item of the page's legend @returns {Entry} whose swatch is drawn as its style says */
function entryOfItem(item) {
  const swatch = /** @type {Element} */ (item.querySelector('.swatch'));
  const style = getComputedStyle(swatch);
  const [width, height, border] = [style.width, style.height, style.borderTopWidth].map(
    (text) => parseFloat(text) || 0,
  );
  const mark = getComputedStyle(swatch, '::before');
  return {
    label: item.textContent ?? '',
    draw: (context, x, middle) => {
      context.globalAlpha = Number(style.opacity);
      if (mark.content.startsWith('"')) {
        context.fillStyle = mark.color;
        context.fillText(mark.content.slice(1, -1), x + 4, middle);
      } else {
        const left = x + (SWATCH.width - width) / 2;
        context.fillStyle = style.backgroundColor;
        context.beginPath();
        context.roundRect(left, middle - height / 2, width, height, style.borderRadius === '50%' ? width / 2 : 2);
        context.fill();
        const dash = /** @type {Record<string, number[]>} */ ({ dashed: [5, 3], dotted: [2, 2] })[style.borderTopStyle];
        if (border > 0) drawLine(context, x, middle - height / 2, style.borderTopColor, dash ?? []);
      }
      context.globalAlpha = 1;
    },
  };
}

/** @param {HTMLElement} figure @param {HTMLCanvasElement[]} canvases @returns {Entry[]} */
function entriesOf(figure, canvases) {
  const items = /** @type {HTMLElement[]} */ ([...figure.querySelectorAll(':scope > .legend li')]);
  const own = items.filter((item) => item.querySelector('.swatch') && item.offsetParent !== null);
  if (own.length > 0) return own.map(entryOfItem);
  return canvases.flatMap((canvas) => {
    const chart = Chart.getChart(canvas);
    return (chart?.data.datasets ?? [])
      .filter(({ role }, at) => role === 'leg' && chart?.isDatasetVisible(at))
      .map(entryOfLine);
  });
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Entry[]} entries
 * @param {number} width
 * @returns {Array<Entry & { x: number, row: number }>}
 */
function placed(context, entries, width) {
  let [x, row] = [0, 0];
  return entries.map((entry) => {
    const room = SWATCH.room + context.measureText(entry.label).width;
    if (x > 0 && x + room > width) [x, row] = [0, row + 1];
    const here = { ...entry, x, row };
    x += room + BETWEEN_ENTRIES;
    return here;
  });
}

/**
 * Headings and notes of the panels are where the page has them.
 * @param {CanvasRenderingContext2D} context
 * @param {HTMLElement} element
 * @param {DOMRect} origin
 */
function drawText(context, element, origin) {
  const style = getComputedStyle(element);
  const { left, top, width } = element.getBoundingClientRect();
  const line = parseFloat(style.lineHeight) || 1.5 * parseFloat(style.fontSize);
  context.font = `${style.fontWeight} ${style.fontSize} ${pageFont()}`;
  context.fillStyle = style.color;
  wrapped(context, element.textContent ?? '', width).forEach((text, i) =>
    context.fillText(text, left - origin.left, top - origin.top + (i + 0.5) * line, width),
  );
}

/** @param {HTMLElement} figure @returns {Drawn | undefined} the chart that shows the time axis of a track above it */
function axisOf(figure) {
  const last =
    figure.matches('.track:not(:last-child)') && figure.parentElement?.querySelector('.track:last-child canvas');
  return last ? Chart.getChart(/** @type {HTMLCanvasElement} */ (last)) : undefined;
}

/**
 * @param {HTMLElement} figure an article with its charts drawn @param {string} run what was measured
 * @returns {Promise<Blob | null>} PNG; null where the browser cannot make it
 */
export function imageOf(figure, run) {
  const panels = /** @type {HTMLElement} */ (figure.querySelector('.panels'));
  const origin = panels.getBoundingClientRect();
  const shown = (/** @type {string} */ selector) =>
    /** @type {HTMLElement[]} */ ([...panels.querySelectorAll(selector)]).filter((one) => one.offsetParent !== null);
  const canvases = /** @type {HTMLCanvasElement[]} */ (shown('canvas')).filter((one) => Chart.getChart(one));
  const picture = document.createElement('canvas');
  const context = /** @type {CanvasRenderingContext2D} */ (picture.getContext('2d'));
  const use = (/** @type {typeof TITLE} */ { font }) => (context.font = `${font} ${pageFont()}`);

  use(TITLE);
  const title = wrapped(context, figure.querySelector('h3')?.textContent ?? '', origin.width);
  use(SMALL);
  const subtitle = wrapped(context, run, origin.width);
  const legend = placed(context, entriesOf(figure, canvases), origin.width);
  const rows = legend.length ? legend[legend.length - 1].row + 1 : 0;
  const head = title.length * TITLE.line + (subtitle.length + rows) * SMALL.line + PADDING;

  const axis = axisOf(figure);
  const from = axis ? axis.chartArea.bottom + HALF_LABEL : 0;
  const below = axis ? axis.height - from : 0;
  const [width, height] = [origin.width + 2 * PADDING, head + origin.height + below + 2 * PADDING];
  const scale = Math.min(window.devicePixelRatio, MAX_SIDE / Math.max(width, height));
  [picture.width, picture.height] = [Math.ceil(width * scale), Math.ceil(height * scale)];
  const theme = currentTheme();
  context.fillStyle = theme.surface;
  context.fillRect(0, 0, picture.width, picture.height);
  context.scale(scale, scale);
  context.translate(PADDING, PADDING);
  context.textBaseline = 'middle';

  let y = 0;
  const write = (/** @type {string[]} */ lines, /** @type {typeof TITLE} */ style, /** @type {string} */ colour) => {
    use(style);
    context.fillStyle = colour;
    for (const text of lines) {
      context.fillText(text, 0, y + style.line / 2, origin.width);
      y += style.line;
    }
  };
  write(title, TITLE, theme.ink);
  write(subtitle, SMALL, theme.muted);
  for (const { label, draw, x, row } of legend) {
    const middle = y + (row + 0.5) * SMALL.line;
    draw(context, x, middle);
    context.fillStyle = theme.muted;
    context.fillText(label, x + SWATCH.room, middle, origin.width - x - SWATCH.room);
  }
  context.translate(0, head);
  for (const element of shown('h4, .note, .aside p, .aside li')) {
    if (element.querySelector('.swatch')) {
      const { left, top, height } = element.getBoundingClientRect();
      entryOfItem(element).draw(context, left - origin.left, top - origin.top + height / 2);
      context.translate(SWATCH.room, 0);
      drawText(context, element, origin);
      context.translate(-SWATCH.room, 0);
    } else drawText(context, element, origin);
  }
  for (const canvas of canvases) {
    const place = canvas.getBoundingClientRect();
    context.drawImage(canvas, place.left - origin.left, place.top - origin.top, place.width, place.height);
  }
  if (axis) {
    const ratio = axis.canvas.height / axis.height;
    const part = [0, from, axis.width, below].map((side) => side * ratio);
    context.drawImage(axis.canvas, part[0], part[1], part[2], part[3], 0, origin.height, axis.width, below);
  }
  return new Promise((resolve) => picture.toBlob(resolve, 'image/png'));
}
