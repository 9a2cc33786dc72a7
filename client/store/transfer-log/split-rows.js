// The rows of a worker's transfer log that kernel timestamps split, in the order of that log.
import { existsSync } from 'node:fs';
import { readBatches, SPLITS } from './arrow-stream.js';

/** @typedef {{ rows: number } & Record<keyof typeof SPLITS, BigInt64Array>} SplitBatch  row: of the log, from 0; the others: ns */
/** @typedef {{ batch: SplitBatch, from: number, to: number }} SplitRange  to: the end, not included */

export class SplitRows {
  /** @type {Generator<{ batch: SplitBatch }, unknown, void> | null} */
  #batches;
  /** @type {SplitBatch | null} the one that is not used up */
  #batch = null;
  #at = 0;

  /** @param {string | undefined} path undefined, or of no file: there are none */
  constructor(path) {
    this.#batches =
      path !== undefined && existsSync(path) ? /** @type {any} */ (readBatches(path, Infinity, SPLITS)) : null;
    this.#advance();
  }

  /** Whether there is none left. */
  get isEmpty() {
    return this.#batch === null;
  }

  /** @param {number} end @returns {Generator<SplitRange, void, void>} those left of the rows before END */
  *upTo(end) {
    while (this.#batch) {
      const batch = this.#batch;
      const from = this.#at;
      let to = from;
      while (to < batch.rows && Number(batch.row[to]) < end) to += 1;
      this.#at = to;
      if (to > from) yield { batch, from, to };
      if (to < batch.rows) return;
      this.#advance();
    }
  }

  /** Goes to the next batch that has rows. */
  #advance() {
    this.#at = 0;
    for (;;) {
      const next = this.#batches?.next();
      this.#batch = next && !next.done ? next.value.batch : null;
      if (!this.#batch || this.#batch.rows > 0) return;
    }
  }
}
