// Computes the state of every connection of a leg in each span of time, while the transfer log is converted: how many
// replies it got, or its fate.
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

/** Limits of the spans of a leg; with many connections there are few, so that the file stays below a megabyte. */
const MAX_SPANS = 60;
const MIN_SPANS = 12;
const MAX_CHARACTERS = 300_000;
/** With more connections, several share a cell. */
const MAX_CELLS = 80_000;

/** Statuses of a transfer: succeeded, and cut off by the end of the leg. */
const OK = 0;
const UNFINISHED = 6;

/**
 * Bit positions in a word of the first span that is not in the cells yet, and of the fate. The bits below count the
 * replies in that span, up to a number that is hardly ever reached.
 */
const [SPAN, FATE] = [26, 23];
const FATES = 7;
const MAX_REPLIES = 2 ** FATE - 1;
/** A cell without data. */
const UNSET = 255;

/**
 * @import { ConnectionField } from '../../../config/types.js'
 * @import { Leg } from '../../plan/plan.js'
 */

/**
 * @typedef {{ connections: number, each: number, fromNs: number, toNs: Float64Array }} FieldShape  each: connections in
 *   a cell; fromNs: the leg's start, since t0; toNs: ends of the spans
 */

/**
 * @param {Pick<Leg, 'connections' | 'steadyToNs' | 'slices'>} leg @param {number} fromNs the leg's start, since t0
 * @returns {FieldShape} equal spans up to the end of the steady state; if the leg takes turns with others, each span
 *   ends with a slice of the leg
 */
export function fieldShape({ connections, steadyToNs, slices }, fromNs) {
  const each = Math.max(1, Math.ceil(connections / MAX_CELLS));
  const byCells = Math.floor(MAX_CHARACTERS / Math.max(1, Math.ceil(connections / each)));
  const spans = Math.max(MIN_SPANS, Math.min(MAX_SPANS, byCells));
  const ends = slices
    ? slicesUntil(slices, steadyToNs).map(({ endNs }) => endNs)
    : Array.from({ length: spans }, (_, i) => Math.round((steadyToNs * (i + 1)) / spans));
  const merged = Math.ceil(ends.length / spans);
  const toNs = ends.filter((_, i) => (ends.length - 1 - i) % merged === 0).map((ns) => fromNs + ns);
  return { connections, each, fromNs, toNs: Float64Array.from(toNs) };
}

/** Takes the rows of each connection in the order in which its transfers ended; its engine logs them in that order. */
export class FieldCounter {
  /** @param {FieldShape} shape */
  constructor({ connections, each, fromNs, toNs }) {
    this.each = each;
    this.fromNs = fromNs;
    this.toNs = toNs;
    this.width = Math.ceil(connections / each);
    this.cells = new Uint8Array(this.width * toNs.length).fill(UNSET);
    /** A word for each connection, with its SPAN, its FATE and its replies; it is looked up for each row. */
    this.known = new Uint32Array(connections).fill(UNASKED << FATE);
    /** The span of the last row; the span of the next row is near. */
    this.near = 0;
  }

  /**
   * @param {number} start ns since t0 @param {number} response ns @param {number} status
   * @param {number} connection slot
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
      const replies = Math.min(MAX_REPLIES, (word & MAX_REPLIES) + 1);
      this.known[connection] = (word & (-1 << SPAN)) | (IDLE << FATE) | replies;
    } else if (status !== UNFINISHED) {
      this.known[connection] = (word & (-1 << SPAN)) | (LOST << FATE);
    }
  }

  /**
   * Fills the spans before the span in which the next transfer of a connection ended.
   * @param {number} connection @param {number} start of the transfer, ns @param {number} span in which it ended
   */
  #pass(connection, start, span) {
    let begun = span;
    const from = this.known[connection] >>> SPAN;
    while (begun > from && start < this.toNs[begun - 1]) begun -= 1;
    const isAnswered = ((this.known[connection] >>> FATE) & FATES) === IDLE;
    this.#fill(connection, isAnswered ? span : begun);
    if (isAnswered || begun === span) return;
    // the request was unanswered at the end of the spans from BEGUN on
    this.known[connection] = (begun << SPAN) | (UNANSWERED << FATE);
    this.#fill(connection, span);
  }

  /** Fills the cells of a connection. @param {number} connection @param {number} to the first span not to fill */
  #fill(connection, to) {
    const word = this.known[connection];
    const fate = (word >>> FATE) & FATES;
    const column = this.each === 1 ? connection : Math.floor(connection / this.each);
    let replies = fate === IDLE ? word & MAX_REPLIES : 0;
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
