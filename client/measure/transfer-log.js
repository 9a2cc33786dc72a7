// What the transfer log takes on disk, and how a summary describes it. Pure.

/** Bytes of one row: while a leg runs (Arrow), and afterwards (Parquet). */
export const ROW_BYTES = Object.freeze({ arrow: 25, parquet: 8.5, none: 0 });

/** ... and what kernel timestamps add to it, where every transfer has them. Those of a sample add less than one byte. */
const SPLIT_BYTES = Object.freeze({ arrow: 32, parquet: 10, none: 0 });

/**
 * @param {keyof typeof ROW_BYTES} kind @param {'sample' | 'all' | 'off'} [timestamps]
 * @returns {number} bytes of one row
 */
export const rowBytes = (kind, timestamps) => ROW_BYTES[kind] + (timestamps === 'all' ? SPLIT_BYTES[kind] : 0);

/**
 * @param {{ count: number, failed: number, unfinished: number }} transfers that were counted
 * @param {number} rows in the log @param {'parquet' | 'arrow' | 'none'} kind of it
 */
export const logSummary = ({ count, failed, unfinished }, rows, kind) => ({
  rows,
  missing: count + failed + unfinished - rows,
  kind,
});
