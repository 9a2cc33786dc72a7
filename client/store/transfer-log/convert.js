// Turns the workers' Arrow streams of one leg into one Parquet file (or into whole Arrow streams), and counts the rows.
// The one thing to know: the file appears under its name only when it is complete; a failed one leaves nothing behind.
import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { ParquetWriter, fileWriter } from 'hyparquet-writer';
import {
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Field,
  Int64,
  Uint32,
  Uint8,
  Struct,
  makeData,
} from './arrow.js';
import { readBatches } from './arrow-reader.js';

const rowsInGroup = 1 << 18;

/** @typedef {{ path: string, rows: number, whole: boolean }} ArrowFile
 *   rows: at most so many are taken; whole: the worker closed it itself */

/** @type {import('hyparquet').SchemaElement[]} */
const SCHEMA = [
  { name: 'root', num_children: 4 },
  { name: 'start', type: 'INT64', repetition_type: 'REQUIRED' },
  { name: 'response', type: 'INT64', repetition_type: 'REQUIRED' },
  { name: 'connection', type: 'INT32', converted_type: 'UINT_32', repetition_type: 'REQUIRED' },
  { name: 'status', type: 'INT32', converted_type: 'UINT_8', repetition_type: 'REQUIRED' },
];

/**
 * @param {{ files: ArrowFile[], target: string, metadata: Record<string, string> }} task
 * @param {(rows: number) => void} [onRows] told after every row group: rows written so far
 * @returns {Promise<{ rows: number, bytes: number, cut: string[] }>} cut: the files that ended in mid-batch
 */
export async function toParquet({ files, target, metadata }, onRows = () => {}) {
  const partial = `${target}.partial`;
  const cut = [];
  try {
    const writer = fileWriter(partial);
    const parquet = new ParquetWriter({
      writer,
      schema: SCHEMA,
      createdBy: 'broadside',
      kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    });
    const group = new RowGroup();
    let rows = 0;
    const flush = async () => {
      const filled = group.rows;
      if (filled === 0) return;
      await parquet.write({ columnData: group.columns(), rowGroupSize: filled });
      rows += filled;
      group.rows = 0;
      onRows(rows);
    };
    for (const file of files) {
      const batches = readBatches(file.path, file.rows);
      let next = await batches.next();
      for (; !next.done; next = await batches.next()) {
        for (let at = 0; at < next.value.rows;) {
          at += group.take(next.value, at);
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
    await rm(partial, { force: true }).catch(() => {}); // the first error is the one to tell
    throw error;
  }
}

/** The rows of one row group, gathered from batches of any size; its arrays are used again and again. */
class RowGroup {
  constructor() {
    this.rows = 0;
    this.start = new BigInt64Array(rowsInGroup);
    this.response = new BigInt64Array(rowsInGroup);
    this.connection = new Int32Array(rowsInGroup);
    this.status = new Int32Array(rowsInGroup);
  }

  get full() {
    return this.rows === rowsInGroup;
  }

  /** @param {import('./arrow-reader.js').Batch} batch @param {number} from @returns {number} rows taken */
  take(batch, from) {
    const end = Math.min(batch.rows, from + rowsInGroup - this.rows);
    for (const name of /** @type {const} */ (['start', 'response'])) {
      this[name].set(batch[name].subarray(from, end), this.rows);
    }
    this.connection.set(batch.connection.subarray(from, end), this.rows);
    this.status.set(batch.status.subarray(from, end), this.rows);
    this.rows += end - from;
    return end - from;
  }

  /** @returns {import('hyparquet-writer').ColumnSource[]} */
  columns() {
    return [
      { name: 'start', data: this.start.subarray(0, this.rows), encoding: 'DELTA_BINARY_PACKED' },
      { name: 'response', data: this.response.subarray(0, this.rows), encoding: 'DELTA_BINARY_PACKED' },
      { name: 'connection', data: this.connection.subarray(0, this.rows) },
      { name: 'status', data: this.status.subarray(0, this.rows) },
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
    if (ends.toString('latin1') !== 'PAR1PAR1') throw new Error(`${path} was not written whole`);
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
    const { rows, cut } = file.whole ? await countRows(file) : await rewrite(file);
    total.rows += rows;
    total.bytes += (await stat(file.path)).size;
    if (cut) total.cut.push(file.path);
    onRows(total.rows);
  }
  return total;
}

/** @param {ArrowFile} file @returns {Promise<{ rows: number, cut: boolean }>} */
async function countRows(file) {
  let rows = 0;
  const batches = readBatches(file.path, file.rows);
  let next = await batches.next();
  for (; !next.done; next = await batches.next()) rows += next.value.rows;
  return { rows, cut: next.value.cut };
}

/** @param {ArrowFile} file @returns {Promise<{ rows: number, cut: boolean }>} */
async function rewrite(file) {
  const partial = `${file.path}.partial`;
  const arrowSchema = new Schema([
    new Field('start', new Int64(), false),
    new Field('response', new Int64(), false),
    new Field('connection', new Uint32(), false),
    new Field('status', new Uint8(), false),
  ]);
  const writer = new RecordBatchStreamWriter();
  writer.reset(undefined, arrowSchema);
  const written = pipeline(writer.toNodeStream(), createWriteStream(partial));
  let rows = 0;
  try {
    const batches = readBatches(file.path, file.rows);
    let next = await batches.next();
    for (; !next.done; next = await batches.next()) {
      const { start, response, connection, status, rows: length } = next.value;
      const children = [start, response, connection, status].map((data, i) =>
        makeData(/** @type {any} */ ({ type: arrowSchema.fields[i].type, data, length, nullCount: 0 })),
      );
      writer.write(
        new RecordBatch(
          arrowSchema,
          makeData({ type: new Struct(arrowSchema.fields), children, length, nullCount: 0 }),
        ),
      );
      rows += length;
    }
    writer.close();
    await written;
    await rename(partial, file.path);
    return { rows, cut: next.value.cut };
  } catch (error) {
    writer.close();
    await written.catch(() => {});
    await rm(partial, { force: true }).catch(() => {}); // the first error is the one to tell
    throw error;
  }
}
