// Servers contributed without a manifest: a folder servers/NAME whose Makefile has a target NAME that builds ./NAME, a
// program that takes `-p PORT` and speaks volley. This writes the manifest that such a server would have.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Folders of servers/ that are part of Broadside and not servers. */
const OWN_FOLDERS = new Set(['launcher', 'conformance']);
/** In the order in which make looks for them. */
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const NAME = /^[a-z0-9][a-z0-9_-]*$/;

/** @typedef {import('../errors.js').Problem} Problem */

/**
 * @param {string} folder without manifests
 * @returns {{manifest: import('./manifest.js').Manifest, path: string, problem: Problem | null} | null} null when the
 *   folder is not a server; path: of its Makefile
 */
export function contributedServer(folder) {
  const name = basename(folder);
  if (OWN_FOLDERS.has(name)) return null;
  const files = readdirSync(folder);
  const makefile = MAKEFILES.find((each) => files.includes(each));
  if (makefile === undefined) return null;
  const path = join(folder, makefile);
  return { manifest: impliedManifest(name), path, problem: nameProblem(name) ?? targetProblem(path, name) };
}

/** @param {string} name of the folder @returns {Problem | null} */
function nameProblem(name) {
  if (NAME.test(name)) return null;
  const text = `the folder name "${name}" may contain only a-z, 0-9, _ and -`;
  return { code: 'invalid-folder-name', data: { name }, text };
}

/**
 * @param {string} path of a Makefile
 * @param {string} target
 * @returns {Problem | null}
 */
function targetProblem(path, target) {
  const makefile = basename(path);
  try {
    // Reading a FIFO would block.
    if (!statSync(path).isFile()) {
      return { code: 'unreadable-makefile', data: { path }, text: `${makefile} is not a regular file` };
    }
    if (targetsIn(readFileSync(path, 'utf8')).includes(target)) return null;
    return { code: 'missing-target', data: { path, target }, text: `${makefile} has no target "${target}"` };
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    return { code: 'unreadable-makefile', data: { path, errno: code }, text: `cannot read ${makefile}: ${message}` };
  }
}

/**
 * @param {string} name
 * @returns {import('./manifest.js').Manifest}
 */
function impliedManifest(name) {
  return {
    name,
    language: 'contributed',
    model: 'see its folder',
    description: `Contributed in the folder servers/${name}, without a manifest.`,
    protocols: ['volley'],
    requires: [{ command: 'make', when: 'build', remedy: 'apt-get install build-essential' }],
    build: { command: ['make', name], output: name, sources: ['.'] },
    run: [`./${name}`, '-p', '{port}'],
    options: {},
    ready: 'exchange',
    concurrent: null,
    surplus: null,
    scales: 'none',
  };
}

/**
 * @param {string} text of a Makefile
 * @returns {string[]} its targets; a target that is a single variable is replaced by that variable's value
 */
export function targetsIn(text) {
  const lines = text.replace(/\\\n/g, ' ').split('\n');
  /** @type {Map<string, string>} */
  const variables = new Map(
    lines.flatMap((line) => {
      const [, name, value] = /^([A-Za-z_]\w*)\s*(?:\?|:{1,3})?=\s*(.*?)\s*(?:#.*)?$/.exec(line) ?? [];
      return name === undefined ? [] : [/** @type {[string, string]} */ ([name, value])];
    }),
  );
  return lines.flatMap((line) => {
    const [, targets] = /^([^\t#:=][^#:=]*?)\s*::?(?![=:])/.exec(line) ?? [];
    return (targets ?? '').split(/\s+/).map((each) => variables.get(/^\$[({](\w+)[)}]$/.exec(each)?.[1] ?? '') ?? each);
  });
}
