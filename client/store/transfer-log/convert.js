// Converts the workers' Arrow streams of one leg into one Parquet file (or into complete Arrow streams), and counts rows.
// The file appears under its name only when it is complete; a conversion that fails leaves nothing behind.
import { closeSync, existsSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { ParquetWriter, fileWriter } from 'hyparquet-writer';
import { END_OF_STREAM, readBatches, SPLITS } from './arrow-stream.js';
import { SplitRows } from './split-rows.js';

const ROWS_PER_GROUP = 1 << 18;

/** @typedef {{ path: string, splits?: string, rows: number, whole: boolean }} ArrowFile
 *   splits: the path of the second stream, of the rows that kernel timestamps split; rows: the maximum to take; whole: the
 *   worker closed the streams itself */

/** @type {import('hyparquet').SchemaElement[]} */
const COLUMNS = [
  { name: 'start', type: 'INT64', repetition_type: 'REQUIRED' },
  { name: 'response', type: 'INT64', repetition_type: 'REQUIRED' },
  { name: 'connection', type: 'INT32', converted_type: 'UINT_32', repetition_type: 'REQUIRED' },
  { name: 'status', type: 'INT32', converted_type: 'UINT_8', repetition_type: 'REQUIRED' },
];

/** Where at least one transfer was split. @type {import('hyparquet').SchemaElement[]} */
const SPLIT_COLUMNS = ['sendDelay', 'networkAndServer', 'receiveDelay'].map((name) => ({
  name,
  type: 'INT64',
  repetition_type: 'OPTIONAL',
}));

/**
 * @param {{ files: ArrowFile[], target: string, metadata: Record<string, string> }} task
 * @param {(rows: number) => void} [onRows] called after every row group with the rows written so far
 * @returns {Promise<{ rows: number, bytes: number, cut: string[] }>} cut: the files that ended in mid-batch
 */
export async function toParquet({ files, target, metadata }, onRows = () => {}) {
  const partial = `${target}.partial`;
  const cut = [];
  try {
    const writer = fileWriter(partial);
    const splits = files.map((file) => new SplitRows(file.splits));
    const columns = [...COLUMNS, ...(splits.some((one) => !one.isEmpty) ? SPLIT_COLUMNS : [])];
    const parquet = new ParquetWriter({
      writer,
      schema: [{ name: 'root', num_children: columns.length }, ...columns],
      createdBy: 'broadside',
      kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    });
    const group = new RowGroup(columns.length > COLUMNS.length);
    let rows = 0;
    const flush = async () => {
      const filled = group.rows;
      if (filled === 0) return;
      await parquet.write({ columnData: group.columns(), rowGroupSize: filled });
      rows += filled;
      group.clear();
      onRows(rows);
    };
    for (const [i, file] of files.entries()) {
      const batches = readBatches(file.path, file.rows);
      let next = batches.next();
      let taken = 0;
      for (; !next.done; next = batches.next()) {
        const { batch } = next.value;
        for (let at = 0; at < batch.rows;) {
          const more = group.take(batch, at);
          group.takeSplits(splits[i], taken, more);
          at += more;
          taken += more;
          if (group.full) await flush();
        }
      }
      if (next.value.cut) cut.push(file.path);
    }
    await flush();
    await parquet.finish();
    if (Number(parquet.num_rows) !== rows) throw new Error(`Parquet holds ${parquet.num_rows} rows of ${rows}`);
    const bytes = await checkEnds(partial);
    await rename(partial, target);
    return { rows, bytes, cut };
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {}); // the first error is the one to report
    throw error;
  }
}

/** The rows of one row group, collected from batches of any size; its arrays are reused. */
class RowGroup {
  /** @param {boolean} hasSplits */
  constructor(hasSplits) {
    this.rows = 0;
    const nothing = () => /** @type {(bigint | null)[]} */ (new Array(ROWS_PER_GROUP).fill(null));
    this.splits = hasSplits ? { sendDelay: nothing(), networkAndServer: nothing(), receiveDelay: nothing() } : null;
    this.start = new BigInt64Array(ROWS_PER_GROUP);
    this.response = new BigInt64Array(ROWS_PER_GROUP);
    this.connection = new Int32Array(ROWS_PER_GROUP);
    this.status = new Int32Array(ROWS_PER_GROUP);
  }

  get full() {
    return this.rows === ROWS_PER_GROUP;
  }

  /** @param {import('./arrow-stream.js').Batch} batch @param {number} from @returns {number} rows taken */
  take(batch, from) {
    const end = Math.min(batch.rows, from + ROWS_PER_GROUP - this.rows);
    for (const name of /** @type {const} */ (['start', 'response'])) {
      this[name].set(batch[name].subarray(from, end), this.rows);
    }
    this.connection.set(batch.connection.subarray(from, end), this.rows);
    this.status.set(batch.status.subarray(from, end), this.rows);
    this.rows += end - from;
    return end - from;
  }

  /**
   * Of the rows that were taken last.
   * @param {SplitRows} splits @param {number} from the first of them in its file @param {number} count
   */
  takeSplits(splits, from, count) {
    if (this.splits === null) return;
    for (const { row, ...parts } of splits.upTo(from + count)) {
      const place = this.rows - count + row - from;
      this.splits.sendDelay[place] = parts.sendDelay;
      this.splits.networkAndServer[place] = parts.networkAndServer;
      this.splits.receiveDelay[place] = parts.receiveDelay;
    }
  }

  /** Begins the next one. */
  clear() {
    this.rows = 0;
    for (const column of Object.values(this.splits ?? {})) column.fill(null);
  }

  /** @returns {import('hyparquet-writer').ColumnSource[]} */
  columns() {
    return [
      { name: 'start', data: this.start.subarray(0, this.rows), encoding: 'DELTA_BINARY_PACKED' },
      { name: 'response', data: this.response.subarray(0, this.rows), encoding: 'DELTA_BINARY_PACKED' },
      { name: 'connection', data: this.connection.subarray(0, this.rows) },
      { name: 'status', data: this.status.subarray(0, this.rows) },
      ...Object.entries(this.splits ?? {}).map(([name, values]) => ({
        name,
        data: values.slice(0, this.rows),
        encoding: /** @type {const} */ ('DELTA_BINARY_PACKED'),
      })),
    ];
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
 * Keeps the Arrow files: counts the rows of the whole ones, rewrites a dead worker's to the rows its samples counted.
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
