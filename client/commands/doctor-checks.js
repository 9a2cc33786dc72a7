// The checks of `doctor` besides the limits of the plan: whether the servers can be built, and the folders written.

import { access, constants, mkdir, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { limitTexts } from '../plan/limits/texts.js';

/**
 * @import { Row } from '../console/limits-table.js'
 * @import { Decision } from '../plan/preflight.js'
 * @import { KnownServer } from '../plan/processes.js'
 * @import { Scenario } from '../scenario/scenario.js'
 */

/**
 * @param {string} code of plan/limits/texts.js
 * @param {object} facts
 * @param {string} facts.available
 * @param {string} facts.needed
 * @param {boolean} facts.exceeded
 * @param {Record<string, unknown>} facts.data
 * @param {string[]} [facts.servers]
 * @returns {Row}
 */
function check(code, { available, needed, exceeded, data, servers = [] }) {
  const { name, text, remedy } = limitTexts(code, data);
  return {
    code,
    name,
    servers,
    side: 'client',
    exceeded,
    unit: 'words',
    available,
    needed,
    holds: null,
    data,
    text,
    remedy: exceeded ? remedy : null,
  };
}

/**
 * @param {{ name: string, allow: string[], refused: string[] }[]} agents  refused: of the targets, those that it may
 *   not reach
 * @param {string[]} targets addresses
 * @returns {Row[]} one for each agent that refuses a target; where there is none, one for all
 */
export function permissionChecks(agents, targets) {
  const refusing = agents.filter(({ refused }) => refused.length > 0);
  const needed = 'permitted';
  if (refusing.length === 0) {
    const data = { targets, refused: [], allow: null };
    return [check('agent-target', { available: 'permitted', needed, exceeded: false, data })];
  }
  return refusing.map(({ name, allow, refused }) =>
    check('agent-target', {
      ...{ available: 'refused', needed, exceeded: true, servers: [name] },
      data: { targets, refused, allow },
    }),
  );
}

/**
 * @param {Scenario} scenario
 * @param {KnownServer[]} known
 * @returns {Row[]} one a server, however many legs it has
 */
export function serverChecks({ servers = [] }, known) {
  const names = new Set(servers.map(({ name }) => name));
  return known
    .filter(({ name }) => names.has(name))
    .map(({ name, available = true, why, remedy, problem }) =>
      check('server-available', {
        available: available ? 'available' : 'missing',
        needed: 'available',
        exceeded: !available,
        data: { server: name, available, problem: problem ?? null, why: why ?? null, remedy: remedy ?? null },
      }),
    );
}

/**
 * @param {Scenario} scenario
 * @param {KnownServer[]} known
 * @returns {string[]} labels of the legs that cannot run because their server cannot be built or started here
 */
export function missingLegs({ servers = [] }, known) {
  const missing = new Set(known.filter(({ available = true }) => !available).map(({ name }) => name));
  return servers.filter(({ name }) => missing.has(name)).map(({ as }) => as);
}

/** @param {Scenario} scenario @returns {number} its servers and commands */
export const legsOf = ({ servers = [], commands = [] }) => Math.max(1, servers.length + commands.length);

/**
 * Whether `stress` would measure anything: a leg whose server is missing does not keep it from the others.
 * @param {Scenario} requested
 * @param {Pick<Decision, 'scenario'>} decision
 * @param {Row[]} checks
 * @param {string[]} missing
 */
export function canRun(requested, { scenario }, checks, missing) {
  const blocked = checks.some(({ code, exceeded }) => exceeded && code !== 'server-available');
  return scenario !== null && !blocked && (requested.servers === undefined || missing.length < legsOf(requested));
}

/**
 * @param {'logs' | 'report'} option
 * @param {string} folder may not exist yet: then the one it would be made in counts
 * @returns {Promise<Row>}
 */
export async function folderCheck(option, folder) {
  const failure = await whyNotWritable(folder);
  return check('folder-writable', {
    available: failure === null ? 'writable' : 'closed',
    needed: 'writable',
    exceeded: failure !== null,
    data: { option, folder, errno: failure?.errno ?? null, problem: failure?.problem ?? null },
  });
}

/**
 * A folder that does not exist is made and removed again: the only sure way to learn whether it can be made.
 * @param {string} folder
 * @returns {Promise<{errno: string | null, problem: string} | null>}
 */
async function whyNotWritable(folder) {
  try {
    const top = await mkdir(folder, { recursive: true });
    if (top === undefined) await access(folder, constants.W_OK | constants.X_OK);
    else await removeEmpty(folder, top);
    return null;
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    return { errno: code ?? null, problem: message };
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
