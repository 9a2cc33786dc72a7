// `npm run -s lint-servers`: checks format and style of the servers in each language and runs their unit tests, as
// lint-table.js says. A language whose tools are not installed is skipped; in .ci/run (BROADSIDE_CI) that is a failure.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureBuilt } from './launcher/builder/build.js';
import { firstUnmet } from './launcher/manifest/requirements.js';
import { table } from './lint-table.js';

/** @import { Row } from './lint-table.js' */

const SERVERS = dirname(fileURLToPath(import.meta.url));

/**
 * @typedef {object} Result of one check, or of a language that cannot be checked
 * @property {string} folder
 * @property {'ok' | 'failed' | 'skipped'} status
 * @property {string} code the kind of check (format, lint, test); `missing-folder`; or the code of the requirement that
 *   is not met
 * @property {string} text
 * @property {string} [output] what a failed check has written
 */

/**
 * @param {object} [options]
 * @param {Row[]} [options.rows]
 * @param {string} [options.servers] the folder that contains those of the rows
 * @param {(result: Result) => void} [options.onResult]
 * @returns {Promise<Result[]>}
 */
export async function lint({ rows = table, servers = SERVERS, onResult = () => {} } = {}) {
  /** @type {Result[]} */
  const results = [];
  const add = (/** @type {Result} */ result) => {
    results.push(result);
    onResult(result);
  };
  for (const { folder: name, requires, build, checks } of rows) {
    const folder = join(servers, name);
    if (!existsSync(folder)) {
      const text = `there is no folder ${folder}; remove its row from lint-table.js`;
      add({ folder: name, status: 'failed', code: 'missing-folder', text });
      continue;
    }
    const unmet = await firstUnmet(requires, { folder });
    if (unmet) {
      add({ folder: name, status: 'skipped', code: unmet.code, text: `${unmet.text}; ${unmet.remedy}` });
      continue;
    }
    if (build) await ensureBuilt({ folder, manifest: { build } }, `the tools for ${name}`);
    for (const { what, command, failsOnOutput = false } of checks) {
      const { exitCode, stdout, output } = await run(command, folder);
      const ok = exitCode === 0 && !(failsOnOutput && stdout.trim() !== '');
      const text = `${what}: ${command.join(' ')}`;
      add({ folder: name, code: what, text, ...(ok ? { status: 'ok' } : { status: 'failed', output }) });
    }
  }
  return results;
}

/**
 * @param {string[]} command
 * @param {string} cwd
 * @returns {Promise<{exitCode: number | null, stdout: string, output: string}>} output: stdout and stderr as they came
 */
function run([program, ...words], cwd) {
  const child = spawn(program, words, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { stdout: '', output: '' };
  child.stdout.setEncoding('utf8').on('data', (part) => {
    texts.stdout += part;
    texts.output += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part) => (texts.output += part));
  return new Promise((resolve) => {
    child.on('error', ({ message }) => resolve({ exitCode: null, stdout: '', output: message }));
    child.on('close', (exitCode) => resolve({ exitCode, ...texts }));
  });
}

/** @param {Result} result */
function print({ folder, status, text, output }) {
  console.log(`${folder}: ${status}: ${text}`);
  if (output) console.log(output.trimEnd());
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const results = await lint({ onResult: print });
  const tolerated = process.env.BROADSIDE_CI ? ['ok'] : ['ok', 'skipped'];
  process.exitCode = results.every(({ status }) => tolerated.includes(status)) ? 0 : 1;
}
