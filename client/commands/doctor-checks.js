// Doctor's checks beside the plan's limits: is the backend there, can the servers be built, can the folders be written.

import { access, constants, mkdir, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { chooseBackend } from '../plan/backend.js';

/** @typedef {import('../console/limits-table.js').Row} Row */

/**
 * @param {Omit<Row, 'servers' | 'unit' | 'holds'>} row
 * @returns {Row}
 */
function check(row) {
  return { servers: [], unit: 'words', holds: null, ...row };
}

/**
 * The backend the legs run over. One asked for by name that is not there is a limit of the plan, and not said twice.
 * @param {import('../scenario/scenario.js').Scenario} scenario
 * @param {Pick<import('../machine/host.js').Host, 'backends'>} host
 * @returns {Row[]}
 */
export function backendCheck(scenario, { backends }) {
  if (backends.some(({ name, available }) => name === scenario.io && !available)) return [];
  const value = chooseBackend(scenario, backends);
  const lacking = backends
    .filter(({ available }) => !available)
    .map(({ name, why }) => `; ${name} is not there: ${why}`);
  return [
    check({
      code: 'io-backend',
      name: 'io',
      value,
      needed: scenario.io,
      verdict: 'ok',
      remedy: null,
      what: `the workers move bytes by ${value}${lacking.join('')}.`,
    }),
  ];
}

/**
 * @param {import('../scenario/scenario.js').Scenario} scenario
 * @param {import('../plan/processes.js').KnownServer[]} known
 * @returns {Row[]} one a server, however many legs it has
 */
export function serverChecks({ servers = [] }, known) {
  const names = new Set(servers.map(({ name }) => name));
  return known
    .filter(({ name }) => names.has(name))
    .map(({ name, available = true, why, remedy }) =>
      check({
        code: 'server-available',
        name: `server ${name}`,
        value: available ? 'there' : 'missing',
        needed: 'there',
        verdict: available ? 'ok' : 'missing',
        what: available
          ? 'it can be built and started.'
          : `it cannot be built or started here: ${why ?? 'unknown reason'}.`,
        remedy: available || !remedy ? null : `${remedy}.`,
      }),
    );
}

/**
 * @param {import('../scenario/scenario.js').Scenario} scenario
 * @param {import('../plan/processes.js').KnownServer[]} known
 * @returns {string[]} labels of the legs that cannot run because their server cannot be built or started here
 */
export function missingLegs({ servers = [] }, known) {
  const missing = new Set(known.filter(({ available = true }) => !available).map(({ name }) => name));
  return servers.filter(({ name }) => missing.has(name)).map(({ as }) => as);
}

/**
 * @param {'logs' | 'report'} name
 * @param {string} folder may not exist yet: then the one it would be made in counts
 * @returns {Promise<Row>}
 */
export async function folderCheck(name, folder) {
  const problem = await whyNotWritable(folder);
  if (problem === null) {
    return check({
      code: `${name}-folder`,
      name: `${name} folder`,
      value: 'writable',
      needed: 'writable',
      verdict: 'ok',
      remedy: null,
      what: `${folder} can be written into.`,
    });
  }
  return check({
    code: `${name}-folder`,
    name: `${name} folder`,
    value: 'closed',
    needed: 'writable',
    verdict: 'client',
    what: `nothing can be written into ${folder}: ${problem}.`,
    remedy: `Give another place: --${name} DIR.`,
  });
}

/**
 * A folder that does not exist is made and removed again: the only sure way to learn whether it can be made.
 * @param {string} folder
 * @returns {Promise<string | null>}
 */
async function whyNotWritable(folder) {
  try {
    const top = await mkdir(folder, { recursive: true });
    if (top === undefined) await access(folder, constants.W_OK | constants.X_OK);
    else await removeEmpty(folder, top);
    return null;
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/**
 * Removes folders that were just made; one that another process uses by now stays.
 * @param {string} folder the deepest
 * @param {string} top the highest
 */
async function removeEmpty(folder, top) {
  for (let path = folder; path.startsWith(top); path = dirname(path)) await rmdir(path).catch(() => {});
}
