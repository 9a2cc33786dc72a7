// Follows "Add a server in ten minutes" of servers/README.md literally in a separate checkout: its code in a folder,
// its commands one after another. Also tests which folders count as such a server.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stopServer } from '../../client/predecessors/volley/command.js';
import { canBeVolleys, exportServers, volleyFolder } from '../../client/predecessors/volley/export-servers.js';
import { build, discover, startServer, verifyExchange } from '../../servers/launcher/index.js';
import { targetsIn } from '../../servers/launcher/manifest/contributed.js';
import { pickPort } from '../../servers/launcher/start/ports.js';
import { readTree } from '../../servers/launcher/process/process-tree.js';
import { lives, runToEnd, until } from './server-process.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const README = readFileSync(join(ROOT, 'servers', 'README.md'), 'utf8');

/** The section's blocks of code, by the word behind their fence. */
const [section = ''] = /^## Add a server in ten minutes\n[^]*?(?=^## )/m.exec(README) ?? [];
const blocks = [...section.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, kind, text]) => ({ kind, text }));
/** @param {string} kind @returns {string} the only one of that kind */
function block(kind) {
  const found = blocks.filter((each) => each.kind === kind);
  assert.equal(found.length, 1, `blocks of ${kind}`);
  return found[0].text;
}

/** @param {string} folder servers/mine, with what the section shows */
function writeExample(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'mine.c'), block('c'));
  writeFileSync(join(folder, 'Makefile'), block('make'));
}

/** @param {string} folder in which a checkout without servers is made */
function checkOut(folder) {
  for (const part of ['client', 'config', 'report', 'package.json', 'package-lock.json', '.npmrc']) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  for (const part of ['launcher', 'conformance']) {
    cpSync(join(ROOT, 'servers', part), join(folder, 'servers', part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

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
    assert.ok(canBeVolleys(epoll));
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

  it.slow('is verified in a checkout without test/', async () => {
    checkOut(folder);
    const echo = join(ROOT, 'test', 'fixtures', 'echo-command.js');
    const subject = `${process.execPath} ${echo} {port}`;
    const cli = [process.execPath, join(folder, 'client', 'cli.js'), 'servers', 'verify'];
    const { code, stdout, stderr } = await runToEnd([...cli, subject, '--only', '^(split-)?vectors$', '--json']);
    assert.equal(code, 0, stdout + stderr);
    assert.deepEqual(
      JSON.parse(stdout).checks.map((/** @type {any} */ check) => [check.id, check.ok]),
      [
        ['vectors', true],
        ['split-vectors', true],
      ],
    );
  });

  it.slow('is listed, built, started, ended, verified and measured by the commands of the README', async () => {
    checkOut(folder);
    writeExample(join(folder, 'servers', 'mine'));
    const commands = block('sh')
      .trim()
      .split('\n')
      .map((line) => line.replace(/ +#.*/, ''));
    assert.deepEqual(
      commands.map((line) => /^npm run (servers -- \w+|\w+)/.exec(line)?.[1]),
      ['servers', 'servers -- build', 'servers -- start', 'servers -- verify', 'stress'],
    );
    const [list, make, start, verify, stress] = commands.map((line) => line.replace('npm run', 'npm run -s'));
    /** @param {string} line */
    const outcome = (line) => runToEnd(['/bin/sh', '-c', `cd ${folder} && exec ${line}`]);

    const listed = await outcome(list);
    assert.equal(listed.code, 0, listed.stderr);
    assert.match(listed.stdout, /^ mine +contributed +see its folder +volley +\? +yes$/m);
    const built = await outcome(make);
    assert.match(built.stdout, /^mine +built, /, built.stderr);
    assert.match((await outcome(make)).stdout, /^mine +up to date\n$/);

    // A group of its own, as a terminal's shell gives it one: Ctrl+C reaches all of it.
    const words = ['-c', `cd ${folder} && exec ${start}`];
    const server = spawn('/bin/sh', words, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    const group = Number(server.pid);
    const ended = once(server, 'exit');
    let said = '';
    server.stdout.on('data', (text) => (said += text));
    try {
      await until(() => said.includes('\n'), 'it says where it listens', 60_000);
      const [, port, pid] = /^mine listens on 127\.0\.0\.1:(\d+) \(volley\), process (\d+)/.exec(said) ?? [];
      await verifyExchange({ host: '127.0.0.1', port: Number(port), protocol: 'volley' });
      process.kill(-group, 'SIGINT');
      await ended;
      await until(() => readTree(group).length === 0 && !lives(Number(pid)), 'the end of all that it started');
    } finally {
      server.kill('SIGKILL');
    }

    const verified = await outcome(verify);
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    assert.match(verified.stdout, /\n\d+ checks in .* s: 1\d ok, 0 failed, \d+ skipped\n$/);
    const measured = await outcome(`${stress} --json --logs ${folder}/logs --report ${folder}/page`);
    assert.equal(measured.code, 0, measured.stderr);
    const {
      legs: [leg],
    } = JSON.parse(measured.stdout);
    assert.deepEqual([leg.server, leg.complete, leg.connections.peakOpen], ['mine', true, 100]);
    assert.ok(leg.transfers.count > 100 && leg.errors.total === 0);
  });

  it.slow('can be interrupted by a signal while it is built to be started', async () => {
    checkOut(folder);
    const slow = join(folder, 'servers', 'slow');
    mkdirSync(slow);
    writeFileSync(join(slow, 'Makefile'), 'slow:\n\techo $$$$ >pid; sleep 1000; true\n');
    for (const [signal, code] of /** @type {const} */ ([
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ])) {
      const words = [join(folder, 'client', 'cli.js'), 'servers', 'start', 'slow'];
      const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] });
      const ended = once(child, 'exit');
      try {
        await until(() => existsSync(join(slow, 'pid')), 'the build', 60_000);
        const pids = readTree(Number(child.pid)).map(({ pid }) => pid);
        child.kill(signal);
        assert.deepEqual(await ended, [code, null]);
        await until(() => !pids.some(lives), 'the end of the build');
      } finally {
        child.kill('SIGKILL');
      }
      rmSync(join(slow, 'pid'));
    }
  });

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

  it('shows the output of make when that fails', async () => {
    writeExample(mine());
    writeFileSync(join(mine(), 'Makefile'), 'mine:\n\t@echo no luck today; false\n');
    const { code, data } = await build({ folder, names: ['mine'] }).catch((each) => each);
    assert.deepEqual(
      [code, data.server, data.reason, data.lines[0]],
      ['EBUILD', 'mine', 'exit-status', 'no luck today'],
    );
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
      fifo: (/** @type {string} */ path) => spawnSync('mkfifo', [path]),
      nothing: (/** @type {string} */ path) => symlinkSync('nowhere', path),
      itself: (/** @type {string} */ path) => symlinkSync('Makefile', path),
    };
    for (const [name, make] of Object.entries(wrong)) {
      mkdirSync(join(folder, name));
      make(join(folder, name, 'Makefile'));
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
