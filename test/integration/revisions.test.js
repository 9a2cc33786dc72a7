// Revisions of a program beside its working tree (`--base`): found, checked out and built, with nothing of the repository changed.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  buildVersions,
  findRevisions,
  foldersOf,
  revisionsWanted,
  versionsText,
} from '../../client/commands/revisions.js';
import { refusalOf } from '../fixtures/codes.js';
import { requireTool } from '../skip.js';

describe('revisions of a program', function () {
  this.timeout(60_000);
  /** @type {string} */
  let folder;
  /** @type {string} */
  let top;
  /** @param {string} where @param {string[]} args @returns {string} */
  const gitIn = (where, ...args) => execFileSync('git', args, { cwd: where, encoding: 'utf8' }).trim();
  const git = (/** @type {string[]} */ ...args) => gitIn(top, ...args);
  /** @param {string} text of the program @returns {string} the id of the commit */
  const commit = (text) => {
    writeFileSync(join(top, 'server/program'), text);
    git('add', '--all');
    git('-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '--quiet', '--message', text);
    return git('rev-parse', 'HEAD');
  };
  /** @param {string} base @param {string} [build] @param {object} [more] */
  const find = (base, build, more = {}) =>
    findRevisions(/** @type {any} */ (revisionsWanted({ base, build, ...more })), {
      cwd: join(top, 'server'),
      env: { XDG_CACHE_HOME: join(folder, 'cache') },
    });
  const built = () => readFileSync(join(folder, 'built'), 'utf8').trim().split('\n');
  const quiet = () => {};

  before(function () {
    requireTool(this, 'git');
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-revisions-'));
    top = join(folder, "a repository's");
    mkdirSync(join(top, 'server'), { recursive: true });
    git('init', '--quiet', '--initial-branch', 'main');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

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
    await buildVersions(versions, quiet);
    const made = Object.values(folders).map((each) => readFileSync(join(each, 'made'), 'utf8'));
    assert.deepEqual(made, ['one', 'two', 'three']);
    const [, second] = built()[1].split(' ');
    assert.deepEqual(built(), ['one v1', `two ${second}`, `three ${second}`]);
    assert.match(second, /^v1-1-g/);

    await buildVersions(await find('v1,HEAD', build), quiet);
    assert.deepEqual(built().slice(3), [`three ${second}`]);
    await buildVersions(await find('v1', build, { rebuild: true }), quiet);
    assert.deepEqual(built().slice(4), ['one v1', `three ${second}`]);
    rmSync(join(top, 'server/made'));
    assert.deepEqual(state(), before);
  });

  it('of a shallow clone are those that were fetched', async () => {
    const first = commit('one');
    commit('two');
    const shallow = join(folder, 'shallow');
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${top}`, shallow]);
    gitIn(shallow, 'fetch', '--quiet', '--depth', '1', 'origin', first);
    top = shallow;
    const versions = await find(first, 'git log --oneline > log');
    await buildVersions(versions, quiet);
    assert.equal(readFileSync(join(versions.revisions[0].folder, 'program'), 'utf8'), 'one');
  });

  it('that cannot be built say why, and are built anew next time', async () => {
    commit('one');
    const build = `test -e '${folder}/may' || { echo first; echo 'no compiler' >&2; exit 3; }`;
    const failed = await buildVersions(await find('main', build), quiet).catch((error) => error);
    assert.deepEqual([failed.code, failed.exitCode, failed.data.exitCode], ['EBUILD', 3, 3]);
    assert.deepEqual(failed.data.lines.sort(), ['first', 'no compiler']);
    appendFileSync(join(folder, 'may'), '');
    await buildVersions(await find('main', build), quiet);
  });

  it('keep the ten that were used last', async () => {
    const commits = Array.from({ length: 12 }, (_, i) => commit(`program ${i}`));
    for (const one of commits) await buildVersions(await find(one), quiet);
    const { revisions } = await find(commits[11]);
    const kept = readdirSync(join(revisions[0].kept, '..'));
    assert.equal(kept.length, 10);
    assert.equal(
      kept.some((name) => commits[0].startsWith(name.slice(0, 12))),
      false,
    );
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
    assert.deepEqual(await reasonOf('empty'), [2, 'no-folder']);
    assert.deepEqual(await reasonOf('main,main'), [2, 'main']);
    rmSync(join(top, '.git'), { recursive: true });
    assert.deepEqual(await reasonOf('main'), [2, 'no-repository']);
    assert.equal(existsSync(join(folder, 'cache')), false);
  });
});
