// Servers of several processes: every one that discover() lists with an option `processes`; and that the others say no.

import assert from 'node:assert/strict';
import { build, discover } from '../../servers/launcher/index.js';
import { skip } from '../hooks.js';
import { destroy, openMany } from './client.js';
import { describeProcesses } from './processes.js';
import { endAll, programOf, runToEnd, startProgram, until } from './server-process.js';

const found = await discover();
const several = found.filter(({ manifest }) => manifest.options?.processes);

describe('servers of several processes', () => {
  afterEach(endAll);

  for (const server of several) {
    describe(server.name, () => {
      before(async function () {
        this.timeout(120_000);
        if (!server.available) skip(this, `${server.why} (${server.remedy})`);
        await build({ names: [server.name] });
      });
      const { options, surplus } = server.manifest;
      const words = options?.processes ?? [];
      describeProcesses({ command: () => [programOf(server)], words, surplus, processes: 4 });
    });
  }

  it('are epoll, libuv and select; each says so in its manifest', () => {
    const names = several.filter(({ language }) => language === 'c').map(({ name }) => name);
    assert.deepEqual(names, ['epoll', 'libuv', 'select']);
    for (const { name, manifest } of several) assert.equal(manifest.scales, 'processes', name);
  });

  it('say in C which process it was, how it ended, and how many are left', async () => {
    await build({ names: ['epoll'] });
    const [epoll] = found.filter(({ name }) => name === 'epoll');
    const { stderr, ready, exited } = await startProgram([programOf(epoll), '--processes', '3'], { descriptors: 32 });
    const sockets = await openMany(ready, 150);
    const full = [1, 2, 3].map((n) => `epoll (process ${n} of 3): accept: the surplus waits in the backlog: ` +
      'Too many open files\n').join('');
    await until(() => stderr().split('\n').sort().join('\n').trim() === full.trim(), full);
    destroy(sockets);
    const [, first, second, third] = ready.pids;
    const says = (/** @type {string} */ text) => until(() => stderr().endsWith(`${text}\n`), text);
    process.kill(second, 'SIGKILL');
    await says(`epoll: process 2 of 3 (pid ${second}) was ended by signal 9 (Killed); 2 of them serve on`);
    process.kill(first, 'SIGTERM');
    await says(`epoll: process 1 of 3 (pid ${first}) was ended by signal 15 (Terminated); 1 of them serves on`);
    process.kill(third, 'SIGKILL');
    await says(`epoll: process 3 of 3 (pid ${third}) was ended by signal 9 (Killed); none is left`);
    assert.deepEqual(await exited, { code: 1, signal: null });
  });

  it('say in C which numbers can be had', async () => {
    await build({ names: ['epoll'] });
    const [epoll] = found.filter(({ name }) => name === 'epoll');
    for (const wrong of ['0', '1025', 'auto']) {
      const { code, stderr } = await runToEnd([programOf(epoll), '--processes', wrong]);
      assert.deepEqual([code, stderr], [2, `epoll: --processes ${wrong}: expected 1 to 1024\n`]);
    }
  });

  it('is not multi-threaded, which says so', async () => {
    await build({ names: ['multi-threaded'] });
    const [server] = found.filter(({ name }) => name === 'multi-threaded');
    const { code, stdout, stderr } = await runToEnd([programOf(server), '--processes', '2']);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    assert.match(stderr, /--processes 2: expected another model: this one serves from a single process/);
  });
});
