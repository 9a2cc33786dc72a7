// Converts the workers' Arrow streams of one leg into one Parquet file (or into complete Arrow streams), and counts
// rows. The file gets its name only when it is complete; a conversion that fails leaves no file behind.
import { closeSync, existsSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { ParquetWriter, fileWriter } from 'hyparquet-writer';
import { END_OF_STREAM, readBatches, SPLITS } from './arrow-stream.js';
import { FieldCounter } from './connection-field.js';
import { DensityCounter } from './density.js';
import { RowGroup } from './row-group.js';

/**
 * @import { ConnectionField, Density } from '../../../config/types.js'
 * @import { FieldShape } from './connection-field.js'
 * @import { Time } from './density.js'
 */

/**
 * @typedef {{ rows: number } & Record<keyof typeof SPLITS, BigInt64Array>} SplitBatch  row: number in the log, from 0;
 *   the other columns: ns
 * @typedef {{ batch: SplitBatch, from: number, to: number }} SplitRange  to: the end, not included
 */

/**
 * @typedef {{ path: string, splits?: string, rows: number, whole: boolean }} ArrowFile splits: the path of the second
 *   stream, with the rows that kernel timestamps split; rows: the maximum to take; whole: the worker closed the streams
 */

/**
 * @param {{ files: ArrowFile[], target: string, metadata: Record<string, string>, measured?: Float64Array, time?: Time,
 *   field?: FieldShape }} task  measured: see RowGroup; time: of the leg, for the density of its transfers; field: for
 *   the states of its connections
 * @param {(rows: number) => void} [onRows] called after every row group with the rows written so far
 * @returns {Promise<{ rows: number, bytes: number, cut: string[], density?: Density, field?: ConnectionField }>}
 *   cut: the files that ended in mid-batch
 */
export async function toParquet({ files, target, metadata, measured, time, field }, onRows = () => {}) {
  const partial = `${target}.partial`;
  const cut = [];
  try {
    const writer = fileWriter(partial);
    const splits = files.map((file) => new SplitRows(file.splits));
    const group = new RowGroup(
      splits.some((rows) => !rows.isEmpty),
      measured,
    );
    const parquet = new ParquetWriter({
      writer,
      schema: [{ name: 'root', num_children: group.columns.length }, ...group.columns],
      createdBy: 'broadside',
      kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    });
    const density = time && new DensityCounter(time);
    const connections = field && new FieldCounter(field);
    const flush = () => {
      if (group.rows === 0) return;
      if (density) group.countInto(density);
      if (connections) group.countInto(connections);
      group.write(parquet);
      onRows(Number(parquet.num_rows));
    };
    for (const [i, file] of files.entries()) {
      const batches = readBatches(file.path, file.rows);
      let next = batches.next();
      let taken = 0;
      for (; !next.done; next = batches.next()) {
        const { batch } = next.value;
        for (let at = 0; at < batch.rows;) {
          const count = group.take(batch, at);
          group.takeSplits(splits[i], taken, count);
          at += count;
          taken += count;
          if (group.isFull) flush();
        }
      }
      if (next.value.cut) cut.push(file.path);
    }
    flush();
    await parquet.finish();
    const bytes = await checkEnds(partial);
    await rename(partial, target);
    return {
      ...{ rows: Number(parquet.num_rows), bytes, cut },
      ...(density && { density: density.result() }),
      ...(connections && { field: connections.result() }),
    };
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {}); // the first error is the one to report
    throw error;
  }
}

/** A Parquet file begins and ends with its magic. @param {string} path @returns {Promise<number>} its length */
async function checkEnds(path) {
  const { size } = await stat(path);
  const file = await open(path);
  try {
    const ends = Buffer.alloc(8);
    await file.read(ends, 0, 4, 0);
    await file.read(ends, 4, 4, size - 4);
    if (ends.toString('latin1') !== 'PAR1PAR1') throw new Error(`${path} was not written completely`);
    return size;
  } finally {
    await file.close();
  }
}

/**
 * Keeps the Arrow files: counts the rows of whole files, and cuts the file of a dead worker to the rows that its
 * samples counted.
 * @param {{ files: ArrowFile[] }} task
 * @param {(rows: number) => void} [onRows]
 * @returns {Promise<{ rows: number, bytes: number, cut: string[] }>}
 */
export async function toWholeArrow({ files }, onRows = () => {}) {
  const total = { rows: 0, bytes: 0, cut: /** @type {string[]} */ ([]) };
  for (const file of files) {
    const { rows, cut } = file.whole ? countRows(file) : rewrite(file);
    if (!file.whole && file.splits !== undefined && existsSync(file.splits)) {
      rewrite({ path: file.splits, rows: Infinity }, SPLITS);
    }
    total.rows += rows;
    total.bytes += (await stat(file.path)).size;
    if (cut) total.cut.push(file.path);
    onRows(total.rows);
  }
  return total;
}

/** @param {ArrowFile} file @returns {{ rows: number, cut: boolean }} */
function countRows(file) {
  let rows = 0;
  const batches = readBatches(file.path, file.rows);
  let next = batches.next();
  for (; !next.done; next = batches.next()) rows += next.value.batch.rows;
  return { rows, cut: next.value.cut };
}

/**
 * Cuts a stream to its first rows and gives it an end.
 * @param {{ path: string, rows: number }} file
 * @param {Parameters<typeof readBatches>[2]} [columns]
 * @returns {{ rows: number, cut: boolean }}
 */
function rewrite(file, columns) {
  const partial = `${file.path}.partial`;
  const descriptor = openSync(partial, 'w');
  try {
    let rows = 0;
    let hasSchema = false;
    const batches = readBatches(file.path, file.rows, columns);
    let next = batches.next();
    for (; !next.done; next = batches.next()) {
      const { schema, encoded, batch } = next.value;
      for (const bytes of hasSchema ? encoded : [schema, ...encoded]) writeFileSync(descriptor, bytes);
      hasSchema = true;
      rows += batch.rows;
    }
    if (!hasSchema) writeFileSync(descriptor, next.value.schema);
    writeFileSync(descriptor, END_OF_STREAM);
    renameSync(partial, file.path);
    return { rows, cut: next.value.cut };
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** The rows of a worker's log that kernel timestamps split, in the order of the log. */
export class SplitRows {
  /** @type {Generator<{ batch: SplitBatch }, unknown, void> | null} */
  #batches;
  /** @type {SplitBatch | null} the batch with the next rows */
  #batch = null;
  #at = 0;

  /** @param {string | undefined} path undefined, or of a missing file: there are no rows */
  constructor(path) {
    this.#batches =
      path !== undefined && existsSync(path)
        ? /** @type {Generator<{ batch: SplitBatch }, unknown, void>} */ (readBatches(path, Infinity, SPLITS))
        : null;
    this.#advance();
  }

  /** Whether no row is left. */
  get isEmpty() {
    return this.#batch === null;
  }

  /** @param {number} end @returns {Generator<SplitRange, void, void>} the remaining rows before END */
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
