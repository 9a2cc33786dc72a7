// Keeps the revisions of `--base`, checked out and built, for later runs, in private folders of the user's cache. Runs
// mark the folders that they use; only unused folders are removed.

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

/** Builds of a repository; the least recently used ones beyond these are removed. */
const MOST_BUILDS = 10;
const PRIVATE = 0o700;
/** The file in a built folder; it holds the paths of empty submodules. */
const MARK = 'built';

/**
 * @param {Record<string, string | undefined>} env
 * @returns {string} the folder of all repositories
 * @throws {EnvironmentError} when the user has no home folder
 */
export function keptFolder({ XDG_CACHE_HOME: cache = '', HOME: home = '' }) {
  if (isAbsolute(cache)) return join(cache, 'broadside', 'revisions');
  const homeFolder = [home, homeOfUser()].find(isAbsolute);
  if (homeFolder !== undefined) return join(homeFolder, '.cache', 'broadside', 'revisions');
  const text =
    '--base: revisions are checked out into the cache folder of the user, and this user has no home folder; set XDG_CACHE_HOME to the path ' +
    'of a folder that can be written to';
  throw new EnvironmentError(text, { code: 'EREVISION', data: { reason: 'no-home' } });
}

/** @returns {string} '' if the user is not known */
function homeOfUser() {
  try {
    return userInfo().homedir;
  } catch {
    return '';
  }
}

/**
 * Creates the folder of a repository, and makes it and the folder of all repositories private.
 * @param {string} folder
 */
export function makePrivate(folder) {
  makeFolder(folder);
  for (const path of [folder, join(folder, '..')]) {
    if ((statSync(path).mode & 0o777) !== PRIVATE) chmodSync(path, PRIVATE);
  }
}

/** @param {string} path of a private folder */
export const makeFolder = (path) => mkdirSync(path, { recursive: true, mode: PRIVATE });

/** @param {string} kept @param {string[]} empty paths of submodules */
export const markBuilt = (kept, empty) => writeFileSync(join(kept, MARK), JSON.stringify(empty));

/** @param {string} kept @returns {string[] | null} paths of empty submodules; null: it is not built */
export function readMark(kept) {
  try {
    return JSON.parse(readFileSync(join(kept, MARK), 'utf8'));
  } catch {
    return null;
  }
}

/** Marks a build as used now. @param {string} kept */
export const touch = (kept) => utimesSync(join(kept, MARK), new Date(), new Date());

/**
 * @param {string} folder
 * @returns {number} time of its last use; 0: it is not built, because a build failed or was interrupted
 */
const usedMs = (folder) => statSync(join(folder, MARK), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Removes unfinished builds and the least recently used ones, except those that a run uses or builds.
 * @param {string} folder of a repository
 * @param {(error: unknown) => void} onFailure called for each folder that cannot be removed
 */
export async function removeOld(folder, onFailure) {
  if (!existsSync(folder)) return;
  const { tryLock, usersOf } = await import('../../servers/launcher/index.js');
  const builds = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ path: join(folder, name), lastMs: usedMs(join(folder, name)) }))
    .sort((a, b) => b.lastMs - a.lastMs);
  for (const { path, lastMs } of builds.filter(({ lastMs }, i) => i >= MOST_BUILDS || lastMs === 0)) {
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
