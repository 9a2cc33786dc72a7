// The conformance checks test from outside whether a server meets the contract of servers/README.md. They need the
// server's command (see start.js) and, for the checks of options, its manifest.

import { AssertionError } from 'node:assert';
import { inspect } from 'node:util';
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
import { sctpChecks } from './checks/sctp.js';
import { volleyChecks } from './checks/volley.js';
import { workChecks } from './checks/work.js';
import { protocolNamed } from './protocols/index.js';
import { Session } from './session.js';
import { EndedEarly } from './start.js';
import { TimeoutError } from './wait.js';

/**
 * @import { Problem } from '../launcher/errors.js'
 * @import { Manifest } from '../launcher/manifest/manifest.js'
 * @import { Check, Subject } from './check.js'
 * @import { Start } from './start.js'
 */

export { checkedProtocols } from './protocols/index.js';
export { EndedEarly, starter } from './start.js';
export { failureText };

const CROWD = 2000;
/** Sanitizers need several times the memory and time. */
const SANITIZED_CROWD = 500;

/**
 * @typedef {object} Choice
 * @property {string} protocol
 * @property {Manifest | null} manifest null: an arbitrary command, whose properties are not known
 * @property {'full' | 'short' | 'exchange'} [depth] exchange: only the wire vectors; short: also the end under
 *   load and, except for echo, rude clients
 * @property {'tcp' | 'sctp' | 'sctp-seqpacket'} [transport] default: tcp
 * @property {number} [crowd] number of connections in checks of many connections
 * @property {boolean} [sanitized] whether it runs under a sanitizer, so that memory and CPU use are not judged
 *
 * @typedef {object} Result
 * @property {string} id of the check
 * @property {string} name for people
 * @property {boolean} ok also true if it was skipped
 * @property {number} ms
 * @property {Problem} [failure] code `assertion` (data: actual, expected), `timeout` (data:
 *   timeoutMs), `ended-early` (data: exitCode, signal, stderr) or `error`
 * @property {{code: string, text: string}} [skipped] why it does not apply to this server
 */

/**
 * @param {Choice} choice
 * @returns {Check[]} in the order in which they should run; `skipped` is set if a check does not apply
 */
export function checksFor({ protocol, manifest, depth = 'full', crowd, sanitized = false, transport = 'tcp' }) {
  const options = manifest?.options ?? {};
  const subject = {
    protocol: protocolNamed(protocol),
    manifest,
    concurrency: concurrencyOf(manifest),
    crowd: crowd ?? (sanitized ? SANITIZED_CROWD : CROWD),
    measured: !sanitized,
    exact: manifest?.language === 'c',
    has: (/** @type {string} */ key) => key in options,
    words: (/** @type {string} */ key, /** @type {string | number} */ value) =>
      (options[key] ?? []).map((word) => word.replaceAll('{value}', String(value))),
  };
  if (transport !== 'tcp') return sctpChecks();
  if (depth === 'exchange') return exchangeChecks(subject);
  if (depth === 'short') return [...exchangeChecks(subject), underLoad(subject), ...rudeChecks(subject)];
  return [
    ...optionChecks(subject),
    ...exchangeChecks(subject),
    ...sizeChecks(subject),
    ...clientChecks(subject),
    ...neverReadsChecks(subject),
    ...endingChecks(subject),
    ...descriptorChecks(subject),
    ...concurrencyChecks(subject),
    ...volleyChecks(subject),
    ...aceChecks(subject),
    ...idleChecks(subject),
    ...workChecks(subject),
    ...processChecks(subject),
  ];
}

/**
 * @param {Subject} subject
 * @returns {Check[]} checks of rude clients of a protocol with frames; none for echo, which has no frames
 */
function rudeChecks(subject) {
  if (subject.protocol.name === 'echo') return [];
  return [...clientChecks(subject).filter(({ id }) => id === 'rude-clients'), ...aceChecks(subject)];
}

/**
 * Runs the checks one after another and ends everything that they start.
 * @param {object} job
 * @param {Start} job.start
 * @param {string} job.protocol
 * @param {Manifest | null} job.manifest
 * @param {Choice['depth']} [job.depth]
 * @param {number} [job.crowd]
 * @param {(result: Result) => void} [job.onResult] called after each check
 * @param {Choice['transport']} [job.transport] with which `start` starts the server
 * @param {RegExp} [job.only] only checks whose id or name matches
 * @returns {Promise<Result[]>}
 */
export async function runChecks({
  start,
  protocol,
  manifest,
  depth,
  crowd,
  transport = 'tcp',
  onResult = () => {},
  only,
}) {
  const session = new Session(start, protocolNamed(protocol));
  /** @type {Result[]} */
  const results = [];
  try {
    for (const check of checksFor({ protocol, manifest, depth, crowd, transport })) {
      if (only && !only.test(check.id) && !only.test(check.name)) continue;
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
 * @returns {Session} for running single checks; call its `end()` afterwards
 */
export const openSession = (start, protocol) => new Session(start, protocolNamed(protocol));

/** @param {Session} session @param {Check} check @returns {Promise<Result>} */
async function resultOf(session, check) {
  const { id, name, skipped } = check;
  if (skipped !== null) return { id, name, ok: true, ms: 0, skipped };
  const started = performance.now();
  const ms = () => Math.round(performance.now() - started);
  try {
    await session.run(check);
    return { id, name, ok: true, ms: ms() };
  } catch (error) {
    return { id, name, ok: false, ms: ms(), failure: failureOf(error) };
  }
}

/** @param {unknown} error @returns {Problem} */
function failureOf(error) {
  const text = failureText(/** @type {Error} */ (error));
  if (error instanceof TimeoutError) return { code: 'timeout', data: { timeoutMs: error.timeoutMs }, text };
  if (error instanceof EndedEarly) {
    const { code: exitCode, signal, stderr } = error.ending;
    return { code: 'ended-early', data: { exitCode, signal, stderr }, text };
  }
  if (error instanceof AssertionError) {
    const { actual, expected } = error;
    return { code: 'assertion', data: { actual, expected }, text };
  }
  return { code: 'error', data: {}, text };
}

/** How many first and last lines remain of a long text, which contains the server's output. */
const LINES = { first: 4, last: 6 };
const MAX_LINE = 300;

/** @param {Error & {code?: string}} error @returns {string} a text of limited length for people */
function failureText(error) {
  if (error.code === 'ERR_SOCKET_BAD_PORT') return 'the server was started with an invalid port, and did not refuse it';
  const { generatedMessage = false, actual, expected } = /** @type {any} */ (error);
  const text = generatedMessage ? `expected ${inspect(expected)}, received ${inspect(actual)}` : error.message;
  const lines = text
    .split('\n')
    .map((/** @type {string} */ line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)} ...` : line));
  const leftOut = lines.length - LINES.first - LINES.last;
  if (leftOut <= 1) return lines.join('\n');
  return [...lines.slice(0, LINES.first), `... ${leftOut} lines left out ...`, ...lines.slice(-LINES.last)].join('\n');
}

/** @param {Manifest | null} manifest @returns {number} */
function concurrencyOf(manifest) {
  const concurrent = manifest?.concurrent ?? 'unbounded';
  if (concurrent === 'unbounded') return Infinity;
  return typeof concurrent === 'object' ? concurrent.default : concurrent;
}
