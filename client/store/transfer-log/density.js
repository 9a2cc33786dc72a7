// Counts the transfers of a leg by due time and response time while its log is converted: a picture of all transfers,
// small enough for a page.

/** Columns of a leg at most, so that the file stays below a megabyte. */
const MAX_COLUMNS = 1000;
const MIN_COLUMN_NS = 20e6;
/** Rows for each doubling of the response time; row 0 begins at 1 ns. */
export const ROWS_PER_DOUBLING = 10;
/** Enough for two hours and a half. */
const ROWS = 430;
/** Status of a transfer that succeeded. */
const OK = 0;

/**
 * @import { Cells, Density } from '../../../config/types.js'
 */

/** @typedef {{ fromNs: number, toNs: number }} Time  of a leg, since t0 */

/** @param {Uint32Array | undefined} counts @returns {Cells | undefined} */
function cellsOf(counts) {
  if (counts === undefined) return undefined;
  const first = counts.findIndex((n) => n > 0);
  return [first, ...counts.subarray(first, counts.findLastIndex((n) => n > 0) + 1)];
}

export class DensityCounter {
  /** @param {Time} time */
  constructor({ fromNs, toNs }) {
    this.fromNs = fromNs;
    const minNs = Math.max(MIN_COLUMN_NS, (toNs - fromNs) / MAX_COLUMNS);
    this.columnNs = Math.ceil(minNs / 1e6) * 1e6;
    /** For each column, counts of transfers that succeeded, and that failed. @type {(Uint32Array | undefined)[][]} */
    this.columns = [];
  }

  /** @param {number} start ns since t0 @param {number} response ns @param {number} status */
  add(start, response, status) {
    const at = Math.floor((start - this.fromNs) / this.columnNs);
    if (at < 0 || at >= 2 * MAX_COLUMNS) return;
    const column = (this.columns[at] ??= [undefined, undefined]);
    const counts = (column[status === OK ? 0 : 1] ??= new Uint32Array(ROWS));
    counts[Math.min(ROWS - 1, Math.floor(Math.log2(Math.max(1, response)) * ROWS_PER_DOUBLING))] += 1;
  }

  /** @returns {Density} */
  result() {
    const columns = this.columns.flatMap(([ok, failed], at) => {
      const [answered, lost] = [cellsOf(ok), cellsOf(failed)];
      return [{ at, ...(answered && { answered }), ...(lost && { failed: lost }) }];
    });
    return { columnNs: this.columnNs, rowsPerDoubling: ROWS_PER_DOUBLING, columns };
  }
}
