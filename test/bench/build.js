// Builds the C programs of the benches, one file each, into build/ (on the file system of logs/, ignored by git).

import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FLAGS = ['-std=c11', '-D_GNU_SOURCE', '-O2', '-Wall', '-Wextra', '-Wshadow', '-Wconversion'];

export const BUILD = fileURLToPath(new URL('build', import.meta.url));

/** @param {URL} source @returns {string} where its program is, or will be */
export function programOf(source) {
  return join(BUILD, basename(source.pathname, '.c'));
}

/**
 * Builds it with the engine's own optimisation.
 * @param {URL} source
 * @returns {Promise<string>} the program
 */
export async function buildProgram(source) {
  mkdirSync(BUILD, { recursive: true });
  const program = programOf(source);
  await promisify(execFile)(process.env.CC ?? 'cc', [...FLAGS, '-o', program, fileURLToPath(source)]);
  return program;
}
