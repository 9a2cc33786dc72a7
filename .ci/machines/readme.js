// What README.md tells a user to type on a fresh machine. The cells of bare-machines.js run these words and no others,
// so that the document and the test cannot differ.

import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Instructions
 * @property {string[]} packages of Debian, from its `apt-get install` line
 * @property {string} first the first command of the section "Install", which sets up and measures
 * @property {string} link the second, which makes the command `broadside`
 * @property {string} test that tests Broadside itself
 * @property {{make: string, install: string}} packaged commands of the paragraph about the package
 * @property {string} byName the start of a command once `broadside` is installed; before: `npm run stress --`
 */

/**
 * @param {string | URL} path of README.md
 * @returns {Instructions}
 * @throws {Error} when README.md no longer says one of them in the form that is looked for
 */
export function readInstructions(path) {
  const text = readFileSync(path, 'utf8');
  const section = /\n## Install\n([^]*?)\n## /.exec(text)?.[1] ?? '';
  const [first, link, ...others] = [...section.matchAll(/^ {4}(\S.*?)(?: +#.*)?$/gm)].map(([, command]) => command);
  const packages = /`apt-get install ([^`]+)`/.exec(section)?.[1].split(' ') ?? [];
  const [make, install, byName] = [
    /`(npm run package)`/,
    /`(npm install --global \S+\.tgz)`/,
    /`(broadside stress)`/,
  ].map((pattern) => pattern.exec(section)?.[1]);
  const test = /`(npm test)`/.exec(text)?.[1];
  if (!first || !link || others.length > 0 || packages.length === 0 || !make || !install || !byName || !test) {
    throw new Error(`${path}: "Install" has to name two commands, their packages, and how to use the package`);
  }
  return { packages, first, link, test, packaged: { make, install }, byName };
}
