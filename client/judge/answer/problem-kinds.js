// The kinds of problems that a leg may have, the worst first, each with its sentence about one leg. Pure.

import { connectDelaysOf } from '../connect-delays.js';
import { count, counted, duration } from '../../words/format.js';
import { leftUnserved } from '../../measure/leg-figures.js';
import { accountEntries } from '../../words/account.js';
import { causeName } from '../../words/causes.js';
import { endingText, firstLineOf } from '../../words/endings.js';
import { unwantedText } from '../../words/replies.js';
import { timesText } from '../../words/lists.js';
import { delayCause, errorCause, rejectCause, unservedCause } from './problem-causes.js';

/**
 * @typedef {import('../../../config/types.js').LegSummary} Leg
 *
 * @typedef {object} Found  in one leg
 * @property {number} weight  of several, the greatest is the worst
 * @property {string} text    a sentence that names the case
 * @property {string} short   the same after the case's name, in a list of several cases; empty: the name is enough
 * @property {import('./problem-causes.js').Cause} [cause]
 * @property {Record<string, any>} data
 *
 * @typedef {object} Kind
 * @property {string} code
 * @property {(leg: Leg, label: string) => Found | null} of
 * @property {(cases: number, all: string) => string} several  what several cases have in common; all: such as "3 servers"
 * @property {'caution'} [severity]  of what may not be the server's; else a problem
 * @property {true} [ends]  of a leg in which it was found, nothing else is said
 */

/** From this share of connects on, those that waited are worth a sentence. */
const MIN_SLOW_SHARE = 0.005;
/** From this length on, a stall that may be the machine's is worth a sentence. */
const MIN_STALL_NS = 500e6;
/** Of a failure's message. */
const MAX_LENGTH = 160;
/** Endings of a leg for which the server is not to blame. */
const NO_FAULT = ['interrupted', 'cut'];

/** @param {string} text @returns {string} its first line, not too long */
function firstLine(text) {
  const line = firstLineOf(text);
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
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

/** How a server has ended, by the code of the warning. @type {Record<string, (data: any) => { how: string, data: object }>} */
const SERVER_ENDINGS = {
  'server-ended': ({ signal, exitCode }) => ({ how: signal ?? `exit code ${exitCode}`, data: { signal, exitCode } }),
  'server-agent-stopped': ({ agent }) => ({ how: `agent ${agent} stopped it`, data: { agent } }),
};

/** @type {Kind[]} */
export const problemKinds = [
  {
    code: 'did-not-run',
    ends: true,
    of: ({ complete, connections, endedBy, failure }, label) => {
      if (complete || connections || NO_FAULT.includes(endedBy)) return null;
      const why = failure ? firstLine(failure.text) : endingText(endedBy);
      return { weight: 1, text: `${label} did not run: ${why}`, short: '', data: { endedBy } };
    },
    several: (cases, all) => `${count(cases)} of ${all} did not run`,
  },
  {
    code: 'server-ended',
    ends: true,
    of: ({ warnings = [] }, label) => {
      const found = warnings.find(({ code }) => Object.hasOwn(SERVER_ENDINGS, code));
      if (!found) return null;
      const { how, data } = SERVER_ENDINGS[found.code](found.data);
      return { weight: 1, text: `${label} ended during its leg (${how})`, short: how, data };
    },
    several: (cases, all) =>
      all.endsWith('server') || all.endsWith('servers')
        ? `${count(cases)} of ${all} ended during their legs`
        : `${count(cases)} of ${all} lost their server during the leg`,
  },
  {
    code: 'server-agent-lost',
    of: ({ warnings = [] }, label) => {
      const found = warnings.find(({ code }) => code === 'server-agent-lost');
      if (!found) return null;
      const { agent } = found.data;
      const text = `${label}: agent ${agent}, on which the server runs, was lost during the leg`;
      return { weight: 1, text, short: '', data: { agent } };
    },
    several: (cases, all) => `the agent that runs the server was lost in ${count(cases)} of ${all}`,
  },
  {
    code: 'no-transfers',
    ends: true,
    of: ({ endedBy, failure, connections, rejects }, label) => {
      if (endedBy !== 'no-transfers') return null;
      const text =
        connections?.opened === 0 && rejects !== undefined && rejects.total > 0
          ? `no connection to ${label} was opened: ${counted(rejects.total, 'attempt')} rejected (${causesText(rejects)})`
          : `${label}: ${firstLine(failure?.text ?? endingText(endedBy))}`;
      return { weight: 1, text, short: '', data: { endedBy } };
    },
    several: (cases, all) => `${count(cases)} of ${all} had no successful transfer`,
  },
  {
    code: 'incomplete',
    ends: true,
    of: ({ complete, endedBy, failure }, label) =>
      complete || [...NO_FAULT, 'no-transfers'].includes(endedBy)
        ? null
        : {
            weight: 1,
            text: `${label} is incomplete: ${failure ? firstLine(failure.text) : endingText(endedBy)}`,
            short: endingText(endedBy),
            data: { endedBy },
          },
    several: (cases, all) => `${count(cases)} of ${all} are incomplete`,
  },
  {
    code: 'unwanted-replies',
    of: ({ statuses }, label) => {
      const text = unwantedText(statuses);
      return text === ''
        ? null
        : {
            weight: 1,
            text: /\d/.test(text.slice(3))
              ? `${label} sent replies other than requested: ${text}`
              : `every reply of ${label} was ${text}`,
            short: text,
            data: {},
          };
    },
    several: (cases, all) => `${count(cases)} of ${all} sent replies other than requested`,
  },
  {
    code: 'not-served',
    of: (leg, label) => unservedOf(leg, label),
    several: (cases, all) => `${count(cases)} of ${all} did not serve every connection`,
  },
  {
    code: 'stalls',
    of: ({ findings = [] }, label) => {
      const found = findings.find(({ code }) => code === 'stalls');
      if (!found) return null;
      const { count: all, longestNs } = found.data;
      const lasting = `for ${all === 1 ? '' : 'up to '}${duration(longestNs, 2)}, ${timesText(all)}`;
      return {
        weight: longestNs,
        text: `${label} sent no reply on any connection ${lasting}`,
        short: duration(longestNs, 2),
        data: found.data,
      };
    },
    several: (cases, all) => `${count(cases)} of ${all} sent no reply on any connection for a while`,
  },
  {
    code: 'slow-connects',
    of: (leg, label) => {
      const found = leg.connections ? connectDelaysOf(leg) : null;
      if (found === null || found.slow < MIN_SLOW_SHARE * found.of) return null;
      const { slow, of, atNs, reason } = found;
      return {
        weight: slow / of,
        text: `${count(slow)} of ${counted(of, 'connect')} to ${label} took ${duration(atNs)} or longer`,
        short: `${count(slow)} of ${count(of)}`,
        data: found,
        cause: delayCause(leg, reason),
      };
    },
    several: (cases, all) => `With ${count(cases)} of ${all}, connects took 1 s or longer`,
  },
  {
    code: 'errors',
    of: (leg, label) => {
      const { errors } = leg;
      if (!errors?.total) return null;
      return {
        weight: errors.total,
        text: `${label} had ${counted(errors.total, 'error')} on open connections (${causesText(errors)})`,
        short: count(errors.total),
        data: { errors: causesOf(errors) },
        cause: errorCause(leg),
      };
    },
    several: (cases, all) => `${count(cases)} of ${all} had errors on open connections`,
  },
  {
    code: 'rejects',
    of: (leg, label) => {
      const { rejects } = leg;
      if (!rejects?.total) return null;
      return {
        weight: rejects.total,
        text: `${counted(rejects.total, 'attempt')} to connect to ${label} ${rejects.total === 1 ? 'was' : 'were'} rejected (${causesText(rejects)})`,
        short: count(rejects.total),
        data: { rejects: causesOf(rejects) },
        cause: rejectCause(leg),
      };
    },
    several: (cases, all) => `${count(cases)} of ${all} rejected attempts to connect`,
  },
  {
    code: 'unsent',
    of: (leg, label) => {
      const unsent = leg.transfers?.unsent ?? 0;
      return unsent === 0
        ? null
        : {
            weight: unsent,
            text: `${counted(unsent, 'request')} to ${label} ${unsent === 1 ? 'was' : 'were'} due and never sent`,
            short: count(unsent),
            data: { unsent },
          };
    },
    several: (cases, all) => `With ${count(cases)} of ${all}, requests were due and never sent`,
  },
  {
    code: 'stalls-waiting',
    severity: 'caution',
    of: ({ findings = [] }, label) => {
      const found = findings.find(({ code }) => code === 'stalls-waiting');
      if (!found || found.data.longestNs < MIN_STALL_NS) return null;
      const { count: all, longestNs } = found.data;
      const lasting = `for ${all === 1 ? '' : 'up to '}${duration(longestNs, 2)}, ${timesText(all)}`;
      return {
        weight: longestNs,
        text: `${label} sent no reply on any connection ${lasting}`,
        short: duration(longestNs, 2),
        data: found.data,
        cause: { code: 'busy-cores' },
      };
    },
    several: (cases, all) => `${count(cases)} of ${all} sent no reply on any connection for a while`,
  },
];

/**
 * @param {Leg} leg @param {string} label
 * @returns {Found | null} connections that were requested and not served
 */
function unservedOf(leg, label) {
  if (!leg.connections || leg.endedBy === 'no-transfers') return null;
  const { account } = leg;
  const bad = account ? accountEntries(account).filter((entry) => entry.bad) : [];
  const lost = bad.reduce((sum, { value }) => sum + value, 0);
  if (account && lost > 0) {
    const done = leg.heldOnly ? account.idle : account.served;
    const parts = bad.map(({ value, name }) => `${count(value)} ${name}`).join(', ');
    // of a schedule, connections may have had no request yet, which is no failure
    const someIdle = !leg.heldOnly && account.idle > 0;
    return {
      weight: lost / account.requested,
      text: someIdle
        ? `${label} did not serve ${count(lost)} of ${counted(account.requested, 'connection')} (${parts})`
        : `${label} ${leg.heldOnly ? 'held' : 'served'} ${count(done)} of ${counted(account.requested, 'connection')} (${parts})`,
      short: someIdle ? `${count(lost)} not` : `${count(done)} of ${count(account.requested)}`,
      data: { account },
      cause: unservedCause(leg),
    };
  }
  const left = leftUnserved(leg) ?? 0;
  if (left === 0) return null;
  const { requested } = leg.connections;
  return {
    weight: left / requested,
    text: `${label} left ${count(left)} of ${counted(requested, 'connection')} without a reply`,
    short: `${count(left)} of ${count(requested)} without a reply`,
    data: { unanswered: left },
    cause: unservedCause(leg),
  };
}
