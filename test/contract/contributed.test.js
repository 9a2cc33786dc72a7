// Servers that somebody adds: which folders count as one, and how it is built. ../release/contributed.test.js follows
// "Add a server in ten minutes" of servers/README.md literally.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stopServer } from '../../client/predecessors/volley/command.js';
import { isExportable, exportServers, volleyFolder } from '../../client/predecessors/volley/export-servers.js';
import { build, discover, startServer } from '../../servers/launcher/index.js';
import { verifyExchange } from '../fixtures/one-exchange.js';
import { targetsIn } from '../../servers/launcher/manifest/contributed.js';
import { pickPort } from '../../servers/launcher/start/ports.js';
import { block, writeExample } from './readme-example.js';
import { runToEnd } from './server-process.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('a server of Broadside as a folder of volley', function () {
  this.timeout(120_000);
  /** @type {string} */
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside volley-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('has the two targets, takes -p PORT alone, and ends at the word zero', async () => {
    await build({ names: ['epoll'] });
    const [epoll] = (await discover()).filter(({ name }) => name === 'epoll');
    assert.ok(isExportable(epoll));
    const { name, files } = volleyFolder(epoll);
    assert.equal(name, 'broadside-epoll');
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    assert.ok(targetsIn(files.Makefile).includes(name));
    const make = (/** @type {string} */ target) => runToEnd(['make', '-s', '-C', folder, target]);
    assert.equal((await make(name)).code, 0);
    const program = join(folder, name);
    for (const words of [[], ['-p'], ['-p', '1', 'more'], ['--port', '1']]) {
      assert.equal((await runToEnd([program, ...words])).code, 2, words.join(' '));
    }

    const port = await pickPort('127.0.0.1');
    const child = spawn(program, ['-p', String(port)], { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    let output = '';
    child.stdout.on('data', (text) => (output += text));
    try {
      await once(child.stderr, 'data'); // its ready line
      await verifyExchange({ host: '127.0.0.1', port, protocol: 'volley' });
      await stopServer({ host: '127.0.0.1', port });
      assert.deepEqual([await ended, output], [[0, null], '']);
    } finally {
      child.kill('SIGKILL');
    }
    assert.equal((await make('clean')).code, 0);
    assert.deepEqual(readdirSync(folder).sort(), Object.keys(files).sort());
  });

  it('needs a folder that exists and servers that can be one', async () => {
    for (const [argv, code] of /** @type {const} */ ([
      [{}, 'EOPTION'],
      [{ volley: join(folder, 'none') }, 'EFOLDER'],
      [{ volley: folder, names: ['nginx'] }, 'EPROTOCOL'],
      [{ volley: folder, names: ['program/*'] }, 'EEXPORT'],
    ])) {
      await assert.rejects(exportServers(/** @type {any} */ (argv)), { code });
    }
    assert.deepEqual(readdirSync(folder), []);
  });
});

describe('a contributed server', function () {
  this.timeout(240_000);
  /** @type {string} */
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-contributed-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const mine = () => join(folder, 'mine');
  const find = async () => (await discover({ folder })).find(({ name }) => name === 'mine');
  const buildOnce = async () => (await build({ folder, names: ['mine'] }))[0].built;

  it('is rebuilt when a file of its folder changes, but not because of its own build output', async () => {
    writeExample(mine());
    const steps = ['mine: mine.o', '\tcc -pthread -o mine mine.o', 'mine.o: mine.c', '\tcc -c mine.c', ''];
    writeFileSync(join(mine(), 'Makefile'), steps.join('\n'));
    assert.deepEqual([await buildOnce(), await buildOnce()], [true, false]);
    appendFileSync(join(mine(), 'mine.c'), '/* changed */\n');
    assert.deepEqual([await buildOnce(), await buildOnce()], [true, false]);
    mkdirSync(join(mine(), 'more'));
    writeFileSync(join(mine(), 'more', 'notes'), '');
    assert.deepEqual([await buildOnce(), await buildOnce()], [true, false]);
    rmSync(join(mine(), 'mine'));
    assert.deepEqual([await buildOnce(), await buildOnce()], [true, false]);
    const server = await startServer({ folder, name: 'mine', protocol: 'volley' });
    assert.deepEqual(await server.stop(), { code: 0, signal: null, forced: false });
  });

  it('is invalid without a target of its name, or if its name is not allowed', async () => {
    mkdirSync(mine());
    writeFileSync(join(mine(), 'Makefile'), 'all: yours\nyours:\n\ttrue\n');
    const server = await find();
    const path = join(mine(), 'Makefile');
    assert.deepEqual(
      [server?.available, server?.problem, server?.remedy],
      [false, { code: 'missing-target', data: { path, target: 'mine' } }, `correct ${path}`],
    );
    writeFileSync(join(mine(), 'GNUmakefile'), 'mine:\n');
    assert.equal((await find())?.available, true, 'the one that make would take');
    mkdirSync(join(folder, 'My Own'));
    writeFileSync(join(folder, 'My Own', 'Makefile'), 'mine:\n');
    const own = (await discover({ folder })).find(({ name }) => name === 'My Own');
    assert.deepEqual(own?.problem, { code: 'invalid-folder-name', data: { name: 'My Own' } });
  });

  it('does not exist without a Makefile, or in a folder with manifests', async () => {
    mkdirSync(join(mine(), 'manifests'), { recursive: true });
    writeFileSync(join(mine(), 'Makefile'), 'mine:\n');
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'a-file'), '');
    assert.deepEqual(await discover({ folder }), []);
    assert.deepEqual(await discover({ folder: join(folder, 'nowhere') }), []);
  });

  it('does not affect other servers if its Makefile is not a file or cannot be read', async () => {
    writeExample(mine());
    const wrong = {
      folder: (/** @type {string} */ path) => mkdirSync(path),
      fifo: (/** @type {string} */ path) => runToEnd(['mkfifo', path]),
      nothing: (/** @type {string} */ path) => symlinkSync('nowhere', path),
      itself: (/** @type {string} */ path) => symlinkSync('Makefile', path),
    };
    for (const [name, make] of Object.entries(wrong)) {
      mkdirSync(join(folder, name));
      await make(join(folder, name, 'Makefile'));
    }
    const found = await discover({ folder });
    assert.deepEqual(
      found.map(({ name, problem }) => [name, problem?.code, problem?.data.errno]),
      [
        ['fifo', 'unreadable-makefile', undefined],
        ['folder', 'unreadable-makefile', undefined],
        ['itself', 'unreadable-makefile', 'ELOOP'],
        ['mine', undefined, undefined],
        ['nothing', 'unreadable-makefile', 'ENOENT'],
      ],
    );
  });

  it('may be one of a collection, which is in its name but not in its target', async () => {
    const targets = ['go', 'rust'];
    for (const [collection, inner] of [
      ['volley', 'volley/servers'],
      ['other', 'other'],
    ]) {
      for (const target of targets) {
        mkdirSync(join(folder, inner, target), { recursive: true });
        writeFileSync(join(folder, inner, target, 'Makefile'), `${target}: mine.c\n\tcc -pthread -o $@ mine.c\n`);
        writeFileSync(join(folder, inner, target, 'mine.c'), block('c'));
      }
      writeFileSync(join(folder, collection, 'Makefile'), 'all:\n');
    }
    mkdirSync(join(folder, 'go', 'manifests'), { recursive: true });
    const found = await discover({ folder });
    assert.deepEqual(
      found.map(({ name, available, language }) => [name, available, language]),
      ['other-go', 'other-rust', 'volley-go', 'volley-rust'].map((name) => [name, true, 'contributed']),
    );
    const server = await startServer({ folder, name: 'volley-go', protocol: 'volley' });
    await server.stop();
    assert.ok(existsSync(join(folder, 'volley', 'servers', 'go', 'go')));
  });

  it('is not looked for in a folder whose own Makefile lacks the target', async () => {
    mkdirSync(join(mine(), 'library'), { recursive: true });
    for (const path of [mine(), join(mine(), 'library')]) writeFileSync(join(path, 'Makefile'), 'all:\n');
    const problems = (await discover({ folder })).map(({ name, problem }) => [name, problem?.code]);
    assert.deepEqual(problems, [['mine', 'missing-target']]);
  });

  it('may not have the name of another server', async () => {
    writeExample(mine());
    mkdirSync(join(folder, 'x', 'manifests'), { recursive: true });
    writeFileSync(
      join(folder, 'x', 'manifests', 'mine.json'),
      JSON.stringify({
        name: 'mine',
        language: 'x',
        model: 'm',
        description: 'd',
        protocols: ['echo'],
        run: ['true', '{port}'],
        ready: 'line',
        concurrent: 1,
        surplus: 'closed',
        scales: 'none',
      }),
    );
    const found = await discover({ folder });
    assert.deepEqual(
      found.map(({ why }) => why),
      ['servers/mine/Makefile has the same name', 'servers/x/manifests/mine.json has the same name'],
    );
  });

  it('has a target that is found in any syntax of Makefiles', () => {
    for (const text of [
      'mine: mine.c',
      'other mine : a b',
      'mine:: x',
      'PROGRAM = mine\n$(PROGRAM): x',
      `P := mine # it\n${'$'}{P}: x`,
      'a \\\n mine: x',
      'all: mine\nmine: ; true',
    ]) {
      assert.ok(targetsIn(text).includes('mine'), text);
    }
    for (const text of ['mine := x', 'all: mine', '\tmine: x', '# mine: x', 'miner: x', 'mine ?= y:z', 'X = mine: y']) {
      assert.ok(!targetsIn(text).includes('mine'), text);
    }
    assert.ok(!existsSync(join(ROOT, 'servers', 'mine')), 'the example is nowhere but in the README');
  });
});
