// The size of the transfer log on disk, and its description in a summary.

/** Bytes of one row: while a leg runs (Arrow), and afterwards (Parquet). */
export const ROW_BYTES = Object.freeze({ arrow: 29, parquet: 8.5, none: 0 });

/**
 * @param {{ count: number, failed: number, unfinished: number }} transfers that were counted
 * @param {number} rows in the log @param {'parquet' | 'arrow' | 'none'} kind of it
 */
export const logSummary = ({ count, failed, unfinished }, rows, kind) => ({
  rows,
  missing: count + failed + unfinished - rows,
  kind,
});
