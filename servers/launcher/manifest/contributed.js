// A server that somebody has put into servers/NAME in volley's form: a Makefile whose target NAME builds ./NAME, which
// takes `-p PORT` and speaks volley. It needs no manifest; this writes the one it would have.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Folders beside the servers that are none, though one has a Makefile. */
const NO_SERVERS = new Set(['launcher', 'conformance']);
/** In the order in which make looks for them. */
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const NAME = /^[a-z0-9][a-z0-9_-]*$/;
const MAKE = 'apt-get install build-essential';

/**
 * @param {string} folder without manifests
 * @returns {{manifest: import('./manifest.js').Manifest, path: string, fault: string | null} | null} null when it is
 *   no server at all; path: of its Makefile
 */
export function contributed(folder) {
  const name = basename(folder);
  if (NO_SERVERS.has(name)) return null;
  const files = readdirSync(folder);
  const makefile = MAKEFILES.find((each) => files.includes(each));
  if (makefile === undefined) return null;
  const path = join(folder, makefile);
  const fault = !NAME.test(name)
    ? 'the name of its folder has other letters than a-z, 0-9, _ and -'
    : targetFault(path, name);
  return { manifest: manifestOf(name), path, fault };
}

/**
 * @param {string} path of a makefile
 * @param {string} name
 */
function targetFault(path, name) {
  const makefile = basename(path);
  try {
    if (!statSync(path).isFile()) return `its ${makefile} is no file`; // and reading a FIFO would never end
    return targetsIn(readFileSync(path, 'utf8')).includes(name) ? null : `its ${makefile} has no target "${name}"`;
  } catch (error) {
    return `its ${makefile} cannot be read: ${/** @type {Error} */ (error).message}`;
  }
}

/**
 * @param {string} name
 * @returns {import('./manifest.js').Manifest}
 */
function manifestOf(name) {
  return {
    name,
    language: 'contributed',
    model: 'as its folder says',
    description: `Contributed in the folder servers/${name}, without a manifest.`,
    protocols: ['volley'],
    requires: [{ command: 'make', when: 'build', remedy: MAKE }],
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
 * The targets a makefile names, those that are the value of a variable of its own included.
 * @param {string} text
 * @returns {string[]}
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
