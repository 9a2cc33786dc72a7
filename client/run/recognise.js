// Which protocol a server speaks for which the scenario names none: found before the run, which then measures that.
// What cannot be started, or answers in no protocol that is recognised, ends the command there.

import { EnvironmentError } from '../errors.js';
import { protocolNames, protocolOf, recognisedNames } from '../protocols/index.js';
import { openServer } from './server-under-test.js';
import { checkTargets } from './target-check.js';

/**
 * @import { Logger } from 'pino'
 * @import { Leg } from '../plan/plan.js'
 * @import { Launcher } from './server-under-test.js'
 */

/** What a server says on its own, and what the log has of it, are of a run. */
export const SILENT = /** @type {Logger} */ (/** @type {unknown} */ ({ info() {}, warn() {}, error() {}, debug() {} }));

/**
 * @typedef {{ label: string, error: EnvironmentError }} Failure  label: of a server; error: of an exchange with it
 * @typedef {{ answered: boolean, other: { protocol: string, text: string } | null }} Found  answered: whether its
 *   targets have just answered; other: the protocol that the server speaks in place of that of the leg, where that is
 *   found, and a sentence that says so
 */

/**
 * @param {Launcher} launcher @param {Leg[]} legs of a scenario that names no protocol
 * @param {(text: string) => void} notice
 * @returns {Promise<Found>}
 * @throws {EnvironmentError} ETARGETCHECK, as checkTargets(), and where no command starts or answers, or one does not
 *   listen in time; with `force` only of targets that do not answer
 */
export async function findProtocol(launcher, legs, notice) {
  const [first] = legs;
  if (first.server.kind === 'target') return findOfTarget(first, notice);
  /** @type {Failure[]} */
  const failures = [];
  for (const leg of oneOfEachServer(legs)) {
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
async function findOfTarget(leg, notice) {
  try {
    return { answered: await checkTargets(leg.settings, leg, notice), other: null };
  } catch (caught) {
    const error = /** @type {EnvironmentError} */ (caught);
    const other = otherProtocol(error, leg.label);
    if (other !== null) return { answered: false, other };
    throw isUnrecognised(error) ? failureOf([{ label: error.data.endpoint, error }], leg) : error;
  }
}

/** @param {Leg[]} legs @returns {Leg[]} the first of each server */
const oneOfEachServer = (legs) => [...new Map(legs.toReversed().map((leg) => [leg.label, leg])).values()].toReversed();

/** @param {EnvironmentError} error @param {string} label @returns {Found['other']} */
function otherProtocol(error, label) {
  const { protocol, tls } = error.data?.suggestion ?? {};
  // with TLS there is more to say, such as which certificates are trusted
  if (protocol === undefined || tls !== undefined) return null;
  const text = `${label} is measured as ${protocolOf(protocol).title ?? protocol}, which it speaks; to name it, give --protocol ${protocol}`;
  return { protocol, text };
}

/**
 * @param {EnvironmentError} error of an exchange
 * @returns {boolean} whether the server has answered, in no protocol that is tried
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
    .map(([why, whose]) => {
      const verb = why !== unrecognised ? ':' : whose.length === 1 ? ' answers' : ' answer';
      return `${whose.join(', ')}${verb} ${why}`;
    })
    .join('\n');
  const [{ error: cause }] = failures;
  return new EnvironmentError(text, { code: 'ETARGETCHECK', data: { reasonCode: cause.code, ...cause.data }, cause });
}
