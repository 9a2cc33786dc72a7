// The rows of a worker's transfer log that kernel timestamps split, in the order of that log.
import { existsSync } from 'node:fs';
import { readBatches, SPLITS } from './arrow-stream.js';

/** @typedef {{ row: number, sendDelay: bigint, networkAndServer: bigint, receiveDelay: bigint }} SplitRow ns; row: of the log, from 0 */
/** @typedef {{ rows: number } & Record<keyof typeof SPLITS, BigInt64Array>} SplitBatch */

/** @param {string} path @returns {Generator<SplitRow, void, void>} */
function* rowsOf(path) {
  for (const { batch } of readBatches(path, Infinity, SPLITS)) {
    const { rows, row, sendDelay, networkAndServer, receiveDelay } = /** @type {SplitBatch} */ (
      /** @type {unknown} */ (batch)
    );
    for (let i = 0; i < rows; i += 1) {
      yield {
        row: Number(row[i]),
        sendDelay: sendDelay[i],
        networkAndServer: networkAndServer[i],
        receiveDelay: receiveDelay[i],
      };
    }
  }
}

export class SplitRows {
  /** @param {string | undefined} path undefined, or of no file: there are none */
  constructor(path) {
    this.rows = path !== undefined && existsSync(path) ? rowsOf(path) : [][Symbol.iterator]();
    this.next = this.rows.next();
  }

  /** Whether there is none left. */
  get isEmpty() {
    return this.next.done === true;
  }

  /** @param {number} end @returns {Generator<SplitRow, void, void>} those left of the rows before END */
  *upTo(end) {
    for (; !this.next.done && this.next.value.row < end; this.next = this.rows.next()) yield this.next.value;
  }
}
