// The thread that makes and serves the live page of a run. It reads nothing but the run's folder, as the report does.
// It stays until it is terminated: one that ends by itself may wait for ever (nodejs/node issue 54918).

import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { livePage } from '../../report/index.js';
import { LiveServer } from '../live/live-server.js';

/**
 * @import { EnvironmentError } from '../errors.js'
 * @import { LivePage } from '../live/live-server.js'
 */

/** Until the conditions of the run are in its folder. */
const LOOK_MS = 50;

/** @typedef {{ folder?: string, end?: { page: string | null } }} Message */

/** Of the run. @type {{ folder: string, hasEnded: boolean, page: LivePage | null }} */
const run = { folder: '', hasEnded: false, page: null };

/** @returns {Promise<LivePage>} once there is something to show */
async function live() {
  while (!run.hasEnded && !existsSync(join(run.folder, 'environment.json'))) await wait(LOOK_MS);
  run.page ??= livePage(run.folder);
  return run.page;
}

// on Linux, of this thread alone
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const server = new LiveServer({
  page: async () => (await live()).page(),
  body: async (end) => (await live()).body(end),
});
parentPort?.on('message', async (/** @type {Message} */ { folder = run.folder, end }) => {
  run.folder = folder;
  if (end === undefined) return;
  run.hasEnded = true;
  if (run.page !== null) await server.close(end);
  parentPort?.postMessage({ hasClosed: true });
});
try {
  parentPort?.postMessage({ url: await server.listen(workerData.port) });
} catch (error) {
  const { message, code, data } = /** @type {EnvironmentError} */ (error);
  parentPort?.postMessage({ failure: { message, code, data } });
}
