// Why a server failed at something, where its limits or the kernel's counters show it. Pure.
// The one thing to know: where the server's descriptors were used up, that is the cause, and a full accept queue follows from it.

import { count, counted } from '../../words/format.js';
import { fewPlacesText } from '../../words/figures.js';

/**
 * @typedef {import('../../../config/types.js').LegSummary} Leg
 * @typedef {'descriptors' | 'places' | 'accept-queue' | 'no-answer' | 'busy-cores'} CauseCode
 * @typedef {{ code: CauseCode, limit?: number, places?: string }} Cause  limit: of descriptors, or of the accept queue where it is
 *   known; places: how many connections it serves at once
 */

/** @param {number | undefined} limit @returns {string} */
const queueText = (limit) =>
  limit === undefined ? 'its accept queue was full' : `its accept queue of ${counted(limit, 'connection')} was full`;

/** @type {Readonly<Record<CauseCode, [one: (cause: Cause) => string, several: string]>>} */
const TEXTS = {
  descriptors: [
    ({ limit }) => `its limit of ${count(limit)} file descriptors was reached`,
    'their limits of file descriptors were reached',
  ],
  places: [({ places }) => `it ${places}`, 'they serve few connections at once'],
  'accept-queue': [({ limit }) => queueText(limit), 'their accept queues were full'],
  'busy-cores': [
    () => 'client or server waited for a core most of that time, so the machine may be the reason',
    'client or server waited for a core most of that time, so the machine may be the reason',
  ],
  'no-answer': [() => 'the SYNs were not answered', 'the SYNs were not answered'],
};

/** @param {Cause} cause @returns {string} a clause about one server */
export const causeText = (cause) => TEXTS[cause.code][0](cause);

/** @param {(Cause | undefined)[]} causes of several servers @returns {string | undefined} the one they share */
export function commonCauseText([first, ...others]) {
  return first && others.every((cause) => cause?.code === first.code) ? TEXTS[first.code][1] : undefined;
}

/** @param {Leg} leg @param {string} code @returns {Record<string, any> | undefined} data of that finding */
const findingOf = ({ findings = [] }, code) => findings.find((/** @type {any} */ one) => one.code === code)?.data;

/** @param {Leg} leg @returns {Cause | undefined} */
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
export function unservedCause(leg) {
  const { TcpExtListenOverflows: full = 0 } = leg.serverKernel ?? leg.kernel ?? {};
  const descriptors = descriptorCause(leg);
  if (descriptors) return descriptors;
  const places = fewPlacesText(leg);
  if (places) return { code: 'places', places };
  return full > 0 ? queueCause(leg) : undefined;
}

/**
 * @param {Leg} leg @param {import('../connect-delays.js').DelayReason} reason
 * @returns {Cause | undefined} why connects waited; undefined where it was this machine
 */
export function delayCause(leg, reason) {
  if (reason === 'this-machine') return undefined;
  return descriptorCause(leg) ?? (reason === 'accept-queue' ? queueCause(leg) : { code: reason });
}

/** @param {Leg} leg @returns {Cause | undefined} why connections were closed or reset */
export const errorCause = (leg) => descriptorCause(leg);

/** @param {Leg} leg @returns {Cause | undefined} why attempts were rejected, where one reason explains most */
export function rejectCause(leg) {
  const { total = 0, timeout = 0, local = 0 } = leg.rejects ?? {};
  if (2 * local > total) return undefined;
  return descriptorCause(leg) ?? (findingOf(leg, 'backlog-full') && 2 * timeout > total ? queueCause(leg) : undefined);
}
