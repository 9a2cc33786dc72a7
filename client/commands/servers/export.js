// `broadside servers export`: writes servers as folders of volley's form, so that volley's own Makefile and bench.sh
// build and measure them.

import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EnvironmentError, UsageError } from '../../errors.js';
import { missingOption } from '../option-values.js';
import { launcher, print, printJson, selectServers } from './select-servers.js';

/** @type {Record<string, import('yargs').Options>} */
export const exportOptions = {
  volley: {
    type: 'string',
    requiresArg: true,
    description: "Volley's folder of servers, which gets a folder broadside-NAME for each (required)",
  },
};

/**
 * @param {{names?: string[], volley?: string, json?: boolean}} argv
 * @throws {import('../../errors.js').BroadsideError} before anything is written
 */
export async function exportServers({ names = [], volley, json }) {
  const into = existingFolder(volley);
  const { build, canBeVolleys, checkAvailability, volleyFolder } = await launcher();
  const chosen = await selectServers(names);
  const unfit = chosen.filter(({ server, by }) => !canBeVolleys(server) && by.includes(server.name));
  if (unfit.length > 0) throw unfitError(unfit.map(({ server }) => server.name));
  const found = await checkAvailability(chosen.map(({ server }) => server).filter(canBeVolleys));
  const available = found.filter((server) => server.available);
  if (available.length === 0) {
    const reasons = found.map(({ name, why, remedy }) => `${name}: ${why}; ${remedy}`);
    const why = reasons.length > 0 ? reasons.join('; ') : 'none of them speaks volley and ends at the word zero';
    const data = { servers: found.map(({ name }) => name) };
    throw new EnvironmentError(`none of these servers can be exported: ${why}`, { code: 'EEXPORT', data });
  }
  await build({
    names: available.map(({ name }) => name),
    onLine: (/** @type {string} */ line) => void process.stderr.write(`${line}\n`),
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
    `${names.join(', ')}: cannot be a program of volley, which speaks volley and ends at the word zero (option volleyStop)`,
    { code: 'EPROTOCOL', data: { servers: names, protocol: 'volley' } },
  );
}
