/**
 * Runs in the page. Draws each connection as a square in the colour of its state; a slider moves all fields through the
 * time of the run. The pointer and the arrow keys select a square and show its text.
 */
import {
  IDLE,
  LOST,
  repliesOf,
  SERVED,
  UNANSWERED,
  UNASKED,
  unpackCells,
} from '../../client/measure/connection-cells.js';
import { count, counted, duration } from '../../client/words/format.js';
import { currentTheme, printing } from './theme.js';

/** @import { Palette, PageField } from './types.js' */

/** Smallest and largest side of a square with its gap, px. */
const [MIN_SIDE, MAX_SIDE] = [2, 10];
/** Height of a field that squares are shrunk to, px. */
const MAX_HEIGHT = 420;
/** Squares of at least this side have a gap, px. */
const SIDE_WITH_GAP = 4;
const FRAME_MS = 160;
/** Place on the scale of shades, 0..1: of the median number of replies, and how much a doubling adds. */
const [OF_MEDIAN, A_DOUBLING] = [0.5, 0.25];
/** Number of shades of served connections. */
const SHADES = 16;

/** @type {PageField[]} */
let fields = [];
/** Cells unpacked so far; key: index of field and state. @type {Map<string, Uint8Array>} */
const unpacked = new Map();
/** The time shown in all fields, 0..1. */
let shareNow = 1;
let playing = 0;

const canvasOf = (/** @type {number} */ i) => /** @type {HTMLCanvasElement} */ (document.getElementById(`field-${i}`));

/** @returns {{ button: HTMLButtonElement, slider: HTMLInputElement, output: HTMLOutputElement } | null} */
function controls() {
  const bar = document.querySelector('.field-time');
  const [button, slider, output] = ['button', 'input', 'output'].map((name) => bar?.querySelector(name));
  return bar === null ? null : /** @type {ReturnType<typeof controls>} */ ({ button, slider, output });
}

/** @param {PageField} field @returns {number} number of positions; the last one may be the whole steady state */
const positionsOf = ({ states, totals }) => states.length + (totals ? 1 : 0);

/** @param {PageField} field @returns {number} the position shown */
const positionOf = (field) => Math.round((printing.active ? 1 : shareNow) * (positionsOf(field) - 1));

/** @param {PageField} field @param {number} position */
const stateOf = ({ states }, position) => states[Math.min(position, states.length - 1)];

/** @param {PageField} field @param {number} position @returns {Uint8Array} */
function unpackedCells(field, position) {
  const at = Math.min(position, field.states.length - 1);
  const key = `${fields.indexOf(field)} ${at}`;
  const known = unpacked.get(key) ?? unpackCells(field.states[at].cells, Math.ceil(field.connections / field.each));
  unpacked.set(key, known);
  return known;
}

/** @param {PageField} field @param {number} position @returns {(i: number) => number} number of replies of a cell */
function repliesIn(field, position) {
  if (position === field.states.length && field.totals) return (i) => field.totals?.[i] ?? 0;
  const cells = unpackedCells(field, position);
  return (i) => (cells[i] < SERVED ? 0 : repliesOf(cells[i])[0]);
}

/** @param {string} from hex @param {string} to hex @param {number} share 0..1 @returns {string} */
export function mixed(from, to, share) {
  const parts = [1, 3, 5].map((i) => {
    const [a, b] = [from, to].map((colour) => parseInt(colour.slice(i, i + 2), 16));
    return Math.round(a + (b - a) * share);
  });
  return `rgb(${parts.join()})`;
}

/** @param {number[]} list @returns {number} the median; 1 of an empty list */
const middleOf = (list) => list.sort((a, b) => a - b)[list.length >> 1] ?? 1;

/**
 * @param {PageField} field @param {number} position @param {Palette} theme
 * @returns {(i: number) => string} the colour of a cell; that of the page if the state is unknown
 */
function colourOf(field, position, theme) {
  const cells = unpackedCells(field, position);
  const { requested } = stateOf(field, position);
  const replies = repliesIn(field, position);
  const median = middleOf([...cells.keys()].map(replies).filter((n) => n > 0));
  const shades = Array.from({ length: SHADES }, (_, i) => mixed(theme.fewReplies, theme.manyReplies, i / (SHADES - 1)));
  /** @type {Record<number, string>} */
  const fates = {
    [LOST]: theme.fates.lost,
    [UNANSWERED]: theme.fates.unanswered,
    [UNASKED]: field.isUnknown ? theme.surface : theme.fates.connecting,
    [IDLE]: theme.fates.idle,
  };
  return (i) => {
    if (i * field.each >= requested) return theme.fates.closed;
    const n = replies(i);
    if (cells[i] < IDLE) return fates[cells[i]];
    if (n === 0) return theme.fates.idle;
    const share = Math.max(0, Math.min(1, OF_MEDIAN + A_DOUBLING * Math.log2(n / median)));
    return shades[Math.round(share * (SHADES - 1))];
  };
}

/** @param {number} cells @param {number} width px @returns {{ side: number, columns: number, rows: number }} */
function gridOf(cells, width) {
  let side = MAX_SIDE;
  const countRows = () => Math.ceil(cells / Math.max(1, Math.floor(width / side)));
  while (side > MIN_SIDE && countRows() * side > MAX_HEIGHT) side -= 1;
  return { side, columns: Math.max(1, Math.floor(width / side)), rows: countRows() };
}

/** @param {HTMLCanvasElement} canvas @param {PageField} field @returns {ReturnType<typeof gridOf>} */
const gridIn = (canvas, { connections, each }) =>
  gridOf(Math.ceil(connections / each), canvas.parentElement?.clientWidth ?? 0);

/** @param {PageField} field @param {number} index */
function drawField(field, index) {
  const canvas = canvasOf(index);
  const context = canvas?.getContext('2d');
  if (!context || !canvas.parentElement?.clientWidth) return;
  const { side, columns, rows } = gridIn(canvas, field);
  const ratio = window.devicePixelRatio;
  const [width, height] = [columns * side, rows * side];
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
  }
  const theme = currentTheme();
  const position = positionOf(field);
  const colour = colourOf(field, position, theme);
  const cells = unpackedCells(field, position);
  const { requested } = stateOf(field, position);
  const square = side - (side >= SIDE_WITH_GAP ? 1 : 0);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.strokeStyle = theme.muted;
  cells.forEach((cell, i) => {
    const [x, y] = [(i % columns) * side, Math.floor(i / columns) * side];
    context.fillStyle = colour(i);
    context.fillRect(x, y, square, square);
    if (field.isUnknown && cell === UNASKED && i * field.each < requested && side >= SIDE_WITH_GAP) {
      context.strokeRect(x + 0.5, y + 0.5, square - 1, square - 1);
    }
  });
  const pointed = Number(canvas.dataset.at ?? -1);
  if (pointed >= 0 && !printing.active) {
    context.strokeStyle = theme.ink;
    context.lineWidth = 2;
    context.strokeRect((pointed % columns) * side, Math.floor(pointed / columns) * side, square, square);
    context.lineWidth = 1;
  }
}

/** @param {PageField} field @param {number} position @param {number} i a cell @returns {string} text for its state */
function fateText(field, position, i) {
  const cell = unpackedCells(field, position)[i];
  const { requested, fromNs, toNs } = stateOf(field, position);
  if (i * field.each >= requested) return 'not requested yet';
  const n = repliesIn(field, position)(i);
  if (cell >= IDLE && position === field.states.length)
    return `about ${counted(n, 'reply', 'replies')} in the steady state`;
  if (cell >= SERVED) {
    const [min, max] = repliesOf(cell);
    const replies = min === max ? counted(min, 'reply', 'replies') : `${count(min)} to ${count(max)} replies`;
    return `${replies} in ${duration(toNs - fromNs)}`;
  }
  if (cell === IDLE) return `served before, no reply in these ${duration(toNs - fromNs)}`;
  if (cell === UNASKED) return field.words.unasked;
  let first = Math.min(position, field.states.length - 1);
  while (first > 0 && unpackedCells(field, first - 1)[i] === cell) first -= 1;
  const sinceNs = toNs - field.states[first].toNs;
  const since = sinceNs > 0 ? `, for at least ${duration(sinceNs)}` : '';
  return cell === LOST ? `lost${since}` : `${field.words.unanswered}${since}`;
}

/** @param {PageField} field @param {number} i a cell @returns {string} such as "connection 417", counted from 1 */
function nameOfCell({ each, connections }, i) {
  const last = Math.min(connections, (i + 1) * each);
  return each === 1 ? `connection ${count(i + 1)}` : `connections ${count(i * each + 1)} to ${count(last)}, the worst`;
}

/** @param {number} index of a field @param {number | null} at the selected cell; null: none */
function selectCell(index, at) {
  const canvas = canvasOf(index);
  const field = fields[index];
  const output = canvas.parentElement?.querySelector('output');
  if (at === null) delete canvas.dataset.at;
  else canvas.dataset.at = String(at);
  if (output) {
    output.textContent =
      at === null ? field.replies : `${nameOfCell(field, at)}: ${fateText(field, positionOf(field), at)}`;
  }
  drawField(field, index);
}

/** @param {PageField} field @param {number} position @returns {string} */
function timeText(field, position) {
  const { toNs } = stateOf(field, position);
  return position === field.states.length ? 'steady state' : duration(toNs);
}

/** Draws all fields at the time of the slider, and updates the texts. */
export function drawFields() {
  const bar = controls();
  if (bar === null || fields.length === 0) return;
  const { requested } = stateOf(fields[0], positionOf(fields[0]));
  const answered = fields.map((field) => count(stateOf(field, positionOf(field)).answered));
  const time = timeText(fields[0], positionOf(fields[0]));
  const text =
    fields.length === 1
      ? `${time}: ${count(requested)} requested, ${answered[0]} answered`
      : `${time}: ${count(requested)} requested of each`;
  bar.output.textContent = text;
  bar.slider.setAttribute('aria-valuetext', text);
  fields.forEach((field, i) => {
    const note = canvasOf(i)?.parentElement?.querySelector('.note');
    const state = stateOf(field, positionOf(field));
    if (note) {
      note.textContent = `${answered[i]} of ${count(state.requested)} answered`;
      note.classList.toggle('strong', state.answered < state.requested);
    }
    const at = canvasOf(i)?.dataset.at;
    if (at === undefined) drawField(field, i);
    else selectCell(i, Number(at));
  });
}

function pause() {
  window.clearInterval(playing);
  playing = 0;
  const bar = controls();
  if (bar) bar.button.textContent = 'Play';
}

/** @param {HTMLInputElement} slider */
function moveTo(slider) {
  shareNow = Number(slider.value) / Math.max(1, Number(slider.max));
  drawFields();
}

/** @param {NonNullable<ReturnType<typeof controls>>} bar */
function play({ button, slider }) {
  if (playing) return pause();
  if (slider.value === slider.max) slider.value = '0';
  moveTo(slider);
  button.textContent = 'Pause';
  playing = window.setInterval(() => {
    slider.stepUp();
    moveTo(slider);
    if (slider.value === slider.max) pause();
  }, FRAME_MS);
}

/** @param {HTMLCanvasElement} canvas @param {number} index */
function listenToField(canvas, index) {
  canvas.addEventListener('pointermove', ({ offsetX, offsetY }) => {
    const { side, columns } = gridIn(canvas, fields[index]);
    const at = Math.floor(offsetY / side) * columns + Math.floor(offsetX / side);
    selectCell(index, at < fields[index].connections / fields[index].each ? at : null);
  });
  canvas.addEventListener('pointerleave', () => selectCell(index, null));
  canvas.addEventListener('blur', () => selectCell(index, null));
  canvas.addEventListener('keydown', (event) => {
    const { columns } = gridIn(canvas, fields[index]);
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const last = Math.ceil(fields[index].connections / fields[index].each) - 1;
    const from = canvas.dataset.at;
    selectCell(index, from === undefined ? 0 : Math.max(0, Math.min(last, Number(from) + step)));
  });
}

/** Reads the fields of the page, again after it has changed. */
export function renewFields() {
  fields = JSON.parse(document.getElementById('field-model')?.textContent ?? '[]');
  unpacked.clear();
  const bar = controls();
  if (bar === null) return;
  const isAtEnd = bar.slider.value === bar.slider.max;
  bar.slider.max = String(Math.max(...fields.map(positionsOf)) - 1);
  if (isAtEnd || shareNow === 1) bar.slider.value = bar.slider.max;
  bar.button.hidden = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  const element = bar.slider.parentElement;
  if (element?.hidden) {
    element.hidden = false;
    bar.slider.addEventListener('input', () => {
      pause();
      moveTo(bar.slider);
    });
    bar.button.addEventListener('click', () => play(bar));
  }
  fields.forEach((_, i) => {
    const canvas = canvasOf(i);
    if (!canvas || canvas.dataset.listens) return;
    canvas.dataset.listens = 'true';
    listenToField(canvas, i);
    if (canvas.parentElement) resized.observe(canvas.parentElement);
  });
  drawFields();
}

/** A closed part of the page has no width until it is opened. */
const resized = new ResizeObserver(() => window.requestAnimationFrame(drawFields));
