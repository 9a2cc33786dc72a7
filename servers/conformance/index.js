// The conformance probe: whether a server keeps the contract of servers/README.md, tried byte by byte from outside. The
// one thing to know: it needs the server's command (see start.js) and, to ask for all of it, its manifest.

import { aceChecks } from './checks/ace.js';
import { clientChecks } from './checks/clients.js';
import { concurrencyChecks } from './checks/concurrency.js';
import { descriptorChecks } from './checks/descriptors.js';
import { endingChecks, underLoad } from './checks/ending.js';
import { exchangeChecks, sizeChecks } from './checks/exchange.js';
import { idleChecks } from './checks/idle.js';
import { neverReadsChecks } from './checks/never-reads.js';
import { optionChecks } from './checks/options.js';
import { processChecks } from './checks/processes.js';
import { volleyChecks } from './checks/volley.js';
import { workChecks } from './checks/work.js';
import { protocolNamed } from './protocols/index.js';
import { Session } from './session.js';

export { probedProtocols } from './protocols/index.js';
export { starter } from './start.js';

const CROWD = 2000;
/** Sanitizers take several times the memory and time. */
const SANITIZED_CROWD = 500;

/**
 * @typedef {import('./check.js').Check} Check
 * @typedef {import('./check.js').Manifest} Manifest
 * @typedef {import('./start.js').Start} Start
 *
 * @typedef {object} Choice
 * @property {string} protocol
 * @property {Manifest | null} manifest null: anybody's command, of which nothing is known
 * @property {'full' | 'short' | 'exchange'} [depth] exchange: the golden vectors, split at any byte; short: also an end
 *   under load
 * @property {number} [crowd] how many connections "many" are
 * @property {boolean} [sanitized] its memory and CPU are a sanitizer's, and are not judged
 *
 * @typedef {object} Result
 * @property {string} name
 * @property {boolean} ok
 * @property {number} ms
 * @property {string} [why] it failed
 * @property {string} [skipped] why it was left out; `ok` is true then
 */

/**
 * @param {Choice} choice
 * @returns {Check[]} in the order they are best run; those that are left out say so by `leftOut`
 */
export function checksFor({ protocol, manifest, depth = 'full', crowd, sanitized = false }) {
  const options = manifest?.options ?? {};
  const about = {
    protocol: protocolNamed(protocol),
    manifest,
    places: placesOf(manifest),
    crowd: crowd ?? (sanitized ? SANITIZED_CROWD : CROWD),
    measured: !sanitized,
    exact: manifest?.language === 'c',
    has: (/** @type {string} */ key) => key in options,
    words: (/** @type {string} */ key, /** @type {string | number} */ value) =>
      (options[key] ?? []).map((word) => word.replaceAll('{value}', String(value))),
  };
  if (depth === 'exchange') return exchangeChecks(about);
  if (depth === 'short') return [...exchangeChecks(about), underLoad(about)];
  return [
    ...optionChecks(about),
    ...exchangeChecks(about),
    ...sizeChecks(about),
    ...clientChecks(about),
    ...neverReadsChecks(about),
    ...endingChecks(about),
    ...descriptorChecks(about),
    ...concurrencyChecks(about),
    ...volleyChecks(about),
    ...aceChecks(about),
    ...idleChecks(about),
    ...workChecks(about),
    ...processChecks(about),
  ];
}

/**
 * Runs the checks one after another; nothing that was started outlives them.
 * @param {object} job
 * @param {Start} job.start
 * @param {string} job.protocol
 * @param {Manifest | null} job.manifest
 * @param {Choice['depth']} [job.depth]
 * @param {number} [job.crowd]
 * @param {(result: Result) => void} [job.onResult] as each comes
 * @param {RegExp} [job.only] those whose name matches
 * @returns {Promise<Result[]>}
 */
export async function runChecks({ start, protocol, manifest, depth, crowd, onResult = () => {}, only }) {
  const session = new Session(start, protocolNamed(protocol));
  /** @type {Result[]} */
  const results = [];
  try {
    for (const check of checksFor({ protocol, manifest, depth, crowd })) {
      if (only && !only.test(check.name)) continue;
      const result = await resultOf(session, check);
      results.push(result);
      onResult(result);
    }
  } finally {
    await session.end();
  }
  return results;
}

/**
 * @param {Start} start
 * @param {string} protocol
 * @returns {Session} for whoever wants to run the checks one by one; `end()` it
 */
export const openSession = (start, protocol) => new Session(start, protocolNamed(protocol));

/** @param {Session} session @param {Check} check @returns {Promise<Result>} */
async function resultOf(session, check) {
  const { name, leftOut } = check;
  if (leftOut !== null) return { name, ok: true, ms: 0, skipped: leftOut };
  const started = performance.now();
  const ms = () => Math.round(performance.now() - started);
  try {
    await session.run(check);
    return { name, ok: true, ms: ms() };
  } catch (error) {
    return { name, ok: false, ms: ms(), why: /** @type {Error} */ (error).message };
  }
}

/** @param {Manifest | null} manifest @returns {number} */
function placesOf(manifest) {
  const concurrent = manifest?.concurrent ?? 'unbounded';
  if (concurrent === 'unbounded') return Infinity;
  return typeof concurrent === 'object' ? concurrent.default : concurrent;
}
