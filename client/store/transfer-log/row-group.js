// Collects the rows of one row group of the Parquet file from batches of any size, and writes one page for each column.
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { ByteWriter } from 'hyparquet-writer';
import { DeltaPacker } from './delta-pack.js';

/**
 * @import { ColumnChunk, ParquetType, SchemaElement } from 'hyparquet'
 * @import { ParquetWriter, Writer } from 'hyparquet-writer'
 * @import { Batch } from './arrow-stream.js'
 * @import { SplitRows } from './convert.js'
 */

const ROWS = 1 << 18;
const WORD = 2 ** 32;
/** Limit of the upper half of a number that has an exact double. */
const MAX_HIGH = 2 ** 21;

/** @type {SchemaElement[]} */
const COLUMNS = [
  { name: 'start', type: 'INT64', repetition_type: 'REQUIRED' },
  { name: 'response', type: 'INT64', repetition_type: 'REQUIRED' },
  { name: 'connection', type: 'INT32', converted_type: 'UINT_32', repetition_type: 'REQUIRED' },
  { name: 'status', type: 'INT32', converted_type: 'UINT_8', repetition_type: 'REQUIRED' },
  { name: 'code', type: 'INT32', converted_type: 'UINT_16', repetition_type: 'REQUIRED' },
  { name: 'request', type: 'INT32', converted_type: 'UINT_16', repetition_type: 'REQUIRED' },
];
const SPLITS = /** @type {const} */ (['sendDelay', 'networkAndServer', 'receiveDelay']);

/** Columns of a log in which kernel timestamps split at least one transfer. @type {SchemaElement[]} */
const SPLIT_COLUMNS = SPLITS.map((name) => ({ name, type: 'INT64', repetition_type: 'OPTIONAL' }));

/**
 * Column of a leg that takes turns with others: 1 if the transfer began in the measured part of a slice.
 * @type {SchemaElement}
 */
const MEASURED_COLUMN = { name: 'measured', type: 'INT32', converted_type: 'UINT_8', repetition_type: 'REQUIRED' };

/**
 * @param {BigInt64Array} from @param {number} begin @param {number} end
 * @param {Float64Array} to @param {number} at
 * @throws {RangeError} if a time is beyond 104 days
 */
function copyTimes(from, begin, end, to, at) {
  const low = new Uint32Array(from.buffer, from.byteOffset, from.length * 2);
  const high = new Int32Array(from.buffer, from.byteOffset, from.length * 2);
  for (let i = begin; i < end; i += 1) {
    const upper = high[2 * i + 1];
    if (upper >= MAX_HIGH || upper < -MAX_HIGH) throw new RangeError(`${from[i]} ns is too long a time`);
    to[at + i - begin] = upper * WORD + low[2 * i];
  }
}

export class RowGroup {
  rows = 0;
  #packer = new DeltaPacker();
  /** @type {Record<string, Float64Array>} */
  #values = Object.fromEntries(COLUMNS.map(({ name }) => [name, new Float64Array(ROWS)]));
  /** Which rows were split, and their values next to each other. @type {Uint8Array} */
  #isSplit;
  #splitRows = 0;
  /** Pairs of times. @type {Float64Array} */
  #measured;
  /** Position of the pair that the last row lies in or before. */
  #pair = 0;

  /**
   * @param {boolean} hasSplits
   * @param {Float64Array} [measured] ascending pairs of ns since t0, between which transfers that begin are measured
   */
  constructor(hasSplits, measured = new Float64Array(0)) {
    this.#measured = measured;
    this.#isSplit = new Uint8Array(hasSplits ? ROWS : 0);
    if (hasSplits) for (const name of SPLITS) this.#values[name] = new Float64Array(ROWS);
    /** The columns of the file. @type {SchemaElement[]} */
    this.columns = [...COLUMNS, ...(measured.length > 0 ? [MEASURED_COLUMN] : []), ...(hasSplits ? SPLIT_COLUMNS : [])];
    if (measured.length > 0) this.#values.measured = new Float64Array(ROWS);
  }

  get isFull() {
    return this.rows === ROWS;
  }

  /** @param {Batch} batch @param {number} from @returns {number} rows taken */
  take(batch, from) {
    const end = Math.min(batch.rows, from + ROWS - this.rows);
    const { start, response, connection, status, code, request } = this.#values;
    copyTimes(batch.start, from, end, start, this.rows);
    copyTimes(batch.response, from, end, response, this.rows);
    connection.set(batch.connection.subarray(from, end), this.rows);
    status.set(batch.status.subarray(from, end), this.rows);
    code.set(batch.code.subarray(from, end), this.rows);
    request.set(batch.request.subarray(from, end), this.rows);
    this.rows += end - from;
    if (this.#measured.length > 0) this.#markMeasured(this.rows - (end - from));
    return end - from;
  }

  /** @param {number} from the first row that was taken last */
  #markMeasured(from) {
    const { start, measured } = this.#values;
    const spans = this.#measured;
    for (let row = from; row < this.rows; row += 1) {
      // rows come in the order in which transfers ended, so the next row's pair is near
      while (this.#pair < spans.length && start[row] >= spans[this.#pair + 1]) this.#pair += 2;
      while (this.#pair > 0 && start[row] < spans[this.#pair - 1]) this.#pair -= 2;
      measured[row] = this.#pair < spans.length && start[row] >= spans[this.#pair] ? 1 : 0;
    }
  }

  /**
   * Takes the splits of the rows that were taken last.
   * @param {SplitRows} splits @param {number} from number of the first of these rows in its file @param {number} count
   */
  takeSplits(splits, from, count) {
    if (this.#isSplit.length === 0) return;
    const place = this.rows - count - from;
    for (const { batch, from: first, to } of splits.upTo(from + count)) {
      for (let i = first; i < to; i += 1) this.#isSplit[place + Number(batch.row[i])] = 1;
      for (const name of SPLITS) copyTimes(batch[name], first, to, this.#values[name], this.#splitRows);
      this.#splitRows += to - first;
    }
  }

  /**
   * Adds all rows to a counter.
   * @param {{ add: (start: number, response: number, status: number, connection: number) => void }} counter
   */
  countInto(counter) {
    const { start, response, status, connection } = this.#values;
    for (let row = 0; row < this.rows; row += 1) counter.add(start[row], response[row], status[row], connection[row]);
  }

  /** Writes the group; the next rows begin another one. @param {ParquetWriter} parquet the file */
  write(parquet) {
    const begin = parquet.writer.offset;
    const columns = this.columns.map((column) => this.#writeColumn(parquet.writer, column));
    const size = BigInt(parquet.writer.offset - begin);
    const rows = BigInt(this.rows);
    parquet.row_groups.push({ columns, total_byte_size: size, total_compressed_size: size, num_rows: rows });
    parquet.num_rows += rows;
    this.rows = 0;
    this.#splitRows = 0;
    this.#isSplit.fill(0);
  }

  /**
   * @param {Writer} writer @param {SchemaElement} column
   * @returns {ColumnChunk}
   */
  #writeColumn(writer, { name, type, repetition_type: repetition }) {
    const isOptional = repetition === 'OPTIONAL';
    const present = isOptional ? this.#splitRows : this.rows;
    const levels = new ByteWriter();
    if (isOptional) writeRleBitPackedHybrid(levels, this.#isSplit.subarray(0, this.rows), 1);
    const { bytes, min, max } = this.#packer.pack(this.#values[name], present);
    const begin = writer.offset;
    const size = levels.offset + bytes.length;
    writePageHeader(writer, {
      type: 'DATA_PAGE_V2',
      uncompressed_page_size: size,
      compressed_page_size: size,
      data_page_header_v2: {
        num_values: this.rows,
        num_nulls: this.rows - present,
        num_rows: this.rows,
        encoding: 'DELTA_BINARY_PACKED',
        definition_levels_byte_length: levels.offset,
        repetition_levels_byte_length: 0,
        is_compressed: false,
      },
    });
    writer.appendBytes(levels.getBytes());
    writer.appendBytes(bytes);
    const written = BigInt(writer.offset - begin);
    const ofType = (/** @type {number} */ value) => (type === 'INT64' ? BigInt(value) : value);
    return {
      file_offset: BigInt(begin),
      meta_data: {
        type: /** @type {ParquetType} */ (type),
        encodings: isOptional ? ['RLE', 'DELTA_BINARY_PACKED'] : ['DELTA_BINARY_PACKED'],
        path_in_schema: [name],
        codec: 'UNCOMPRESSED',
        num_values: BigInt(this.rows),
        total_uncompressed_size: written,
        total_compressed_size: written,
        data_page_offset: BigInt(begin),
        statistics: {
          null_count: BigInt(this.rows - present),
          ...(present > 0 ? { min_value: ofType(min), max_value: ofType(max) } : {}),
        },
        encoding_stats: [{ page_type: 'DATA_PAGE_V2', encoding: 'DELTA_BINARY_PACKED', count: 1 }],
      },
    };
  }
}
