// What went wrong in a run, the worst first: servers that did not run or ended, connections that were not served, and what
// else failed. Pure. Each kind of problem is one row; of several rounds of a case the worst one speaks.

import { accountEntries } from '../words/account.js';
import { causeName } from '../words/causes.js';
import { endingText, firstLineOf } from '../words/endings.js';
import { fewPlacesText } from '../words/figures.js';
import { count, counted, duration } from '../words/format.js';
import { unwantedText } from '../words/replies.js';
import { leftUnserved } from '../measure/leg-figures.js';
import { nameOf, pointText } from './comparisons.js';
import { connectDelaysOf } from './connect-delays.js';
import { figureOf } from './figures.js';

/**
 * @typedef {import('./cases.js').Case} Case
 * @typedef {import('../../config/types.js').LegSummary} Leg
 * @typedef {'descriptors' | 'places' | 'accept-queue' | 'no-answer'} CauseCode
 * @typedef {{ code: CauseCode, limit?: number, places?: string }} Cause  limit: of descriptors, or of the accept queue where it
 *   is known; places: how many connections the server serves at once
 *
 * @typedef {object} Found  in one leg
 * @property {number} [weight]  of several, the greatest is the worst
 * @property {string} what  after the name of the case
 * @property {Cause} [cause]
 * @property {Record<string, any>} [data]
 *
 * @typedef {object} Kind
 * @property {string} code
 * @property {(leg: Leg) => Found | null} of
 * @property {'caution'} [severity]  of what is not the server's; else a problem
 * @property {true} [ends]  of a leg in which it was found, nothing else is said
 *
 * @typedef {object} Problem
 * @property {string} code
 * @property {'problem' | 'caution'} severity
 * @property {string} subject  of the worst case
 * @property {string} what
 * @property {string[]} others  further cases that have it
 * @property {number} rounds  of the worst case that have it
 * @property {number} of  rounds
 * @property {({ case: string, rounds: number, cause?: CauseCode } & Record<string, any>)[]} cases  the worst first
 * @property {Cause} [cause]  of the worst
 */

/** From this share of connects on, those that waited are worth a sentence. */
const MIN_SLOW_SHARE = 0.005;
/** Above this share of its connections, transfers or replies a server failed at too much to be compared. */
const MAX_FAILED = 0.01;
/** Of a failure's message. */
const MAX_LENGTH = 160;
/** Warnings that say so. */
const SERVER_ENDINGS = ['server-ended', 'server-agent-stopped', 'server-agent-lost'];
/** Endings of a leg for which the server is not to blame. */
const NO_FAULT = ['interrupted', 'cut'];

/** @param {Leg} leg that is not complete @param {string} what @returns {Found | null} with the reason in one line; null where the user ended it */
function brokenOf({ failure, endedBy }, what) {
  if (NO_FAULT.includes(endedBy)) return null;
  const [why] = (failure ? firstLineOf(failure.text) : endingText(endedBy)).split(' (');
  const short = why.length > MAX_LENGTH ? `${why.slice(0, MAX_LENGTH - 1)}…` : why;
  return { what: `${what}: ${short}`, data: { endedBy } };
}

/** @param {Record<string, number>} causes @returns {Record<string, number>} without their total */
const causesOf = (causes) =>
  Object.fromEntries(Object.entries(causes).filter(([name, n]) => name !== 'total' && n > 0));

/** @param {Record<string, number>} causes @returns {string} such as "refused 30, timeout 8" */
const causesText = (causes) =>
  Object.entries(causesOf(causes))
    .sort(([, a], [, b]) => b - a)
    .map(([name, n]) => `${causeName(name)} ${count(n)}`)
    .join(', ');

/** @param {Leg} leg @param {string} code @returns {Record<string, any> | undefined} data of that finding */
const findingOf = ({ findings = [] }, code) => findings.find((one) => one.code === code)?.data;

/** Where the server's descriptors were used up, that is the cause, and a full accept queue follows from it. @param {Leg} leg @returns {Cause | undefined} */
function descriptorCause(leg) {
  const found = findingOf(leg, 'descriptor-limit');
  return found?.reached ? { code: 'descriptors', limit: found.limit } : undefined;
}

/** @param {Leg} leg @returns {Cause} */
function queueCause(leg) {
  const backlog = findingOf(leg, 'backlog-full')?.backlog;
  return { code: 'accept-queue', ...(backlog === undefined ? {} : { limit: backlog }) };
}

/** @param {Leg} leg @returns {Cause | undefined} why connections were not served */
function unservedCause(leg) {
  const { TcpExtListenOverflows: full = 0 } = leg.serverKernel ?? leg.kernel ?? {};
  const places = fewPlacesText(leg);
  return descriptorCause(leg) ?? (places ? { code: 'places', places } : full > 0 ? queueCause(leg) : undefined);
}

/** @param {Leg} leg @returns {Cause | undefined} why attempts were rejected, where one reason explains most */
function rejectCause(leg) {
  const { total = 0, timeout = 0, local = 0 } = leg.rejects ?? {};
  if (2 * local > total) return undefined;
  return descriptorCause(leg) ?? (findingOf(leg, 'backlog-full') && 2 * timeout > total ? queueCause(leg) : undefined);
}

/** @param {Leg} leg @returns {Found | null} connections that were requested and not served */
function unservedOf(leg) {
  if (!leg.connections || leg.endedBy === 'no-transfers') return null;
  const { account } = leg;
  const bad = account ? accountEntries(account).filter((entry) => entry.bad) : [];
  const lost = bad.reduce((sum, { value }) => sum + value, 0);
  const left = lost > 0 ? lost : (leftUnserved(leg) ?? 0);
  if (left === 0) return null;
  const requested = lost > 0 && account ? account.requested : leg.connections.requested;
  const parts = lost > 0 ? bad.map(({ value, name }) => `${count(value)} ${name}`) : ['unanswered'];
  return {
    weight: left / requested,
    what: `${count(left)} of ${counted(requested, 'connection')} not ${leg.heldOnly ? 'held' : 'served'} (${parts.join(', ')})`,
    data: lost > 0 ? { account } : { unanswered: left },
    cause: unservedCause(leg),
  };
}

/** @param {'errors' | 'rejects'} code @param {string} noun @param {string} how @param {(leg: Leg) => Cause | undefined} causeOf @returns {Kind} */
const failures = (code, noun, how, causeOf) => ({
  code,
  of: (leg) => {
    const counts = leg[code];
    if (!counts?.total) return null;
    const what = `${counted(counts.total, noun)} ${how} (${causesText(counts)})`;
    return { weight: counts.total, what, data: { [code]: causesOf(counts) }, cause: causeOf(leg) };
  },
});

/** @param {Leg} leg @returns {Cause | undefined} why its connects waited; undefined where it was this machine */
function delayCause(leg) {
  const reason = connectDelaysOf(leg)?.reason;
  if (reason === undefined || reason === 'this-machine') return undefined;
  return descriptorCause(leg) ?? (reason === 'accept-queue' ? queueCause(leg) : { code: reason });
}

/** The worst kind first. @type {Kind[]} */
const problemKinds = [
  {
    code: 'did-not-run',
    ends: true,
    of: (leg) => (leg.complete || leg.connections ? null : brokenOf(leg, 'did not run')),
  },
  {
    code: 'server-ended',
    ends: true,
    of: ({ warnings = [] }) => {
      const found = warnings.find(({ code }) => SERVER_ENDINGS.includes(code));
      if (!found) return null;
      const { signal, exitCode, agent } = found.data;
      if (agent === undefined)
        return {
          what: `the server ended during the leg (${signal ?? `exit code ${exitCode}`})`,
          data: { signal, exitCode },
        };
      const what = found.code === 'server-agent-lost' ? 'was lost' : 'stopped the server';
      return { what: `agent ${agent} ${what} during the leg`, data: { agent } };
    },
  },
  {
    code: 'incomplete',
    ends: true,
    of: (leg) => {
      const { complete, endedBy, connections, rejects } = leg;
      if (complete) return null;
      return endedBy === 'no-transfers' && connections?.opened === 0 && rejects && rejects.total > 0
        ? {
            what: `no connection was opened, ${counted(rejects.total, 'attempt')} rejected (${causesText(rejects)})`,
            data: { endedBy },
          }
        : brokenOf(leg, 'incomplete');
    },
  },
  {
    code: 'unwanted-replies',
    of: ({ statuses }) => {
      const text = unwantedText(statuses);
      return text === ''
        ? null
        : { what: `replies other than requested: ${/\d/.test(text.slice(3)) ? text : `all ${text}`}` };
    },
  },
  { code: 'not-served', of: unservedOf },
  {
    code: 'slow-connects',
    of: (leg) => {
      const found = leg.connections ? connectDelaysOf(leg) : null;
      if (found === null || found.slow < MIN_SLOW_SHARE * found.of) return null;
      const what = `${count(found.slow)} of ${counted(found.of, 'connect')} took ${duration(found.atNs)} or longer`;
      return { weight: found.slow / found.of, what, data: found, cause: delayCause(leg) };
    },
  },
  failures('errors', 'error', 'on open connections', descriptorCause),
  failures('rejects', 'attempt', 'to connect rejected', rejectCause),
  {
    code: 'client-limit',
    severity: 'caution',
    of: ({ limitedBy }) =>
      limitedBy === 'client' ? { what: 'the client was the limit, so the server may do more' } : null,
  },
];

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

/** @param {Case} one @returns {string} such as "epoll at 100 connections" */
function subjectOf(one) {
  const at = pointText(one.axes);
  return at === undefined ? one.label : `${nameOf(one)} at ${at}`;
}

/** @param {Kind} kind @param {Case} one @param {Leg[]} legs those of it that are not yet accounted for */
function worstOf({ of }, one, legs) {
  const found = legs.flatMap((leg) => {
    const what = of(leg);
    return what === null ? [] : [{ ...what, leg: leg.id }];
  });
  if (found.length === 0) return [];
  const worst = found.reduce((a, b) => ((b.weight ?? 0) > (a.weight ?? 0) ? b : a));
  return [{ ...worst, one, legs: found.map(({ leg }) => leg), rounds: found.length, of: one.legs.length }];
}

/**
 * @param {Case[]} cases @param {Leg[]} legs
 * @returns {Problem[]} one for each kind, the worst first
 */
export function problemsOf(cases, legs) {
  /** Legs that ended so that their other figures say nothing. @type {Set<string>} */
  const ended = new Set();
  return problemKinds.flatMap((kind) => {
    const found = cases
      .flatMap((one) =>
        worstOf(
          kind,
          one,
          legs.filter(({ id }) => one.legs.includes(id) && !ended.has(id)),
        ),
      )
      .sort((a, b) => (b.weight ?? 0) - (a.weight ?? 0));
    if (found.length === 0) return [];
    if (kind.ends) for (const id of found.flatMap((one) => one.legs)) ended.add(id);
    const [{ one, what, cause, rounds, of }, ...others] = found;
    return [
      {
        ...{ code: kind.code, severity: kind.severity ?? 'problem', subject: subjectOf(one), what, rounds, of },
        ...(cause ? { cause } : {}),
        others: others.map((other) => subjectOf(other.one)),
        cases: found.map(({ one: { id }, rounds: own, data, cause: because }) => ({
          ...{ case: id, rounds: own, ...data },
          ...(because ? { cause: because.code } : {}),
        })),
      },
    ];
  });
}
