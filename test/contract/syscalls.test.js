// That each C server is the model it is called after, proven by its system calls, and that all of them do the same work
// for a request: one read and one write.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, discover } from '../../servers/launcher/index.js';
import { requireTool, skip } from '../hooks.js';
import { destroy, exchange, openMany } from './client.js';
import { endAll, startProgram } from './server-process.js';

const CONNECTIONS = 10;
const REQUESTS = 50;

const SELECT = ['select', 'pselect6', '_newselect'];
const POLL = ['poll', 'ppoll', 'ppoll_time64'];
const EPOLL = ['epoll_create', 'epoll_create1', 'epoll_ctl', 'epoll_wait', 'epoll_pwait', 'epoll_pwait2'];
const URING = ['io_uring_setup', 'io_uring_enter'];
const READ = ['read', 'recvfrom', 'recvmsg', 'readv'];
const WRITE = ['write', 'sendto', 'sendmsg', 'writev'];

/** Its kernel moves the bytes: a submission for each reply, none for each request. */
const IO_URING = 'io_uring';

/** @type {Record<string, {waits: string[], never: string[]}>} */
const MODELS = {
  'multi-threaded': { waits: READ, never: [...SELECT, ...POLL, ...EPOLL, ...URING] },
  select: { waits: SELECT, never: [...POLL, ...EPOLL, ...URING] },
  epoll: { waits: EPOLL, never: [...SELECT, ...POLL, ...URING] },
  libuv: { waits: EPOLL, never: [...SELECT, ...POLL, ...URING] },
  [IO_URING]: { waits: URING, never: [...SELECT, ...POLL, ...EPOLL, ...READ] },
};

describe('the system calls of', () => {
  /** @type {string} */
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-strace-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(endAll);

  for (const [name, { waits, never }] of Object.entries(MODELS)) {
    it(`${name} are those of its model, one read and one write a request`, async function () {
      this.timeout(60_000);
      const strace = requireTool(this, 'strace');
      const server = (await discover()).find((each) => each.name === name);
      assert.ok(server);
      if (!server.available) skip(this, `${server.why} (${server.remedy})`);
      await build({ names: [name] });
      const program = join(server.folder, server.manifest.run[0]);
      const calls = await callsOf(strace, join(folder, name), program);
      assert.ok(sum(calls, waits) > 0, `it never calls ${waits.join(', ')}`);
      for (const call of never) assert.equal(calls.get(call) ?? 0, 0, `it calls ${call}`);
      const requests = CONNECTIONS * REQUESTS;
      if (name === IO_URING) {
        const submitted = calls.get('submitted') ?? 0;
        const most = requests + 4 * CONNECTIONS;
        assert.ok(submitted > requests && submitted <= most, `${submitted} submissions for ${requests} requests`);
        assert.ok(sum(calls, WRITE) <= 1, 'it writes more than the ready line by itself');
        return;
      }
      // Beyond the requests: the end of each connection is read too; the ready line is written.
      const reads = sum(calls, READ);
      assert.ok(reads >= requests && reads <= requests + 3 * CONNECTIONS, `${reads} reads for ${requests} requests`);
      const writes = sum(calls, WRITE);
      assert.ok(writes >= requests && writes <= requests + CONNECTIONS, `${writes} writes for ${requests} requests`);
      const control = calls.get('epoll_ctl') ?? 0;
      assert.ok(control <= 2 * CONNECTIONS + 10, `${control} epoll_ctl for ${CONNECTIONS} connections`);
    });
  }
});

/**
 * @param {string} strace
 * @param {string} output
 * @param {string} program
 * @returns {Promise<Map<string, number>>} system calls on sockets and of waiting, by name; `submitted` to a ring
 */
async function callsOf(strace, output, program) {
  const server = await startProgram([strace, '-f', '-qq', '-y', '-e', 'signal=none', '-o', output, program]);
  const sockets = await openMany(server, CONNECTIONS);
  for (let i = 0; i < REQUESTS; i++) await Promise.all(sockets.map((socket) => exchange(socket)));
  destroy(sockets);
  await server.end();
  /** @type {Map<string, number>} */
  const calls = new Map();
  for (const line of readFileSync(output, 'utf8').split('\n')) {
    // "PID call(FD</path or socket:[n]>, ...": reads and writes count on sockets only, not on files or eventfds.
    const found = /^\d+\s+(\w+)\((\d+<(.*?)>)?/.exec(line);
    if (!found) continue;
    const [, call, , target = ''] = found;
    const [, submitted] = /io_uring_enter\([^,]+, (\d+),/.exec(line) ?? [];
    if (submitted) calls.set('submitted', (calls.get('submitted') ?? 0) + Number(submitted));
    const moves = READ.includes(call) || WRITE.includes(call);
    if (!moves || /^(socket|TCP)/.test(target)) calls.set(call, (calls.get(call) ?? 0) + 1);
  }
  return calls;
}

/**
 * @param {Map<string, number>} calls
 * @param {string[]} names
 */
function sum(calls, names) {
  return names.reduce((total, name) => total + (calls.get(name) ?? 0), 0);
}
