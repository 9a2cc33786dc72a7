// Writes the progress of a run: about one line a second, or on a terminal a screen that is redrawn in its last lines,
// below the remarks. The texts come from live-lines.js and screen-lines.js.

import { header, LEG_WIDTH, line } from './live-lines.js';
import { shortLabels } from './shorten-labels.js';
import { shownText } from './print.js';
import { lengthOf, plain, styleFor, wrap } from './terminal-text.js';

/**
 * @import { Need } from '../judge/figures.js'
 * @import { Row, Shape } from './live-lines.js'
 * @import { Style, Tone } from './terminal-text.js'
 */

/**
 * What is shown besides remarks. auto: the screen on a terminal, lines elsewhere; screen: the screen on a terminal,
 * nothing elsewhere.
 * @typedef {'auto' | 'screen' | 'lines' | 'none'} ProgressKind
 */

const headerEvery = 20;
/** A new leg begins with a header unless there is one within this many lines above it. */
const headerNear = 10;
const FRAME_MS = 1000;
/** Size of a terminal that does not report its size. */
const USUAL = { columns: 80, rows: 24 };

/** Erases the rest of the line; from the cursor on to the end of the terminal. */
const [ERASE_LINE, ERASE_BELOW] = ['\u001b[K', '\u001b[J'];
/** @param {number} lines @returns {string} moves the cursor to the beginning of a line above */
const upBy = (lines) => (lines > 0 ? `\r\u001b[${lines}A` : '\r');

/**
 * @param {{ isTTY?: boolean }} stream @param {NodeJS.ProcessEnv} env @param {ProgressKind} asked
 * @returns {'screen' | 'lines' | 'none'}
 */
function kindOn(stream, env, asked) {
  const canRedraw = Boolean(stream.isTTY) && env.TERM !== 'dumb';
  if (asked === 'screen') return canRedraw ? 'screen' : 'none';
  if (asked === 'auto') return canRedraw && !env.CI ? 'screen' : 'lines';
  return asked;
}

/** Writes to a stream that may close at any time. */
export class Progress {
  /**
   * @param {NodeJS.WriteStream} stream
   * @param {{ env?: NodeJS.ProcessEnv, quiet?: boolean, kind?: ProgressKind }} [options] quiet: only say() writes
   */
  constructor(stream, { env = process.env, quiet = false, kind = 'auto' } = {}) {
    this.stream = stream;
    this.quiet = quiet;
    this.kind = quiet ? 'none' : kindOn(stream, env, kind);
    this.style = styleFor(stream, env);
    this.columnsSet = Number(env.COLUMNS) || 0;
    this.closed = false;
    /** Lines printed since the last header. */
    this.sinceHeader = Infinity;
    /** Whether the last line was a leg's heading: then no empty line is needed before a header. */
    this.headed = false;
    /** Short name of each leg, by its label. @type {Map<string, string>} */
    this.names = new Map();
    /** Shape of the lines. @type {Shape} */
    this.shape = {};
    /** Returns the lines of the screen. @type {((terminal: typeof USUAL, style: Style) => string[]) | null} */
    this.frame = null;
    /** The lines of the screen that are at the end of the terminal now; the cursor is below them. @type {string[]} */
    this.drawn = [];
    stream.on('error', () => {
      this.closed = true;
    });
    /** @type {NodeJS.Timeout | null} */
    this.timer = null;
    this.redraw = () => this.draw();
    this.erase = () => this.write(this.erased());
  }

  get width() {
    return this.stream.columns || this.columnsSet || Infinity;
  }

  /**
   * @param {string[]} labels of all legs, which are shortened in the same way
   * @param {boolean} areMany whether each line must name its leg
   */
  nameLegs(labels, areMany) {
    this.names = shortLabels(labels, LEG_WIDTH);
    this.shape = {
      ...this.shape,
      areMany,
      nameWidth: Math.max(0, ...[...this.names.values()].map((name) => name.length)),
    };
  }

  /** Sets the features of the run, which decide on columns. @param {ReadonlySet<Need>} features */
  setFeatures(features) {
    this.shape = { ...this.shape, features };
  }

  /** @param {Row[]} rows of the same time: no header comes between them */
  rows(rows) {
    if (this.kind !== 'lines' || rows.length === 0) return;
    const due = this.sinceHeader >= headerEvery;
    const head = due ? [...(this.headed ? [] : ['']), ...header(this.width, this.style, this.shape)] : [];
    const lines = rows.map((row) =>
      line({ ...row, leg: this.names.get(row.leg) ?? row.leg }, this.width, this.style, this.shape),
    );
    this.print([...head, ...lines]);
    if (due) this.sinceHeader = lines.length;
    this.headed = false;
  }

  /** Writes a remark between the lines. @param {string} text @param {Tone | Tone[]} [tone] */
  note(text, tone) {
    if (this.quiet) return;
    const lines = text.split('\n').flatMap((line) => wrap(line, this.width));
    this.print(lines.map((line) => (tone ? this.style(tone, line) : line)));
  }

  /** Writes a text, even if quiet. @param {string} text */
  say(text) {
    this.print([text]);
  }

  /** Writes the heading of a leg; the header of its lines follows, unless one is near. @param {string} text */
  heading(text) {
    this.note(text);
    if (this.sinceHeader >= headerNear) this.sinceHeader = Infinity;
    this.headed = true;
  }

  /**
   * Draws the screen now, every second, after each remark, and when the size of the terminal changes.
   * @param {NonNullable<Progress['frame']>} frame returns lines that fit into the terminal
   */
  open(frame) {
    if (this.kind !== 'screen') return;
    this.frame = frame;
    this.timer = setInterval(this.redraw, FRAME_MS).unref();
    this.stream.on('resize', this.redraw);
    process.on('uncaughtExceptionMonitor', this.erase);
    this.draw();
  }

  /** @param {string[]} lines */
  print(lines) {
    const text = shownText(`${lines.join('\n')}\n`, this.style !== plain);
    this.write(this.erased() + text);
    this.sinceHeader += lines.length;
    this.draw();
  }

  /** @param {() => void} say writes to another stream, which may be the same terminal */
  aside(say) {
    this.erase();
    say();
    this.draw();
  }

  /** @returns {number} lines of the terminal that the screen takes: a terminal that became narrower has wrapped some */
  heightDrawn() {
    const { columns } = this.size();
    return this.drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(lengthOf(line) / columns)), 0);
  }

  /** @returns {string} codes that erase the screen, and put the cursor where it began */
  erased() {
    const height = this.heightDrawn();
    this.drawn = [];
    return height === 0 ? '' : upBy(height) + ERASE_BELOW;
  }

  size() {
    const { columns, rows } = this.stream;
    return { columns: columns || this.columnsSet || USUAL.columns, rows: rows || USUAL.rows };
  }

  draw() {
    if (this.frame === null) return;
    const lines = this.frame(this.size(), this.style).map((line) => shownText(line, this.style !== plain));
    // overwrite line by line, so that nothing flickers
    const start = upBy(this.heightDrawn());
    this.write(start + lines.map((line) => `${line}${ERASE_LINE}\n`).join('') + ERASE_BELOW);
    this.drawn = lines;
  }

  /** @param {string} text */
  write(text) {
    if (text === '' || this.closed || this.stream.destroyed) return;
    this.stream.write(text);
  }

  /** Removes the screen. */
  close() {
    this.frame = null;
    if (this.timer) clearInterval(this.timer);
    this.stream.off('resize', this.redraw);
    process.off('uncaughtExceptionMonitor', this.erase);
    this.erase();
  }
}
