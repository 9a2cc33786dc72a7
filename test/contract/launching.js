// What the tests of the launcher share: servers that are started with a mark, and after each test nothing with that
// mark is left.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, startServer } from '../../servers/launcher/index.js';
import { readAll } from '../../servers/launcher/process/process-tree.js';
import { MARKER } from '../fixtures/e2e-processes.js';

/**
 * @import { ChildProcess } from 'node:child_process'
 * @import { Server } from '../../servers/launcher/start/start.js'
 */

/** A command that starts an echo server on the port that is its next word. */
export const ECHO = `"${process.execPath}" "${fileURLToPath(new URL('../fixtures/echo-command.js', import.meta.url))}"`;

/**
 * @param {number} pid
 * @param {string} mark
 * @returns {string | null} its command, if it or its environment has the mark
 */
function markedCommandOf(pid, mark) {
  try {
    const [command, environment] = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'latin1'));
    return command.includes(mark) || environment.includes(mark) ? command : null;
  } catch {
    return null; // it has ended, or is not ours to look at
  }
}

/**
 * For a suite: builds what it starts, and looks after each test for what is left.
 * @returns {{mark: Record<string, string>, folder: string, start: typeof startServer,
 *   starters: ChildProcess[]}} mark: in the environment of all that is started; folder: of each
 *   test; starters: processes to be killed after it
 */
export function launching() {
  const mark = { [MARKER]: randomUUID() };
  /** @type {Server[]} */
  let servers = [];
  /** @type {ReturnType<typeof launching>} */
  const box = {
    mark,
    folder: '',
    starters: [],
    start: async (options) => {
      const server = await startServer({ ...options, env: { ...options.env, ...mark } });
      servers.push(server);
      return server;
    },
  };
  before(async function () {
    this.timeout(300_000);
    await build({ names: ['epoll', 'multi-threaded', 'select'] });
  });
  beforeEach(() => {
    box.folder = mkdtempSync(join(tmpdir(), 'broadside-launcher-'));
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    servers = [];
    for (const starter of box.starters) starter.kill('SIGKILL');
    box.starters = [];
    rmSync(box.folder, { recursive: true, force: true });
    const left = readAll().flatMap(({ pid, threads }) => (threads > 0 && markedCommandOf(pid, mark[MARKER])) || []);
    assert.deepEqual(left, [], 'something is left');
  });
  return box;
}
