/**
 * Makes core/metrics/arrow_template.h: the two Arrow IPC messages at the beginning of a transfer log and of each of its
 * batches, as bytes with the offsets that the writer fills in. apache-arrow makes the FlatBuffers. Run `node
 * client/engine/arrow-template.js` after a change of the columns; a test compares the header with this script's output.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as arrow from 'apache-arrow';

/** The transfer log's columns, in order. */
const columns = [
  { name: 'start', type: new arrow.Int64(), array: BigInt64Array, bytes: 8 },
  { name: 'response', type: new arrow.Int64(), array: BigInt64Array, bytes: 8 },
  { name: 'connection', type: new arrow.Uint32(), array: Uint32Array, bytes: 4 },
  { name: 'status', type: new arrow.Uint8(), array: Uint8Array, bytes: 1 },
  { name: 'code', type: new arrow.Uint16(), array: Uint16Array, bytes: 2 },
  { name: 'request', type: new arrow.Uint16(), array: Uint16Array, bytes: 2 },
];

/**
 * Columns of the second stream: the parts of transfers that kernel timestamps split. row: row of the transfer in the
 * first stream, from 0.
 */
const splitColumns = ['row', 'sendDelay', 'networkAndServer', 'receiveDelay'].map((name) => ({
  name,
  type: new arrow.Int64(),
  array: BigInt64Array,
  bytes: 8,
}));

/**
 * @typedef {{ name: string, type: arrow.DataType, array: typeof BigInt64Array | typeof Uint32Array | typeof Uint16Array
 *   | typeof Uint8Array, bytes: number }} Column
 */

const ROWS = 1000003; // a number that occurs nowhere else in the messages

/** @param {Uint8Array} bytes @param {number} from @returns {number} length of the message, including its prefix */
function messageLength(bytes, from) {
  return 8 + new DataView(bytes.buffer, bytes.byteOffset + from).getInt32(4, true);
}

/** @param {Uint8Array} bytes @param {bigint} value @returns {number[]} offsets of the value as a 64-bit word */
function offsetsOf(bytes, value) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const offsets = [];
  for (let at = 0; at + 8 <= bytes.length; at += 4) if (view.getBigInt64(at, true) === value) offsets.push(at);
  return offsets;
}

/**
 * @param {Column[]} columns
 * @returns {{schema: Uint8Array, batch: Uint8Array, rows: number, body: number, nodes: number, buffers: number}}
 */
function template(columns) {
  const fields = columns.map(({ name, type }) => new arrow.Field(name, type, false));
  const schema = new arrow.Schema(fields);
  const children = columns.map(({ type, array }) =>
    arrow.makeData(/** @type {any} */ ({ type, length: ROWS, nullCount: 0, data: new array(ROWS) })),
  );
  const struct = arrow.makeData({ type: new arrow.Struct(fields), length: ROWS, nullCount: 0, children });
  const stream = arrow.tableToIPC(new arrow.Table([new arrow.RecordBatch(schema, struct)]), 'stream');
  const schemaLength = messageLength(stream, 0);
  const batch = stream.slice(schemaLength, schemaLength + messageLength(stream, schemaLength));
  const padded = columns.map(({ bytes }) => BigInt(Math.ceil((ROWS * bytes) / 8) * 8));
  const [rows, ...nodes] = offsetsOf(batch, BigInt(ROWS)).sort((a, b) => a - b);
  const [body] = offsetsOf(
    batch,
    padded.reduce((sum, bytes) => sum + bytes, 0n),
  );
  const [firstLength] = offsetsOf(batch, padded[0]);
  // The row count is once in the batch's table and once in each node; FlatBuffers chooses which of them comes first
  const offsets = [rows, ...nodes];
  const firstNode = offsets.find((at, i) => columns.every((_, c) => offsets[i + c] === at + 16 * c));
  const inTable = offsets.filter(
    (at) => firstNode === undefined || at < firstNode || at >= firstNode + 16 * columns.length,
  );
  if (firstNode === undefined || inTable.length !== 1) throw new Error('apache-arrow has changed its batch message');
  // buffers are {offset, length} pairs: an empty validity bitmap, then the data, for each column
  const buffers = firstLength - 24;
  return { schema: stream.slice(0, schemaLength), batch, rows: inTable[0], body, nodes: firstNode, buffers };
}

/** @param {Uint8Array} bytes */
function initialiser(bytes) {
  const rows = [];
  for (let at = 0; at < bytes.length; at += 20) {
    const row = [...bytes.slice(at, at + 20)].map((byte) => `0x${byte.toString(16).padStart(2, '0')},`);
    rows.push(`    ${row.join(' ')}`);
  }
  return rows.join('\n');
}

/** @param {Column[]} columns @param {string} name of the stream @returns {string} its declarations */
function declarations(columns, name) {
  const { schema, batch, rows, body, nodes, buffers } = template(columns);
  const upper = name.toUpperCase();
  const blank = new Uint8Array(batch);
  const view = new DataView(blank.buffer);
  for (const at of [rows, body, ...columns.map((_, i) => nodes + 16 * i)]) view.setBigInt64(at, 0n, true);
  for (let i = 0; i < 4 * columns.length; i++) view.setBigInt64(buffers + 8 * i, 0n, true);
  return `enum {
  ${upper}_COLUMNS = ${columns.length},
  ${upper}_ROWS_AT = ${rows},    /* int64: rows of the batch */
  ${upper}_BODY_AT = ${body},    /* int64: bytes that follow the message */
  ${upper}_NODES_AT = ${nodes},   /* a column each: int64 rows, int64 nulls */
  ${upper}_BUFFERS_AT = ${buffers}, /* a column each: validity {offset, length}, data {offset, length} */
};

static const uint8_t ${name}_schema_message[${schema.length}] = {
${initialiser(schema)}
};

static const uint8_t ${name}_batch_message[${batch.length}] = {
${initialiser(blank)}
};
`;
}

/** @returns {string} the header's text */
export function header() {
  return `/*
 * arrow_template: the Arrow IPC messages of the transfer log, as bytes. Generated by client/engine/arrow-template.js;
 * do not edit. Columns: ${columns.map(({ name }) => name).join(', ')}.
 * Of the second stream: ${splitColumns.map(({ name }) => name).join(', ')}.
 */
/* clang-format off */
#ifndef BROADSIDE_ARROW_TEMPLATE_H
#define BROADSIDE_ARROW_TEMPLATE_H

#include <stdint.h>

${declarations(columns, 'arrow')}
${declarations(splitColumns, 'arrow_split')}
static const uint8_t arrow_end_of_stream[8] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};

#endif
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('core/metrics/arrow_template.h', import.meta.url), header());
}
