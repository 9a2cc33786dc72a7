// Looks for what a server requires: programs on the PATH and C headers. Nothing is remembered: an installed package
// counts at the next look. Built-in modules only: set-up looks before anything is installed.

import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @typedef {{command?: string, header?: string, remedy: string}} Requirement */

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

/**
 * @param {Requirement[]} requirements
 * @returns {{why: string, remedy: string} | null} the first one that is not met
 */
export function firstMissing(requirements) {
  for (const { command, header, remedy } of requirements) {
    if (command === 'cc' && findCompiler() === null) return { why: 'there is no C compiler', remedy };
    if (command && command !== 'cc' && findProgram(command) === null) return { why: `${command} is not there`, remedy };
    if (header && !hasHeader(header)) return { why: `the C header ${header} is not there`, remedy };
  }
  return null;
}

/** @param {string} header */
function hasHeader(header) {
  const [program, ...words] = (findCompiler() ?? 'cc').split(' ');
  const probe = spawnSync(program, [...words, '-E', '-x', 'c', '-include', header, '-o', '/dev/null', '/dev/null'], {
    stdio: 'ignore',
  });
  return probe.status === 0;
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
