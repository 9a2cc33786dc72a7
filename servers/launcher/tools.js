// Looks for programs on the PATH. Nothing is remembered: an installed package counts at the next look. Built-in modules
// only: set-up looks before anything is installed.

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * @param {string} name a program, or a path to one
 * @param {string} [path] the folders to look in, separated by colons
 * @returns {string | null} its path
 */
export function findProgram(name, path = process.env.PATH ?? '') {
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
