// Transfer logs of made-up workers, as large as asked for: connections that transfer in a closed loop, in the order in which
// their replies would come.

import { writeFileSync } from 'node:fs';
import { arrowBytesOf } from '../../fixtures/arrow-log.js';
import { uniform } from '../../fixtures/random-numbers.js';

/** As the engine writes them. */
const ROWS_OF_BATCH = 4096;
const CONNECTIONS = 5000;
const ROWS_PER_SECOND = 50_000;

/** @param {string} path @param {number} rows @param {number} seed */
export function writeMadeUpLog(path, rows, seed) {
  const random = uniform(seed);
  const batches = Array.from({ length: Math.ceil(rows / ROWS_OF_BATCH) }, (_, batch) => {
    const first = batch * ROWS_OF_BATCH;
    const length = Math.min(ROWS_OF_BATCH, rows - first);
    const start = new BigInt64Array(length);
    const response = new BigInt64Array(length);
    const connection = new Uint32Array(length);
    for (let i = 0; i < length; i += 1) {
      const end = ((first + i) / ROWS_PER_SECOND) * 1e9;
      const took = Math.round((CONNECTIONS / ROWS_PER_SECOND) * 1e9 * (0.5 + random()));
      start[i] = BigInt(Math.round(end) - took);
      response[i] = BigInt(took);
      connection[i] = (first + i + Math.floor(random() * 500)) % CONNECTIONS;
    }
    const status = new Uint8Array(length).fill(first === 0 ? 1 : 0, 0, 1);
    return /** @type {[BigInt64Array, BigInt64Array, Uint32Array, Uint8Array]} */ ([
      start,
      response,
      connection,
      status,
    ]);
  });
  writeFileSync(path, arrowBytesOf(batches));
}
