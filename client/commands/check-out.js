// Checks out a revision into a separate repository that borrows the objects of the user's repository. Builds may ask
// git for the version, and the user's repository gets no worktree, index, branch or setting. The user's repository
// fills the tree, with the index of the separate one, so that everything that decides a tree applies: filters such as
// LFS, attributes, sparse checkouts, and objects that a partial clone has not fetched yet.

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EnvironmentError, UsageError } from '../errors.js';
import { shellWord } from '../invocation.js';
import { git } from '../machine/git.js';

/**
 * Settings with which git runs no hook, starts no process that stays, and writes no files without being asked.
 */
const NO_SIDE_EFFECTS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.splitIndex=false',
  'submodule.recurse=false',
  'maintenance.auto=false',
  'gc.auto=0',
  'init.defaultBranch=main',
];
/** The settings of a repository that affect what a checkout writes and what `git status` reports. */
const SETTINGS =
  '^(core\\.(autocrlf|eol|safecrlf|filemode|symlinks|ignorecase|precomposeunicode|attributesfile|checkroundtripencoding|' +
  'sparsecheckout|sparsecheckoutcone|usereplacerefs)|index\\.sparse|filter\\..*)$';
/** Files of a repository with the same effect. */
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
 * @property {Record<string, string>} env  variables with which git uses it
 * @property {[string, string][]} settings
 * @property {Record<string, string>} files  texts by their paths in the folder of git
 *
 * @typedef {{ name: string, path: string, repository: Repository, commit: string, submodules: Submodule[] }} Submodule
 *   path: in the tree of its parent
 */

/**
 * @param {Pick<Repository, 'top' | 'env'>} repository
 * @param {string[]} args
 * @returns {Promise<string>} git's output without the final newline
 */
export const ask = async ({ top, env }, ...args) =>
  (await git(args, { cwd: top, env, settings: NO_SIDE_EFFECTS })).stdout.replace(/\n$/, '');

/** @param {unknown} error of git @returns {string} the last lines of its output */
export function gitMessage(error) {
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
    const revParse = (/** @type {string} */ option) => ask({ top: cwd, env: callersSettings() }, 'rev-parse', option);
    const options = ['--show-toplevel', '--absolute-git-dir', '--show-prefix'];
    const [top, gitDir, prefix] = await Promise.all(options.map(revParse));
    return { repository: await describe(top, gitDir), prefix: prefix.replace(/\/$/, '') };
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') {
      throw new EnvironmentError('--base: git is not installed; revisions come from a repository of git', {
        code: 'EREVISION',
        data: { reason: 'no-git' },
      });
    }
    throw new UsageError(`--base: ${cwd} is not in a working tree of git: ${gitMessage(error)}`, {
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
  // Without a working tree, git would use the one in the settings of a submodule.
  const env = { ...callersSettings(), GIT_DIR: gitDir, GIT_WORK_TREE: top };
  const place = { top, env };
  const common = resolve(top, await ask(place, 'rev-parse', '--git-common-dir'));
  const paths = await Promise.all(FILES.map((name) => ask(place, 'rev-parse', '--git-path', name)));
  const texts = FILES.flatMap((name, i) => {
    const path = resolve(top, paths[i]);
    return existsSync(path) ? [[name, readFileSync(path, 'utf8')]] : [];
  });
  const settings = await settingsOf(place, [], SETTINGS);
  return { top, gitDir, common, env, settings, files: Object.fromEntries(texts) };
}

/**
 * @param {Pick<Repository, 'top' | 'env'>} repository
 * @param {string[]} source arguments that name the source; empty: the repository
 * @param {string} pattern of names
 * @returns {Promise<[string, string][]>}
 */
async function settingsOf(repository, source, pattern) {
  const output = await ask(repository, 'config', ...source, '-z', '--get-regexp', pattern).catch(() => '');
  return output.split('\0').flatMap((line) => {
    const [, name = '', value = 'true'] = /^([^\n]*)(?:\n(.*))?$/s.exec(line) ?? [];
    return name === '' ? [] : [/** @type {[string, string]} */ ([name, value])];
  });
}

/**
 * @param {Repository} repository @param {string} commit @param {string[]} paths
 * @returns {Promise<{ type: string, id: string, path: string }[]>} the commit's entries at these paths
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
 * Finds the submodules of a revision that the user has: checked out in the working tree, or removed from it but still
 * in the folder of git.
 * @param {Repository} repository
 * @param {string} commit
 * @param {string} revision for messages
 * @returns {Promise<Submodule[]>}
 * @throws {EnvironmentError} when the commit of a submodule is missing
 */
export async function submodulesOf(repository, commit, revision) {
  const paths = await modulePaths(repository, '--blob', `${commit}:.gitmodules`);
  if (paths.size === 0) return [];
  const currentPaths = await modulePaths(repository, '--file', join(repository.top, '.gitmodules'));
  const listed = await entriesOf(repository, commit, [...paths.values()]);
  const links = new Map(listed.filter(({ type }) => type === 'commit').map(({ path, id }) => [path, id]));
  const available = [];
  for (const [name, path] of paths) {
    const id = links.get(path);
    const current = currentPaths.get(name);
    const place =
      current === undefined ? join(repository.gitDir, 'modules', name) : join(repository.top, current, '.git');
    if (id === undefined || name.split('/').includes('..') || !existsSync(place)) continue;
    const gitDir = await ask(repository, 'rev-parse', '--resolve-git-dir', place);
    const source = await describe(current === undefined ? gitDir : join(repository.top, current), gitDir);
    await ask(source, 'cat-file', '-e', `${id}^{commit}`).catch((error) => {
      const command = `git --git-dir=${shellWord(gitDir)} fetch origin ${id}`;
      throw new EnvironmentError(
        `--base: ${JSON.stringify(revision)} has commit ${id} of the submodule ${path}, which is not in ${gitDir}; fetch it: ${command}`,
        { code: 'EREVISION', data: { reason: 'submodule', revision, path, commit: id }, cause: error },
      );
    });
    const submodules = await submodulesOf(source, id, revision);
    available.push({ name, path, repository: source, commit: id, submodules });
  }
  return available;
}

/**
 * @param {Pick<Repository, 'top' | 'env'>} repository
 * @param {string[]} source
 * @returns {Promise<Map<string, string>>} paths by names
 */
async function modulePaths(repository, ...source) {
  const settings = await settingsOf(repository, source, '^submodule\\..*\\.path$');
  return new Map(settings.map(([name, path]) => [name.slice('submodule.'.length, -'.path'.length), path]));
}

/**
 * @param {{ repository: Repository, submodules: Submodule[] }} of a revision
 * @returns {unknown} everything besides the commit that decides its tree
 */
export const conditionsOf = ({ repository: { gitDir, settings, files }, submodules }) => [
  ...[gitDir, settings, files],
  submodules.map((submodule) => [submodule.path, submodule.commit, conditionsOf(submodule)]),
];

/**
 * @param {{ repository: Repository, commit: string, submodules: Submodule[] }} wanted
 * @param {string} tree a folder that is empty or does not exist
 * @returns {Promise<string[]>} paths of empty submodules
 * @throws {Error} when the tree is incomplete
 */
export async function checkOut({ repository, commit, submodules }, tree) {
  const run = async (/** @type {string[]} */ args, input = '') =>
    (await git(args, { cwd: tree, settings: NO_SIDE_EFFECTS, input })).stdout;
  const gitFolder = join(tree, '.git');
  mkdirSync(join(gitFolder, 'info'), { recursive: true });
  await run(['init', '--quiet', '--template=', `--object-format=${commit.length === 64 ? 'sha256' : 'sha1'}`]);
  writeFileSync(join(gitFolder, 'objects/info/alternates'), `${quoted(join(repository.common, 'objects'))}\n`);
  const shallow = join(repository.common, 'shallow');
  if (existsSync(shallow)) copyFileSync(shallow, join(gitFolder, 'shallow'));
  for (const [path, text] of Object.entries(repository.files)) writeFileSync(join(gitFolder, path), text);
  for (const [name, value] of repository.settings) await run(['config', name, value]);
  const origin = await ask(repository, 'config', '--get', 'remote.origin.url').catch(() => '');
  if (origin !== '') await run(['config', 'remote.origin.url', withoutLogin(origin)]);
  const format = '--format=create %(refname) %(objectname)';
  const tags = await ask(repository, 'for-each-ref', '--merged', commit, format, 'refs/tags');
  const replacements = await ask(repository, 'for-each-ref', format, 'refs/replace');
  const refs = [tags, replacements, `update HEAD ${commit}`].filter((lines) => lines !== '');
  await run(['update-ref', '--no-deref', '--stdin'], `${refs.join('\n')}\n`);

  const env = { ...repository.env, GIT_WORK_TREE: tree, GIT_INDEX_FILE: join(gitFolder, 'index') };
  const readTree = await git(['read-tree', '--reset', '-u', commit], { cwd: tree, settings: NO_SIDE_EFFECTS, env });
  const empty = [];
  for (const { name, path, ...submodule } of submodules) {
    const folder = join(tree, path);
    if (!existsSync(folder)) continue; // a sparse checkout leaves it out
    await run(['config', `submodule.${name}.active`, 'true']);
    empty.push(...(await checkOut(submodule, folder)).map((nested) => join(path, nested)));
  }
  // git may end with 0 even if a filter has failed or files are missing.
  const errors = readTree.stderr.split('\n').filter((line) => /^(error|fatal): /.test(line));
  const status = await run(['status', '--porcelain', '--ignore-submodules=none']);
  const changed = status.split('\n').filter((line) => line !== '');
  if (errors.length > 0 || changed.length > 0) throw new Error(incomplete(errors, changed));
  const links = (await run(['ls-files', '--stage', '-z'])).matchAll(/(?:^|\0)160000 [^\t]*\t([^\0]*)/g);
  return [...empty, ...[...links].map(([, path]) => path).filter((path) => isEmptyModule(join(tree, path)))];
}

/** @param {string} folder @returns {boolean} false also if a sparse checkout leaves it out */
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
 * @returns {string} without password; except with ssh, also without the user, which may be a token
 */
export const withoutLogin = (url) =>
  url.replace(/^([a-z][a-z0-9+.-]*:\/\/)([^/]*)@/i, (_, scheme, login) =>
    /ssh/i.test(scheme) ? `${scheme}${login.replace(/:.*/s, '')}@` : scheme,
  );
