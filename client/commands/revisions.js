// `stress --base`: revisions of the user's program beside the working tree. Each revision is checked out into the
// user's cache folder and built there; the repository stays as it is, and a build is kept for the next run.

import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { BroadsideError, EnvironmentError, UsageError } from '../errors.js';
import { shellWord } from '../invocation.js';
import { repositoryVariables } from '../machine/git.js';
import { fileOf } from '../scenario/keys/commands.js';
import { counted, duration } from '../words/format.js';
import { ask, checkOut, conditionsOf, hasFolder, repositoryAt, gitMessage, submodulesOf } from './check-out.js';
import { readMark, keptFolder, makeFolder, makePrivate, markBuilt, removeOld, touch } from './kept-builds.js';
import { optionError } from './option-values.js';

/**
 * @import { ServerError } from '../../servers/launcher/errors.js'
 * @import { LabelledCommand } from '../scenario/keys/commands.js'
 * @import { Repository, Submodule } from './check-out.js'
 * @import { Request, RevisionsWanted } from './options.js'
 */

/** The label of the working tree. */
const HEAD = 'head';
/** Characters of a description. */
const MAX_DESCRIPTION = 1000;

/**
 * @typedef {object} Revision
 * @property {string} label
 * @property {string} revision  as it was given
 * @property {string} commit  its whole id
 * @property {Submodule[]} submodules
 * @property {string} kept  the folder of its build in the cache
 * @property {string} folder  where the command is run
 *
 * @typedef {object} Versions
 * @property {Repository} repository
 * @property {Revision[]} revisions
 * @property {number} changed  files of the working tree that differ from its commit
 * @property {string | null} build
 * @property {boolean} rebuild
 * @property {string} cache  the folder of the repository's builds in the user's cache
 * @property {string} cwd
 */

/**
 * Finds the revisions without checking them out. A partial clone may fetch missing objects.
 * @param {RevisionsWanted} wanted
 * @param {{ cwd?: string, env?: Record<string, string | undefined> }} [place]
 * @returns {Promise<Versions>}
 * @throws {UsageError | EnvironmentError}
 */
export async function findRevisions({ revisions, build, rebuild }, { env = process.env, cwd = process.cwd() } = {}) {
  const { repository, prefix } = await repositoryAt(cwd);
  const { top } = repository;
  const name = basename(top).replace(/[^\p{L}\p{N}._-]+/gu, '_');
  const cache = join(keptFolder(env), `${name.slice(0, 40)}-${shortHash(top)}`);
  const resolved = await Promise.all(
    revisions.map(async (revision) => {
      const { commit, submodules } = await commitOf(repository, prefix, revision).catch((error) => {
        if (error instanceof BroadsideError) throw error;
        const text = `--base: ${JSON.stringify(revision)} cannot be read in ${top}: ${gitMessage(error)}`;
        throw new EnvironmentError(text, { code: 'EREVISION', data: { reason: 'unreadable', revision }, cause: error });
      });
      const conditions = [build, conditionsOf({ repository, submodules })];
      const kept = join(cache, `${commit.slice(0, 12)}-${shortHash(JSON.stringify(conditions))}`);
      const label = revisions.length === 1 ? 'base' : printable(revision).slice(0, 64);
      return { label, revision, commit, submodules, kept, folder: join(kept, 'tree', prefix) };
    }),
  );
  const labels = [...resolved.map(({ label }) => label), HEAD];
  const duplicate = labels.find((label, i) => labels.indexOf(label) < i);
  if (duplicate !== undefined) {
    const why =
      duplicate === HEAD ? 'is the label of the working tree; give its commit' : 'is given twice; leave one out';
    throw optionError('base', duplicate, `"${duplicate}" ${why}`);
  }
  const status = await ask(repository, 'status', '--porcelain').catch((error) => {
    throw new EnvironmentError(`--base: git status fails in ${top}: ${gitMessage(error)}`, {
      code: 'EREVISION',
      data: { reason: 'status', folder: top },
      cause: error,
    });
  });
  const changed = status === '' ? 0 : status.split('\n').length;
  return { repository, revisions: resolved, changed, build, rebuild, cache, cwd };
}

/** @param {string} text @returns {string} */
const shortHash = (text) => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** @param {string} text @returns {string} on one line */
const printable = (text) => text.replace(/\p{Cc}+/gu, ' ');

/**
 * @param {Repository} repository
 * @param {string} prefix
 * @param {string} revision
 * @returns {Promise<Pick<Revision, 'commit' | 'submodules'>>}
 * @throws {UsageError | EnvironmentError}
 */
async function commitOf(repository, prefix, revision) {
  const refuse = (/** @type {string} */ reason, /** @type {string} */ why) =>
    new UsageError(`--base: ${JSON.stringify(revision)} ${why}`, { code: 'EREVISION', data: { reason, revision } });
  const idOf = (/** @type {string} */ named) =>
    ask(repository, 'rev-parse', '--verify', '--quiet', '--end-of-options', named);
  // A search (:/text) takes everything after it as text, so its commit is resolved first.
  const commit = await idOf(revision)
    .then((id) => idOf(`${id}^{commit}`))
    .catch(() => '');
  if (!/^[0-9a-f]+$/.test(commit)) {
    const why = `is no revision of ${repository.top}; give a branch, a tag or a commit that it has (git fetch gets others)`;
    throw refuse('unknown', why);
  }
  if (prefix !== '' && !(await hasFolder(repository, commit, prefix))) {
    throw refuse('no-folder', `has no folder ${prefix}, in which the command is run`);
  }
  return { commit, submodules: await submodulesOf(repository, commit, revision) };
}

/**
 * @param {Versions} versions
 * @returns {Record<string, string>} the folders of all versions by their labels, the working tree last
 */
export const foldersOf = ({ revisions, cwd }) =>
  Object.fromEntries([...revisions.map(({ label, folder }) => [label, folder]), [HEAD, cwd]]);

/** @param {Revision} revision @returns {string} such as "main (1a2b3c4d5e6f)" */
const nameOf = ({ revision, commit }) =>
  commit.startsWith(revision) ? commit.slice(0, 12) : `${printable(revision)} (${commit.slice(0, 12)})`;

/**
 * @param {Versions} versions
 * @returns {string} what is compared, such as "base: main (1a2b3c4d5e6f); head: the working tree"
 */
export const versionsText = ({ revisions, changed }) =>
  [
    ...revisions.map((version) => `${version.label}: ${nameOf(version)}`),
    `${HEAD}: the working tree, ${changed === 0 ? 'as it is committed' : `${counted(changed, 'file')} changed`}`,
  ]
    .join('; ')
    .slice(0, MAX_DESCRIPTION);

/**
 * @param {Request} request @param {Versions} versions
 * @returns {Request} whose command runs in the folder of each version
 */
export function withVersions({ scenario, ...request }, versions) {
  const { config, flags = {} } = scenario ?? {};
  const described = { description: versionsText(versions), ...flags };
  return { ...request, scenario: { config, flags: described, folders: foldersOf(versions) } };
}

/**
 * Checks out and builds the missing revisions, and builds the working tree. It removes git's variables from the
 * environment of this process, which builds and servers inherit, so that git finds the repository of their folder.
 * @param {Versions} versions
 * @param {(line: string) => void} say
 * @returns {Promise<() => Promise<void>>} ends the use of the folders, and removes old ones
 * @throws {EnvironmentError | ServerError} when a build fails, with its last
 *   lines
 */
export async function buildVersions({ repository, revisions, build, rebuild, cache, cwd }, say) {
  const { markUse, untilUnused, withLock } = await import('../../servers/launcher/index.js');
  for (const name of await repositoryVariables()) delete process.env[name];
  /** @type {(() => void)[]} */
  const uses = [];
  const end = async () => {
    const onFailure = (/** @type {unknown} */ error) =>
      say(`${cache}: old builds cannot be removed: ${/** @type {Error} */ (error).message}`);
    try {
      for (const release of uses) release();
      await removeOld(cache, onFailure);
    } catch (error) {
      onFailure(error);
    }
  };
  /**
   * @param {string} path @param {string} name for messages
   * @param {(locked: { unused: () => Promise<void>, setWorker: (pid: number) => void }) => Promise<void>} work  unused:
   *   waits until no other run uses the folder
   */
  const use = (path, name, work) =>
    withLock(
      `${path}.lock`,
      async (setWorker) => {
        const onWait = (/** @type {number} */ pid) => say(`${name}: waits until process ${pid} no longer uses it`);
        await work({ unused: () => untilUnused(path, onWait), setWorker });
        uses.push(markUse(path));
      },
      (pid) => say(`${name}: waits for process ${pid}, which builds it`),
    );
  // All runs lock the folders in the same order, so that no two wait for each other.
  const sorted = [...new Map(revisions.map((revision) => [revision.kept, revision])).values()].sort((a, b) =>
    a.kept < b.kept ? -1 : 1,
  );
  try {
    makePrivate(cache);
    for (const revision of sorted) {
      const { kept, label, folder } = revision;
      const name = `${label.padEnd(7)} ${nameOf(revision)}`;
      await use(kept, name, async ({ unused, setWorker }) => {
        const isKept = readMark(kept) !== null && !rebuild;
        if (isKept) {
          touch(kept);
          if (build !== null) say(`${name}, built in an earlier run`);
        } else {
          await unused();
          await buildRevision(repository, revision, async () =>
            buildIn({ folder, what: label, name, build, setWorker }, say),
          );
        }
        const empty = readMark(kept) ?? [];
        if (empty.length > 0)
          say(`${name}: submodules are empty, because the working tree has not checked them out: ${empty.join(', ')}`);
      });
    }
    const name = `${HEAD.padEnd(7)} the working tree`;
    await use(join(cache, `${HEAD}-${shortHash(cwd)}`), name, async ({ unused, setWorker }) => {
      if (build !== null) await unused();
      await buildIn({ folder: cwd, what: HEAD, name, build, setWorker }, say);
    });
    return end;
  } catch (error) {
    await end();
    const { syscall, code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (syscall === undefined) throw error;
    const text = `--base: ${cache} cannot be used: ${message}; set XDG_CACHE_HOME to the path of a folder that can be written to`;
    throw new EnvironmentError(text, {
      code: 'EREVISION',
      data: { reason: 'cache', folder: cache, errno: code },
      cause: error,
    });
  }
}

/**
 * @param {Versions} versions  built
 * @param {LabelledCommand[]} commands  that start them
 * @throws {UsageError} when a version lacks the program
 */
export function requirePrograms({ build }, commands) {
  for (const { as, command, folder = '.' } of commands) {
    const file = fileOf(command);
    if (file === null || existsSync(resolve(folder, file))) continue;
    const why =
      build === null
        ? `give the command that builds it, as in --build 'make'`
        : `--build ${shellWord(build)} does not make it`;
    throw new UsageError(`--base: ${as} has no ${file}, which --command starts; ${why}`, {
      code: 'EREVISION',
      data: { reason: 'no-program', label: as, file, folder },
    });
  }
}

/**
 * @param {Repository} repository
 * @param {Revision} wanted  its folder is removed if this fails
 * @param {() => Promise<void>} build
 */
async function buildRevision(repository, { kept, revision, commit, submodules }, build) {
  rmSync(kept, { recursive: true, force: true });
  try {
    makeFolder(kept);
    const tree = join(kept, 'tree');
    const empty = await checkOut({ repository, commit, submodules }, tree).catch((error) => {
      const text = `--base: ${JSON.stringify(revision)} cannot be checked out into ${tree}: ${gitMessage(error)}`;
      throw new EnvironmentError(text, {
        code: 'EREVISION',
        data: { reason: 'checkout', revision, folder: tree },
        cause: error,
      });
    });
    await build();
    markBuilt(kept, empty);
  } catch (error) {
    try {
      rmSync(kept, { recursive: true, force: true });
    } catch {
      // The folder has no mark, so it is removed later.
    }
    throw error;
  }
}

/**
 * @param {{ folder: string, what: string, name: string, build: string | null, setWorker: (pid: number) => void }} order
 * @param {(line: string) => void} say
 */
async function buildIn({ folder, what, name, build, setWorker }, say) {
  if (build === null) return;
  const { buildByCommand } = await import('../../servers/launcher/index.js');
  say(`${name}: ${build}`);
  const startNs = performance.now() * 1e6;
  await buildByCommand({ what, folder, command: build, setWorker });
  say(`${name}, built in ${duration(performance.now() * 1e6 - startNs, 2)}`);
}
