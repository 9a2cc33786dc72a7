// Finding and building servers, in a copy of servers/c: missing tools are reported with a remedy, an up-to-date server
// starts no build, and simultaneous builds do not disturb each other.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { constants, hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, discover, ServerError, startServer } from '../../servers/launcher/index.js';
import { withLock } from '../../servers/launcher/builder/lock.js';
import { readTree } from '../../servers/launcher/process/process-tree.js';
import { lives, until } from './server-process.js';
import { hasUsrsctp as hasLibrary } from '../native/core.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { endOf } from '../fixtures/ended-child.js';

const SERVERS = fileURLToPath(new URL('../../servers/', import.meta.url));
const LAUNCHER = new URL('../../servers/launcher/index.js', import.meta.url).href;

/**
 * A copy of servers/c, without what was built of it.
 * @param {string} folder to put it in
 */
function copyServers(folder) {
  cpSync(join(SERVERS, 'c'), join(folder, 'c'), { recursive: true, filter: (path) => !/\/build(\/|$)/.test(path) });
  const makefile = join(folder, 'c', 'Makefile');
  const text = readFileSync(makefile, 'utf8');
  const unoptimised = text.replace('-O2 -g', '-O0'); // compiles in half the time
  assert.notEqual(unoptimised, text);
  writeFileSync(makefile, unoptimised);
  const [, names = ''] = /^MODELS = ((?:.*\\\n)*.*)$/m.exec(text) ?? [];
  return {
    folder,
    /** Those of the Makefile, sorted. */
    models: names
      .split(/[\s\\]+/)
      .filter(Boolean)
      .sort(),
    output: (/** @type {string} */ name) => join(folder, 'c', 'build', name),
    manifestOf: (/** @type {string} */ name) => join(folder, 'c', 'manifests', `${name}.json`),
    async find(/** @type {string} */ name) {
      const server = (await discover({ folder })).find((each) => each.name === name);
      assert.ok(server, `${name} is not listed`);
      return server;
    },
  };
}

describe('finding and building servers', function () {
  this.timeout(120_000);
  const box = sandbox();

  it('lists every shipped server with a manifest that matches the schema', async () => {
    const found = await discover();
    const wrong = found.filter(({ fault }) => fault !== null);
    assert.deepEqual(
      wrong.map(({ name, why }) => `${name}: ${why}`),
      [],
    );
    const names = found.filter(({ language }) => language === 'c').map(({ name }) => name);
    assert.deepEqual(names, copyServers(box.folder).models, 'each model of the Makefile has its manifest');
  });

  it('lists a server whose manifest is invalid, with the reason', async () => {
    const { manifestOf, find } = copyServers(box.folder);
    const errorsOf = async (/** @type {string} */ name) => {
      const { problem } = await find(name);
      assert.equal(problem?.code, 'invalid-manifest', name);
      const errors = /** @type {import('../../servers/launcher/errors.js').Problem[]} */ (problem.data.errors);
      return errors.map(({ code, data }) => [code, data.path]);
    };
    writeFileSync(manifestOf('epoll'), readFileSync(manifestOf('epoll'), 'utf8').replace('"line"', '"soon"'));
    assert.deepEqual(await errorsOf('epoll'), [['enum', 'ready']]);
    writeFileSync(manifestOf('select'), '{');
    assert.deepEqual(await errorsOf('select'), [['json', undefined]]);
    const poll = JSON.parse(readFileSync(manifestOf('poll'), 'utf8'));
    for (const wrong of ['../../../etc/passwd', '/etc/passwd', 'build/../../poll', '..']) {
      writeFileSync(manifestOf('poll'), JSON.stringify({ ...poll, build: { ...poll.build, output: wrong } }));
      assert.deepEqual(await errorsOf('poll'), [['not', 'build.output']], wrong);
    }
    cpSync(manifestOf('libuv'), manifestOf('twin'));
    assert.deepEqual(await errorsOf('twin'), [['name', undefined]]);
  });

  it('builds once, and again only when a source has changed', async () => {
    const { folder, output } = copyServers(box.folder);
    const names = ['epoll'];
    assert.deepEqual(await build({ folder, names }), [{ name: 'epoll', built: true }]);
    const { mtimeMs } = statSync(output('epoll'));
    assert.deepEqual(await build({ folder, names }), [{ name: 'epoll', built: false }]);
    assert.equal(statSync(output('epoll')).mtimeMs, mtimeMs);
    appendFileSync(join(folder, 'c', 'protocols', 'echo.c'), '\n/* touched */\n');
    assert.deepEqual(await build({ folder, names }), [{ name: 'epoll', built: true }]);
    rmSync(output('epoll'));
    assert.deepEqual(await build({ folder, names }), [{ name: 'epoll', built: true }]);
  });

  it("prints the compiler's output when a build fails, and does not consider it built", async () => {
    const { folder, output } = copyServers(box.folder);
    appendFileSync(join(folder, 'c', 'frame', 'main.c'), '\n#error broken on purpose\n');
    const error = await build({ folder, names: ['epoll'] }).catch((each) => each);
    assert.ok(error instanceof ServerError);
    assert.equal(error.code, 'EBUILD');
    assert.ok(error.data.lines.some((/** @type {string} */ line) => line.includes('broken on purpose')));
    assert.equal(existsSync(output('epoll')), false);
  });

  it('reports a missing output or a missing build command', async () => {
    const { folder, manifestOf } = copyServers(box.folder);
    const manifest = JSON.parse(readFileSync(manifestOf('epoll'), 'utf8'));
    mkdirSync(join(folder, 'odd', 'manifests'), { recursive: true });
    for (const [name, command, reason, details] of /** @type {[string, string[], string, object][]} */ ([
      ['none', ['true'], 'no-output', { output: 'none' }],
      ['dir', ['mkdir', '-p', 'dir'], 'output-not-a-file', { output: 'dir' }],
      ['plain', ['touch', 'plain'], 'output-not-executable', { output: 'plain' }],
      ['nocmd', ['no-such-command'], 'cannot-start', { program: 'no-such-command', errno: constants.errno.ENOENT }],
      ['mute', ['false'], 'exit-status', { exitCode: 1 }],
      ['ended', ['/bin/sh', '-c', 'kill -9 $$'], 'signal', { signal: 'SIGKILL' }],
    ])) {
      const recipe = { command, output: name, sources: ['manifests'] };
      const path = join(folder, 'odd', 'manifests', `${name}.json`);
      const content = { ...manifest, name, requires: [], build: recipe, run: [`./${name}`, '{port}'] };
      writeFileSync(path, JSON.stringify(content));
      const { code, data } = await build({ folder, names: [name] }).catch((each) => each);
      assert.equal(code, 'EBUILD', name);
      assert.deepEqual(data, { server: name, command, reason, ...details, lines: [] });
      rmSync(path);
    }
  });

  it.slow('builds several servers with one make, and the others if one cannot be built', async () => {
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

  it.slow('is safe when three processes build at once', async () => {
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

  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGKILL'])) {
    const add = signal === 'SIGKILL' ? it : it.slow;
    add(`ends a build with the process that ${signal} ends, and lets another begin only then`, async () => {
      const { folder } = box;
      const slow = join(folder, 'slow');
      mkdirSync(slow);
      // The first will not end on SIGTERM; the second fails if the first still runs.
      const recipe = [
        'if [ -e first ]; then ! kill -0 `cat first` 2>&1 && cp /bin/true slow; else',
        'trap "" TERM; echo $$$$ >first; while :; do sleep 0.05; done; fi',
      ].join(' ');
      writeFileSync(join(slow, 'Makefile'), `slow:\n\t@${recipe}\n`);
      const script = `const { build } = await import(${JSON.stringify(LAUNCHER)});
        await build({ folder: process.argv[1], names: ['slow'] });`;
      const builder = spawn(process.execPath, ['--input-type=module', '-e', script, folder], { stdio: 'inherit' });
      try {
        await until(() => existsSync(join(slow, 'first')), 'the first build');
        const lock = () => JSON.parse(readFileSync(join(slow, '.lock'), 'utf8'));
        await until(() => lock().worker !== undefined, 'the lock names the build too');
        const pids = readTree(Number(builder.pid)).map(({ pid }) => pid);
        assert.ok(pids.length >= 4, 'the builder, the guard, make and a shell');
        builder.kill(signal);
        await once(builder, 'exit');
        assert.deepEqual(await build({ folder, names: ['slow'] }), [{ name: 'slow', built: true }]);
        await until(() => !pids.some(lives), 'the end of all the first has started');
      } finally {
        builder.kill('SIGKILL');
      }
    });
  }

  it.slow('takes over the lock of a process that has died', async () => {
    const { folder } = copyServers(box.folder);
    const dead = spawn('true');
    await once(dead, 'exit');
    mkdirSync(join(folder, 'c', 'build'));
    const owner = { pid: dead.pid, started: '1', host: hostname() };
    writeFileSync(join(folder, 'c', 'build', '.lock'), JSON.stringify(owner));
    assert.deepEqual(await build({ folder, names: ['epoll'] }), [{ name: 'epoll', built: true }]);
  });

  it('allows only one holder of a lock at a time', async () => {
    let holders = 0;
    let most = 0;
    const hold = () =>
      withLock(join(box.folder, 'lock'), async () => {
        most = Math.max(most, ++holders);
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        holders--;
      });
    await Promise.all(Array.from({ length: 5 }, hold));
    assert.deepEqual([most, holders], [1, 0]);
  });
});

describe('the Makefile of the servers in C', () => {
  const box = sandbox();

  /** @param {string} flag of the compiler @returns {Promise<boolean>} whether `epoll` would be built with libusrsctp */
  async function hasUsrsctp(flag = '') {
    const words = ['-n', '-C', join(SERVERS, 'c'), `CC=cc ${flag}`, `OUT=${join(box.folder, 'out')}`, 'epoll'];
    const { status, stdout, stderr } = await endOf('make', words);
    assert.equal(status, 0, stderr);
    const [compiles, links] = [/parts\/usrsctp\.c$/m, / -lusrsctp$/m].map((part) => part.test(stdout));
    assert.equal(compiles, links, stdout);
    return links;
  }

  it('leaves out libusrsctp where its header or its library is missing, and takes it where both are there', async () => {
    writeFileSync(join(box.folder, 'usrsctp.h'), '#error missing\n');
    writeFileSync(join(box.folder, 'libusrsctp.so'), '');
    assert.equal(await hasUsrsctp(`-I${box.folder}`), false);
    assert.equal(await hasUsrsctp(`-L${box.folder}`), false);
    assert.equal(await hasUsrsctp(), await hasLibrary());
  });
});

describe('a compiler that does not find libuv', function () {
  this.timeout(120_000);
  const box = sandbox();

  it.slow(
    'lists libuv as unavailable, with what to install, where its header is there without the library; the rest works',
    async () => {
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
    },
  );
});
