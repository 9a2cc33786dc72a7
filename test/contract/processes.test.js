// Servers with several processes, beyond the conformance checks: what those in C report, that each process has its own
// listener, and that models without the option `processes` reject it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { socketsOfProcess } from '../../servers/conformance/tree.js';
import { build, discover } from '../../servers/launcher/index.js';
import { destroy, openMany } from './client.js';
import { endAll, programOf, runToEnd, startProgram, until } from './server-process.js';

const found = await discover();

describe('servers with several processes', () => {
  afterEach(endAll);

  it('have a listener per process', async () => {
    await build({ names: ['epoll'] });
    const [epoll] = found.filter(({ name }) => name === 'epoll');
    const first = await startProgram([programOf(epoll), '--processes', '4']);
    assert.equal(listenersOn(first.port), 4);
    await until(() => socketsOfProcess(first.pid) === 0, 'the first has no socket, so it takes no connection');
    const second = [programOf(epoll), '--processes', '2', '-p', String(first.port)];
    assert.equal((await runToEnd(second)).code, 1);
    assert.equal(listenersOn(first.port), 4);
  });

  it('report in C which process ended, how, and how many are left', async () => {
    await build({ names: ['epoll'] });
    const [epoll] = found.filter(({ name }) => name === 'epoll');
    const server = await startProgram([programOf(epoll), '--processes', '3'], { descriptors: 32 });
    const { stderr, pids, exited } = server;
    const sockets = await openMany(server, 150);
    const full = [1, 2, 3]
      .map(
        (n) => `epoll (process ${n} of 3): accept: further connections wait in the accept queue: Too many open files\n`,
      )
      .join('');
    await until(() => stderr().split('\n').sort().join('\n').trim() === full.trim(), full);
    destroy(sockets);
    const [, first, second, third] = pids;
    const says = (/** @type {string} */ text) => until(() => stderr().endsWith(`${text}\n`), text);
    process.kill(second, 'SIGKILL');
    await says(`epoll: process 2 of 3 (pid ${second}) was ended by signal 9 (Killed); 2 remain`);
    process.kill(first, 'SIGTERM');
    await says(`epoll: process 1 of 3 (pid ${first}) was ended by signal 15 (Terminated); 1 remains`);
    process.kill(third, 'SIGKILL');
    await says(`epoll: process 3 of 3 (pid ${third}) was ended by signal 9 (Killed); none remains`);
    assert.deepEqual(await exited, { code: 1, signal: null });
  });

  it('do not include multi-threaded, which reports that', async () => {
    await build({ names: ['multi-threaded'] });
    const [server] = found.filter(({ name }) => name === 'multi-threaded');
    const { code, stdout, stderr } = await runToEnd([programOf(server), '--processes', '2']);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    assert.match(stderr, /^[^:]*: --processes 2: /);
  });
});

/** @param {number} port @returns {number} sockets that listen on it */
function listenersOn(port) {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  return lines.filter((line) => new RegExp(`^ *\\d+: [0-9A-F]{8}:${hex} 00000000:0000 0A `).test(line)).length;
}
