// `npm run -s lint-servers`: format, lint and unit tests of the servers of each language (lint-table.js). A language
// whose tools are not there is left out, with what to install; in .ci/run (BROADSIDE_CI) that is a failure.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureBuilt } from './launcher/builder/build.js';
import { firstMissing } from './launcher/manifest/requirements.js';
import { table } from './lint-table.js';

const SERVERS = dirname(fileURLToPath(import.meta.url));

/** @typedef {import('./lint-table.js').Row} Row */

/**
 * @param {object} [options]
 * @param {Row[]} [options.rows]
 * @param {string} [options.servers] the folder that theirs are in
 * @param {boolean} [options.complete] whether a language may not be left out
 * @param {(text: string) => void} [options.say]
 * @returns {Promise<boolean>} whether nothing was found
 */
export async function lint({ rows = table, servers = SERVERS, complete = false, say = console.log } = {}) {
  let clean = true;
  for (const { folder: name, requires, build, checks } of rows) {
    const folder = join(servers, name);
    if (!existsSync(folder)) {
      say(`${name}: FAILED: there is no folder ${folder}, and lint-table.js has a row for it`);
      clean = false;
      continue;
    }
    const missing = await firstMissing(requires, { folder });
    if (missing) {
      say(`${name}: left out: ${missing.why}; ${missing.remedy}`);
      clean &&= !complete;
      continue;
    }
    if (build) await ensureBuilt({ folder, manifest: { build } }, `the tools for ${name}`);
    for (const { what, command, mute = false } of checks) {
      const { code, stdout, text } = await outcome(command, folder);
      const ok = code === 0 && !(mute && stdout.trim() !== '');
      say(`${name}: ${what}: ${command.join(' ')}: ${ok ? 'ok' : 'FAILED'}`);
      if (!ok) say(text.trimEnd());
      clean &&= ok;
    }
  }
  return clean;
}

/**
 * @param {string[]} command
 * @param {string} cwd
 * @returns {Promise<{code: number | null, stdout: string, text: string}>} text: all that it wrote, in that order
 */
function outcome([program, ...words], cwd) {
  const child = spawn(program, words, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', text: '' };
  child.stdout.setEncoding('utf8').on('data', (part) => {
    said.stdout += part;
    said.text += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part) => (said.text += part));
  return new Promise((resolve) => {
    child.on('error', ({ message }) => resolve({ code: null, stdout: '', text: message }));
    child.on('close', (code) => resolve({ code, ...said }));
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = (await lint({ complete: Boolean(process.env.BROADSIDE_CI) })) ? 0 : 1;
}
