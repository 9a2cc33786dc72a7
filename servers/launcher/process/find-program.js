// Finds programs on the PATH. Results are not cached, so a package installed meanwhile is found. It uses only built-in
// modules, as set-up needs it before anything is installed.

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian installs nginx and nats-server; only root's PATH contains these folders. */
const DAEMON_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** @returns {string} the PATH followed by the folders of daemons; servers are started with it too */
export function searchPath({ PATH = '' } = process.env) {
  const folders = PATH.split(delimiter).filter(Boolean);
  return [...folders, ...DAEMON_FOLDERS.filter((folder) => !folders.includes(folder))].join(delimiter);
}

/**
 * @param {string} name a program, or a path to one
 * @param {string} [path] the folders to look in, separated by colons
 * @returns {string | null} its path; null: it is not installed
 */
export function findProgram(name, path = searchPath()) {
  const folders = path.split(delimiter).filter(Boolean);
  const candidates = name.includes('/') ? [name] : folders.map((folder) => join(folder, name));
  return candidates.find(isProgram) ?? null;
}

/** @returns {string | null} the C compiler: $CC, or the first of cc, gcc and clang that is installed */
export function findCompiler({ CC = '', PATH = '' } = process.env) {
  if (CC !== '') return findProgram(CC.split(' ')[0], PATH) === null ? null : CC;
  return ['cc', 'gcc', 'clang'].find((name) => findProgram(name, PATH) !== null) ?? null;
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
