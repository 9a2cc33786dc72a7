/**
 * Runs in the page. Draws each connection as a square, its fate as colour, and moves all fields through the time of the
 * run by a slider. Squares fill the width row by row; a pointer, or the arrow keys, tell of one of them.
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

/** Sides of a square with its gap, px, and the height of a field, as long as squares are not of the least side. */
const [LEAST_SIDE, MOST_SIDE] = [2, 10];
const MOST_HEIGHT = 420;
/** From this side on there is a gap. */
const SIDE_WITH_GAP = 4;
const FRAME_MS = 160;
/** What a connection is served as much as the median is drawn as, from few to many; and each doubling. */
const [OF_MEDIAN, A_DOUBLING] = [0.5, 0.25];
/** Shades of those that are served. */
const SHADES = 16;

/** @type {PageField[]} */
let fields = [];
/** Cells of a field by its state, unpacked when they are first drawn. @type {Map<string, Uint8Array>} */
const unpacked = new Map();
/** The share of the time at which all fields are. */
let shareNow = 1;
let playing = 0;

const canvasOf = (/** @type {number} */ i) => /** @type {HTMLCanvasElement} */ (document.getElementById(`field-${i}`));

/** @returns {{ button: HTMLButtonElement, slider: HTMLInputElement, said: HTMLOutputElement } | null} */
function controls() {
  const all = document.querySelector('.field-time');
  const [button, slider, said] = ['button', 'input', 'output'].map((name) => all?.querySelector(name));
  return all === null ? null : /** @type {ReturnType<typeof controls>} */ ({ button, slider, said });
}

/** @param {PageField} field @returns {number} its positions; the last one may be the whole steady state */
const positionsOf = ({ states, totals }) => states.length + (totals ? 1 : 0);

/** @param {PageField} field @returns {number} the position that is shown */
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

/** @param {PageField} field @param {number} position @returns {(i: number) => number} replies to a cell; 0: none */
function repliesIn(field, position) {
  if (position === field.states.length && field.totals) return (i) => field.totals?.[i] ?? 0;
  const cells = unpackedCells(field, position);
  return (i) => (cells[i] < SERVED ? 0 : repliesOf(cells[i])[0]);
}

/** @param {string} from hex @param {string} to @param {number} share @returns {string} */
function mixed(from, to, share) {
  const parts = [1, 3, 5].map((i) => {
    const [a, b] = [from, to].map((colour) => parseInt(colour.slice(i, i + 2), 16));
    return Math.round(a + (b - a) * share);
  });
  return `rgb(${parts.join()})`;
}

/** @param {number[]} list @returns {number} */
const middleOf = (list) => list.sort((a, b) => a - b)[list.length >> 1] ?? 1;

/**
 * @param {PageField} field @param {number} position @param {Palette} theme
 * @returns {(i: number) => string} the colour of a cell; of one that is not known an outline is left
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
  let side = MOST_SIDE;
  const rowsOf = () => Math.ceil(cells / Math.max(1, Math.floor(width / side)));
  while (side > LEAST_SIDE && rowsOf() * side > MOST_HEIGHT) side -= 1;
  return { side, columns: Math.max(1, Math.floor(width / side)), rows: rowsOf() };
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

/** @param {PageField} field @param {number} position @param {number} i a cell @returns {string} what became of it */
function fateText(field, position, i) {
  const cell = unpackedCells(field, position)[i];
  const { requested, fromNs, toNs } = stateOf(field, position);
  if (i * field.each >= requested) return 'not requested yet';
  const n = repliesIn(field, position)(i);
  if (cell >= IDLE && position === field.states.length)
    return `about ${counted(n, 'reply', 'replies')} in the steady state`;
  if (cell >= SERVED) {
    const [least, most] = repliesOf(cell);
    const replies = least === most ? counted(least, 'reply', 'replies') : `${count(least)} to ${count(most)} replies`;
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

/** @param {PageField} field @param {number} i @returns {string} such as "connection 417", from 1 */
function nameOfCell({ each, connections }, i) {
  const last = Math.min(connections, (i + 1) * each);
  return each === 1 ? `connection ${count(i + 1)}` : `connections ${count(i * each + 1)} to ${count(last)}, the worst`;
}

/** @param {number} index of a field @param {number | null} at a cell; null: none */
function point(index, at) {
  const canvas = canvasOf(index);
  const field = fields[index];
  const said = canvas.parentElement?.querySelector('output');
  if (at === null) delete canvas.dataset.at;
  else canvas.dataset.at = String(at);
  if (said) {
    said.textContent =
      at === null ? field.replies : `${nameOfCell(field, at)}: ${fateText(field, positionOf(field), at)}`;
  }
  drawField(field, index);
}

/** @param {PageField} field @param {number} position @returns {string} */
function timeText(field, position) {
  const { toNs } = stateOf(field, position);
  return position === field.states.length ? 'steady state' : duration(toNs);
}

/** Draws all fields at the time of the slider, and says what they show. */
export function drawFields() {
  const own = controls();
  if (own === null || fields.length === 0) return;
  const { requested } = stateOf(fields[0], positionOf(fields[0]));
  const answered = fields.map((field) => count(stateOf(field, positionOf(field)).answered));
  const who = fields.length === 1 ? `${answered[0]} answered` : `${count(requested)} requested of each`;
  const text = `${timeText(fields[0], positionOf(fields[0]))}: ${fields.length === 1 ? `${count(requested)} requested, ` : ''}${who}`;
  own.said.textContent = text;
  own.slider.setAttribute('aria-valuetext', text);
  fields.forEach((field, i) => {
    const note = canvasOf(i)?.parentElement?.querySelector('.note');
    const { requested: asked } = stateOf(field, positionOf(field));
    if (note) {
      note.textContent = `${answered[i]} of ${count(asked)} answered`;
      note.classList.toggle('strong', stateOf(field, positionOf(field)).answered < asked);
    }
    const at = canvasOf(i)?.dataset.at;
    if (at === undefined) drawField(field, i);
    else point(i, Number(at));
  });
}

function pause() {
  window.clearInterval(playing);
  playing = 0;
  const own = controls();
  if (own) own.button.textContent = 'Play';
}

/** @param {HTMLInputElement} slider */
function moveTo(slider) {
  shareNow = Number(slider.value) / Math.max(1, Number(slider.max));
  drawFields();
}

/** @param {NonNullable<ReturnType<typeof controls>>} own */
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
    point(index, at < fields[index].connections / fields[index].each ? at : null);
  });
  canvas.addEventListener('pointerleave', () => point(index, null));
  canvas.addEventListener('blur', () => point(index, null));
  canvas.addEventListener('keydown', (event) => {
    const { columns } = gridIn(canvas, fields[index]);
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const last = Math.ceil(fields[index].connections / fields[index].each) - 1;
    const from = canvas.dataset.at;
    point(index, from === undefined ? 0 : Math.max(0, Math.min(last, Number(from) + step)));
  });
}

/** Reads the fields of the page, anew where it has changed. */
export function renewFields() {
  fields = JSON.parse(document.getElementById('field-model')?.textContent ?? '[]');
  unpacked.clear();
  const own = controls();
  if (own === null) return;
  const isAtEnd = own.slider.value === own.slider.max;
  own.slider.max = String(Math.max(...fields.map(positionsOf)) - 1);
  if (isAtEnd || shareNow === 1) own.slider.value = own.slider.max;
  own.button.hidden = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  const bar = own.slider.parentElement;
  if (bar?.hidden) {
    bar.hidden = false;
    own.slider.addEventListener('input', () => {
      pause();
      moveTo(own.slider);
    });
    own.button.addEventListener('click', () => play(own));
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

/** A part that was closed gets its width when it is opened. */
const resized = new ResizeObserver(() => window.requestAnimationFrame(drawFields));
