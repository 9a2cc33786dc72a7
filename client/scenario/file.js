// Finding and reading a scenario file: a path as it stands, or a name looked up in the package's config folder.

import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../errors.js';
import { didYouMean } from './nearest.js';

/** A right scenario has four levels; a wrong one is still answered by what is wrong with it. */
const DEEPEST = 32;

const configFolder = fileURLToPath(new URL('../../config/', import.meta.url));

/**
 * @param {string} [folder]
 * @returns {Promise<string[]>} names of the scenarios shipped, without .json, sorted
 */
export async function scenarioNames(folder = configFolder) {
  const files = await readdir(folder, { withFileTypes: true });
  const scenarios = files.filter((file) => file.isFile() && file.name.endsWith('.json'));
  return scenarios.map(({ name }) => basename(name, '.json')).sort();
}

/**
 * @param {string} path
 * @returns {Promise<string | undefined>} undefined when there is no such file
 */
async function readIfThere(path) {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return undefined;
    if (found.isFile()) return await readFile(path, 'utf8');
  } catch (error) {
    const code = /** @type {NodeJS.ErrnoException} */ (error).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new UsageError(`--config: cannot read ${path} (${code})`, { code: 'ECONFIG', cause: error });
  }
  // a pipe may have nobody who writes into it: reading it could wait for ever
  throw new UsageError(`--config: ${path} is not a regular file; give a JSON file, or the name of a scenario`,
    { code: 'ECONFIG' });
}

/**
 * @param {string} config path or name, with or without .json
 * @param {string} [folder] where names are looked up
 * @returns {Promise<{file: string, name: string, content: unknown}>}
 * @throws {UsageError} when there is none, or it is not JSON
 */
export async function readScenarioFile(config, folder = configFolder) {
  const paths = [config, `${config}.json`, join(folder, config), join(folder, `${config}.json`)];
  for (const path of paths) {
    const text = await readIfThere(path);
    if (text === undefined) continue;
    const near = relative(process.cwd(), path);
    const file = near === '' || near.startsWith('..') ? path : near;
    return { file, name: scenarioName(path), content: shallow(parseJson(text, file), file) };
  }
  const names = await scenarioNames(folder);
  throw new UsageError(`--config: there is no file ${JSON.stringify(config)}, and no scenario of that name.` +
    `${didYouMean(basename(config, '.json'), names)} Scenarios: ${names.join(', ')}`, { code: 'ECONFIG' });
}

/**
 * @param {string} path
 * @returns {string} the file's name, with what a scenario's name may hold: it becomes part of folder names
 */
function scenarioName(path) {
  const name = basename(path).replace(/\.json$/, '').replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return name === '' ? 'scenario' : name.slice(0, 64);
}

/**
 * Counted without recursion, as what copies and checks a scenario recurses.
 * @param {unknown} content
 * @param {string} file
 * @returns {unknown} the same
 * @throws {UsageError} when it is deeper than any scenario
 */
function shallow(content, file) {
  let level = [content];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) {
      throw new UsageError(`${file}: nested too deeply: lists and objects stand in one another more than ${DEEPEST} deep`,
        { code: 'ESCENARIO' });
    }
    level = level.filter((each) => Object(each) === each).flatMap((each) => Object.values(Object(each)));
  }
  return content;
}

/**
 * @param {string} text
 * @param {string} file
 * @returns {unknown}
 */
function parseJson(text, file) {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const { line, column } = jsonErrorPlace(text, message);
    const reason = (/^Unexpected token '[^]+?'/.exec(message)?.[0] ?? message).replace(/ in JSON at position.*| at position.*/s, '');
    throw new UsageError(`${file}:${line}:${column}: not JSON: ${reason}`, { code: 'EJSON', cause: error });
  }
}

/**
 * @param {string} text
 * @param {string} message of JSON.parse
 * @returns {{line: number, column: number}} from 1
 */
function jsonErrorPlace(text, message) {
  const stated = /at position ([0-9]+)/.exec(message);
  const position = stated === null ? firstBadPosition(text) : Number(stated[1]);
  const before = text.slice(0, position).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/**
 * Where text stops being the beginning of some JSON, for messages of JSON.parse that leave the position out.
 * @param {string} text
 */
function firstBadPosition(text) {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isBeginning(text.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** @param {string} text */
function isBeginning(text) {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const position = /at position ([0-9]+)/.exec(message)?.[1];
    return /^(Unexpected end|Unterminated)/.test(message) || Number(position) >= text.length;
  }
}
