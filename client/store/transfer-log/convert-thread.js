// The thread in which a leg's transfer log is converted, so that the primary keeps printing and hearing signals.
import { parentPort, workerData } from 'node:worker_threads';
import { toParquet, toWholeArrow } from './convert.js';

/** @import { Task } from './index.js' */

/** @type {Task} */
const task = workerData;
const convert = task.kind === 'parquet' ? toParquet : toWholeArrow;
try {
  const result = await convert(task, (rows) => parentPort?.postMessage({ type: 'rows', rows }));
  parentPort?.postMessage({ type: 'done', result });
} catch (error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  parentPort?.postMessage({ type: 'failed', code: code ?? 'ECONVERT', message });
}
// It stays until it is terminated: a thread that ends by itself may wait for ever for a compiler of V8 that waits for
// it to collect garbage (nodejs/node issue 54918).
parentPort?.ref();
