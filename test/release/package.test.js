// The npm package works where it is installed on a machine without a compiler.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { makePackage } from '../../.ci/package/command.js';
import { isOlder } from '../../.ci/package/programs.js';
import { npmCommand } from '../../client/setup/run.js';
import { findProgram } from '../../client/setup/tools.js';
import { endOf } from '../fixtures/ended-child.js';
import { gitIn } from '../fixtures/git.js';
import { projectFiles, requireProjectFiles } from '../fixtures/project-files.js';
import { requireTool } from '../skip.js';

const ROOT = join(import.meta.dirname, '../..');
const NATIVE = `linux-${process.arch}`;

/** What the whole with the programs of one platform may have at most when packed, bytes. */
const MAX_PACKAGE = 2_500_000;

const stress = 'stress --servers epoll --connections 50 --transfers 500 --duration 20s --workers 1 --json'.split(' ');

describe('package: installed without a compiler', function () {
  this.timeout(400_000);
  /** @type {string} */
  let folder;
  /** @type {Awaited<ReturnType<typeof makePackage>>} */
  let made;
  const installed = () => join(folder, 'node_modules', 'broadside');

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-installed-'));
    // nothing but node, and what a shell has
    mkdirSync(join(folder, 'bin'));
    symlinkSync(process.execPath, join(folder, 'bin', 'node'));
    for (const name of ['sh', 'ls', 'cat', 'uname'])
      symlinkSync(findProgram(name) ?? assert.fail(name), join(folder, 'bin', name));
    made = await makePackage({ names: [NATIVE] });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    const [npm, ...words] = npmCommand();
    const ended = await command([
      npm === process.execPath ? 'node' : npm,
      ...words,
      'install',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      made.tarball,
    ]);
    assert.equal(ended.status, 0, ended.stderr);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /**
   * @param {string[]} words
   * @param {string} [path]
   */
  function command([program, ...args], path = join(folder, 'bin')) {
    /** @type {NodeJS.ProcessEnv} */
    const env = { ...process.env, PATH: path, NO_COLOR: '1' };
    delete env.CC;
    return endOf(findProgram(program, path) ?? program, args, { cwd: folder, env });
  }

  /** @param {string[]} words @param {string} [path] */
  const broadside = (words, path) => command(['node', join(folder, 'node_modules/.bin/broadside'), ...words], path);

  /** @returns {string[]} every file of node_modules, with its size and time */
  const state = () =>
    readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { size, mtimeMs } = statSync(path);
      return `${relative(folder, path)} ${entry.isDirectory() ? '' : `${size} `}${mtimeMs}`;
    });

  it('has programs that need nothing but glibc, licences, and an SBOM of all its parts', () => {
    const platform = made.prebuilt.platforms[NATIVE];
    assert.ok(!isOlder('2.34', platform.glibc), `glibc ${platform.glibc}; README.md says 2.34`);
    assert.ok(made.size <= MAX_PACKAGE, `${made.size} bytes are more than ${MAX_PACKAGE}`);
    assert.deepEqual(Object.keys(platform.libraries), ['liburing', 'libuv']);
    assert.ok(platform.libraries.liburing && platform.libraries.libuv, 'the libraries of .ci/system-packages.js');
    for (const name of ['liburing', 'libuv'])
      assert.ok(statSync(join(installed(), 'prebuilt/licences', `${name}.txt`)).size > 0);
    const { components } = JSON.parse(readFileSync(join(installed(), 'sbom.cdx.json'), 'utf8'));
    const listed = new Set(components.map((/** @type {any} */ { name }) => name));
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    assert.deepEqual(
      [...Object.keys(dependencies), 'liburing', 'libuv'].filter((name) => !listed.has(name)),
      [],
    );
    for (const name of ['ajv', 'node-gyp', 'mocha']) {
      assert.ok(!listed.has(name), name);
      assert.ok(!existsSync(join(folder, 'node_modules', name)), name);
    }
  });

  it('has the same bytes when it is made again, in a folder whose name has blanks', async function () {
    requireProjectFiles(this);
    const again = mkdtempSync(join(tmpdir(), 'broadside elsewhere '));
    try {
      execFileSync('git', ['clone', '--quiet', '--shared', ROOT, again]);
      for (const path of projectFiles(['.'])) cpSync(join(ROOT, path), join(again, path)); // with what is not committed
      symlinkSync(join(ROOT, 'node_modules'), join(again, 'node_modules'));
      cpSync(join(ROOT, 'config/build'), join(again, 'config/build'), { recursive: true });
      const { tarball, prebuilt } = await makePackage({ root: again, names: [NATIVE] });
      assert.deepEqual(prebuilt, made.prebuilt);
      assert.ok(readFileSync(tarball).equals(readFileSync(made.tarball)), 'the tarballs differ');
    } finally {
      rmSync(again, { recursive: true, force: true });
    }
  });

  it('runs the main job, and writes into the current folder alone', async () => {
    const before = state();
    const { status, stdout, stderr } = await broadside(stress);
    assert.equal(status, 0, stderr);
    const summary = JSON.parse(stdout);
    assert.equal(summary.complete, true);
    assert.equal(summary.legs[0].transfers.count, 500);
    assert.deepEqual(readdirSync(join(folder, '.broadside/logs')), [summary.run]);
    assert.ok(existsSync(join(folder, '.broadside/report', `${summary.run}.html`)));
    assert.deepEqual(state(), before);
  });

  it('lists the C servers as available', async () => {
    const { stdout } = await broadside(['servers', 'list', '--json']);
    const c = JSON.parse(stdout).filter((/** @type {any} */ { language }) => language === 'c');
    assert.ok(c.length > 10);
    assert.deepEqual(
      c.filter((/** @type {any} */ { available }) => !available),
      [],
    );
  });

  it('says why and what to install where its programs do not fit, and builds the engine from source', async () => {
    const file = join(installed(), 'prebuilt/prebuilt.json');
    writeFileSync(file, JSON.stringify({ ...made.prebuilt, openssl: '0' }));
    const refused = await broadside(stress);
    assert.equal(refused.status, 3);
    assert.match(refused.stderr, /OpenSSL 0/);
    const { error } = JSON.parse(refused.stderr.trim().split('\n').at(-1) ?? '');
    assert.deepEqual([error.code, error.data.missing.includes('a C compiler')], ['ETOOLS', true]);
    const built = await broadside(stress, process.env.PATH);
    assert.equal(built.status, 0, built.stderr);
    assert.equal(JSON.parse(built.stdout).legs[0].transfers.count, 500);
    assert.ok(existsSync(join(installed(), 'client/engine/build/Release/engine.node')));
    assert.equal(existsSync(join(installed(), 'servers/c/build')), false, 'the prebuilt servers fit');
  });
});

describe('package: from a URL of git, which has no lock file and no programs', function () {
  this.timeout(400_000);

  it('builds itself where npm has put it, and writes into the current folder alone', async function () {
    requireProjectFiles(this);
    requireTool(this, 'git');
    const folder = mkdtempSync(join(tmpdir(), 'broadside-git-'));
    try {
      const repository = join(folder, 'repository');
      execFileSync('git', ['clone', '--quiet', '--shared', ROOT, repository]);
      for (const path of projectFiles(['.'])) cpSync(join(ROOT, path), join(repository, path)); // with what is not committed
      gitIn(repository, 'add', '--all');
      gitIn(repository, 'commit', '--quiet', '--allow-empty', '--message', 'as it is now');
      const cwd = join(folder, 'here');
      mkdirSync(cwd);
      writeFileSync(join(cwd, 'package.json'), '{ "private": true }\n');
      const [npm, ...words] = npmCommand();
      const flags = ['--prefer-offline', '--no-audit', '--no-fund'];
      const ended = await endOf(npm, [...words, 'install', ...flags, `git+file://${repository}`], { cwd });
      assert.equal(ended.status, 0, ended.stderr);
      const run = await endOf(join(cwd, 'node_modules/.bin/broadside'), stress, { cwd });
      assert.equal(run.status, 0, run.stderr);
      assert.equal(JSON.parse(run.stdout).complete, true);
      assert.deepEqual(readdirSync(cwd).sort(), ['.broadside', 'node_modules', 'package-lock.json', 'package.json']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
