/**
 * Compiles C files and links programs, each once for the same text, flags and compiler: results are kept in build/test/
 * under the hash of their file, all headers of the project, flags and compiler. What was not used for some days is
 * deleted.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const FOLDER = fileURLToPath(new URL('../../build/test/', import.meta.url));
const KEPT_MS = 3 * 24 * 3600 * 1000;
const FOLDERS_OF_HEADERS = ['client/engine/core', 'servers/c', 'test/native'].map((folder) =>
  fileURLToPath(new URL(`../../${folder}`, import.meta.url)),
);

/** @type {Map<string, Promise<string>>} what is being made or is there, by its hash */
const made = new Map();
/**
 * @type {Map<string, Promise<string>>} objects by compiler, file and flags: most programs are made of the same files
 */
const objects = new Map();
/** @type {Map<string, Promise<string>>} */
const versions = new Map();
/** The hash of all headers: a change of one compiles all files anew. @type {string | undefined} */
let headers;
/** @type {(() => void)[]} */
const waiting = [];
let free = availableParallelism();

/**
 * @param {string} compiler
 * @param {string[]} files
 * @param {string[]} flags
 * @returns {Promise<string[]>} the object of each file
 */
export function compileObjects(compiler, files, flags) {
  return Promise.all(files.map((file) => compileObject(compiler, file, flags)));
}

/**
 * @param {string} compiler @param {string[]} objects @param {string[]} flags @param {string[]} libraries
 * @returns {Promise<string>} the program
 */
export async function link(compiler, objects, flags, libraries) {
  const hash = hashOf(await versionOf(compiler), ...objects, ...flags, ...libraries);
  return make(hash, (output) => run(compiler, [...flags, ...objects, '-o', output, ...libraries]));
}

/** @param {string} compiler @param {string} file @param {string[]} flags @returns {Promise<string>} its object */
function compileObject(compiler, file, flags) {
  const key = JSON.stringify([compiler, file, flags]);
  const object = objects.get(key) ?? compileOnce(compiler, file, flags);
  objects.set(key, object);
  return object;
}

/** @param {string} compiler @param {string} file @param {string[]} flags @returns {Promise<string>} its object */
async function compileOnce(compiler, file, flags) {
  headers ??= hashOf(...FOLDERS_OF_HEADERS.flatMap(headersBelow).map((header) => readFileSync(header)));
  const hash = hashOf(await versionOf(compiler), ...flags, file, readFileSync(file), headers);
  return make(`${hash}.o`, (output) => run(compiler, [...flags, '-c', file, '-o', output]));
}

/** @param {string} folder @returns {string[]} */
const headersBelow = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.h'))
    .sort()
    .map((file) => path.join(folder, file));

/**
 * @param {string} name
 * @param {(output: string) => Promise<unknown>} work
 * @returns {Promise<string>} its path
 */
function make(name, work) {
  const known = made.get(name);
  if (known) return known;
  const result = makeFile(path.join(FOLDER, name), work);
  made.set(name, result);
  return result;
}

/** @param {string} file @param {(output: string) => Promise<unknown>} work */
async function makeFile(file, work) {
  if (existsSync(file)) {
    const now = new Date();
    utimesSync(file, now, now);
    return file;
  }
  mkdirSync(FOLDER, { recursive: true });
  const unfinished = `${file}.${process.pid}.tmp`;
  await inTurn(() => work(unfinished));
  renameSync(unfinished, file);
  return file;
}

/** Runs as many compilers at a time as there are cores. @template Result @param {() => Promise<Result>} work */
async function inTurn(work) {
  if (free === 0) await new Promise((resolve) => void waiting.push(() => resolve(null)));
  else free -= 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }
}

/** @param {string} compiler @returns {Promise<string>} */
function versionOf(compiler) {
  const version = versions.get(compiler) ?? run(compiler, ['--version']).then(({ stdout }) => `${compiler} ${stdout}`);
  versions.set(compiler, version);
  return version;
}

/** @param {(string | Buffer)[]} parts */
function hashOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 32);
}

/** Deletes what no run has used for some days. */
export function prune() {
  if (!existsSync(FOLDER)) return;
  for (const name of readdirSync(FOLDER)) {
    const file = path.join(FOLDER, name);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > KEPT_MS) rmSync(file, { force: true });
  }
}
