// Servers of several processes: every one that discover() lists with an option `processes`; and that the others say no.

import assert from 'node:assert/strict';
import { build, discover } from '../../servers/launcher/index.js';
import { skip } from '../hooks.js';
import { describeProcesses } from './processes.js';
import { programOf, runToEnd } from './server-process.js';

const found = await discover();
const several = found.filter(({ manifest }) => manifest.options?.processes);

describe('of several processes', () => {
  for (const server of several) {
    describe(server.name, () => {
      before(async function () {
        this.timeout(120_000);
        if (!server.available) skip(this, `${server.why} (${server.remedy})`);
        await build({ names: [server.name] });
      });
      describeProcesses({ command: () => [programOf(server)], surplus: server.manifest.surplus, processes: 4 });
    });
  }

  it('are epoll, libuv and select; each says so in its manifest', () => {
    const names = several.filter(({ language }) => language === 'c').map(({ name }) => name);
    assert.deepEqual(names, ['epoll', 'libuv', 'select']);
    for (const { name, manifest } of several) assert.equal(manifest.scales, 'processes', name);
  });

  it('is not multi-threaded, which says so', async () => {
    await build({ names: ['multi-threaded'] });
    const [server] = found.filter(({ name }) => name === 'multi-threaded');
    const { code, stdout, stderr } = await runToEnd([programOf(server), '--processes', '2']);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    assert.match(stderr, /--processes 2: expected another model: this one serves from a single process/);
  });
});
