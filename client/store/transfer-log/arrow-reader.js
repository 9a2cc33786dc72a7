// Reads the batches of an Arrow IPC stream as the engine wrote them, also of a file that was cut in mid-batch.
// The one thing to know: a cut ends the file where the last whole batch ends; it is told, never thrown.
import { createReadStream } from 'node:fs';
import { RecordBatchReader } from './arrow.js';

/**
 * @typedef {{ start: BigInt64Array, response: BigInt64Array, connection: Uint32Array, status: Uint8Array,
 *   rows: number }} Batch
 */

/**
 * @param {string} path
 * @param {number} [limit] rows to take at most: those that a dead worker's samples counted
 * @returns {AsyncGenerator<Batch, { cut: boolean }, void>} cut: whether bytes were left over behind the last batch
 */
export async function* readBatches(path, limit = Infinity) {
  let left = limit;
  const source = createReadStream(path, { highWaterMark: 1 << 20 });
  try {
    const reader = await RecordBatchReader.from(source);
    await reader.open();
    if (!reader.schema || left <= 0) return { cut: false };
    for await (const batch of reader) {
      const rows = Math.min(batch.numRows, left);
      left -= rows;
      yield {
        start: column(batch, 'start').subarray(0, rows),
        response: column(batch, 'response').subarray(0, rows),
        connection: column(batch, 'connection').subarray(0, rows),
        status: column(batch, 'status').subarray(0, rows),
        rows,
      };
      if (left <= 0) break;
    }
    return { cut: false };
  } catch (error) {
    if (error instanceof Error && /^Expected to read/.test(error.message)) return { cut: true };
    throw error;
  } finally {
    source.destroy();
  }
}

/** @param {import('apache-arrow').RecordBatch} batch @param {string} name @returns {any} */
function column(batch, name) {
  const vector = batch.getChild(name);
  if (!vector) throw new TypeError(`the transfer log has no column ${name}`);
  return vector.toArray();
}
