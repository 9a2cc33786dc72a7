// `broadside servers export`: writes servers as folders that volley's Makefile and bench.sh build and measure. Each
// folder has a Makefile with the targets NAME and `clean`; the program NAME takes exactly `-p PORT`.

import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { missingOption } from '../../commands/option-values.js';
import { launcher, printJson, selectServers } from '../../commands/servers/select-servers.js';
import { print } from '../../console/print.js';
import { EnvironmentError, UsageError } from '../../errors.js';

/**
 * @import { ListedServer } from '../../../servers/launcher/manifest/list-servers.js'
 * @import { BroadsideError } from '../../errors.js'
 */

/** The manifest's option that makes a server end at the word zero, as volley expects. */
const STOP = 'volleyStop';
const PREFIX = 'broadside-';

/**
 * @param {{names?: string[], volley?: string, json?: boolean}} argv
 * @throws {BroadsideError} before anything is written
 */
export async function exportServers({ names = [], volley, json }) {
  const into = existingFolder(volley);
  const { build, checkAvailability } = await launcher();
  const chosen = await selectServers(names);
  const unfit = chosen.filter(({ server, by }) => !isExportable(server) && by.includes(server.name));
  if (unfit.length > 0) throw unfitError(unfit.map(({ server }) => server.name));
  const candidates = await checkAvailability(chosen.map(({ server }) => server).filter(isExportable));
  const available = candidates.filter((server) => server.available);
  if (available.length === 0) {
    const reasons = candidates.map(({ name, why, remedy }) => `${name}: ${why}; ${remedy}`);
    const why = reasons.length > 0 ? reasons.join('; ') : 'none of them speaks volley and ends at the word zero';
    const data = { servers: candidates.map(({ name }) => name) };
    throw new EnvironmentError(`none of these servers can be exported: ${why}`, { code: 'EEXPORT', data });
  }
  await build({
    names: available.map(({ name }) => name),
    onLine: (/** @type {string} */ line) => print(line, process.stderr),
  });
  const written = available.map((server) => {
    const { name, files } = volleyFolder(server);
    const folder = join(into, name);
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    return { server: server.name, folder };
  });
  if (json) printJson(written);
  else for (const { server, folder } of written) print(`${server}  ${folder}`);
}

/** @param {string | undefined} text @returns {string} its absolute path */
function existingFolder(text) {
  if (text === undefined) {
    throw missingOption(
      'volley',
      "the folder is missing; give volley's folder of servers, such as --volley ~/volley/servers",
    );
  }
  const path = resolve(text);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new UsageError(`--volley: there is no folder ${text}; give the folder of servers in a checkout of volley`, {
    code: 'EFOLDER',
    data: { folder: text },
  });
}

/** @param {string[]} names @returns {UsageError} */
function unfitError(names) {
  return new UsageError(
    `${names.join(', ')}: cannot be exported: a server of volley speaks the protocol volley and ends at the word zero (option volleyStop)`,
    { code: 'EPROTOCOL', data: { servers: names, protocol: 'volley' } },
  );
}

/** @param {Pick<ListedServer, 'manifest'>} server @returns {boolean} whether volley can build and measure it */
export function isExportable({ manifest: { protocols, options = {}, run } }) {
  return protocols.includes('volley') && STOP in options && !run.some((word) => word.includes('{scratch}'));
}

/**
 * @param {Pick<ListedServer, 'name' | 'folder' | 'manifest'>} server built
 * @returns {{name: string, files: Record<string, string>}} name of the folder; its files by name
 */
export function volleyFolder({ name: server, folder, manifest: { run, options = {} } }) {
  const name = PREFIX + server;
  const values = { host: '127.0.0.1', protocol: 'volley' };
  const words = [...run, ...options[STOP]].map((word) =>
    word === '{port}'
      ? '"$2"'
      : quoted(word.replace(/\{(host|protocol)\}/g, (_, key) => values[/** @type {'host'} */ (key)])),
  );
  const script = [
    '#!/bin/sh',
    `# Broadside's server ${server} as a program of volley. Its own output goes to stderr, so that stdout has the result alone.`,
    `if [ $# -ne 2 ] || [ "$1" != -p ]; then echo ${quoted(`usage: ${name} -p PORT`)} >&2; exit 2; fi`,
    `cd ${quoted(folder)} && exec ${words.join(' ')} >&2`,
  ];
  const makefile = [`${name}: ${name}.sh`, '\tcp $< $@ && chmod +x $@', 'clean:', `\trm -f ${name}`];
  return { name, files: { [`${name}.sh`]: lines(script), Makefile: lines(makefile) } };
}

/** @param {string[]} rows */
const lines = (rows) => `${rows.join('\n')}\n`;

/** @param {string} word @returns {string} the word, quoted for a shell if it needs quotes */
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
