// What README.md tells a user to type on a fresh machine. The cells of bare-machines.js run these words and no others,
// so that the document and the test cannot differ.

import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Instructions
 * @property {string[]} packages of Debian, from its `apt-get install` line
 * @property {string[]} commands of the section "Two commands", in order
 * @property {{make: string, install: string, start: string}} packaged commands of the paragraph about the package
 */

/**
 * @param {string | URL} path of README.md
 * @returns {Instructions}
 * @throws {Error} when README.md no longer says one of them in the form that is looked for
 */
export function readInstructions(path) {
  const text = readFileSync(path, 'utf8');
  const section = /\n## Two commands\n([^]*?)\n## /.exec(text)?.[1] ?? '';
  const commands = [...section.matchAll(/^ {4}(\S.*?)(?: +#.*)?$/gm)].map(([, command]) => command);
  const packages = /`apt-get install ([^`]+)`/.exec(section)?.[1].split(' ') ?? [];
  const [make, install, start] = [
    /`(npm run package)`/,
    /`(npm install --global \S+\.tgz)`/,
    /`(broadside stress)`/,
  ].map((pattern) => pattern.exec(section)?.[1]);
  if (commands.length !== 2 || packages.length === 0 || !make || !install || !start) {
    throw new Error(`${path}: "Two commands" has to name two commands, their packages, and how to use the package`);
  }
  return { packages, commands, packaged: { make, install, start } };
}
