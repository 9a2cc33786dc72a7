// What became of every connection of a leg, from the log of its transfers: of each span of time how many replies it
// got, and its fate at the end. Made while the log is converted.
import {
  IDLE,
  LEVELS_PER_DOUBLING,
  LOST,
  packCells,
  servedCell,
  UNANSWERED,
  UNASKED,
} from '../../measure/connection-cells.js';
import { slicesUntil } from '../../measure/slices.js';

/** Spans of a leg at most; fewer where it has many connections, so that the file stays below a megabyte. */
const MOST_SPANS = 60;
const LEAST_SPANS = 12;
const MOST_CHARACTERS = 300_000;
/** Of more connections, several share a cell. */
const MOST_CELLS = 80_000;

/** Statuses of a transfer that succeeded, and of one that was cut off by the end of the leg. */
const OK = 0;
const UNFINISHED = 6;

/**
 * Parts of a word: the first span that is not in the cells, the fate, and the replies in that span, of which there are
 * hardly more in a span.
 */
const [SPAN, FATE] = [26, 23];
const FATES = 7;
const MOST_REPLIES = 2 ** FATE - 1;
/** Of a cell before anything is known of its connections. */
const UNSET = 255;

/**
 * @import { ConnectionField } from '../../../config/types.js'
 * @import { Leg } from '../../plan/plan.js'
 */

/**
 * @typedef {{ connections: number, each: number, fromNs: number, toNs: Float64Array }} FieldShape  each: connections a
 *   cell; fromNs: when the leg began, since t0; toNs: ends of its spans
 */

/**
 * @param {Pick<Leg, 'connections' | 'steadyToNs' | 'slices'>} leg @param {number} fromNs when it began, since t0
 * @returns {FieldShape} of equal spans up to the end of the steady state; of a leg that takes turns with others a span
 *   ends with a slice of the leg, so that each has a turn in it
 */
export function fieldShape({ connections, steadyToNs, slices }, fromNs) {
  const each = Math.max(1, Math.ceil(connections / MOST_CELLS));
  const byCells = Math.floor(MOST_CHARACTERS / Math.max(1, Math.ceil(connections / each)));
  const most = Math.max(LEAST_SPANS, Math.min(MOST_SPANS, byCells));
  const ends = slices
    ? slicesUntil(slices, steadyToNs).map(({ endNs }) => endNs)
    : Array.from({ length: most }, (_, i) => Math.round((steadyToNs * (i + 1)) / most));
  const merged = Math.ceil(ends.length / most);
  const toNs = ends.filter((_, i) => (ends.length - 1 - i) % merged === 0).map((ns) => fromNs + ns);
  return { connections, each, fromNs, toNs: Float64Array.from(toNs) };
}

/** Takes the rows of each connection in the order in which its transfers ended, as its engine logs them. */
export class FieldCounter {
  /** @param {FieldShape} shape */
  constructor({ connections, each, fromNs, toNs }) {
    this.each = each;
    this.fromNs = fromNs;
    this.toNs = toNs;
    this.width = Math.ceil(connections / each);
    this.cells = new Uint8Array(this.width * toNs.length).fill(UNSET);
    /** Of each connection, in one word, as it is looked up for each row: SPAN, FATE and REPLIES. */
    this.known = new Uint32Array(connections).fill(UNASKED << FATE);
    /** The span of the last row: the next one is near. */
    this.near = 0;
  }

  /**
   * @param {number} start ns since t0 @param {number} response ns @param {number} status @param {number} connection its
   *   slot
   */
  add(start, response, status, connection) {
    const end = start + response;
    if (end < this.fromNs || connection >= this.known.length) return;
    const { toNs } = this;
    let span = this.near;
    while (span < toNs.length && end >= toNs[span]) span += 1;
    while (span > 0 && end < toNs[span - 1]) span -= 1;
    this.near = span;
    if (span > this.known[connection] >>> SPAN) this.#pass(connection, start, span);
    if (span === toNs.length) return; // it ended in the drain
    const word = this.known[connection];
    if (status === OK) {
      const replies = Math.min(MOST_REPLIES, (word & MOST_REPLIES) + 1);
      this.known[connection] = (word & (-1 << SPAN)) | (IDLE << FATE) | replies;
    } else if (status !== UNFINISHED) {
      this.known[connection] = (word & (-1 << SPAN)) | (LOST << FATE);
    }
  }

  /**
   * A connection had no other transfer until one that ended in SPAN.
   * @param {number} connection @param {number} start of that transfer, ns @param {number} span
   */
  #pass(connection, start, span) {
    let begun = span;
    const from = this.known[connection] >>> SPAN;
    while (begun > from && start < this.toNs[begun - 1]) begun -= 1;
    const isAnswered = ((this.known[connection] >>> FATE) & FATES) === IDLE;
    this.#fill(connection, isAnswered ? span : begun);
    if (isAnswered || begun === span) return;
    // a request was under way at the end of the spans from BEGUN on
    this.known[connection] = (begun << SPAN) | (UNANSWERED << FATE);
    this.#fill(connection, span);
  }

  /** @param {number} connection @param {number} to fills the cells of the spans before it */
  #fill(connection, to) {
    const word = this.known[connection];
    const fate = (word >>> FATE) & FATES;
    const column = this.each === 1 ? connection : Math.floor(connection / this.each);
    let replies = fate === IDLE ? word & MOST_REPLIES : 0;
    for (let span = word >>> SPAN; span < to; span += 1) {
      const cell = replies > 0 ? servedCell(replies) : fate;
      replies = 0;
      const at = span * this.width + column;
      if (cell < this.cells[at]) this.cells[at] = cell;
    }
    if (to > word >>> SPAN) this.known[connection] = (to << SPAN) | (fate << FATE);
  }

  /** @returns {ConnectionField} */
  result() {
    const { each, fromNs, toNs, width } = this;
    for (let connection = 0; connection < this.known.length; connection += 1) this.#fill(connection, toNs.length);
    return {
      connections: this.known.length,
      each,
      levelsPerDoubling: LEVELS_PER_DOUBLING,
      spans: Array.from(toNs, (ns, span) => ({
        toNs: ns - fromNs,
        cells: packCells(this.cells.subarray(span * width, (span + 1) * width)),
      })),
    };
  }
}
