// `broadside servers` lists what can be measured here, and why the rest cannot; `broadside servers build` builds it.

import { columns } from '../console/columns.js';
import { UsageError } from '../errors.js';
import { didYouMean } from '../scenario/nearest.js';

export const command = 'servers';
export const describe = 'List or build the servers';

/** @param {import('yargs').Argv} yargs */
export function builder(yargs) {
  return yargs
    .options({ json: { type: 'boolean', description: 'Print JSON', global: true } })
    .command('build [names..]', 'Build the servers that need it', (inner) => inner
      .positional('names', { type: 'string', array: true, description: 'Servers', defaultDescription: 'all' }), build);
}

const launcher = () => import('../../servers/launcher/index.js');

/** @param {unknown} json */
function printJson(json) {
  process.stdout.write(`${JSON.stringify(json, null, 2)}\n`);
}

/**
 * @param {any} argv
 */
export async function handler({ json }) {
  const { discover } = await launcher();
  const servers = await discover();
  if (json) {
    printJson(servers.map(({ manifest: _manifest, ...rest }) => rest));
    return;
  }
  const rows = servers.map(({ name, language, model, protocols, concurrent, available }) =>
    [name, language, model, protocols.join(' '), placesOf(concurrent), available ? 'yes' : 'no']);
  const lines = [columns(['server', 'language', 'model', 'protocols', 'at once', 'available'], rows)];
  for (const { name, available, why, remedy } of servers) {
    if (!available) lines.push(`${name} is not available: ${why ?? 'unknown reason'}${remedy ? `; ${remedy}` : ''}`);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

/**
 * @param {import('../../servers/launcher/discover.js').Concurrent | null} concurrent
 * @returns {string} how many it serves at once
 */
function placesOf(concurrent) {
  return concurrent !== null && typeof concurrent === 'object' ? `${concurrent.option} (${concurrent.default})` : String(concurrent ?? '?');
}

/** @param {any} argv */
async function build({ names = [], json }) {
  const { build: buildServers, discover } = await launcher();
  const known = (await discover()).map(({ name }) => name);
  const unknown = names.filter((/** @type {string} */ name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new UsageError(unknown.map((/** @type {string} */ name) => `there is no server "${name}".` +
      `${didYouMean(name, known)} Known: ${known.join(', ')}`).join('\n'), { code: 'ESERVER' });
  }
  await buildServers({
    ...(names.length > 0 ? { names } : {}),
    onLine: (/** @type {string} */ line) => process.stderr.write(`${line}\n`),
  });
  if (json) await handler({ json });
}
