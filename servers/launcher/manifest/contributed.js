// Makes the manifest of servers contributed without one: a folder servers/NAME whose Makefile has a target NAME that
// builds ./NAME, a program that takes `-p PORT` and speaks volley. A collection has several such servers:
// servers/COLLECTION/NAME, or a checkout of volley, servers/COLLECTION/servers/NAME.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * @import { Problem } from '../errors.js'
 * @import { Manifest } from './manifest.js'
 */

/** Folders of servers/ that are part of Broadside and not servers. */
const OWN_FOLDERS = new Set(['launcher', 'conformance']);
/** In the order in which make looks for them. */
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const NAME = /^[a-z0-9][a-z0-9_-]*$/;

/**
 * @typedef {object} Contributed
 * @property {Manifest} manifest
 * @property {string} folder
 * @property {string} path of its Makefile
 * @property {Problem | null} problem
 */

/**
 * @param {string} folder without manifests
 * @returns {Contributed[]} the server in the folder, or the servers of a collection
 */
export function contributedServers(folder) {
  const name = basename(folder);
  if (OWN_FOLDERS.has(name)) return [];
  const server = serverIn(folder, { name, target: name, shown: name });
  if (server !== null && server.problem?.code !== 'missing-target') return [server];
  const members = collectionIn(folder);
  if (members.some(({ problem }) => problem === null)) return members;
  return server === null ? [] : [server];
}

/**
 * @param {string} folder
 * @returns {Contributed[]} named after the collection too, because volley's `go` and `rust` differ from Broadside's
 */
function collectionIn(folder) {
  const inner = join(folder, 'servers');
  const [root, shown] = existsSync(inner) ? [inner, `${basename(folder)}/servers`] : [folder, basename(folder)];
  return subfolders(root).flatMap((subfolder) => {
    const target = basename(subfolder);
    const names = { name: `${basename(folder)}-${target}`, target, shown: `${shown}/${target}` };
    const server = serverIn(subfolder, names);
    return server === null ? [] : [server];
  });
}

/**
 * @typedef {object} Names
 * @property {string} name of the server
 * @property {string} target of the Makefile; also the name of the program
 * @property {string} shown the server's folder below servers/
 */

/** @param {string} folder @param {Names} names @returns {Contributed | null} null: the folder has no Makefile */
function serverIn(folder, names) {
  const files = readdirSync(folder);
  const makefile = MAKEFILES.find((name) => files.includes(name));
  if (makefile === undefined) return null;
  const path = join(folder, makefile);
  const problem = nameProblem(names.name) ?? targetProblem(path, names.target);
  return { manifest: impliedManifest(names), folder, path, problem };
}

/** @param {string} folder @returns {string[]} the folders in it, also links to folders */
export function subfolders(folder) {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
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
 * @param {Names} names
 * @returns {Manifest}
 */
function impliedManifest({ name, target, shown }) {
  return {
    name,
    language: 'contributed',
    model: 'see its folder',
    description: `Contributed in the folder servers/${shown}, without a manifest.`,
    protocols: ['volley'],
    requires: [{ command: 'make', when: 'build', remedy: 'apt-get install build-essential' }],
    build: { command: ['make', target], output: target, sources: ['.'] },
    run: [`./${target}`, '-p', '{port}'],
    options: {},
    ready: 'connection',
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
    return (targets ?? '').split(/\s+/).map((word) => variables.get(/^\$[({](\w+)[)}]$/.exec(word)?.[1] ?? '') ?? word);
  });
}
