// The servers that represent the others in npm test: one of each language.

import { isFresh } from '../../servers/launcher/builder/stamp.js';
import { skip } from '../skip.js';

/**
 * @import { Context } from 'mocha'
 * @import { FoundServer } from '../../servers/launcher/builder/availability.js'
 */

const REPRESENTATIVES = ['epoll', 'go', 'java-nio', 'node', 'python-asyncio', 'rust-tokio'];

/** @param {string} name of a server */
export const isRepresentative = (name) => REPRESENTATIVES.includes(name);

/**
 * Skips what needs a server that is not available, or that would first have to be built in a language that set-up does
 * not build.
 * @param {Context} context
 * @param {FoundServer} server
 */
export function requireServer(context, server) {
  const { name, language, manifest } = server;
  if (!server.available) skip(context, `${server.why} (${server.remedy})`);
  if (manifest.build && language !== 'c' && !isFresh(server)) {
    skip(context, `${name} is not built (npm run servers -- build ${name})`);
  }
}
