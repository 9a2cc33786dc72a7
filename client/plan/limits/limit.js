// One limit in the way of a run, and how it is judged. All that is said of limits, be it the error with exit code 3, a
// warning or a row of doctor's table, is made from such rows. Pure.

import { BroadsideError, UsageError } from '../../errors.js';

/**
 * What becomes of it when more is needed than there is: `client`, refused before anything starts; `server` and
 * `kernel`, announced and run into.
 * @typedef {'client' | 'server' | 'kernel'} Ceiling
 *
 * @typedef {object} Limit
 * @property {string} code                 kebab-case, for programs
 * @property {string} name                 of what there is only so much
 * @property {string[]} servers            labels of the legs whose server it is about; empty: the client or the kernel
 * @property {string} what                 a sentence or two: what is needed, what there is, and what comes of it
 * @property {'count' | 'bytes'} unit      of value and needed
 * @property {number | null} value         null: unlimited, or nothing to count
 * @property {number | null} needed
 * @property {'ok' | Ceiling} verdict
 * @property {string | null} remedy        a sentence; null when it is ok, or when nothing helps
 * @property {number | null} holds         connections that a server can have by this limit, where that can be said
 */

/**
 * @param {object} facts
 * @param {string} facts.code
 * @param {string} facts.name
 * @param {number | null} facts.value
 * @param {number} facts.needed
 * @param {Ceiling} facts.ceiling   the verdict when there is too little
 * @param {string} facts.what
 * @param {string | null} [facts.remedy]
 * @param {'count' | 'bytes'} [facts.unit]
 * @param {string[]} [facts.servers]
 * @param {number | null} [facts.holds]
 * @returns {Limit}
 */
export function judge({
  code,
  name,
  value,
  needed,
  ceiling,
  what,
  remedy = null,
  unit = 'count',
  servers = [],
  holds = null,
}) {
  const verdict = value === null || needed <= value ? 'ok' : ceiling;
  return { code, name, servers, what, unit, value, needed, verdict, remedy: verdict === 'ok' ? null : remedy, holds };
}

/**
 * Something that cannot be had here at all, such as an io backend: nothing to count.
 * @param {string} name
 * @param {() => void} check throws what there is to say
 * @returns {Limit[]} empty when there is nothing to say
 */
export function fault(name, check) {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof BroadsideError) || error instanceof UsageError) throw error;
    const { message } = error;
    return [
      {
        code: `${name.replace('.', '-')}-unavailable`,
        name,
        servers: [],
        what: message,
        unit: 'count',
        value: null,
        needed: null,
        verdict: 'client',
        remedy: null,
        holds: null,
      },
    ];
  }
}

/**
 * Rows of several servers that say the same but for the server become one.
 * @param {Limit[]} limits
 * @returns {Limit[]}
 */
export function merge(limits) {
  /** @type {Map<string, Limit>} */
  const merged = new Map();
  for (const limit of limits) {
    const { servers, ...rest } = limit;
    const key = JSON.stringify(rest);
    const same = merged.get(key);
    if (same === undefined) merged.set(key, limit);
    else merged.set(key, { ...same, servers: [...same.servers, ...servers] });
  }
  return [...merged.values()];
}
