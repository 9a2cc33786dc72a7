// Reads the transfer log of a worker: an Arrow IPC stream, whose messages the engine writes from a template
// (engine/arrow-template.js), and a second stream with the kernel timestamps of some rows. Also reads a file that ends
// in the middle of a batch. Format: https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * @typedef {{ start: BigInt64Array, response: BigInt64Array, connection: Uint32Array, status: Uint8Array,
 *   code: Uint16Array, request: Uint16Array, rows: number }} Batch
 * @typedef {{ type: number, bodyBytes: number, header: Table }} Message
 */

/** The columns of both streams, in order. row: number of a row in the first stream, from 0. */
const TRANSFERS = Object.freeze({
  start: BigInt64Array,
  response: BigInt64Array,
  connection: Uint32Array,
  status: Uint8Array,
  code: Uint16Array,
  request: Uint16Array,
});
export const SPLITS = Object.freeze({
  row: BigInt64Array,
  sendDelay: BigInt64Array,
  networkAndServer: BigInt64Array,
  receiveDelay: BigInt64Array,
});

/** The prefix of each message's metadata: 0xffffffff and its length; a length of 0 ends the stream. */
const PREFIX_BYTES = 8;
const CONTINUATION = 0xffff_ffff;
export const END_OF_STREAM = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);

/** Kinds of messages, and positions of fields in their tables, from Message.fbs. */
const SCHEMA = 1;
const RECORD_BATCH = 3;
const MESSAGE = Object.freeze({ headerType: 1, header: 2, bodyLength: 3 });
const BATCH = Object.freeze({ length: 0, nodes: 1, buffers: 2 });
const SCHEMA_FIELDS = 1;
const FIELD_NAME = 0;
/** A node is {rows, nulls}, a buffer {offset, length}: two 64-bit integers each. */
const PAIR_BYTES = 16;
/** Each column has an empty validity bitmap, then its values. */
const BUFFERS_PER_COLUMN = 2;

/** A table of a FlatBuffer, read in place. */
class Table {
  /** @param {DataView} view @param {number} at */
  constructor(view, at) {
    this.view = view;
    this.at = at;
  }

  /** @param {number} field @returns {number | null} position in the buffer; null: the field has its default */
  position(field) {
    const vtable = this.at - this.view.getInt32(this.at, true);
    const entry = 4 + 2 * field;
    const offset = entry < this.view.getUint16(vtable, true) ? this.view.getUint16(vtable + entry, true) : 0;
    return offset === 0 ? null : this.at + offset;
  }

  /** @param {number} field @returns {number} an integer of 64 bits */
  int64(field) {
    const at = this.position(field);
    return at === null ? 0 : Number(this.view.getBigInt64(at, true));
  }

  /** @param {number} field @returns {Table} */
  table(field) {
    return new Table(this.view, this.target(field));
  }

  /** @param {number} field @returns {{ at: number, length: number }} the position of the first element */
  vector(field) {
    const at = this.target(field);
    const length = this.view.getUint32(at, true);
    if (length > this.view.byteLength) throw new RangeError(`a list of ${length} in ${this.view.byteLength} bytes`);
    return { at: at + 4, length };
  }

  /** @param {number} field @returns {number} the position that the field points to */
  target(field) {
    const at = this.position(field);
    if (at === null) throw new TypeError('the transfer log has a message without a required field');
    return at + this.view.getUint32(at, true);
  }
}

/** @param {Uint8Array} metadata @returns {Message} */
function parseMessage(metadata) {
  const view = new DataView(metadata.buffer, metadata.byteOffset, metadata.byteLength);
  const message = new Table(view, view.getUint32(0, true));
  const type = message.position(MESSAGE.headerType);
  return {
    type: type === null ? 0 : view.getUint8(type),
    bodyBytes: message.int64(MESSAGE.bodyLength),
    header: message.table(MESSAGE.header),
  };
}

/** @param {Table} schema @param {object} expected columns @throws {TypeError} if the schema has other columns */
function checkSchema(schema, expected) {
  const { at, length } = schema.vector(SCHEMA_FIELDS);
  const names = Array.from({ length }, (_, i) => {
    const offset = at + 4 * i;
    const name = new Table(schema.view, offset + schema.view.getUint32(offset, true)).vector(FIELD_NAME);
    const { buffer, byteOffset } = schema.view;
    return Buffer.from(buffer, byteOffset + name.at, name.length).toString('utf8');
  });
  const expectedNames = Object.keys(expected);
  if (names.join() !== expectedNames.join()) {
    throw new TypeError(`the transfer log has the columns ${names.join(', ')}; expected ${expectedNames.join(', ')}`);
  }
}

/**
 * @param {number} descriptor @param {number} length @param {number} size of the file, which bounds the length
 * @returns {Uint8Array} shorter at the end of the file
 */
function readBytes(descriptor, length, size) {
  const bytes = new Uint8Array(Math.min(length, size)); // not from Buffer's pool, as columns need their alignment
  let done = 0;
  for (let read = -1; done < bytes.length && read !== 0; done += read) {
    read = readSync(descriptor, bytes, done, bytes.length - done, null);
  }
  return bytes.subarray(0, done);
}

/**
 * @template {{ rows: number }} [B=Batch]
 * @param {string} path
 * @param {number} [limit] number of rows to read: for a dead worker, as many as its samples counted
 * @param {Record<string, typeof BigInt64Array | typeof Uint32Array | typeof Uint16Array | typeof Uint8Array>} [columns]
 *   SPLITS for the second stream
 * @returns {Generator<{ schema: Uint8Array, encoded: Uint8Array[], batch: B }, { cut: boolean, schema: Uint8Array },
 *   void>} schema: the stream's first message; encoded: the batch as it is in the stream, with the rows of `batch`;
 *   cut: whether the file ends in the middle of a message
 * @throws {TypeError} if the file is not a transfer log, or is damaged
 */
export function* readBatches(path, limit = Infinity, columns = TRANSFERS) {
  try {
    return yield* readMessages(path, limit, columns);
  } catch (error) {
    // an offset or length in the stream lies outside the file or a message
    if (!(error instanceof RangeError)) throw error;
    throw new TypeError(`the transfer log ${path} is damaged (${error.message})`, { cause: error });
  }
}

/**
 * @template {{ rows: number }} B
 * @param {string} path
 * @param {number} limit
 * @param {Record<string, typeof BigInt64Array | typeof Uint32Array | typeof Uint16Array | typeof Uint8Array>} columns
 * @returns {Generator<{ schema: Uint8Array, encoded: Uint8Array[], batch: B }, { cut: boolean, schema: Uint8Array },
 *   void>}
 */
function* readMessages(path, limit, columns) {
  let remaining = limit;
  /** @type {Uint8Array} */
  let schema = new Uint8Array(0);
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    for (;;) {
      const prefix = readBytes(descriptor, PREFIX_BYTES, size);
      if (prefix.length < PREFIX_BYTES) return { cut: prefix.length > 0, schema };
      const view = new DataView(prefix.buffer);
      if (view.getUint32(0, true) !== CONTINUATION) throw new TypeError('the transfer log is not an Arrow stream');
      const metadataBytes = view.getInt32(4, true);
      if (metadataBytes === 0) return { cut: false, schema };
      const metadata = readBytes(descriptor, metadataBytes, size);
      if (metadata.length < metadataBytes) return { cut: true, schema };
      const { type, bodyBytes, header } = parseMessage(metadata);
      const body = readBytes(descriptor, bodyBytes, size);
      if (body.length < bodyBytes) return { cut: true, schema };
      if (type === SCHEMA) {
        checkSchema(header, columns);
        schema = Buffer.concat([prefix, metadata]);
      } else if (type === RECORD_BATCH) {
        if (remaining <= 0) return { cut: false, schema };
        checkRows(header);
        const rows = Math.min(header.int64(BATCH.length), remaining);
        remaining -= rows;
        const batch = /** @type {B} */ (/** @type {unknown} */ (columnsOf(header, body, rows, columns)));
        setRows(header, rows);
        yield { schema, encoded: [prefix, metadata, body], batch };
        if (remaining <= 0) return { cut: false, schema };
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

/** @param {Table} header of a batch @returns {number[]} positions of its nodes, one for each column */
function nodesOf(header) {
  const { at, length } = header.vector(BATCH.nodes);
  return Array.from({ length }, (_, i) => at + PAIR_BYTES * i);
}

/** @param {Table} header of a batch @throws {RangeError} if a column has another number of rows than the batch */
function checkRows(header) {
  const rows = BigInt(header.int64(BATCH.length));
  for (const at of nodesOf(header)) {
    const columnRows = header.view.getBigInt64(at, true);
    if (columnRows !== rows) throw new RangeError(`a column of ${columnRows} rows in a batch of ${rows}`);
  }
}

/**
 * @param {Table} header of a batch @param {Uint8Array} body @param {number} rows
 * @param {Record<string, typeof BigInt64Array | typeof Uint32Array | typeof Uint16Array | typeof Uint8Array>} arrays by
 *   column
 */
function columnsOf(header, body, rows, arrays) {
  const buffers = header.vector(BATCH.buffers);
  const names = Object.keys(arrays);
  if (buffers.length !== names.length * BUFFERS_PER_COLUMN) {
    throw new TypeError(`the transfer log has a batch of ${buffers.length} buffers`);
  }
  const columns = names.map((name, i) => {
    const values = buffers.at + PAIR_BYTES * (BUFFERS_PER_COLUMN * i + 1);
    const offset = Number(header.view.getBigInt64(values, true));
    return [name, new arrays[name](/** @type {ArrayBuffer} */ (body.buffer), body.byteOffset + offset, rows)];
  });
  return { rows, ...Object.fromEntries(columns) };
}

/**
 * Shortens a batch in place. Its buffers keep their lengths: they may be longer than their rows need.
 * @param {Table} header
 * @param {number} rows
 */
function setRows(header, rows) {
  const nodes = nodesOf(header);
  const length = header.position(BATCH.length);
  for (const at of length === null ? nodes : [length, ...nodes]) {
    header.view.setBigInt64(at, BigInt(rows), true);
  }
}
