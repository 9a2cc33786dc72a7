// Looks for programs on the PATH. Nothing is remembered: an installed package counts at the next look. Built-in modules
// only: set-up looks before anything is installed.

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian has nginx and nats-server; on the PATH of root alone. */
const DAEMONS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** @returns {string} the PATH, and after it the folders of daemons: what is found by it is started by it */
export function searchPath({ PATH = '' } = process.env) {
  const folders = PATH.split(delimiter).filter(Boolean);
  return [...folders, ...DAEMONS.filter((folder) => !folders.includes(folder))].join(delimiter);
}

/**
 * @param {string} name a program, or a path to one
 * @param {string} [path] the folders to look in, separated by colons
 * @returns {string | null} its path
 */
export function findProgram(name, path = searchPath()) {
  const folders = path.split(delimiter).filter(Boolean);
  const candidates = name.includes('/') ? [name] : folders.map((folder) => join(folder, name));
  return candidates.find(isProgram) ?? null;
}

/** @returns {string | null} the C compiler: $CC, cc, gcc or clang; the first that is there */
export function findCompiler() {
  if (process.env.CC) return findProgram(process.env.CC.split(' ')[0]) === null ? null : process.env.CC;
  return ['cc', 'gcc', 'clang'].find((name) => findProgram(name) !== null) ?? null;
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
