// Which protocol a server speaks for which the scenario names none: found before the run, which then measures that.

import { protocolOf } from '../protocols/index.js';
import { openServer } from './server-under-test.js';
import { checkTargets } from './target-check.js';

/**
 * @import { EnvironmentError } from '../errors.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { Launcher } from './server-under-test.js'
 */

/** What a server says on its own, and what the log has of it, are of a run. */
export const SILENT = /** @type {any} */ ({ info() {}, warn() {}, error() {}, debug() {} });

/**
 * @param {Launcher} launcher @param {Leg} leg of a scenario that names no protocol
 * @param {(text: string) => void} notice
 * @returns {Promise<{ answered: boolean, other: { protocol: string, text: string } | null }>} answered: whether its
 *   targets have just answered; other: the protocol that its server speaks in place of that of the leg, where that is
 *   found, and a sentence that says so
 * @throws {EnvironmentError} ETARGETCHECK, as checkTargets(); a command that does not answer fails its leg
 */
export async function findProtocol(launcher, leg, notice) {
  const { server, settings, label } = leg;
  const isTarget = server.kind === 'target';
  try {
    if (isTarget) return { answered: await checkTargets(settings, leg, notice), other: null };
    const { stop } = await openServer(launcher, { leg, settings, log: SILENT, warn: () => {} });
    await stop();
  } catch (/** @type {any} */ error) {
    const { protocol, tls } = error.data?.suggestion ?? {};
    // with TLS there is more to say, such as which certificates are trusted
    if (protocol !== undefined && tls === undefined) {
      const text = `${label} speaks ${protocolOf(protocol).title ?? protocol}: --protocol ${protocol}`;
      return { answered: false, other: { protocol, text } };
    }
    if (isTarget) throw error;
  }
  return { answered: false, other: null };
}
