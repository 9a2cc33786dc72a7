// The contract of servers/README.md, for every server that discover() lists; and what single models promise beyond it.

import assert from 'node:assert/strict';
import { build, discover } from '../../servers/launcher/index.js';
import { requireSetting, skip } from '../hooks.js';
import { destroy, exchange, open, openMany } from './client.js';
import { describeConformance } from './conformance.js';
import { endAll, ownDescriptorLimit, programOf, startProgram, threadsOf, until } from './server-process.js';

const found = await discover();

describe('every server', () => {
  for (const server of found) {
    describe(server.name, () => {
      before(async function () {
        this.timeout(120_000);
        if (!server.available) skip(this, `${server.why} (${server.remedy})`);
        await build({ names: [server.name] });
      });
      describeConformance({ command: () => [programOf(server)], surplus: server.manifest.surplus });
    });
  }
});

describe('multi-threaded at its ceiling of threads', () => {
  afterEach(endAll);

  it('leaves the surplus in the backlog and serves it once there is room', async () => {
    await build({ names: ['multi-threaded'] });
    const [manifest] = found.filter(({ name }) => name === 'multi-threaded');
    const server = await startProgram([programOf(manifest), '--max-children', '5']);
    const sockets = await openMany(server, 8);
    await Promise.all(sockets.slice(0, 5).map((socket) => exchange(socket)));
    await until(() => /max-children/.test(server.stderr()), 'it says so');
    assert.equal(threadsOf(server.pid), 6);
    const waiting = sockets.slice(5).map((socket) => exchange(socket));
    destroy(sockets.slice(0, 3));
    await Promise.all(waiting);
    assert.equal(server.stderr().trim().split('\n').length, 1);
    destroy(sockets);
  });
});

describe('ten thousand connections', () => {
  afterEach(endAll);

  for (const name of ['select', 'multi-threaded', 'epoll']) {
    it(`are really served by ${name}`, async function () {
      requireSetting(this, 'BROADSIDE_SLOW');
      this.timeout(180_000);
      const limit = ownDescriptorLimit();
      if (limit < 10_200) skip(this, `the limit of descriptors is ${limit}; 10,200 are needed (ulimit -n)`);
      await build({ names: [name] });
      const [manifest] = found.filter((each) => each.name === name);
      const server = await startProgram([programOf(manifest)]);
      const sockets = await openMany(server, 10_000);
      for (let at = 0; at < sockets.length; at += 1000) {
        await Promise.all(sockets.slice(at, at + 1000).map((socket) => exchange(socket)));
      }
      const late = await open(server);
      await exchange(late);
      destroy([late, ...sockets]);
    });
  }
});
