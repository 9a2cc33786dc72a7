// The servers that represent the others in the default tier: one of each language.

import { isFresh } from '../../servers/launcher/builder/stamp.js';
import { skip } from '../hooks.js';

const REPRESENTATIVES = ['epoll', 'go', 'java-nio', 'node', 'python-asyncio', 'rust-tokio'];

/** @param {string} name of a server */
export const isRepresentative = (name) => REPRESENTATIVES.includes(name);

/**
 * @param {import('../../servers/launcher/builder/availability.js').FoundServer} server
 * @returns {boolean} false: in the default tier, it would first have to be built in a language that set-up does not build
 */
const isBuiltHere = (server) =>
  Boolean(process.env.BROADSIDE_SLOW) || !server.manifest.build || server.language === 'c' || isFresh(server);

/**
 * Skips what needs a server that cannot be tested.
 * @param {import('mocha').Context} context
 * @param {import('../../servers/launcher/builder/availability.js').FoundServer} server
 */
export function requireServer(context, server) {
  if (!server.available) skip(context, `${server.why} (${server.remedy})`);
  const { name } = server;
  if (!isBuiltHere(server)) skip(context, `${name} is not built (npm run servers -- build ${name})`);
}
