// Finds the programs that the npm package contains, so that an installed Broadside needs no compiler. They are the
// outputs of builds in servers/, below prebuilt/<platform>/servers/. A checkout has none (.ci/package/ makes them).

import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDER = join(ROOT, 'prebuilt', `${process.platform}-${process.arch}`);

let isIgnored = false;

/**
 * Tells this process to use no prebuilt program: they do not run on this machine, and set-up builds all of them.
 */
export function ignorePrebuilt() {
  isIgnored = true;
}

/**
 * @param {string} output path of a program that a build leaves
 * @param {{root?: string, folder?: string}} [places]
 * @returns {string | null} the path of the same program in the package; null: the package has none
 */
export function prebuiltProgram(output, { root = ROOT, folder = FOLDER } = {}) {
  const name = relative(root, output);
  if (isIgnored || name.startsWith('..')) return null;
  const path = join(folder, name);
  return existsSync(path) ? path : null;
}
