// Converts the transfer log of a leg in a helper process, so that the primary can print and handle signals meanwhile.
import { serveTask, tell } from '../../helper-process.js';
import { toParquet, toWholeArrow } from './convert.js';

/** @import { Task } from './index.js' */

serveTask(async (/** @type {Task} */ task) => {
  const convert = task.kind === 'parquet' ? toParquet : toWholeArrow;
  const result = await convert(task, (rows) => tell(process, { rows }));
  tell(process, { result });
});
