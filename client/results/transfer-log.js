// What the transfer log takes on disk. Pure.

/** Bytes of one row: while a leg runs (Arrow), and afterwards (Parquet). */
export const ROW_BYTES = Object.freeze({ arrow: 25, parquet: 8.5, none: 0 });
