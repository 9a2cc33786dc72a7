// The console: about one line a second, and on a terminal a bar in the last line. What is seen is made by pure
// functions (live-lines.js, bar.js); Progress only writes.

import { clearLine, cursorTo } from 'node:readline';
import { bar } from './bar.js';
import { header, LEG_WIDTH, line } from './live-lines.js';
import { shortLabels } from './shorten-labels.js';
import { shownText } from './print.js';
import { plain, styleFor, wrap } from './terminal-text.js';

/**
 * @import { Need } from '../judge/figures.js'
 * @import { BarState } from './bar.js'
 * @import { Row, Shape } from './live-lines.js'
 * @import { Tone } from './terminal-text.js'
 */

const headerEvery = 20;
/** A new leg begins with a header unless there is one within this many lines above it. */
const headerNear = 10;

/** Writes lines and the bar to a stream that may close at any time. */
export class Progress {
  /**
   * @param {NodeJS.WriteStream} stream
   * @param {{ env?: NodeJS.ProcessEnv, quiet?: boolean, isShown?: boolean }} [options] quiet: lines and bar are
   *   dropped, say() is not; isShown: false: rows and bar are dropped, notes are not
   */
  constructor(stream, { env = process.env, quiet = false, isShown = true } = {}) {
    this.stream = stream;
    this.quiet = quiet;
    this.isShown = isShown;
    this.style = styleFor(stream, env);
    this.live = Boolean(stream.isTTY) && env.TERM !== 'dumb' && !quiet && isShown;
    this.columnsSet = Number(env.COLUMNS) || 0;
    this.closed = false;
    /** Lines printed since the last header. */
    this.sinceHeader = Infinity;
    /** Whether the last line was a leg's heading: then no empty line is needed before a header. */
    this.headed = false;
    this.barShown = false;
    /** Of each leg, for its lines. @type {Map<string, string>} */
    this.names = new Map();
    /** Of the lines. @type {Shape} */
    this.shape = {};
    /** @type {(() => BarState) | null} */
    this.barState = null;
    stream.on('error', () => {
      this.closed = true;
    });
    this.timer = this.live ? setInterval(() => this.drawBar(), 250).unref() : null;
  }

  get width() {
    return this.stream.columns || this.columnsSet || Infinity;
  }

  /**
   * @param {string[]} labels of all legs, so that none is cut in a way of its own
   * @param {boolean} areMany whether each line must say which leg it is of
   */
  nameLegs(labels, areMany) {
    this.names = shortLabels(labels, LEG_WIDTH);
    this.shape = {
      ...this.shape,
      areMany,
      nameWidth: Math.max(0, ...[...this.names.values()].map((name) => name.length)),
    };
  }

  /** Which columns the lines have besides those of every run. @param {ReadonlySet<Need>} features */
  setFeatures(features) {
    this.shape = { ...this.shape, features };
  }

  /** @param {Row[]} rows of the same time: no header comes between them */
  rows(rows) {
    if (this.quiet || !this.isShown || rows.length === 0) return;
    const due = this.sinceHeader >= headerEvery;
    const head = due ? [...(this.headed ? [] : ['']), ...header(this.width, this.style, this.shape)] : [];
    const lines = rows.map((row) =>
      line({ ...row, leg: this.names.get(row.leg) ?? row.leg }, this.width, this.style, this.shape),
    );
    this.print([...head, ...lines]);
    if (due) this.sinceHeader = lines.length;
    this.headed = false;
  }

  /** A remark between the lines. @param {string} text @param {Tone | Tone[]} [tone] */
  note(text, tone) {
    if (this.quiet) return;
    const lines = text.split('\n').flatMap((one) => wrap(one, this.width));
    this.print(lines.map((one) => (tone ? this.style(tone, one) : one)));
  }

  /** What is said even when quiet. @param {string} text */
  say(text) {
    this.print([text]);
  }

  /** A leg begins: its heading, and the header of its lines unless one is still near. @param {string} text */
  heading(text) {
    this.note(text);
    if (this.sinceHeader >= headerNear) this.sinceHeader = Infinity;
    this.headed = true;
  }

  /** @param {(() => BarState) | null} state null: no bar */
  setBar(state) {
    this.barState = state;
    if (state === null) this.clearBar();
    else this.drawBar();
  }

  /** @param {string[]} lines */
  print(lines) {
    this.clearBar();
    this.write(`${lines.join('\n')}\n`);
    this.sinceHeader += lines.length;
    this.drawBar();
  }

  drawBar() {
    if (!this.live || !this.barState || this.closed) return;
    this.clearBar();
    this.write(bar(this.barState(), Math.min(this.width, 200), this.style));
    this.barShown = true;
  }

  clearBar() {
    if (!this.barShown || this.closed) return;
    clearLine(this.stream, 0);
    cursorTo(this.stream, 0);
    this.barShown = false;
  }

  /** @param {string} text */
  write(text) {
    if (this.closed || this.stream.destroyed) return;
    this.stream.write(shownText(text, this.style !== plain));
  }

  end() {
    this.setBar(null);
    if (this.timer) clearInterval(this.timer);
  }
}
