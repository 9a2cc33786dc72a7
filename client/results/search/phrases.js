// The answer of a search in one sentence, for console, page and summary.json. Pure.

import { count, counted } from '../format.js';

/**
 * @typedef {import('./bisection.js').Answer} Answer
 * @typedef {import('./bisection.js').Tally} Tally
 */

/** @param {'rate' | 'connections'} axis @param {number} value @returns {string} such as "2,000/s", "500 connections" */
export const probeText = (axis, value) => (axis === 'rate' ? `${count(value)}/s` : counted(value, 'connection'));

/** @param {Tally} tally @returns {string} such as "held 2 of 2 times" */
const heldText = ({ held, failed }) => `held ${count(held)} of ${counted(held + failed, 'time')}`;
/** @param {Tally} tally @returns {string} */
const failedText = ({ held, failed }) => `failed ${count(failed)} of ${counted(held + failed, 'time')}`;

/** @type {Readonly<Record<string, string>>} */
const LIMITS = {
  client: 'there the client was the limit, so the server may do more',
  machine: 'there all cores of the machine were busy, client and server together',
};

/**
 * @param {{ maximise: 'rate' | 'connections', while: string, to: number }} find
 * @param {Answer & { label: string, limitedBy?: string }} found
 * @returns {string}
 */
export function answerText({ maximise, while: condition, to }, { label, decided, reason, held, failed, limitedBy }) {
  const at = (/** @type {Tally} */ tally) => probeText(maximise, tally.value);
  const limit = failed && limitedBy && LIMITS[limitedBy] ? `; ${LIMITS[limitedBy]}` : '';
  if (decided && reason === 'never-held')
    return `${label}: ${condition} does not hold even at ${probeText(maximise, 1)}`;
  if (decided && held && !failed) {
    return `${label}: ${condition} holds up to ${probeText(maximise, to)} (${heldText(held)}), the most that was tried`;
  }
  if (decided && held && failed) {
    return `${label}: ${condition} holds up to ${at(held)} (${heldText(held)}), and not at ${at(failed)} (${failedText(failed)})${limit}`;
  }
  const known = [
    ...(held ? [`it held at ${at(held)} (${heldText(held)})`] : []),
    ...(failed ? [`it failed at ${at(failed)} (${failedText(failed)})`] : []),
  ].join(', ');
  const why = {
    'not-judged': 'a leg could not be measured',
    contradictory: 'repeated legs contradict each other',
    'too-many-probes': 'legs contradicted each other too often',
    unfinished: 'the search was not finished',
  }[/** @type {string} */ (reason)];
  return `${label}: undecided, because ${why ?? 'it was not confirmed'}${known === '' ? '' : `; ${known}`}`;
}
