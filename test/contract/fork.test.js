// What the server fork guarantees beyond the contract: at its maximum of processes it accepts as soon as one ends.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, discover } from '../../servers/launcher/index.js';
import { requireTool } from '../skip.js';
import { exchange, open } from './client.js';
import { endAll, programOf, runToEnd, startProgram, until } from './server-process.js';

const LATE_CHILD = fileURLToPath(new URL('../fixtures/late-child.c', import.meta.url));

describe('fork', () => {
  /** @type {string} */
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-fork-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(endAll);

  it('is woken by a process that ends between the test for room and the wait for it', async function () {
    const compiler = requireTool(this, process.env.CC ?? 'cc', 'gcc');
    const preloaded = join(folder, 'late-child.so');
    assert.equal((await runToEnd([compiler, '-shared', '-fPIC', LATE_CHILD, '-o', preloaded, '-ldl'])).code, 0);
    await build({ names: ['fork'] });
    const [found] = (await discover()).filter(({ name }) => name === 'fork');
    const server = await startProgram([programOf(found), '--max-children', '1'], { env: { LD_PRELOAD: preloaded } });
    const first = await open(server);
    await exchange(first);
    const said = (/** @type {string} */ text) =>
      until(
        () => server.stderr().includes(text),
        () => `"${text}" in ${server.stderr()}`,
      );
    await said('about to wait\n');
    first.destroy();
    await until(() => /woken|slept/.test(server.stderr()), 'the end of its wait');
    assert.match(server.stderr(), /about to wait\nwoken\n/);
    await exchange(await open(server));
  });
});
