// The outcome of a leg as findings: it did not run, ended early, or the server did not serve everything. A limit of the
// server that explains the outcome is its cause, and is not listed as a finding again.

import { accountEntries } from '../../words/account.js';
import { causeName } from '../../words/causes.js';
import { endingText, firstLineOf, isInterrupted } from '../../words/endings.js';
import { fewPlacesText, SERVER_MAY_DO_MORE } from '../../words/figures.js';
import { count, counted, duration } from '../../words/format.js';
import { shortened } from '../../words/lists.js';
import { figuresOf, leftUnserved } from '../../measure/leg-figures.js';
import { connectDelaysOf } from '../connect-delays.js';
import { figureOf } from '../figures.js';
import { CONNECTIONS } from './finding.js';
import { wrongReplies } from './replies.js';
import { backlogFull, descriptorLimit } from './server-limits.js';

/**
 * @import { Finding, LegSummary as Leg } from '../../../config/types.js'
 * @import { ConnectDelays } from '../connect-delays.js'
 * @import { Listed, Row } from './finding.js'
 */

/**
 * @typedef {'descriptors' | 'places' | 'accept-queue' | 'no-answer'} CauseCode
 * @typedef {{ code: CauseCode, limit?: number, places?: string }} Cause  limit: of descriptors, or of the accept queue;
 *   places: how many connections the server serves at once
 * @typedef {{ cause?: Cause }} Caused
 */

/** Slow connects are a finding from this share of all connects on. */
const MIN_SLOW_SHARE = 0.005;
/** A server with a larger share of failed connections, transfers or replies is not compared. */
const MAX_FAILED = 0.01;
/** Longest text of a failure's message. */
const MAX_LENGTH = 100;
/** How many causes of failures a sentence names. */
const MAX_CAUSES = 2;
/** Endings of a leg for which the server is not to blame. */
const NO_FAULT = ['interrupted', 'cut'];

/** @type {Readonly<Record<CauseCode, (cause: Cause) => string>>} */
const CAUSES = {
  descriptors: ({ limit }) => `all ${count(limit)} descriptors were used up`,
  places: ({ places }) => `the model ${places}`,
  'accept-queue': ({ limit }) => `the accept queue of ${count(limit)} was full`,
  'no-answer': () => 'the SYNs were not answered',
};

/** @param {Caused} data @returns {string} such as "; the accept queue of 128 was full" */
export const causeText = ({ cause }) => (cause ? `; ${CAUSES[cause.code](cause)}` : '');

/** @param {Caused} data @returns {string | undefined} the remedy for the limit that is the cause */
const causeRemedy = ({ cause }) =>
  /** @type {string | undefined} */ (
    [descriptorLimit, backlogFull].find(({ explains }) => explains === cause?.code)?.remedy
  );

/**
 * @param {Record<string, number>} causes
 * @returns {string} the most frequent causes, such as "refused 30, timeout 8"; the name of a single cause
 */
function causesText(causes) {
  const sorted = Object.entries(causes)
    .sort(([, a], [, b]) => b - a)
    .map(([name, n]) => [causeName(name).replace(/ \(.*/, ''), count(n)]);
  if (sorted.length === 1) return sorted[0][0];
  const named = sorted.slice(0, MAX_CAUSES).map((nameAndCount) => nameAndCount.join(' '));
  return `${named.join(', ')}${sorted.length > MAX_CAUSES ? ' and others' : ''}`;
}

/** @param {Record<string, number> | undefined} causes @returns {Record<string, number>} without their total */
const causesOf = (causes = {}) =>
  Object.fromEntries(Object.entries(causes).filter(([name, n]) => name !== 'total' && n > 0));

/** @param {Leg} leg @param {Row} row @returns {Finding['data'] | undefined} data of the row's finding */
const findingOf = ({ findings = [] }, { code }) => findings.find((finding) => finding.code === code)?.data;

/**
 * Used-up descriptors come before a full accept queue, which follows from them.
 * @param {Leg} leg
 * @returns {Cause | undefined} undefined unless the server's descriptors were used up
 */
function descriptorCause(leg) {
  const data = findingOf(leg, descriptorLimit);
  return data?.reached ? { code: 'descriptors', limit: data.limit } : undefined;
}

/** @param {Leg} leg @returns {Cause | undefined} undefined unless an accept queue of the server was full */
function queueCause(leg) {
  const full = findingOf(leg, backlogFull);
  return full && { code: 'accept-queue', limit: full.backlog };
}

/** @param {Leg} leg @returns {Cause | undefined} why connections were not served */
function unservedCause(leg) {
  const places = fewPlacesText(leg);
  return descriptorCause(leg) ?? (places ? { code: 'places', places } : queueCause(leg));
}

/** @param {Leg} leg @returns {Cause | undefined} why attempts were rejected, if one reason explains most rejects */
function rejectCause(leg) {
  const { total = 0, timeout = 0, local = 0 } = leg.rejects ?? {};
  if (2 * local > total) return undefined;
  return descriptorCause(leg) ?? (2 * timeout > total ? queueCause(leg) : undefined);
}

/** @param {Leg} leg @returns {Cause | undefined} why its connects waited; undefined if this machine was the reason */
function delayCause(leg) {
  const reason = connectDelaysOf(leg)?.reason;
  if (reason === undefined || reason === 'this-machine') return undefined;
  return descriptorCause(leg) ?? (reason === 'accept-queue' ? queueCause(leg) : { code: reason });
}

/** @param {Cause | undefined} cause @returns {Caused} */
const withCause = (cause) => (cause === undefined ? {} : { cause });

/** @param {Leg} leg @returns {string | undefined} one line: why it is not complete; undefined if the user ended it */
function reasonOf({ failure, endedBy }) {
  if (NO_FAULT.includes(endedBy)) return undefined;
  const [why] = (failure ? firstLineOf(failure.text) : endingText(endedBy)).split(' (');
  return shortened(why, MAX_LENGTH);
}

/** @type {Row<{ endedBy: string, reason: string }>} */
export const didNotRun = {
  code: 'did-not-run',
  severity: 'problem',
  when: 'the leg did not run',
  ofLeg: (leg) => {
    const reason = leg.complete || leg.connections ? undefined : reasonOf(leg);
    return reason === undefined ? undefined : { endedBy: leg.endedBy, reason };
  },
  text: ({ reason }) => `did not run: ${reason}`,
  remedy: (_data, { failure }) => failure?.remedy,
  isOutcome: true,
  isOfSearches: true,
  isEnd: true,
};

/**
 * Warnings that a server ended.
 * @type {readonly Listed[]}
 */
export const serverEndings = [
  { code: 'server-ended', when: 'a warning: its server ended during the leg', charts: CONNECTIONS },
  { code: 'guard-killed', when: 'a warning: the guard of its server was killed, which ended it', charts: CONNECTIONS },
  { code: 'server-agent-stopped', when: 'a warning: the agent with its server stopped it' },
  { code: 'server-agent-lost', when: 'a warning: the agent with its server was lost' },
].map((row) => ({ ...row, severity: 'problem', isOutcome: true, isOfSearches: true }));

const ENDINGS = serverEndings.map(({ code }) => code);

/** @param {{ code: string }} warning @returns {boolean} whether it says that a server ended */
export const isServerEnding = ({ code }) => ENDINGS.includes(code);

/** @param {Pick<Leg, 'warnings'>} leg @returns {boolean} whether its server ended during the leg */
export const hasEnded = ({ warnings = [] }) => warnings.some(isServerEnding);

/**
 * @type {Row<{ endedBy: string, reason: string } | { endedBy: string, total: number, causes: Record<string, number> }>}
 *   total: number of rejects, if no connection was opened
 */
export const incomplete = {
  code: 'incomplete',
  severity: 'problem',
  when: 'the leg did not reach its planned end',
  ofLeg: (leg) => {
    const { complete, connections, endedBy, rejects } = leg;
    if (complete || !connections) return undefined;
    if (endedBy === 'no-transfers' && connections.opened === 0 && rejects?.total)
      return { endedBy, total: rejects.total, causes: causesOf(rejects) };
    const reason = reasonOf(leg);
    return reason === undefined ? undefined : { endedBy, reason };
  },
  text: (data) =>
    'reason' in data
      ? `incomplete: ${data.reason}`
      : `no connection was opened, ${counted(data.total, 'attempt')} rejected: ${causesText(data.causes)}`,
  remedy: (data, { failure }) => ('reason' in data ? failure?.remedy : undefined),
  isOutcome: true,
  isEnd: true,
};

/**
 * @type {Row<{ left: number, requested: number, parts: Record<string, number>, heldOnly?: boolean, awaitReopening?:
 *   boolean, waitedNs?: number } & Caused>} awaitReopening: the connections were lost, after replies on all of them;
 *   waitedNs: the longest wait of a request on them
 */
export const notServed = {
  code: 'not-served',
  severity: 'problem',
  when:
    'connections that were requested were unanswered, rejected, lost or still connecting at the end; `cause` is a limit ' +
    'of the server that explains it',
  ofLeg: (leg) => {
    // in the ramp, some connections are not served yet
    const isInRamp = leg.endedBy === 'running' && leg.beforeSteady !== undefined;
    if (!leg.connections || leg.endedBy === 'no-transfers' || isInRamp) return undefined;
    const { account } = leg;
    const bad = account ? accountEntries(account).filter((entry) => entry.bad) : [];
    const lost = bad.reduce((sum, { value }) => sum + value, 0);
    const left = lost > 0 ? lost : (leftUnserved(leg) ?? 0);
    if (left === 0) return undefined;
    const requested = lost > 0 && account ? account.requested : leg.connections.requested;
    const parts = Object.fromEntries(lost > 0 ? bad.map(({ part, value }) => [part, value]) : [['unanswered', left]]);
    const awaitReopening = parts.lost === left && leg.connections.neverAnswered === 0 && !leg.heldOnly;
    return {
      ...{ left, requested, parts },
      ...(leg.heldOnly ? { heldOnly: true } : {}),
      ...(awaitReopening ? { awaitReopening } : {}),
      ...(leg.unserved?.waitedNs === undefined ? {} : { waitedNs: leg.unserved.waitedNs }),
      ...withCause(unservedCause(leg)),
    };
  },
  text: (data) =>
    `${count(data.left)} of ${counted(data.requested, 'connection')} ${data.left === 1 ? 'was' : 'were'} ${
      data.awaitReopening ? 'lost, and to be opened again, at the end' : `not ${data.heldOnly ? 'held' : 'served'}`
    }${causeText(data)}${
      data.waitedNs === undefined ? '' : `; requests on them waited for up to ${duration(data.waitedNs)}`
    }`,
  remedy: causeRemedy,
  charts: CONNECTIONS,
  weight: ({ left, requested }) => left / requested,
  isOutcome: true,
};

/** @type {Row<ConnectDelays & Caused>} */
export const slowConnects = {
  code: 'slow-connects',
  severity: 'problem',
  when: '0.5 % of the connects or more took as long as until a SYN is sent again',
  ofLeg: (leg) => {
    const delays = leg.connections ? connectDelaysOf(leg) : null;
    if (delays === null || delays.slow < MIN_SLOW_SHARE * delays.of) return undefined;
    return { ...delays, ...withCause(delayCause(leg)) };
  },
  text: (data) =>
    `${count(data.slow)} of ${counted(data.of, 'connect')} took ${duration(data.atNs)} or longer${causeText(data)}`,
  remedy: causeRemedy,
  charts: ['connect'],
  weight: ({ slow, of }) => slow / of,
  isOutcome: true,
};

/** @typedef {{ total: number, causes: Record<string, number> } & Caused} Failed */

/**
 * @param {Record<string, number> | undefined} counts by cause, with a total @param {() => Cause | undefined} causeOf
 * @returns {Failed | undefined}
 */
const failedOf = ({ total = 0, ...causes } = {}, causeOf) =>
  total === 0 ? undefined : { total, causes: causesOf(causes), ...withCause(causeOf()) };

/** @type {Row<Failed & { withRamp?: true }>} withRamp: some errors were before the steady state */
export const errors = {
  code: 'errors',
  severity: 'problem',
  when: 'there were any on open connections, by cause',
  ofLeg: (leg) => {
    const failed = failedOf(leg.errors, () => descriptorCause(leg));
    const withRamp = Number(leg.transfers?.failed) > Number(figuresOf(leg)?.failed);
    return failed && { ...failed, ...(withRamp ? { withRamp } : {}) };
  },
  text: (data) =>
    `${counted(data.total, 'error')} on open connections${data.withRamp ? ', with ramp and warm-up' : ''}: ${causesText(data.causes)}${causeText(data)}`,
  remedy: causeRemedy,
  charts: ['errors', 'failures'],
  weight: ({ total }) => total,
  isOutcome: true,
  isOfFailed: true,
};

/** @type {Row<Failed>} */
export const rejects = {
  code: 'rejects',
  severity: 'problem',
  when: 'attempts to connect were rejected, by cause',
  ofLeg: (leg) => failedOf(leg.rejects, () => rejectCause(leg)),
  text: (data) => `${counted(data.total, 'attempt')} rejected: ${causesText(data.causes)}${causeText(data)}`,
  remedy: causeRemedy,
  charts: ['rejects', 'failures'],
  weight: ({ total }) => total,
  isOutcome: true,
};

/** @type {Row<{}>} */
export const clientLimit = {
  code: 'client-limit',
  severity: 'caution',
  isOfTrust: true,
  when: 'the client was the limit for half of the steady state or more',
  ofLeg: ({ limitedBy }) => (limitedBy === 'client' ? {} : undefined),
  text: () => SERVER_MAY_DO_MORE,
  remedy: 'Give the client more workers or CPUs of its own (pin), or measure from several hosts (--agents).',
  charts: ['cpu', 'cores'],
  isOutcome: true,
};

/**
 * Whether a server failed so much that more rounds would not change the result.
 * @param {Leg} leg @returns {boolean}
 */
export function isBroken(leg) {
  const { account, complete, endedBy } = leg;
  const done = figureOf(leg.heldOnly ? 'open' : 'served')?.of?.(leg);
  const isUnserved = account !== undefined && typeof done === 'number' && done < (1 - MAX_FAILED) * account.requested;
  const shares = [figureOf('failed share')?.of?.(leg), findingOf(leg, wrongReplies)?.share];
  return (
    (!complete && !isInterrupted(endedBy)) ||
    isUnserved ||
    shares.some((share) => typeof share === 'number' && share > MAX_FAILED)
  );
}
