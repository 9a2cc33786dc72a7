// `stress --base`: revisions of the user's program beside the working tree. Each revision is checked out into the user's cache folder
// and built there; nothing of the repository is changed, and a build is kept for the next run.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { EnvironmentError, UsageError } from '../errors.js';
import { typedIn } from '../invocation.js';
import { headingOf } from '../scenario/help-groups.js';
import { counted, duration } from '../words/format.js';

/** The label of the working tree. */
const HEAD = 'head';
/** Of a repository; those that were not used for the longest time are removed. */
const MOST_BUILDS = 10;
/** Of the output of git. */
const MOST_BYTES = 64 * 1024 ** 2;

const GROUP = headingOf('config', 'scenario');

/** @type {Record<string, import('yargs').Options>} */
export const revisionOptions = {
  base: {
    type: 'string',
    requiresArg: true,
    description:
      'Compare the command in the working tree with the same at this revision of git; several between commas',
    group: GROUP,
  },
  build: {
    type: 'string',
    requiresArg: true,
    description:
      "Command that builds the program at each revision of --base, and in the working tree, such as 'npm ci'",
    group: GROUP,
  },
  rebuild: {
    type: 'boolean',
    description: 'Build the revisions of --base again that an earlier run has built',
    group: GROUP,
  },
};

/**
 * @typedef {{ revisions: string[], build: string | null, rebuild: boolean }} RevisionsWanted
 * @typedef {{ label: string, revision: string, commit: string, kept: string, folder: string }} Revision  commit: its whole id; kept: the
 *   folder of what is kept of it; folder: where the command is run
 * @typedef {{ top: string, prefix: string, objects: string, shallow: string }} Repository  top: its working tree; prefix: path of the current
 *   folder within it; objects, shallow: folder and file of git
 * @typedef {{ repository: Repository, revisions: Revision[], changed: number, build: string | null, rebuild: boolean, cwd: string }} Versions
 *   changed: files of the working tree that differ from its commit
 */

/**
 * @param {any} argv of stress
 * @returns {RevisionsWanted | null} null: none are compared
 * @throws {UsageError}
 */
export function revisionsWanted({ base, build, rebuild = false }) {
  for (const [option, value] of Object.entries({ base, build })) {
    if (Array.isArray(value))
      throw optionError(option, value, 'is given more than once; several revisions go between commas');
  }
  if (base === undefined) {
    const [alone] = [build !== undefined && 'build', rebuild && 'rebuild'].filter(Boolean);
    if (alone)
      throw optionError(String(alone), build ?? true, 'belongs to --base, which names the revision to compare with');
    return null;
  }
  const revisions = base
    .split(',')
    .map((/** @type {string} */ one) => one.trim())
    .filter((/** @type {string} */ one) => one !== '');
  if (revisions.length === 0) throw optionError('base', base, 'names no revision, such as main or HEAD~1');
  return { revisions, build: build ?? null, rebuild };
}

/** @param {string} option @param {unknown} value @param {string} why @returns {UsageError} */
const optionError = (option, value, why) =>
  new UsageError(`--${option}: ${why}`, { code: 'EOPTION', data: { option, value } });

/** @param {string} folder @param {string[]} args @param {Record<string, string>} [env] @returns {Promise<string>} what git prints */
async function git(folder, args, env = {}) {
  const options = { cwd: folder, env: { ...process.env, ...env, LC_ALL: 'C' }, maxBuffer: MOST_BYTES };
  return (await promisify(execFile)('git', args, options)).stdout.trimEnd();
}

/** @param {any} error of git @returns {string} the last lines of what it said */
const saidBy = ({ stderr = '', message }) => (stderr.trim() || message).split('\n').slice(-5).join('\n');

/**
 * Finds the revisions, without changing anything.
 * @param {RevisionsWanted} wanted
 * @param {{ cwd?: string, env?: Record<string, string | undefined> }} [place]
 * @returns {Promise<Versions>}
 * @throws {UsageError | EnvironmentError}
 */
export async function findRevisions({ revisions, build, rebuild }, { env = process.env, cwd = typedIn(env) } = {}) {
  const repository = await repositoryAt(cwd);
  const { XDG_CACHE_HOME: cache = '' } = env;
  const all = cache.startsWith('/') ? cache : join(homedir(), '.cache');
  const own = join(all, 'broadside', 'revisions', `${basename(repository.top)}-${shortHash(repository.top)}`);
  const found = await Promise.all(
    revisions.map(async (revision) => {
      const commit = await commitOf(repository, revision);
      const kept = join(own, `${commit.slice(0, 12)}-${shortHash(build ?? '')}`);
      const label = revisions.length === 1 ? 'base' : revision.slice(0, 64);
      return { label, revision, commit, kept, folder: join(kept, 'tree', repository.prefix) };
    }),
  );
  const labels = [...found.map(({ label }) => label), HEAD];
  const twice = labels.find((label, i) => labels.indexOf(label) < i);
  if (twice !== undefined) {
    const why =
      twice === HEAD ? 'is what the working tree is called here; give its commit' : 'is given twice; leave one out';
    throw optionError('base', twice, `"${twice}" ${why}`);
  }
  const status = await git(repository.top, ['status', '--porcelain'], { GIT_OPTIONAL_LOCKS: '0' });
  const changed = status === '' ? 0 : status.split('\n').length;
  return { repository, revisions: found, changed, build, rebuild, cwd };
}

/** @param {string} text @returns {string} */
const shortHash = (text) => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** @param {string} cwd @returns {Promise<Repository>} */
async function repositoryAt(cwd) {
  try {
    const asked = ['--show-toplevel', '--git-path', 'objects', '--git-path', 'shallow', '--show-prefix'];
    const [top, objects, shallow, prefix = ''] = (await git(cwd, ['rev-parse', ...asked])).split('\n');
    return { top, prefix: prefix.replace(/\/$/, ''), objects: resolve(cwd, objects), shallow: resolve(cwd, shallow) };
  } catch (error) {
    if (/** @type {any} */ (error).code === 'ENOENT') {
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

/** @param {Repository} repository @param {string} revision @returns {Promise<string>} the id of its commit */
async function commitOf({ top, prefix }, revision) {
  const refuse = (/** @type {string} */ reason, /** @type {string} */ why) =>
    new UsageError(`--base: ${JSON.stringify(revision)} ${why}`, { code: 'EREVISION', data: { reason, revision } });
  const commit = await git(top, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]).catch(
    () => {
      throw refuse(
        'unknown',
        `is no revision of ${top}; give a branch, a tag or a commit that is here (git fetch gets others)`,
      );
    },
  );
  const isThere = await git(top, ['cat-file', '-e', `${commit}:${prefix}`]).catch(() => null);
  if (isThere === null) throw refuse('no-folder', `has no folder ${prefix}, in which the command is run`);
  return commit;
}

/** @param {Versions} versions @returns {Record<string, string>} the folders of all versions by their labels, the working tree last */
export const foldersOf = ({ revisions, cwd }) =>
  Object.fromEntries([...revisions.map(({ label, folder }) => [label, folder]), [HEAD, cwd]]);

/** @param {Revision} revision @returns {string} such as "main (1a2b3c4d5e6f)" */
const nameOf = ({ revision, commit }) =>
  commit.startsWith(revision) ? commit.slice(0, 12) : `${revision} (${commit.slice(0, 12)})`;

/** @param {Versions} versions @returns {string} what is compared, such as "base: main (1a2b3c4d5e6f); head: the working tree" */
export const versionsText = ({ revisions, changed }) =>
  [
    ...revisions.map((one) => `${one.label}: ${nameOf(one)}`),
    `${HEAD}: the working tree, ${changed === 0 ? 'as it is committed' : `${counted(changed, 'file')} changed`}`,
  ].join('; ');

/**
 * Checks out and builds what is missing, and builds the working tree.
 * @param {Versions} versions
 * @param {(line: string) => void} say
 * @throws {EnvironmentError | import('../../servers/launcher/errors.js').ServerError} when a build fails, with its last lines
 */
export async function buildVersions({ repository, revisions, build, rebuild, cwd }, say) {
  const { withLock } = await import('../../servers/launcher/index.js');
  for (const revision of revisions) {
    const { kept, label } = revision;
    const name = `${label.padEnd(7)} ${nameOf(revision)}`;
    await withLock(`${kept}.lock`, async () => {
      const mark = join(kept, 'built');
      if (existsSync(mark) && !rebuild) {
        utimesSync(mark, new Date(), new Date());
        if (build !== null) say(`${name}, built in an earlier run`);
        return;
      }
      rmSync(kept, { recursive: true, force: true });
      await checkOut(repository, revision);
      await buildIn(revision.folder, label, name, build, say);
      writeFileSync(mark, '');
    });
    removeOld(kept);
  }
  await buildIn(cwd, HEAD, `${HEAD.padEnd(7)} the working tree`, build, say);
}

/** @param {string} folder @param {string} what @param {string} name @param {string | null} build @param {(line: string) => void} say */
async function buildIn(folder, what, name, build, say) {
  if (build === null) return;
  const { buildByCommand } = await import('../../servers/launcher/index.js');
  say(`${name}: ${build}`);
  const startNs = performance.now() * 1e6;
  await buildByCommand({ what, folder, command: build });
  say(`${name}, built in ${duration(performance.now() * 1e6 - startNs, 2)}`);
}

/**
 * A repository of its own that borrows the objects of the user's: builds may ask git for the version, and no worktree is left behind.
 * @param {Repository} repository @param {Revision} revision
 */
async function checkOut({ top, objects, shallow }, { kept, revision, commit }) {
  const tree = join(kept, 'tree');
  const config = ['-c', 'advice.detachedHead=false', '-c', 'init.defaultBranch=main'];
  try {
    mkdirSync(tree, { recursive: true });
    await git(tree, [...config, 'init', '--quiet']);
    writeFileSync(join(tree, '.git/objects/info/alternates'), `${objects}\n`);
    if (existsSync(shallow)) copyFileSync(shallow, join(tree, '.git/shallow'));
    const origin = await git(top, ['config', '--get', 'remote.origin.url']).catch(() => '');
    if (origin !== '') await git(tree, ['config', 'remote.origin.url', origin]);
    const tags = await git(top, [
      'for-each-ref',
      '--merged',
      commit,
      '--format=create %(refname) %(objectname)',
      'refs/tags',
    ]);
    if (tags !== '') await gitWithInput(tree, ['update-ref', '--stdin'], `${tags}\n`);
    await git(tree, [...config, 'checkout', '--quiet', '--detach', commit]);
  } catch (error) {
    throw new EnvironmentError(
      `--base: ${JSON.stringify(revision)} cannot be checked out into ${tree}: ${saidBy(error)}`,
      {
        code: 'EREVISION',
        data: { reason: 'checkout', revision, folder: tree },
        cause: error,
      },
    );
  }
}

/** @param {string} folder @param {string[]} args @param {string} input */
async function gitWithInput(folder, args, input) {
  const done = promisify(execFile)('git', args, { cwd: folder });
  done.child.stdin?.end(input);
  await done;
}

/** Removes what was not used for the longest time. @param {string} newest folder that is kept */
function removeOld(newest) {
  const all = resolve(newest, '..');
  const kept = readdirSync(all)
    .map((name) => join(all, name))
    .flatMap((path) => {
      const mark = statSync(join(path, 'built'), { throwIfNoEntry: false });
      return mark ? [{ path, usedMs: mark.mtimeMs }] : [];
    })
    .sort((a, b) => b.usedMs - a.usedMs);
  for (const { path } of kept.slice(MOST_BUILDS)) rmSync(path, { recursive: true, force: true });
}
