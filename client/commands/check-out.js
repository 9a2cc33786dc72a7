// The tree of a revision as git gives it, in a repository of its own that borrows the objects of the user's: builds may
// ask git for the version, and the user's repository gets no worktree, index, branch or setting. The user's repository
// fills the tree, with an index that is not its own, so that all that decides a tree counts: filters such as LFS,
// attributes, sparse checkouts, and objects that a partial clone has yet to fetch.

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EnvironmentError, UsageError } from '../errors.js';
import { shellWord } from '../invocation.js';
import { git } from '../machine/git.js';

/**
 * Settings of git under which it runs no hook, and neither starts a process that stays nor writes files of its own
 * accord.
 */
const QUIET = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.splitIndex=false',
  'submodule.recurse=false',
  'maintenance.auto=false',
  'gc.auto=0',
  'init.defaultBranch=main',
];
/** The settings of a repository that decide what a checkout writes, and what `git status` says of it. */
const SETTINGS =
  '^(core\\.(autocrlf|eol|safecrlf|filemode|symlinks|ignorecase|precomposeunicode|attributesfile|checkroundtripencoding|' +
  'sparsecheckout|sparsecheckoutcone|usereplacerefs)|index\\.sparse|filter\\..*)$';
/** Files of a repository that do so, too. */
const FILES = ['info/attributes', 'info/sparse-checkout'];
/** Variables that hold the settings that a caller gives to git, such as a login. */
const CALLERS_SETTINGS = ['GIT_CONFIG_PARAMETERS', 'GIT_CONFIG_COUNT'];
/** Files that a message names. */
const SHOWN_FILES = 3;

/**
 * @typedef {object} Repository
 * @property {string} top  its working tree
 * @property {string} gitDir
 * @property {string} common  the folder of git that its worktrees share
 * @property {Record<string, string>} env  variables for which git runs in it
 * @property {[string, string][]} settings
 * @property {Record<string, string>} files  texts by their paths in the folder of git
 *
 * @typedef {{ name: string, path: string, repository: Repository, commit: string, submodules: Submodule[] }} Submodule
 *   path: in the tree that it belongs to
 */

/**
 * @param {Pick<Repository, 'top' | 'env'>} repository
 * @param {string[]} args
 * @returns {Promise<string>} what git prints, without the last end of a line
 */
export const ask = async ({ top, env }, ...args) =>
  (await git(args, { cwd: top, env, settings: QUIET })).stdout.replace(/\n$/, '');

/** @param {unknown} error of git @returns {string} the last lines of what it said */
export function saidBy(error) {
  const { stderr = '', message } = /** @type {Error & { stderr?: string }} */ (error);
  return (stderr.trim() || message).split('\n').slice(-5).join('\n');
}

/**
 * @param {string} cwd
 * @returns {Promise<{ repository: Repository, prefix: string }>} prefix: path of the folder within the working tree
 * @throws {UsageError | EnvironmentError}
 */
export async function repositoryAt(cwd) {
  if (!existsSync(cwd)) {
    const why = 'it was removed, or its name is not UTF-8; type the command in a folder that has another name';
    throw new UsageError(`--base: there is no folder ${JSON.stringify(cwd)}: ${why}`, {
      code: 'EREVISION',
      data: { reason: 'no-repository', folder: cwd },
    });
  }
  try {
    const found = (/** @type {string} */ what) => ask({ top: cwd, env: callersSettings() }, 'rev-parse', what);
    const asked = ['--show-toplevel', '--absolute-git-dir', '--show-prefix'];
    const [top, gitDir, prefix] = await Promise.all(asked.map(found));
    return { repository: await describe(top, gitDir), prefix: prefix.replace(/\/$/, '') };
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') {
      throw new EnvironmentError('--base: git is not installed; revisions come from a repository of git', {
        code: 'EREVISION',
        data: { reason: 'no-git' },
      });
    }
    throw new UsageError(`--base: ${cwd} is not in a working tree of git: ${saidBy(error)}`, {
      code: 'EREVISION',
      data: { reason: 'no-repository', folder: cwd },
    });
  }
}

/** @returns {Record<string, string>} the variables among CALLERS_SETTINGS that are set */
const callersSettings = () =>
  Object.fromEntries(CALLERS_SETTINGS.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));

/** @param {string} top @param {string} gitDir @returns {Promise<Repository>} */
async function describe(top, gitDir) {
  // Without a working tree, git would look for the one that the settings of a submodule name.
  const env = { ...callersSettings(), GIT_DIR: gitDir, GIT_WORK_TREE: top };
  const asked = { top, env };
  const common = resolve(top, await ask(asked, 'rev-parse', '--git-common-dir'));
  const paths = await Promise.all(FILES.map((name) => ask(asked, 'rev-parse', '--git-path', name)));
  const texts = FILES.flatMap((name, i) => {
    const path = resolve(top, paths[i]);
    return existsSync(path) ? [[name, readFileSync(path, 'utf8')]] : [];
  });
  const settings = await settingsOf(asked, [], SETTINGS);
  return { top, gitDir, common, env, settings, files: Object.fromEntries(texts) };
}

/**
 * @param {Pick<Repository, 'top' | 'env'>} repository
 * @param {string[]} source words that name it; of the repository without any
 * @param {string} pattern of names
 * @returns {Promise<[string, string][]>}
 */
async function settingsOf(repository, source, pattern) {
  const found = await ask(repository, 'config', ...source, '-z', '--get-regexp', pattern).catch(() => '');
  return found.split('\0').flatMap((line) => {
    const [, name = '', value = 'true'] = /^([^\n]*)(?:\n(.*))?$/s.exec(line) ?? [];
    return name === '' ? [] : [/** @type {[string, string]} */ ([name, value])];
  });
}

/**
 * @param {Repository} repository @param {string} commit @param {string[]} paths
 * @returns {Promise<{ type: string, id: string, path: string }[]>} those of the paths that the commit has
 */
async function entriesOf(repository, commit, paths) {
  const words = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', commit, '--', ...paths];
  const listed = (await ask(repository, ...words)).split('\0');
  return listed.flatMap((line) => {
    const [, type, id, path] = /^\d+ (\w+) (\w+)\t(.*)$/s.exec(line) ?? [];
    return type === undefined ? [] : [{ type, id, path }];
  });
}

/** @param {Repository} repository @param {string} commit @param {string} path @returns {Promise<boolean>} */
export const hasFolder = async (repository, commit, path) =>
  (await entriesOf(repository, commit, [path])).some(({ type }) => type === 'tree');

/**
 * The submodules that a revision has, as far as the user has them: those that are checked out in the working tree, and
 * those that it no longer has and that are still in the folder of git.
 * @param {Repository} repository
 * @param {string} commit
 * @param {string} revision of messages
 * @returns {Promise<Submodule[]>}
 * @throws {EnvironmentError} when the commit of one is not there
 */
export async function submodulesOf(repository, commit, revision) {
  const paths = await modulePaths(repository, '--blob', `${commit}:.gitmodules`);
  if (paths.size === 0) return [];
  const here = await modulePaths(repository, '--file', join(repository.top, '.gitmodules'));
  const listed = await entriesOf(repository, commit, [...paths.values()]);
  const links = new Map(listed.filter(({ type }) => type === 'commit').map(({ path, id }) => [path, id]));
  const found = [];
  for (const [name, path] of paths) {
    const id = links.get(path);
    const there = here.get(name);
    const place = there === undefined ? join(repository.gitDir, 'modules', name) : join(repository.top, there, '.git');
    if (id === undefined || name.split('/').includes('..') || !existsSync(place)) continue;
    const gitDir = await ask(repository, 'rev-parse', '--resolve-git-dir', place);
    const source = await describe(there === undefined ? gitDir : join(repository.top, there), gitDir);
    await ask(source, 'cat-file', '-e', `${id}^{commit}`).catch((error) => {
      const get = `git --git-dir=${shellWord(gitDir)} fetch origin ${id}`;
      throw new EnvironmentError(
        `--base: ${JSON.stringify(revision)} has commit ${id} of the submodule ${path}, which is not in ${gitDir}; fetch it: ${get}`,
        { code: 'EREVISION', data: { reason: 'submodule', revision, path, commit: id }, cause: error },
      );
    });
    const submodules = await submodulesOf(source, id, revision);
    found.push({ name, path, repository: source, commit: id, submodules });
  }
  return found;
}

/**
 * @param {Pick<Repository, 'top' | 'env'>} repository
 * @param {string[]} source
 * @returns {Promise<Map<string, string>>} paths by names
 */
async function modulePaths(repository, ...source) {
  const found = await settingsOf(repository, source, '^submodule\\..*\\.path$');
  return new Map(found.map(([name, path]) => [name.slice('submodule.'.length, -'.path'.length), path]));
}

/**
 * @param {{ repository: Repository, submodules: Submodule[] }} of a revision
 * @returns {unknown} all that decides its tree apart from the commit
 */
export const conditionsOf = ({ repository: { gitDir, settings, files }, submodules }) => [
  ...[gitDir, settings, files],
  submodules.map((one) => [one.path, one.commit, conditionsOf(one)]),
];

/**
 * @param {{ repository: Repository, commit: string, submodules: Submodule[] }} wanted
 * @param {string} tree a folder that does not exist, or is empty
 * @returns {Promise<string[]>} paths of submodules that are empty
 * @throws {Error} unless the tree is as git says
 */
export async function checkOut({ repository, commit, submodules }, tree) {
  const run = async (/** @type {string[]} */ args, input = '') =>
    (await git(args, { cwd: tree, settings: QUIET, input })).stdout;
  const own = join(tree, '.git');
  mkdirSync(join(own, 'info'), { recursive: true });
  await run(['init', '--quiet', '--template=', `--object-format=${commit.length === 64 ? 'sha256' : 'sha1'}`]);
  writeFileSync(join(own, 'objects/info/alternates'), `${quoted(join(repository.common, 'objects'))}\n`);
  const shallow = join(repository.common, 'shallow');
  if (existsSync(shallow)) copyFileSync(shallow, join(own, 'shallow'));
  for (const [path, text] of Object.entries(repository.files)) writeFileSync(join(own, path), text);
  for (const [name, value] of repository.settings) await run(['config', name, value]);
  const origin = await ask(repository, 'config', '--get', 'remote.origin.url').catch(() => '');
  if (origin !== '') await run(['config', 'remote.origin.url', withoutLogin(origin)]);
  const format = '--format=create %(refname) %(objectname)';
  const tags = await ask(repository, 'for-each-ref', '--merged', commit, format, 'refs/tags');
  const replaced = await ask(repository, 'for-each-ref', format, 'refs/replace');
  const refs = [tags, replaced, `update HEAD ${commit}`].filter((lines) => lines !== '');
  await run(['update-ref', '--no-deref', '--stdin'], `${refs.join('\n')}\n`);

  const env = { ...repository.env, GIT_WORK_TREE: tree, GIT_INDEX_FILE: join(own, 'index') };
  const filled = await git(['read-tree', '--reset', '-u', commit], { cwd: tree, settings: QUIET, env });
  const empty = [];
  for (const { name, path, ...wanted } of submodules) {
    const folder = join(tree, path);
    if (!existsSync(folder)) continue; // a sparse checkout leaves it out
    await run(['config', `submodule.${name}.active`, 'true']);
    empty.push(...(await checkOut(wanted, folder)).map((nested) => join(path, nested)));
  }
  // git may end with 0 though a filter has failed, or files are missing.
  const errors = filled.stderr.split('\n').filter((line) => /^(error|fatal): /.test(line));
  const status = await run(['status', '--porcelain', '--ignore-submodules=none']);
  const changed = status.split('\n').filter((line) => line !== '');
  if (errors.length > 0 || changed.length > 0) throw new Error(incomplete(errors, changed));
  const links = (await run(['ls-files', '--stage', '-z'])).matchAll(/(?:^|\0)160000 [^\t]*\t([^\0]*)/g);
  return [...empty, ...[...links].map(([, path]) => path).filter((path) => isEmptyModule(join(tree, path)))];
}

/** @param {string} folder @returns {boolean} false also where a sparse checkout leaves it out */
const isEmptyModule = (folder) => existsSync(folder) && !existsSync(join(folder, '.git'));

/** @param {string[]} errors lines of git @param {string[]} changed lines of its status @returns {string} */
function incomplete(errors, changed) {
  const more = changed.length > SHOWN_FILES ? [`and ${changed.length - SHOWN_FILES} more`] : [];
  const status =
    changed.length === 0
      ? []
      : [`git status is not empty after the checkout: ${[...changed.slice(0, SHOWN_FILES), ...more].join(', ')}`];
  return [...errors.slice(0, SHOWN_FILES), ...status].join('\n');
}

/** @param {string} path @returns {string} as a line of git's list of alternates */
const quoted = (path) => (path.includes('\n') ? `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"` : path);

/**
 * @param {string} url of a remote
 * @returns {string} without password, and without the user, who may be a token, where the server knows users by their
 *   passwords
 */
export const withoutLogin = (url) =>
  url.replace(/^([a-z][a-z0-9+.-]*:\/\/)([^/]*)@/i, (_, scheme, login) =>
    /ssh/i.test(scheme) ? `${scheme}${login.replace(/:.*/s, '')}@` : scheme,
  );
