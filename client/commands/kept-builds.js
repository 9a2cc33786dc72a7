// Where `--base` keeps the revisions of a repository, checked out and built, for the next run: in folders of the user's
// cache that nobody else may read. Runs mark those that they use; only what no run uses is removed.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { EnvironmentError } from '../errors.js';

/** Of a repository; those that were not used for the longest time are removed. */
const MOST_BUILDS = 10;
const PRIVATE = 0o700;
/** The file that a folder has once it is built: the paths of submodules that are empty there. */
const MARK = 'built';

/**
 * @param {Record<string, string | undefined>} env
 * @returns {string} the folder of all repositories
 * @throws {EnvironmentError} when the user has no folder
 */
export function keptFolder({ XDG_CACHE_HOME: cache = '', HOME: home = '' }) {
  if (isAbsolute(cache)) return join(cache, 'broadside', 'revisions');
  const found = [home, homeOfUser()].find(isAbsolute);
  if (found !== undefined) return join(found, '.cache', 'broadside', 'revisions');
  const text =
    '--base: revisions are checked out into the cache folder of the user, and this user has no home folder; set XDG_CACHE_HOME to the path ' +
    'of a folder that can be written to';
  throw new EnvironmentError(text, { code: 'EREVISION', data: { reason: 'no-home' } });
}

/** @returns {string} empty: the user is not known */
function homeOfUser() {
  try {
    return userInfo().homedir;
  } catch {
    return '';
  }
}

/**
 * Makes the folder of a repository, and keeps it and that of all repositories from others.
 * @param {string} folder
 */
export function makePrivate(folder) {
  makeFolder(folder);
  for (const path of [folder, join(folder, '..')]) {
    if ((statSync(path).mode & 0o777) !== PRIVATE) chmodSync(path, PRIVATE);
  }
}

/** @param {string} path of a folder that nobody else may read */
export const makeFolder = (path) => mkdirSync(path, { recursive: true, mode: PRIVATE });

/** @param {string} kept @param {string[]} empty paths of submodules */
export const markBuilt = (kept, empty) => writeFileSync(join(kept, MARK), JSON.stringify(empty));

/** @param {string} kept @returns {string[] | null} paths of submodules that are empty; null: it is not built */
export function builtIn(kept) {
  try {
    return JSON.parse(readFileSync(join(kept, MARK), 'utf8'));
  } catch {
    return null;
  }
}

/** @param {string} kept that is used now */
export const touch = (kept) => utimesSync(join(kept, MARK), new Date(), new Date());

/**
 * @param {string} folder
 * @returns {number} when it was last used; 0: it is not built, since a build failed or was interrupted
 */
const usedMs = (folder) => statSync(join(folder, MARK), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Removes what is not built, and of the rest what was not used for the longest time, except what a run uses or builds.
 * @param {string} own folder of a repository
 * @param {(error: unknown) => void} onFailure called for each folder that cannot be removed
 */
export async function removeOld(own, onFailure) {
  if (!existsSync(own)) return;
  const { tryLock, usersOf } = await import('../../servers/launcher/index.js');
  const all = readdirSync(own, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ path: join(own, name), lastMs: usedMs(join(own, name)) }))
    .sort((a, b) => b.lastMs - a.lastMs);
  for (const { path, lastMs } of all.filter(({ lastMs }, i) => i >= MOST_BUILDS || lastMs === 0)) {
    const release = tryLock(`${path}.lock`);
    if (release === null) continue;
    try {
      if (usersOf(path).length === 0 && usedMs(path) === lastMs) rmSync(path, { recursive: true, force: true });
    } catch (error) {
      onFailure(error);
    } finally {
      release();
    }
  }
}
