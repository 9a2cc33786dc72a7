// Revisions of a program beside its working tree (`--base`): found, checked out as git gives them, built and kept,
// while the repository stays as it is.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutLogin } from '../../client/commands/check-out.js';
import { keptFolder } from '../../client/commands/kept-builds.js';
import { readPart } from '../../client/commands/options.js';
import {
  buildVersions,
  findRevisions,
  foldersOf,
  requirePrograms,
  versionsText,
} from '../../client/commands/revisions.js';
import { readProcess } from '../../servers/launcher/process/process-tree.js';
import { refusalOf } from '../fixtures/codes.js';
import { gitIn } from '../fixtures/git.js';
import { requireTool } from '../skip.js';

/** @param {Record<string, unknown>} argv */
const revisionsWanted = (argv) => readPart('revisions', argv);

describe('revisions of a program', function () {
  this.timeout(60_000);
  /** @type {string} */
  let folder;
  /** @type {string} */
  let top;
  /** @type {NodeJS.ProcessEnv} */
  let environment;
  const git = (/** @type {string[]} */ ...args) => gitIn(top, ...args);
  /** @param {string} text of the program @returns {string} the id of the commit */
  const commit = (text) => {
    writeFileSync(join(top, 'server/program'), text);
    git('add', '--all');
    git('commit', '--quiet', '--message', text);
    return git('rev-parse', 'HEAD');
  };
  /** @param {string} base @param {string} [build] @param {object} [more] */
  const find = (base, build, more = {}) =>
    findRevisions(/** @type {any} */ (revisionsWanted({ base, build, ...more })), {
      cwd: join(top, 'server'),
      env: { XDG_CACHE_HOME: join(folder, 'cache') },
    });
  /**
   * @param {string} base
   * @param {string} [build]
   * @param {object} [more]
   * @returns {Promise<string>} the tree of the first revision
   */
  const treeOf = async (base, build, more) => {
    const versions = await find(base, build, more);
    await (
      await buildVersions(versions, quiet)
    )();
    return join(versions.revisions[0].kept, 'tree');
  };
  /** @param {string} tree @param {string} [path] */
  const read = (tree, path = 'server/program') => readFileSync(join(tree, path), 'utf8');
  /** @param {Promise<unknown>} act */
  const failureOf = (act) =>
    act.then(
      () => assert.fail('it succeeded'),
      ({ exitCode, data }) => [exitCode, data.reason],
    );
  const keptFolders = () => {
    const cache = join(folder, 'cache/broadside/revisions');
    return readdirSync(cache).flatMap((name) =>
      readdirSync(join(cache, name), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => join(cache, name, entry.name)),
    );
  };
  const built = () => readFileSync(join(folder, 'built'), 'utf8').trim().split('\n');
  const quiet = () => {};

  before(function () {
    requireTool(this, 'git');
  });
  beforeEach(() => {
    environment = { ...process.env };
    folder = mkdtempSync(join(tmpdir(), 'broadside-revisions-'));
    top = join(folder, "a repository's");
    mkdirSync(join(top, 'server'), { recursive: true });
    git('init', '--quiet', '--initial-branch', 'main');
  });
  afterEach(() => {
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
    rmSync(folder, { recursive: true, force: true });
  });

  it('are checked out and built once, each in its folder, and the working tree each time', async () => {
    const first = commit('one');
    git('tag', 'v1');
    commit('two');
    writeFileSync(join(top, 'server/program'), 'three');
    const state = () => [
      git('status', '--porcelain'),
      git('worktree', 'list'),
      git('for-each-ref'),
      git('worktree', 'prune', '-nv'),
    ];
    const before = state();
    const build = `printf '%s %s\\n' "$(cat program)" "$(git describe --always --tags)" >> '${folder}/built'; cp program made`;

    const versions = await find('v1,HEAD', build);
    const folders = foldersOf(versions);
    assert.deepEqual(Object.keys(folders), ['v1', 'HEAD', 'head']);
    assert.equal(versionsText(versions).startsWith(`v1: v1 (${first.slice(0, 12)}); HEAD: HEAD (`), true);
    assert.ok(versionsText(versions).endsWith('; head: the working tree, 1 file changed'));
    assert.equal(existsSync(join(folder, 'cache')), false, 'nothing is written before the run is known to be possible');
    await (
      await buildVersions(versions, quiet)
    )();
    const made = Object.values(folders).map((each) => readFileSync(join(each, 'made'), 'utf8'));
    assert.deepEqual(made, ['one', 'two', 'three']);
    const started = Object.entries(folders).map(([as, each]) => ({ as, command: 'exec ./made {port}', folder: each }));
    requirePrograms(versions, started);
    const lost = started.map((one) => ({ ...one, command: './lost {port}' }));
    assert.deepEqual(await refusalOf(() => requirePrograms(versions, lost)), ['EREVISION']);
    const [, second] = built()[2].split(' ');
    assert.match(second, /^v1-1-g/);
    assert.deepEqual(built().slice(0, 2).sort(), ['one v1', `two ${second}`]);
    assert.deepEqual(built().slice(2), [`three ${second}`]);

    await (
      await buildVersions(await find('v1,HEAD', build), quiet)
    )();
    assert.deepEqual(built().slice(3), [`three ${second}`]);
    await (
      await buildVersions(await find('v1', build, { rebuild: true }), quiet)
    )();
    assert.deepEqual(built().slice(4), ['one v1', `three ${second}`]);
    rmSync(join(top, 'server/made'));
    assert.deepEqual(state(), before);
  });

  it('of a shallow clone are those that were fetched', async () => {
    const first = commit('one');
    commit('two');
    const shallow = join(folder, 'shallow');
    gitIn(folder, 'clone', '--quiet', '--depth', '1', `file://${top}`, shallow);
    gitIn(shallow, 'fetch', '--quiet', '--depth', '1', 'origin', first);
    top = shallow;
    assert.equal(read(await treeOf(first, 'git log --oneline > log')), 'one');
  });

  it('leave the repository as it is, and tell builds of no other, whatever a hook has in its environment', async () => {
    commit('one');
    commit('two');
    const [linked, whole] = [join(folder, 'linked'), join(folder, 'whole')];
    git('worktree', 'add', '--quiet', '-b', 'linked', linked);
    gitIn(folder, 'init', '--quiet', whole);
    gitIn(whole, 'submodule', '--quiet', 'add', top, 'part');
    for (const place of [top, linked, join(whole, 'part')]) {
      top = place;
      const [gitDir, common] = ['--absolute-git-dir', '--git-common-dir'].map((what) => git('rev-parse', what));
      const main = join(top, common).startsWith(gitDir) || common === gitDir ? gitDir : common;
      writeFileSync(join(top, 'server/program'), 'staged');
      git('add', '.');
      writeFileSync(join(top, 'server/program'), 'three');
      const ofHook = {
        GIT_DIR: gitDir,
        GIT_WORK_TREE: top,
        GIT_INDEX_FILE: join(gitDir, 'index'),
        GIT_OBJECT_DIRECTORY: join(main, 'objects'),
        GIT_PREFIX: 'server/',
      };
      const state = () => [
        git('status', '--porcelain'),
        git('diff', '--cached'),
        git('for-each-ref'),
        readFileSync(join(main, 'config'), 'utf8'),
        readFileSync(join(gitDir, 'index'), 'hex'),
        readdirSync(gitDir).sort(),
      ];
      const before = state();
      Object.assign(process.env, ofHook);
      const build = 'env > environment; git rev-parse --show-toplevel > top';
      const versions = await find('HEAD~1', build);
      await (
        await buildVersions(versions, quiet)
      )();
      const [base, head] = Object.values(foldersOf(versions));
      assert.deepEqual(
        [base, head].map((each) => read(each, 'top').trim()),
        [join(base, '..'), top],
      );
      for (const each of [base, head])
        assert.equal(/^GIT_(DIR|WORK|INDEX|OBJ|PREFIX)/m.test(read(each, 'environment')), false);
      assert.equal(read(base, 'program'), 'one');
      for (const name of ['environment', 'top']) rmSync(join(head, name));
      assert.deepEqual(state(), before, place);
    }
  });

  it('of a partial clone are fetched, or said not to be there', async () => {
    commit('one');
    commit('two');
    git('config', 'uploadpack.allowFilter', 'true');
    git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    const origin = top;
    for (const filter of ['blob:none', 'tree:0']) {
      top = join(folder, filter.slice(0, 4));
      gitIn(folder, 'clone', '--quiet', `--filter=${filter}`, `file://${origin}`, top);
      const before = readdirSync(join(top, '.git'));
      const tree = await treeOf('HEAD~1');
      assert.deepEqual([read(tree), gitIn(tree, 'status', '--porcelain')], ['one', '']);
      assert.deepEqual(readdirSync(join(top, '.git')), before);
    }
    const kept = keptFolders().length;
    top = join(folder, 'alone');
    gitIn(folder, 'clone', '--quiet', '--filter=blob:none', `file://${origin}`, top);
    renameSync(origin, `${origin} is gone`);
    assert.deepEqual(await failureOf(treeOf('HEAD~1')), [3, 'checkout']);
    assert.equal(keptFolders().length, kept);
  });

  it('lack no object without which they are incomplete', async () => {
    commit('one');
    const lost = git('rev-parse', 'HEAD:server/program');
    commit('two');
    rmSync(join(top, '.git/objects', lost.slice(0, 2), lost.slice(2)));
    assert.deepEqual(await failureOf(treeOf('HEAD~1')), [3, 'checkout']);
    assert.deepEqual(keptFolders(), []);
  });

  it('have what filters, attributes and replaced objects of the repository alone make of them', async () => {
    git('config', 'filter.up.smudge', 'tr a-z A-Z');
    git('config', 'filter.up.clean', 'tr A-Z a-z');
    writeFileSync(join(top, '.git/info/attributes'), '* filter=up\n');
    commit('one');
    git('tag', 'v1');
    const tree = await treeOf('HEAD');
    const status = gitIn(tree, 'status', '--porcelain');
    assert.deepEqual([read(tree), status, gitIn(tree, 'describe', '--dirty', '--tags')], ['ONE', '', 'v1']);

    commit('two');
    git('replace', 'v1', 'HEAD');
    git('config', 'core.autocrlf', 'true');
    assert.equal(read(await treeOf('v1')), 'TWO');

    git('config', 'filter.up.smudge', 'false');
    const failed = await treeOf('HEAD').then(
      () => assert.fail('it succeeded'),
      (error) => error,
    );
    assert.deepEqual([failed.exitCode, failed.data.reason], [3, 'checkout']);
    assert.match(failed.message, /external filter 'false' failed/);
  });

  it('are as sparse as the working tree, and built anew once that is not', async () => {
    mkdirSync(join(top, 'other'));
    writeFileSync(join(top, 'other/file'), 'other');
    commit('one');
    git('sparse-checkout', 'set', 'server');
    const [sparse, whole] = [await treeOf('HEAD'), (git('sparse-checkout', 'disable'), await treeOf('HEAD'))];
    assert.deepEqual(
      [sparse, whole].map((tree) => readdirSync(tree).includes('other')),
      [false, true],
    );
    assert.equal(gitIn(sparse, 'status', '--porcelain'), '');
  });

  it('run no hook', async () => {
    commit('one');
    const hooks = join(folder, 'hooks');
    mkdirSync(hooks);
    for (const name of ['post-checkout', 'post-index-change', 'reference-transaction']) {
      writeFileSync(join(hooks, name), `#!/bin/sh\ntouch '${folder}/hooked'\n`);
      chmodSync(join(hooks, name), 0o755);
    }
    writeFileSync(join(folder, 'config'), `[core]\n\thooksPath = ${hooks}\n`);
    process.env.GIT_CONFIG_GLOBAL = join(folder, 'config');
    await treeOf('HEAD');
    assert.equal(existsSync(join(folder, 'hooked')), false);
  });

  describe('with submodules', () => {
    /** @param {string} name @param {string} text @returns {string} a new repository */
    const library = (name, text) => {
      const path = join(folder, name);
      gitIn(folder, 'init', '--quiet', path);
      writeFileSync(join(path, 'file'), text);
      gitIn(path, 'add', '.');
      gitIn(path, 'commit', '--quiet', '--message', text);
      return path;
    };
    beforeEach(() => {
      const inner = library('inner', 'inner');
      const lib = library('lib', 'lib 1');
      gitIn(lib, 'submodule', '--quiet', 'add', inner, 'inner');
      gitIn(lib, 'commit', '--quiet', '--message', 'inner');
      git('submodule', '--quiet', 'add', lib, 'lib');
      git('submodule', '--quiet', 'add', inner, 'gone');
      git('submodule', '--quiet', 'update', '--init', '--recursive');
      commit('one');
      writeFileSync(join(top, 'lib/file'), 'lib 2');
      gitIn(join(top, 'lib'), 'commit', '--quiet', '--all', '--message', 'two');
      gitIn(join(top, 'lib'), 'push', '--quiet', lib, 'HEAD:refs/heads/two');
      git('mv', 'lib', 'moved');
      git('rm', '--quiet', 'gone');
      commit('two');
    });

    it('have the commits of the revision, wherever the working tree has the submodule, or had it', async () => {
      const tree = await treeOf('HEAD~1', 'git submodule status --recursive > status');
      const files = ['lib/file', 'lib/inner/file', 'gone/file'].map((path) => read(tree, path));
      assert.deepEqual(files, ['lib 1', 'inner', 'inner']);
      assert.equal(/^[-+]/m.test(read(tree, 'server/status')), false);
      assert.equal(gitIn(tree, 'status', '--porcelain', '--untracked-files=no'), '');
      rmSync(join(top, 'server/status'));
      assert.equal(git('status', '--porcelain'), '');
    });

    it('are said to be empty where the working tree has not checked them out, until it has', async () => {
      const clone = join(folder, 'clone');
      gitIn(folder, 'clone', '--quiet', top, clone);
      top = clone;
      for (const wanted of [['moved'], ['moved/inner'], []]) {
        for (const _ of ['first', 'kept']) {
          /** @type {string[]} */
          const said = [];
          const versions = await find('HEAD');
          await (
            await buildVersions(versions, (line) => void said.push(line))
          )();
          const empty = said.map((line) => line.split(': ').at(-1));
          assert.deepEqual(empty, wanted);
        }
        git('submodule', '--quiet', 'update', '--init', ...(wanted[0] === 'moved' ? [] : ['--recursive']));
      }
    });

    it('are refused where a commit is missing', async () => {
      const clone = join(folder, 'clone');
      gitIn(folder, 'clone', '--quiet', top, clone);
      writeFileSync(join(top, 'moved/file'), 'lib 3');
      gitIn(join(top, 'moved'), 'commit', '--quiet', '--all', '--message', 'three');
      commit('three');
      gitIn(clone, 'submodule', '--quiet', 'update', '--init');
      git('push', '--quiet', clone, 'HEAD:refs/heads/newest');
      top = clone;
      assert.deepEqual(await failureOf(find('newest')), [3, 'submodule']);
      assert.equal(existsSync(join(folder, 'cache')), false);
    });
  });

  it('that cannot be built say why, leave nothing, and are built anew next time', async () => {
    commit('one');
    const build = `test -e '${folder}/may' || { echo first; echo 'no compiler' >&2; exit 3; }`;
    const failed = await buildVersions(await find('main', build), quiet).catch((error) => error);
    assert.deepEqual([failed.code, failed.exitCode, failed.data.exitCode], ['EBUILD', 3, 3]);
    assert.deepEqual(failed.data.lines.sort(), ['first', 'no compiler']);
    assert.deepEqual(keptFolders(), []);
    appendFileSync(join(folder, 'may'), '');
    await treeOf('main', build);
    assert.equal(keptFolders().length, 1);
  });

  it('are kept while they are used, and of the others the ten that were used last', async () => {
    const commits = Array.from({ length: 12 }, (_, i) => commit(`program ${i}`));
    const versions = await find(commits.slice(0, 11).join(','));
    const end = await buildVersions(versions, quiet);
    const interrupted = join(versions.cache, 'interrupted');
    mkdirSync(interrupted);
    const building = join(versions.cache, 'building');
    mkdirSync(building);
    const { started } = readProcess(process.pid) ?? {};
    writeFileSync(`${building}.lock`, JSON.stringify({ pid: process.pid, started, host: hostname() }));

    await treeOf(commits[11]);
    for (const { folder: each, label } of versions.revisions) assert.equal(existsSync(each), true, label);
    assert.deepEqual([interrupted, building].map(existsSync), [false, true]);
    await end();
    rmSync(`${building}.lock`);
    await treeOf(commits[11]);
    assert.equal(keptFolders().length, 10);
    assert.ok(keptFolders().some((path) => path.includes(commits[11].slice(0, 12))));
    const files = readdirSync(versions.cache, { withFileTypes: true }).filter((entry) => !entry.isDirectory());
    assert.deepEqual(files, []);
  });

  it('wait for another run that builds or uses the same, and say so', async () => {
    commit('one');
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const started = join(folder, 'started');
    const build = `echo start >> '${started}'; test -e '${folder}/once' || { touch '${folder}/once'; read line < '${fifo}'; }; echo end >> '${started}'`;
    const [one, two] = [await find('main', build), await find('main', build)];
    const first = buildVersions(one, quiet);
    /** @type {string[]} */
    const said = [];
    const second = buildVersions(two, (line) => {
      if (said.push(line) === 1) void writeFile(fifo, 'go on\n');
    });
    await (
      await first
    )();
    await (
      await second
    )();
    assert.ok(said[0].endsWith(`waits for process ${process.pid}, which builds it`), said[0]);
    assert.deepEqual(read(started, '').trim().split('\n'), ['start', 'end', 'start', 'end', 'start', 'end']);

    const other = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
    const user = { pid: other.pid, started: readProcess(other.pid ?? 0)?.started, host: hostname() };
    writeFileSync(`${one.revisions[0].kept}.use.other`, JSON.stringify(user));
    const ended = new Promise((resolve) => void other.on('exit', resolve));
    said.length = 0;
    const rebuilt = buildVersions(await find('main', build, { rebuild: true }), (line) => {
      if (said.push(line) === 1) other.stdin.end();
    });
    await (
      await rebuilt
    )();
    await ended;
    assert.ok(said[0].endsWith(`waits until process ${other.pid} no longer uses it`), said[0]);
  });

  it('are kept from others, without the login of the origin', async () => {
    commit('one');
    git('remote', 'add', 'origin', 'https://user:SeKrEt@example.org/x.git');
    const tree = await treeOf('main');
    const places = [join(tree, '..'), join(tree, '../..'), join(tree, '../../..')];
    assert.deepEqual(
      places.map((path) => statSync(path).mode & 0o777),
      [0o700, 0o700, 0o700],
    );
    assert.equal(gitIn(tree, 'remote', 'get-url', 'origin'), 'https://example.org/x.git');
    assert.equal(read(tree, '.git/config').includes('SeKrEt'), false);
    const login = (/** @type {string} */ url) => withoutLogin(url);
    assert.deepEqual(
      ['https://t@h/x', 'https://a@b.c:t@h:8/x@y', 'ssh://git:t@h/x', 'git@h:x', '/a@b', 'https://h/x'].map(login),
      ['https://h/x', 'https://h:8/x@y', 'ssh://git@h/x', 'git@h:x', '/a@b', 'https://h/x'],
    );
  });

  it('of a repository of SHA-256, below folders of any name, are checked out', async () => {
    top = join(folder, ' a\n"b\\ü ');
    const server = join(top, 'server');
    mkdirSync(server, { recursive: true });
    git('init', '--quiet', '--initial-branch', 'main', '--object-format=sha256');
    const id = commit('one');
    assert.deepEqual([id.length, read(await treeOf(id))], [64, 'one']);
    const asked = /** @type {any} */ (revisionsWanted({ base: id }));
    const removed = join(folder, 'removed');
    assert.deepEqual(await failureOf(findRevisions(asked, { cwd: removed, env: {} })), [2, 'no-repository']);
  });

  it('need a folder that can be written to, and an index that can be read', async () => {
    commit('one');
    const place = (/** @type {string} */ cache) => ({ cwd: top, env: { XDG_CACHE_HOME: cache } });
    const asked = /** @type {any} */ (revisionsWanted({ base: 'main' }));
    const versions = await findRevisions(asked, place('/dev/null/cache'));
    assert.deepEqual(await failureOf(buildVersions(versions, quiet)), [3, 'cache']);
    const { cache } = await findRevisions(asked, {
      cwd: top,
      env: { XDG_CACHE_HOME: 'cache', HOME: join(folder, 'home') },
    });
    assert.ok(cache.startsWith(join(folder, 'home/.cache/broadside/revisions/')));
    for (const home of ['', 'relative']) assert.equal(keptFolder({ HOME: home }).startsWith('/'), true);
    writeFileSync(join(top, '.git/index'), 'x');
    assert.deepEqual(await failureOf(find('main')), [3, 'status']);
  });

  it('are named as git names them', async () => {
    const first = commit('one');
    commit('two');
    const { revisions } = await find(':/one,main\t');
    assert.deepEqual(
      revisions.map(({ label, commit: id }) => [label, id === first]),
      [
        [':/one', true],
        ['main', false],
      ],
    );
    const odd = await find(':/on\te?,HEAD').catch((error) => [error.exitCode, error.data.reason]);
    assert.deepEqual(odd, [2, 'unknown']);
    git('commit', '--quiet', '--allow-empty', '--message', 'with\ttab');
    const named = versionsText(await find(':/with\ttab'));
    assert.match(named, /^base: :\/with tab \(/);
  });

  it('are refused before anything is written', async () => {
    const refused = (/** @type {() => unknown} */ act) => refusalOf(act);
    assert.deepEqual(await refused(() => revisionsWanted({ build: 'make' })), ['EOPTION build']);
    assert.deepEqual(await refused(() => revisionsWanted({ rebuild: true })), ['EOPTION rebuild']);
    assert.deepEqual(await refused(() => revisionsWanted({ base: ['a', 'b'] })), ['EOPTION base']);
    assert.deepEqual(await refused(() => revisionsWanted({ base: ' , ' })), ['EOPTION base']);
    commit('one');
    git('tag', 'empty', git('commit-tree', '-m', 'empty', git('hash-object', '-t', 'tree', '-w', '/dev/null')));
    const reasonOf = (/** @type {string} */ base) =>
      find(base).catch((error) => [error.exitCode, error.data.reason ?? error.data.value]);
    assert.deepEqual(await reasonOf('nosuch'), [2, 'unknown']);
    assert.deepEqual(await reasonOf('--help'), [2, 'unknown']);
    assert.deepEqual(await reasonOf('^main'), [2, 'unknown']);
    assert.deepEqual(await reasonOf('empty'), [2, 'no-folder']);
    assert.deepEqual(await reasonOf('main,main'), [2, 'main']);
    rmSync(join(top, '.git'), { recursive: true });
    assert.deepEqual(await reasonOf('main'), [2, 'no-repository']);
    assert.equal(existsSync(join(folder, 'cache')), false);
  });
});
