// Finds out which protocol a server speaks, before a run whose scenario names none; the run then uses that protocol.
// A server that cannot be started, or that speaks no recognised protocol, ends the command.

import { EnvironmentError } from '../errors.js';
import { protocolNames, protocolOf, recognisedNames } from '../protocols/index.js';
import { openServer } from './server-under-test.js';
import { checkTargets } from './target-check.js';

/**
 * @import { Logger } from 'pino'
 * @import { Leg } from '../plan/plan.js'
 * @import { Launcher } from './server-under-test.js'
 */

/** Discards what is logged: only a run keeps the output of its servers. */
export const SILENT = /** @type {Logger} */ (/** @type {unknown} */ ({ info() {}, warn() {}, error() {}, debug() {} }));

/**
 * @typedef {{ label: string, error: EnvironmentError }} Failure  label: of a server; error: of an exchange with it
 * @typedef {{ answered: boolean, other: { protocol: string, text: string } | null }} Found  answered: whether its
 *   targets have just answered; other: the protocol that the server speaks instead of the leg's, and a sentence that
 *   says so; null: the leg's protocol remains
 */

/**
 * @param {Launcher} launcher @param {Leg[]} legs of a scenario that names no protocol
 * @param {(text: string) => void} notice
 * @returns {Promise<Found>}
 * @throws {EnvironmentError} ETARGETCHECK, as checkTargets(), and if no command starts or answers, or one does not
 *   listen in time; with `force` only for targets that do not answer
 */
export async function findProtocol(launcher, legs, notice) {
  const [first] = legs;
  if (first.server.kind === 'target') return findProtocolOfTarget(first, notice);
  /** @type {Failure[]} */
  const failures = [];
  for (const leg of firstLegsOf(legs)) {
    const { settings, label } = leg;
    try {
      const { stop } = await openServer(launcher, { leg, settings, log: SILENT, warn: () => {}, notice });
      await stop();
      return { answered: false, other: null };
    } catch (caught) {
      const error = /** @type {EnvironmentError} */ (caught);
      const other = otherProtocol(error, label);
      if (other !== null) return { answered: false, other };
      failures.push({ label, error });
      if (error.code === 'ENOTREADY') break; // each wait is long
    }
  }
  if (first.settings.force) return { answered: false, other: null };
  throw failureOf(failures, first);
}

/**
 * @param {Leg} leg @param {(text: string) => void} notice
 * @returns {Promise<Found>}
 */
async function findProtocolOfTarget(leg, notice) {
  try {
    return { answered: await checkTargets(leg.settings, leg, notice), other: null };
  } catch (caught) {
    const error = /** @type {EnvironmentError} */ (caught);
    const other = otherProtocol(error, leg.label);
    if (other !== null) return { answered: false, other };
    throw isUnrecognised(error) ? failureOf([{ label: error.data.endpoint, error }], leg) : error;
  }
}

/** @param {Leg[]} legs @returns {Leg[]} the first leg of each server */
const firstLegsOf = (legs) => [...new Map(legs.toReversed().map((leg) => [leg.label, leg])).values()].toReversed();

/** @param {EnvironmentError} error @param {string} label @returns {Found['other']} */
function otherProtocol(error, label) {
  const { protocol, tls } = error.data?.suggestion ?? {};
  // TLS needs further options, such as the certificates that are trusted
  if (protocol === undefined || tls !== undefined) return null;
  const text = `${label} is measured as ${protocolOf(protocol).title ?? protocol}, which it speaks; to name it, give --protocol ${protocol}`;
  return { protocol, text };
}

/**
 * @param {EnvironmentError} error of an exchange
 * @returns {boolean} whether the server has answered in none of the protocols that were tried
 */
const isUnrecognised = ({ data }) =>
  data?.step === 'reply' && data.received > 0 && data.suggestion === null && !data.denied && !data.tlsFailure;

/**
 * @param {Failure[]} failures of servers, at least one
 * @param {Leg} leg
 * @returns {EnvironmentError} with a line for each reason
 */
function failureOf(failures, { settings: { protocol } }) {
  const known = protocolNames.join(', ');
  const unrecognised =
    `in none of the protocols that are recognised (${recognisedNames.join(', ')}), so ${protocol} was tried: ` +
    `give --protocol (one of ${known}). To measure it all the same, give --force`;
  /** @type {Map<string, string[]>} */
  const labels = new Map();
  for (const { label, error } of failures) {
    const text = isUnrecognised(error) ? unrecognised : error.message;
    labels.set(text, [...(labels.get(text) ?? []), label]);
  }
  const text = [...labels]
    .map(([reason, servers]) => {
      const verb = reason !== unrecognised ? ':' : servers.length === 1 ? ' answers' : ' answer';
      return `${servers.join(', ')}${verb} ${reason}`;
    })
    .join('\n');
  const [{ error: cause }] = failures;
  return new EnvironmentError(text, { code: 'ETARGETCHECK', data: { reasonCode: cause.code, ...cause.data }, cause });
}
