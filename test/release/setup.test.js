// Set-up as npm runs it, as a child process, in a small artificial checkout: what it builds, and when.

import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  rmSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findProgram } from '../../servers/launcher/process/find-program.js';
import { endOf } from '../fixtures/ended-child.js';
import { ADDON, smallCheckouts } from '../fixtures/small-checkouts.js';

describe('set-up', function () {
  this.timeout(120_000);
  const box = smallCheckouts();

  it('builds once, offline with node_modules present, then prints nothing', async () => {
    const first = await box.setUp({}, ['--development']);
    assert.equal(first.status, 0, first.stderr);
    assert.equal(first.stdout, '');
    const lines = first.stderr.trimEnd().split('\n');
    const took = [
      'compiling the validators',
      'making the types of the schemas',
      'building the engine',
      'building the servers in C',
    ];
    assert.deepEqual(
      lines.map((line) => /^set-up: (.*) took \d+\.\d s$/.exec(line)?.[1]),
      took,
      first.stderr,
    );
    assert.ok(existsSync(box.addon()));
    for (const flags of [[], ['--development'], []]) {
      assert.deepEqual(await box.setUp({}, flags), { status: 0, stdout: '', stderr: '' });
    }
    assert.equal(box.timesServersWereBuilt(), 1);
  });

  it('lets two simultaneous first runs do the work once', async () => {
    const both = await Promise.all([box.setUp(), box.setUp()]);
    assert.deepEqual(
      both.map(({ status }) => status),
      [0, 0],
      both.map(({ stderr }) => stderr).join('\n'),
    );
    assert.equal(box.timesServersWereBuilt(), 1);
    assert.equal(both.filter(({ stderr }) => stderr.includes('building the engine took')).length, 1);
    assert.ok(existsSync(box.addon()));
    assert.equal(existsSync(join(box.root, 'client/setup/build/lock')), false);
  });

  it('rebuilds what has changed or is missing, and nothing else', async () => {
    assert.equal((await box.setUp()).status, 0);
    appendFileSync(join(box.root, 'client/engine/addon.c'), '/* changed */\n');
    const changed = await box.setUp();
    assert.match(changed.stderr, /building the engine took/);
    assert.doesNotMatch(changed.stderr, /servers/);
    rmSync(box.addon());
    assert.match((await box.setUp()).stderr, /building the engine took/);
    assert.ok(existsSync(box.addon()));
    assert.equal(box.timesServersWereBuilt(), 1);
  });

  it("shows the compiler's error when a build fails, with the file that has the rest, and recovers", async () => {
    writeFileSync(join(box.root, 'client/engine/addon.c'), '#error not like this\n');
    const failed = await box.setUp({}, ['--json']);
    assert.equal(failed.status, 3);
    assert.equal(failed.stdout, '');
    const { code, data } = JSON.parse(failed.stderr.trimEnd().split('\n').at(-1) ?? '').error;
    assert.deepEqual([code, data.problem, data.step], ['ESETUP', 'command-failed', 'addon']);
    assert.match(data.lines[0], /not like this/);
    assert.ok(
      data.lines.length <= 10 && !data.lines.some((/** @type {string} */ line) => /gyp|^cc /.test(line)),
      data.lines,
    );
    assert.match(readFileSync(data.log, 'utf8'), /gyp info(.|\n)*not like this/);
    writeFileSync(join(box.root, 'client/engine/addon.c'), ADDON);
    assert.equal((await box.setUp()).status, 0);
  });

  it('uses gcc or clang where there is no cc', async () => {
    const bin = box.programs(
      'sh',
      'make',
      'as',
      'ld',
      'printf',
      'mkdir',
      'rm',
      'ln',
      'cp',
      'touch',
      'sed',
      'grep',
      'cat',
    );
    // what is on the PATH may be a script that needs more than this
    const python = await endOf('python3', ['-c', 'import sys; print(sys.executable)']);
    const compiler = findProgram('gcc') ?? findProgram('clang') ?? assert.fail('no compiler');
    symlinkSync(compiler, join(bin, basename(compiler)));
    const { status, stderr } = await box.setUp({ PATH: bin, CC: '', PYTHON: python.stdout.trim() });
    assert.equal(status, 0, stderr);
    assert.ok(existsSync(box.addon()));
  });

  it("shows npm's error when the dependencies cannot be installed, also under npm run --silent", async () => {
    rmSync(join(box.root, 'node_modules'));
    const { status, stderr } = await box.setUp({ npm_config_loglevel: 'silent' }, ['--json']);
    assert.equal(status, 3);
    const { problem, step, lines } = JSON.parse(stderr).error.data;
    assert.deepEqual([problem, step], ['command-failed', 'npm-ci']);
    assert.match(lines[0], /npm error.*ECONNREFUSED/);
  });

  it('names the remedy where Node came without headers and they cannot be downloaded', async () => {
    const node = join(box.root, 'node', 'bin', 'node');
    mkdirSync(dirname(node), { recursive: true });
    cpSync(process.execPath, node);
    const env = {
      npm_config_nodedir: '',
      npm_execpath: 'set',
      npm_config_disturl: 'http://127.0.0.1:1',
      HOME: box.root,
      XDG_CACHE_HOME: box.root,
    };
    const { status, stderr } = await box.setUp(env, ['--json'], node);
    assert.equal(status, 3, stderr);
    const { code, data } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
    assert.deepEqual([code, data.problem, data.step, data.lines], ['ESETUP', 'no-headers', 'node-headers', []]);
  });
});
