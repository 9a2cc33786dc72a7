// Makes and serves the live page of a run, in a helper process of lower priority. It reads only the run's folder, as
// the report does.

import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { livePage } from '../../report/index.js';
import { serveTask, tell } from '../helper-process.js';
import { LiveServer } from '../live/live-server.js';

/** @import { LivePage } from '../live/live-server.js' */

/** Interval of looking for the conditions of the run in its folder. */
const LOOK_MS = 50;

/** @typedef {{ folder?: string, end?: { page: string | null } }} Message */

/** State of the run. @type {{ folder: string, hasEnded: boolean, page: LivePage | null }} */
const run = { folder: '', hasEnded: false, page: null };

/** @returns {Promise<LivePage>} resolves when there is something to show */
async function live() {
  while (!run.hasEnded && !existsSync(join(run.folder, 'environment.json'))) await wait(LOOK_MS);
  run.page ??= livePage(run.folder);
  return run.page;
}

serveTask(async (/** @type {{ port: number }} */ { port }) => {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const server = new LiveServer({
    page: async () => (await live()).page(),
    body: async (end) => (await live()).body(end),
  });
  process.on('message', async (/** @type {Message} */ { folder = run.folder, end }) => {
    run.folder = folder;
    if (end === undefined) return;
    run.hasEnded = true;
    if (run.page !== null) await server.close(end);
    tell(process, { hasClosed: true });
  });
  tell(process, { url: await server.listen(port) });
});
