// Building servers, in a copy of servers/c: several at once, at the same time, with a lock that is left, and without libuv.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { build, ServerError, startServer } from '../../servers/launcher/index.js';
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

  it('takes over the lock of a process that has died', async () => {
    const { folder } = copyServers(box.folder);
    const dead = spawn('true');
    await once(dead, 'exit');
    mkdirSync(join(folder, 'c', 'build'));
    const owner = { pid: dead.pid, started: '1', host: hostname() };
    writeFileSync(join(folder, 'c', 'build', '.lock'), JSON.stringify(owner));
    assert.deepEqual(await build({ folder, names: ['epoll'] }), [{ name: 'epoll', built: true }]);
  });
});

describe('a compiler that does not find libuv', function () {
  this.timeout(120_000);
  const box = sandbox();

  it('lists libuv as unavailable, with what to install, where its header is there without the library; the rest works', async () => {
    const { folder, models, manifestOf, find } = copyServers(box.folder);
    const compiler = join(folder, 'cc-without-uv');
    const script = [
      '#!/bin/sh',
      'case "$*" in *-luv*) echo "ld: cannot find -luv" >&2; exit 1;; esac',
      'exec cc "$@"',
      '',
    ];
    writeFileSync(compiler, script.join('\n'), { mode: 0o755 });
    const before = process.env.CC;
    process.env.CC = compiler;
    const few = ['epoll', 'iterative', 'libuv'];
    models.filter((name) => !few.includes(name)).forEach((name) => rmSync(manifestOf(name)));
    try {
      const { available, problem, remedy } = await find('libuv');
      assert.deepEqual([available, remedy], [false, 'apt-get install libuv1-dev']);
      assert.deepEqual(problem, { code: 'missing-library', data: { library: 'uv', line: 'ld: cannot find -luv' } });
      const built = await build({ folder });
      assert.deepEqual(built, [
        { name: 'epoll', built: true },
        { name: 'iterative', built: true },
      ]);
      const error = await startServer({ name: 'libuv', folder }).catch((each) => each);
      assert.ok(error instanceof ServerError);
      assert.deepEqual([error.code, error.exitCode], ['EUNAVAILABLE', 3]);
      assert.deepEqual(error.data, { server: 'libuv', problem });
      assert.ok(error.message.includes('apt-get install libuv1-dev'), error.message);
      const server = await startServer({ name: 'epoll', folder });
      assert.deepEqual(await server.stop(), { code: 0, signal: null, forced: false });
    } finally {
      if (before === undefined) delete process.env.CC;
      else process.env.CC = before;
    }
  });
});
