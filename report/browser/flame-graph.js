/**
 * Runs in a page with profiles. Draws the flame graphs: a bar for each frame, below that of its caller. Pointer and
 * arrow keys select a frame, a click or Enter enlarges it, a search marks the functions whose names have a text.
 */
import { counted, duration, percent } from '../../client/words/format.js';
import { mixed } from './connection-field.js';
import { currentTheme, pageFont, printing, SMALL_TEXT } from './theme.js';
import { closeTooltip, openTooltip } from './tooltip.js';

/**
 * @import { FlameGraph, Frame, Palette } from './types.js'
 *
 * @typedef {{ at: number, x: number, y: number, width: number }} Bar  a frame on the canvas, px; at: its index
 * @typedef {object} Flame  a graph and what the reader chose
 * @property {FlameGraph} graph
 * @property {HTMLCanvasElement} canvas
 * @property {HTMLOutputElement | null} reading
 * @property {Bar[]} bars  in the order of frames
 * @property {number} zoomed  index of the frame over the whole width
 * @property {number} selected  index of a frame; -1: none
 * @property {Set<number> | null} found  functions; null without a search
 */

/** Height of a row with its gap, px. */
const FLAME_ROW = 18;
/** Narrower frames are not drawn; narrower bars have no gap, and no name, px. */
const [LEAST_BAR, LEAST_WITH_GAP, LEAST_WITH_NAME] = [0.5, 3, 28];
/** Greatest distance of the tooltip from the start of a bar selected with keys, px. */
const FAR_IN_BAR = 120;
/** The strongest mix of a tone's colour, on which text can still be read. */
const STRONGEST = 0.55;

/** @param {number} ns @returns {string} with its sign */
const signedDuration = (ns) => `${ns < 0 ? '−' : '+'}${duration(Math.abs(ns))}`;

/** @param {Frame[]} frames @param {number} at @returns {number} index of the caller's frame; -1: at is the first */
const callerOf = (frames, at) => frames.findLastIndex(([, depth], i) => i < at && depth < frames[at][1]);

/** @param {Flame} flame @param {number} width px @returns {Bar[]} */
function barsIn({ graph: { frames }, zoomed }, width) {
  const [, , from, whole] = frames[printing.active ? 0 : zoomed];
  return frames.flatMap(([, depth, x, ns], at) => {
    const [left, right] = [x, x + ns].map((place) => Math.max(0, Math.min(1, (place - from) / whole)) * width);
    return right - left < LEAST_BAR ? [] : [{ at, x: left, y: depth * FLAME_ROW, width: right - left }];
  });
}

/** @param {Frame} frame @param {Palette} theme @returns {string} */
function toneColour([, , , , tone, , base], theme) {
  const strongest = base === undefined ? theme.link : tone > 0 ? theme.bad : theme.good;
  return mixed(theme.line, strongest, STRONGEST * Math.abs(tone));
}

/**
 * @param {CanvasRenderingContext2D} context @param {string} text @param {number} width px
 * @returns {string} as much of the text as fits
 */
function nameWithin(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let length = Math.min(text.length, Math.ceil(width / 3));
  while (length > 0 && context.measureText(`${text.slice(0, length)}…`).width > width) length -= 1;
  return length < 3 ? '' : `${text.slice(0, length)}…`;
}

/** @param {CanvasRenderingContext2D} context @param {Bar} bar @param {string} colour of lines from corner to corner */
function hatch(context, { x, y, width }, colour) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, FLAME_ROW - 1);
  context.clip();
  context.beginPath();
  for (let at = x - FLAME_ROW; at < x + width; at += 6) {
    context.moveTo(at, y + FLAME_ROW);
    context.lineTo(at + FLAME_ROW, y);
  }
  context.strokeStyle = colour;
  context.stroke();
  context.restore();
}

/** @param {Flame} flame */
function drawFlame(flame) {
  const { canvas, graph, selected, found } = flame;
  const context = canvas.getContext('2d');
  const width = canvas.parentElement?.clientWidth ?? 0;
  if (!context || width === 0) return;
  const bars = barsIn(flame, width);
  flame.bars = bars;
  const height = Math.max(...bars.map(({ y }) => y)) + FLAME_ROW;
  const ratio = window.devicePixelRatio;
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
  const theme = currentTheme();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = `${SMALL_TEXT}px ${pageFont()}`;
  context.textBaseline = 'middle';
  for (const bar of bars) {
    const frame = graph.frames[bar.at];
    const drawn = { ...bar, width: bar.width - (bar.width < LEAST_WITH_GAP ? 0 : 1) };
    const isFound = found?.has(frame[0]) && !printing.active;
    context.globalAlpha = found === null || isFound || printing.active ? 1 : 0.25;
    context.fillStyle = toneColour(frame, theme);
    context.fillRect(drawn.x, drawn.y, drawn.width, FLAME_ROW - 1);
    const isOnlyBase = frame[5] === 0 && frame.length > 6;
    if (isOnlyBase) hatch(context, drawn, theme.surface);
    context.fillStyle = theme.ink;
    if (bar.width >= LEAST_WITH_NAME) {
      const name = nameWithin(context, graph.functions[frame[0]][0], bar.width - 8);
      context.fillText(name, bar.x + 4, bar.y + FLAME_ROW / 2);
    }
    if (isFound) context.fillRect(drawn.x, drawn.y + FLAME_ROW - 3, drawn.width, 2);
    if (bar.at !== selected || printing.active) continue;
    context.globalAlpha = 1;
    context.strokeStyle = theme.ink;
    context.lineWidth = 2;
    context.strokeRect(bar.x + 1, bar.y + 1, Math.max(1, drawn.width - 2), FLAME_ROW - 3);
    context.lineWidth = 1;
  }
}

/** @param {FlameGraph} graph @param {number[]} ns of each side @returns {string[]} */
const cpuTexts = ({ sides, frames }, ns) => [
  ...sides.map(
    (label, side) => `${label}: ${duration(ns[side])} (${percent(ns[side] / (frames[0][5 + side] || 1), 2)})`,
  ),
  ...(ns.length > 1 ? [`difference: ${signedDuration(ns[0] - ns[1])}`] : []),
];

/**
 * @param {Flame} flame @param {number} at index of a frame; -1: none
 * @param {number} [pointerX] px; default: within the bar
 */
function selectFrame(flame, at, pointerX) {
  const bar = flame.bars.find((each) => each.at === at);
  flame.selected = bar === undefined ? -1 : at;
  drawFlame(flame);
  if (bar === undefined) return closeTooltip();
  const [index, , , , , ...ns] = flame.graph.frames[at];
  const [name, place] = flame.graph.functions[index];
  const texts = cpuTexts(flame.graph, ns);
  if (flame.reading) flame.reading.textContent = `${place || name}: ${texts.join(', ')}`;
  const { left, top } = flame.canvas.getBoundingClientRect();
  const x = pointerX ?? bar.x + Math.min(bar.width / 2, FAR_IN_BAR);
  const lines = texts.map((text) => Object.assign(document.createElement('span'), { textContent: text }));
  openTooltip({ x: left + x, y: top + bar.y + 3 * FLAME_ROW }, place || name, lines);
}

/** @param {Flame} flame @param {number} at index of a frame */
function zoomInto(flame, at) {
  flame.zoomed = at;
  drawFlame(flame);
  selectFrame(flame, at);
}

/** @param {Flame} flame @param {string} key @returns {number} index of the frame that the key leads to; -1: none */
function frameBeside({ graph: { frames }, bars, zoomed, selected }, key) {
  const place = bars.findIndex(({ at }) => at === selected);
  if (place === -1) return zoomed;
  const { y } = bars[place];
  if (key === 'ArrowUp') return callerOf(frames, selected);
  if (key === 'ArrowDown') return bars[place + 1]?.y > y ? bars[place + 1].at : -1;
  const row = bars.filter((bar) => bar.y === y);
  return row[row.indexOf(bars[place]) + (key === 'ArrowLeft' ? -1 : 1)]?.at ?? -1;
}

/** @param {Flame} flame @param {KeyboardEvent} event */
function useKey(flame, event) {
  const { key } = event;
  if (key === 'Escape') zoomInto(flame, 0);
  else if (key === 'Enter') zoomInto(flame, Math.max(0, flame.selected));
  else if (!key.startsWith('Arrow')) return;
  else {
    const at = frameBeside(flame, key);
    if (at !== -1) selectFrame(flame, at);
  }
  event.preventDefault();
}

/**
 * @param {Flame} flame @param {string} text that names of functions have
 * @returns {string} how much CPU time they need
 */
function findFunctions(flame, text) {
  const { frames, functions, sides } = flame.graph;
  const wanted = text.trim().toLowerCase();
  const names = functions.map(([name, place]) => (place || name).toLowerCase());
  const found = names.flatMap((name, i) => (i < names.length - 1 && name.includes(wanted) ? [i] : []));
  flame.found = wanted === '' ? null : new Set(found);
  drawFlame(flame);
  if (flame.found === null) return '';
  const ns = sides.map(() => 0);
  let within = Infinity;
  // What a function that is found calls is part of it already.
  for (const [index, depth, , , , ...ofFrame] of frames) {
    if (depth > within) continue;
    within = flame.found.has(index) ? depth : Infinity;
    if (within === depth) ofFrame.forEach((value, side) => (ns[side] += value));
  }
  const shares = ns.map((value, side) => `${percent(value / (frames[0][5 + side] || 1), 2)} of ${sides[side]}`);
  return found.length === 0 ? 'no function' : `${counted(found.length, 'function')}: ${shares.join(', ')}`;
}

/** @param {Flame} flame */
function listenToFlame(flame) {
  const { canvas } = flame;
  const frameAt = (/** @type {PointerEvent | MouseEvent} */ { offsetX, offsetY }) =>
    flame.bars.find(({ x, y, width }) => x <= offsetX && offsetX < x + width && y <= offsetY && offsetY < y + FLAME_ROW)
      ?.at ?? -1;
  canvas.addEventListener('pointermove', (event) => {
    const at = frameAt(event);
    if (at !== flame.selected) selectFrame(flame, at, event.offsetX);
  });
  canvas.addEventListener('pointerleave', () => selectFrame(flame, -1));
  canvas.addEventListener('blur', () => selectFrame(flame, -1));
  canvas.addEventListener('focus', () => flame.selected === -1 && selectFrame(flame, flame.zoomed));
  canvas.addEventListener('keydown', (event) => useKey(flame, event));
  canvas.addEventListener('click', (event) => frameAt(event) !== -1 && zoomInto(flame, frameAt(event)));
  const search = /** @type {HTMLElement | null} */ (canvas.closest('.flame')?.querySelector('.flame-search') ?? null);
  const input = search?.querySelector('input');
  const output = search?.querySelector('output');
  if (!search || !input || !output) return;
  search.hidden = false;
  input.addEventListener('input', () => (output.textContent = findFunctions(flame, input.value)));
}

/** @type {Flame[]} */
const flames = JSON.parse(document.getElementById('flame-model')?.textContent ?? '[]').map(
  (/** @type {FlameGraph} */ graph, /** @type {number} */ i) => {
    const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById(`flame-${i}`));
    const reading = canvas.closest('.flame')?.querySelector('output.unseen') ?? null;
    return { graph, canvas, reading, bars: [], zoomed: 0, selected: -1, found: null };
  },
);

const drawFlames = () => flames.forEach(drawFlame);

/** A folded graph has no width until it is opened. */
const flameResized = new ResizeObserver(() => window.requestAnimationFrame(drawFlames));
for (const flame of flames) {
  listenToFlame(flame);
  if (flame.canvas.parentElement) flameResized.observe(flame.canvas.parentElement);
}
document.addEventListener('redraw', drawFlames);
