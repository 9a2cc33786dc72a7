// Which protocol a server speaks for which the scenario names none: found before the run, which then measures that.

import { protocolOf } from '../protocols/index.js';
import { formatEndpoints } from '../words/endpoint.js';
import { exchange } from './exchange.js';
import { openServer } from './server-under-test.js';
import { withRemedy } from './target-check.js';

/**
 * @import { Leg } from '../plan/plan.js'
 * @import { Launcher } from './server-under-test.js'
 */

/** What a server says on its own, and what the log has of it, are of a run. */
export const SILENT = /** @type {any} */ ({ info() {}, warn() {}, error() {}, debug() {} });

/**
 * @param {Launcher} launcher @param {Leg} leg
 * @returns {Promise<void>} rejects where the server does not answer as the protocol of the leg has it, or cannot be
 *   started
 */
async function ask(launcher, leg) {
  const { server, settings } = leg;
  if (server.kind !== 'target') {
    const { stop } = await openServer(launcher, { leg, settings, answered: true, log: SILENT, warn: () => {} });
    return stop();
  }
  const [{ host, port }] = server.targets ?? [server];
  const wanted = { settings, leg, server: { address: host, port }, tls: settings.tls };
  return exchange(wanted).catch(async (error) => {
    throw await withRemedy(error, wanted);
  });
}

/**
 * @param {Launcher} launcher @param {Leg} leg of a scenario that names no protocol
 * @returns {Promise<{ answered: boolean, other: { protocol: string, text: string } | null }>} answered: whether its
 *   server, and no other target, has just answered; other: the protocol that it speaks in place of that of the leg, as
 *   far as that is found, and a sentence that says so
 */
export async function findProtocol(launcher, leg) {
  const { server, label } = leg;
  const error = await ask(launcher, leg).catch((/** @type {any} */ failure) => failure);
  if (error === undefined) return { answered: server.kind === 'target' && server.targets === undefined, other: null };
  const { protocol, tls } = error.data?.suggestion ?? {};
  // with TLS there is more to say, such as which certificates are trusted
  if (protocol === undefined || tls !== undefined) return { answered: false, other: null };
  const name = server.kind === 'target' ? formatEndpoints(server.targets ?? [server]) : label;
  const text = `${name} speaks ${protocolOf(protocol).title ?? protocol}: --protocol ${protocol}`;
  return { answered: false, other: { protocol, text } };
}
