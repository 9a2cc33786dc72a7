// Building servers, in a copy of servers/c: several at once, and at the same time.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, startServer } from '../../servers/launcher/index.js';
import { copyServers } from '../contract/server-copy.js';
import { sandbox } from '../fixtures/e2e-run.js';

const LAUNCHER = new URL('../../servers/launcher/index.js', import.meta.url).href;

describe('building servers', function () {
  this.timeout(120_000);
  const box = sandbox();

  it('builds several servers with one make, and the others if one cannot be built', async () => {
    const { folder, output } = copyServers(box.folder);
    appendFileSync(join(folder, 'c', 'models', 'poll.c'), '\n#error broken on purpose\n');
    const names = ['epoll', 'iterative'];
    const commands = new Set();
    const built = await build({ folder, names, onLine: (line) => commands.add(line) });
    assert.deepEqual(
      built,
      names.map((name) => ({ name, built: true })),
    );
    assert.ok(commands.size > 0);
    rmSync(output('epoll'));
    const error = await build({ folder, names: ['epoll', 'poll', 'iterative'] }).catch((each) => each);
    assert.deepEqual([error.code, error.data.server, error.data.command], ['EBUILD', 'poll', ['make', 'poll']]);
    assert.deepEqual(
      await build({ folder, names }),
      names.map((name) => ({ name, built: false })),
    );
  });

  it('is safe when three processes build at once', async () => {
    const { folder } = copyServers(box.folder);
    const script = `const { build } = await import(${JSON.stringify(LAUNCHER)});
      const [{ built }] = await build({ folder: process.argv[1], names: ['epoll'] }); process.exitCode = built ? 10 : 0;`;
    const builders = [1, 2, 3].map(() =>
      spawn(process.execPath, ['--input-type=module', '-e', script, folder], { stdio: 'inherit' }),
    );
    const codes = await Promise.all(builders.map((child) => once(child, 'exit').then(([code]) => code)));
    assert.deepEqual(codes.sort(), [0, 0, 10], 'one of them builds, the others wait for it');
    const server = await startServer({ name: 'epoll', folder });
    await server.stop();
    assert.equal(existsSync(join(folder, 'c', 'build', '.lock')), false);
  });
});
