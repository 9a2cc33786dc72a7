// Each C server uses the system calls of the model it is named after, and all of them do the same work for a request:
// one read and one write.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, discover } from '../../servers/launcher/index.js';
import { requireTool, skip } from '../skip.js';
import { destroy, exchange, openMany } from '../contract/client.js';
import { endAll, startProgram } from '../contract/server-process.js';
import { CONNECTIONS, IO_URING, MAKE, MODELS, READ, WRITE } from '../fixtures/system-calls.js';

const REQUESTS = 50;

describe('the system calls of', () => {
  /** @type {string} */
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-strace-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(endAll);

  for (const [name, model] of Object.entries(MODELS)) {
    const { waits, never, makes, edges, control = 0, inTurn = false } = model;
    it(`${name} are those of its model, one read and one write per request`, async function () {
      this.timeout(60_000);
      const strace = requireTool(this, 'strace');
      const server = (await discover()).find((each) => each.name === name);
      assert.ok(server);
      if (!server.available) skip(this, `${server.why} (${server.remedy})`);
      await build({ names: [name] });
      const program = join(server.folder, server.manifest.run[0]);
      const calls = await callsOf(strace, join(folder, name), program, inTurn);
      assert.ok(sum(calls, waits) > 0, `it never calls ${waits.join(', ')}`);
      for (const call of never) assert.equal(calls.get(call) ?? 0, 0, `it calls ${call}`);
      const made = sum(calls, MAKE);
      if (makes !== undefined) assert.equal(made, makes, `it makes ${made} processes and threads`);
      if (edges !== undefined) assert.equal(calls.has('edges'), edges, 'it asks for edges');
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
      const controls = calls.get('epoll_ctl') ?? 0;
      const most = control * requests + 2 * CONNECTIONS + 10;
      assert.ok(controls <= most, `${controls} epoll_ctl for ${CONNECTIONS} connections, more than ${most}`);
    });
  }
});

describe('TCP_NODELAY', () => {
  /** @type {string} */
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-strace-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(endAll);

  it('is set by every C server, and left unset with --nodelay off', async function () {
    this.timeout(60_000);
    const strace = requireTool(this, 'strace');
    const servers = (await discover()).filter(
      ({ available, manifest }) => available && manifest.language === 'c' && manifest.options?.nodelay,
    );
    assert.ok(servers.length > 0);
    await build({ names: servers.map(({ name }) => name) });
    for (const { name, folder: home, manifest } of servers) {
      const program = join(home, manifest.run[0]);
      for (const [value, isSet] of /** @type {const} */ ([
        ['on', true],
        ['off', false],
      ])) {
        const output = join(folder, `${name}-${value}`);
        const traced = [strace, '-f', '-qq', '-e', 'trace=setsockopt', '-e', 'signal=none', '-o', output];
        const server = await startProgram([...traced, program, '--nodelay', value]);
        const [socket] = await openMany(server, 1);
        await exchange(socket);
        destroy([socket]);
        await server.end();
        assert.equal(/TCP_NODELAY, \[1\]/.test(readFileSync(output, 'utf8')), isSet, `${name} --nodelay ${value}`);
      }
    }
  });
});

/**
 * @param {string} strace
 * @param {string} output
 * @param {string} program
 * @param {boolean} inTurn one connection after the other
 * @returns {Promise<Map<string, number>>} system calls on sockets and of waiting, by name; `submitted` to a ring;
 *   `edges`: that epoll was called with EPOLLET
 */
async function callsOf(strace, output, program, inTurn) {
  const server = await startProgram([strace, '-f', '-qq', '-y', '-e', 'signal=none', '-o', output, program]);
  for (let left = CONNECTIONS; left > 0; left -= inTurn ? 1 : CONNECTIONS) {
    const sockets = await openMany(server, inTurn ? 1 : CONNECTIONS);
    for (let i = 0; i < REQUESTS; i++) await Promise.all(sockets.map((socket) => exchange(socket)));
    destroy(sockets);
  }
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
    if (/^\d+\s+epoll_ctl\(.*EPOLLET/.test(line)) calls.set('edges', 1);
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
