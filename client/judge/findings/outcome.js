// What became of a leg, as findings: it did not run, ended early, or the server did not serve all that was asked of it.
// Pure. A limit of the server that explains it is its cause, and is not told again as a finding of its own.

import { accountEntries } from '../../words/account.js';
import { endingText, firstLineOf } from '../../words/endings.js';
import { fewPlacesText } from '../../words/figures.js';
import { shortened } from '../../words/lists.js';
import { leftUnserved } from '../../measure/leg-figures.js';
import { connectDelaysOf } from '../connect-delays.js';
import { figureOf } from '../figures.js';
import { finding } from './finding.js';

/** @import { Finding, LegSummary as Leg, Warning } from '../../../config/types.js' */

/**
 * @typedef {'descriptors' | 'places' | 'accept-queue' | 'no-answer'} CauseCode
 * @typedef {{ code: CauseCode, limit?: number, places?: string }} Cause  limit: of descriptors, or of
 *   the accept queue; places: how many connections the server serves at once
 */

/** From this share of connects on, those that waited are worth a sentence. */
const MIN_SLOW_SHARE = 0.005;
/** Above this share of its connections, transfers or replies a server failed at too much to be compared. */
const MAX_FAILED = 0.01;
/** Of a failure's message. */
const MAX_LENGTH = 100;
/** Warnings that say that the server ended, which is what became of the leg. */
export const SERVER_ENDINGS = ['server-ended', 'guard-killed', 'server-agent-stopped', 'server-agent-lost'];
/** Warnings that repeat the end of a server. A leg with one of SERVER_ENDINGS does not show them. */
const OF_ENDED_SERVERS = ['server-output', 'server-processes-lost'];
/** Endings of a leg for which the server is not to blame. */
const NO_FAULT = ['interrupted', 'cut'];
/** The finding that is a cause. @type {Partial<Record<CauseCode, string>>} */
const EXPLAINED_BY = { descriptors: 'descriptor-limit', 'accept-queue': 'backlog-full' };

/**
 * @param {Leg} leg that is not complete
 * @param {'did-not-run' | 'incomplete'} code
 * @returns {Finding[]} with the reason in one line; none where the user ended it
 */
function brokenFindings({ failure, endedBy }, code) {
  if (NO_FAULT.includes(endedBy)) return [];
  const [why] = (failure ? firstLineOf(failure.text) : endingText(endedBy)).split(' (');
  const found = finding(code, { endedBy, reason: shortened(why, MAX_LENGTH) });
  return [failure?.remedy === undefined ? found : { ...found, remedy: failure.remedy }];
}

/** @param {Record<string, number> | undefined} causes @returns {Record<string, number>} without their total */
const causesOf = (causes = {}) =>
  Object.fromEntries(Object.entries(causes).filter(([name, n]) => name !== 'total' && n > 0));

/** @param {Leg} leg @param {string} code @returns {Record<string, any> | undefined} data of that finding */
const findingOf = ({ findings = [] }, code) => findings.find((one) => one.code === code)?.data;

/**
 * Where the server's descriptors were used up, that is the cause, and a full accept queue follows from it.
 * @param {Leg} leg
 * @returns {Cause | undefined}
 */
function descriptorCause(leg) {
  const found = findingOf(leg, 'descriptor-limit');
  return found?.reached ? { code: 'descriptors', limit: found.limit } : undefined;
}

/** @param {Leg} leg @returns {Cause | undefined} where an accept queue of the server itself was seen to be full */
function queueCause(leg) {
  const full = findingOf(leg, 'backlog-full');
  return full && { code: 'accept-queue', limit: full.backlog };
}

/** @param {Leg} leg @returns {Cause | undefined} why connections were not served */
function unservedCause(leg) {
  const places = fewPlacesText(leg);
  return descriptorCause(leg) ?? (places ? { code: 'places', places } : queueCause(leg));
}

/** @param {Leg} leg @returns {Cause | undefined} why attempts were rejected, where one reason explains most */
function rejectCause(leg) {
  const { total = 0, timeout = 0, local = 0 } = leg.rejects ?? {};
  if (2 * local > total) return undefined;
  return descriptorCause(leg) ?? (2 * timeout > total ? queueCause(leg) : undefined);
}

/** @param {Leg} leg @returns {Cause | undefined} why its connects waited; undefined where it was this machine */
function delayCause(leg) {
  const reason = connectDelaysOf(leg)?.reason;
  if (reason === undefined || reason === 'this-machine') return undefined;
  return descriptorCause(leg) ?? (reason === 'accept-queue' ? queueCause(leg) : { code: reason });
}

/** @param {Cause | undefined} cause @returns {{ cause?: Cause }} */
const because = (cause) => (cause === undefined ? {} : { cause });

/**
 * @param {Leg} leg
 * @returns {Finding[]} connections that were requested and not served, one at most; in its ramp some are not served yet
 */
function unservedFindings(leg) {
  const isInRamp = leg.endedBy === 'running' && leg.beforeSteady !== undefined;
  if (!leg.connections || leg.endedBy === 'no-transfers' || isInRamp) return [];
  const { account } = leg;
  const bad = account ? accountEntries(account).filter((entry) => entry.bad) : [];
  const lost = bad.reduce((sum, { value }) => sum + value, 0);
  const left = lost > 0 ? lost : (leftUnserved(leg) ?? 0);
  if (left === 0) return [];
  const requested = lost > 0 && account ? account.requested : leg.connections.requested;
  const parts = Object.fromEntries(lost > 0 ? bad.map(({ part, value }) => [part, value]) : [['unanswered', left]]);
  return [
    finding('not-served', {
      ...{ left, requested, parts },
      ...(leg.heldOnly ? { heldOnly: true } : {}),
      ...(parts.lost === left && leg.connections.neverAnswered === 0 && !leg.heldOnly ? { awaitReopening: true } : {}),
      ...(leg.unserved?.waitedNs === undefined ? {} : { waitedNs: leg.unserved.waitedNs }),
      ...because(unservedCause(leg)),
    }),
  ];
}

/**
 * @param {'errors' | 'rejects'} code
 * @param {Leg} leg
 * @param {(leg: Leg) => Cause | undefined} causeOf
 * @returns {Finding[]} one at most
 */
function failureFindings(code, leg, causeOf) {
  const { total = 0, ...causes } = leg[code] ?? {};
  return total === 0 ? [] : [finding(code, { total, causes: causesOf(causes), ...because(causeOf(leg)) })];
}

/** @param {Leg} leg @returns {Finding[]} one at most */
function delayFindings(leg) {
  const found = leg.connections ? connectDelaysOf(leg) : null;
  if (found === null || found.slow < MIN_SLOW_SHARE * found.of) return [];
  return [finding('slow-connects', { ...found, ...because(delayCause(leg)) })];
}

/** @param {Leg} leg @returns {Finding[]} one at most */
function endingFindings(leg) {
  const { complete, connections, endedBy, rejects, warnings = [] } = leg;
  if (!complete && !connections) return brokenFindings(leg, 'did-not-run');
  const ended = warnings.filter(({ code }) => SERVER_ENDINGS.includes(code));
  if (ended.length > 0) return ended.map((one) => ({ ...one, severity: 'problem' }));
  if (complete) return [];
  if (endedBy !== 'no-transfers' || connections?.opened !== 0 || !rejects?.total)
    return brokenFindings(leg, 'incomplete');
  return [finding('incomplete', { endedBy, total: rejects.total, causes: causesOf(rejects) })];
}

/** @param {Leg} leg @returns {Finding[]} what became of it; where it did not run or ended, nothing else */
function outcomeFindings(leg) {
  const ending = endingFindings(leg);
  if (ending.length > 0) return ending;
  return [
    ...unservedFindings(leg),
    ...delayFindings(leg),
    ...failureFindings('errors', leg, descriptorCause),
    ...failureFindings('rejects', leg, rejectCause),
    ...(leg.limitedBy === 'client' ? [finding('client-limit', {})] : []),
  ];
}

/** @param {Leg} leg @returns {Finding[]} what became of it, and what else was found in its samples */
export function allFindings(leg) {
  const outcome = outcomeFindings(leg).map(({ remedy, ...one }, i, all) =>
    remedy === undefined || all.findIndex((other) => other.remedy === remedy) < i ? one : { ...one, remedy },
  );
  const explained = outcome.flatMap(({ data }) => EXPLAINED_BY[/** @type {CauseCode} */ (data.cause?.code)] ?? []);
  return [...outcome, ...(leg.findings ?? []).filter(({ code }) => !explained.includes(code))];
}

/** @param {Warning} warning @returns {Finding} of a failure the first line */
export const warningFinding = (warning) => ({
  ...warning,
  severity: warning.severity ?? 'caution',
  text: firstLineOf(warning.text),
});

/** @param {Leg} leg @returns {Finding[]} its warnings, without those that its other findings tell */
export function warningFindings({ warnings = [], failure }) {
  const hasEnded = warnings.some(({ code }) => SERVER_ENDINGS.includes(code));
  const told = [...SERVER_ENDINGS, ...(hasEnded ? OF_ENDED_SERVERS : [])];
  return warnings
    .filter(({ code, text }) => !told.includes(code) && !(code === failure?.code && text === failure.text))
    .map(warningFinding);
}

/**
 * Whether a server failed at so much that more rounds would say nothing else.
 * @param {Leg} leg @returns {boolean}
 */
export function isBroken(leg) {
  const { account, complete } = leg;
  const done = figureOf(leg.heldOnly ? 'open' : 'served')?.of?.(leg);
  const isUnserved = account !== undefined && typeof done === 'number' && done < (1 - MAX_FAILED) * account.requested;
  const shares = [figureOf('failed share')?.of?.(leg), findingOf(leg, 'unwanted-replies')?.share];
  return !complete || isUnserved || shares.some((share) => typeof share === 'number' && share > MAX_FAILED);
}
