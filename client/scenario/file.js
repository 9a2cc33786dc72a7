// Finds and reads a scenario file: a path, a name looked up in the package's config folder, or broadside.json of the
// user's folder.

import { existsSync, readdirSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../errors.js';
import { didYouMean } from './nearest.js';

const configFolder = fileURLToPath(new URL('../../config/', import.meta.url));

/** The scenario of the folder in which a command is typed. */
const FOLDER_SCENARIO = 'broadside.json';

/** @returns {string | undefined} its path; undefined: the folder has none */
export const scenarioOfFolder = () => (existsSync(FOLDER_SCENARIO) ? FOLDER_SCENARIO : undefined);

/**
 * @param {string} [folder]
 * @returns {string[]} names of the scenarios shipped, without .json, sorted
 */
export function scenarioNames(folder = configFolder) {
  const files = readdirSync(folder, { withFileTypes: true });
  const scenarios = files.filter((file) => file.isFile() && file.name.endsWith('.json'));
  return scenarios.map(({ name }) => basename(name, '.json')).sort();
}

/**
 * @param {string} path
 * @returns {Promise<string | undefined>} undefined when there is no such file
 */
async function readIfThere(path) {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return undefined;
    if (stats.isFile()) return await readFile(path, 'utf8');
  } catch (error) {
    const code = /** @type {NodeJS.ErrnoException} */ (error).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new UsageError(`--config: cannot read ${path} (${code})`, {
      code: 'ECONFIG',
      data: { path, problem: 'unreadable', errorCode: code },
      cause: error,
    });
  }
  // a pipe may have no writer: reading it could block for ever
  throw new UsageError(`--config: ${path} is not a regular file; give a JSON file, or the name of a scenario`, {
    code: 'ECONFIG',
    data: { path, problem: 'not-a-file' },
  });
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
    const { parseScenarioJson } = await import('./json.js');
    const relativePath = relative(process.cwd(), path);
    const file = relativePath === '' || relativePath.startsWith('..') ? path : relativePath;
    return { file, name: scenarioName(path), content: parseScenarioJson(text, file) };
  }
  const names = scenarioNames(folder);
  throw new UsageError(
    `--config: there is no file ${JSON.stringify(config)}, and no scenario of that name.` +
      `${didYouMean(basename(config, '.json'), names)} Scenarios: ${names.join(', ')}`,
    { code: 'ECONFIG', data: { config, problem: 'unknown', known: names } },
  );
}

/**
 * @param {string} path
 * @returns {string} the file's name, with only the characters that a scenario's name may have
 */
function scenarioName(path) {
  const name = basename(path)
    .replace(/\.json$/, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '');
  return name === '' ? 'scenario' : name.slice(0, 64);
}
