// Waits until a server is ready: the first line of its stdout says so, or an exchange succeeds. A server that ends while
// it is waited for is reported immediately, with what it has written.

import { setTimeout as wait } from 'node:timers/promises';
import { ServerError } from '../errors.js';
import { daemonText } from '../process/guarded.js';
import { hostsOf } from './endpoint.js';
import { resolveAnnouncedHost } from './hosts.js';
import { protocolAt, verifyExchange } from './verify.js';

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 200;
const EXCHANGE_MS = 1000;
/** Reasons that are about a whole reply, which will not be another one later. */
const WRONG_REPLIES = new Set(['mismatch', 'unexpected-reply']);
/** @param {string} protocol @returns {string} the one that its replies begin with, which may say that the server is still starting */
const familyOf = (protocol) => (protocol === 'websocket' ? 'http' : protocol);
/** Of SCTP. */
const STACKS = ['kernel', 'usrsctp'];

/**
 * @typedef {object} Ready
 * @property {'line' | 'exchange'} by
 * @property {string} host
 * @property {number} port
 * @property {number[]} pids
 * @property {string} protocol
 * @property {'kernel' | 'usrsctp' | null} stack of SCTP; null: it speaks TCP
 *
 * @typedef {{host: string, port: number, protocol: string, protocolOptions?: any,
 *   transport: import('../manifest/manifest.js').Transport,
 *   tls: () => import('node:tls').ConnectionOptions | null}} Expected
 *
 * @typedef {object} Attempt
 * @property {import('../process/guarded.js').Guarded} guarded
 * @property {string} what the server, as messages name it
 * @property {string} name the server's, or 'command'
 * @property {Promise<Record<string, any>>} readyLine resolves when the ready line has arrived
 * @property {boolean} byExchange whether a successful exchange counts too
 * @property {Expected} expected
 * @property {number} timeoutMs
 */

/**
 * @param {string} line
 * @returns {Record<string, any> | null} null when it is not a ready line
 */
export function parseReadyLine(line) {
  if (!line.startsWith('{')) return null;
  try {
    const content = JSON.parse(line);
    return content.ready === true && Number.isInteger(content.port) ? content : null;
  } catch {
    return null;
  }
}

/**
 * @param {Attempt} attempt
 * @returns {Promise<Ready>} rejects with ServerError EDIED or ENOTREADY; the caller must still stop the server
 */
export async function waitReady(attempt) {
  const { guarded, readyLine, byExchange, expected } = attempt;
  const pid = await guarded.started;
  const over = new AbortController();
  /** @type {{error?: ServerError}} why the last exchange failed */
  const last = {};
  const candidates = [
    failAtDeadline(attempt, last, over.signal),
    failAtExit(attempt),
    readyLine.then((content) => readyByLine(attempt, content, pid)),
  ];
  if (byExchange) {
    candidates.push(
      untilExchange(attempt, last, over.signal).then(() => ({
        by: 'exchange',
        ...expected,
        pids: [pid],
        stack: null,
      })),
    );
  }
  try {
    return await Promise.race(candidates);
  } finally {
    over.abort();
    for (const each of candidates) each.catch(() => {}); // their outcome no longer matters
  }
}

/**
 * @param {Attempt} attempt
 * @param {{error?: ServerError}} last
 * @param {AbortSignal} signal
 * @returns {Promise<never>}
 */
async function failAtDeadline({ guarded, what, name, byExchange, expected, timeoutMs }, last, signal) {
  await wait(timeoutMs, undefined, { signal });
  const { error } = last;
  const why = error === undefined || error.data.reason === 'not-listening' ? '' : ` (${error.message})`;
  const missing = byExchange
    ? `no ready line, and no ${expected.protocol} exchange on port ${expected.port}${why}`
    : 'no ready line on its stdout';
  const data = {
    server: name,
    reason: 'timeout',
    timeoutMs,
    exchange: error?.data ?? null,
    stderr: guarded.stderrTail(),
  };
  throw new ServerError(withStderr(`${what} was not ready within ${timeoutMs} ms: ${missing}`, guarded), {
    code: 'ENOTREADY',
    data,
  });
}

/** @param {Attempt} attempt @returns {Promise<never>} */
async function failAtExit({ guarded, what, name }) {
  const ending = await guarded.exited;
  const { code: exitCode, signal, left: leftBehind = 0 } = ending;
  const how = signal ? `was ended by ${signal}` : `ended with exit status ${exitCode}`;
  throw new ServerError(withStderr(`${what} ${how} before it was ready${daemonText(ending)}`, guarded), {
    code: 'EDIED',
    data: { server: name, exitCode, signal, leftBehind, stderr: guarded.stderrTail() },
  });
}

/**
 * @param {Attempt} attempt
 * @param {Record<string, any>} content of the ready line
 * @param {number} pid
 * @returns {Promise<Ready>}
 */
async function readyByLine({ what, name, expected }, content, pid) {
  const [first] = hostsOf(expected.host);
  const { host = first, port, pids, protocol, transport = 'tcp', stack = null } = content;
  if (transport !== expected.transport) {
    const message = `the ready line of ${what} says that it speaks ${transport}; expected ${expected.transport}`;
    const data = { server: name, reason: 'transport', transport, expected: expected.transport };
    throw new ServerError(message, { code: 'ENOTREADY', data });
  }
  if (transport !== 'tcp' && !STACKS.includes(stack)) {
    const message = `the ready line of ${what} must state the SCTP stack: ${STACKS.join(' or ')}`;
    throw new ServerError(message, {
      code: 'ENOTREADY',
      data: { server: name, reason: 'stack', stack, known: STACKS },
    });
  }
  const accepted = await resolveAny(host, hostsOf(expected.host));
  if (accepted === null) {
    const message = `the ready line of ${what} names the host ${JSON.stringify(host)}; expected ${expected.host}`;
    const data = { server: name, reason: 'host', host, expected: expected.host };
    throw new ServerError(message, { code: 'ENOTREADY', data });
  }
  return {
    by: 'line',
    host: accepted,
    port,
    pids: Array.isArray(pids) && pids.length > 0 ? pids : [pid],
    protocol: protocol ?? expected.protocol,
    stack,
  };
}

/** @param {unknown} announced @param {string[]} requested several over SCTP @returns {Promise<string | null>} */
async function resolveAny(announced, requested) {
  const found = await Promise.all(requested.map((each) => resolveAnnouncedHost(announced, each)));
  return found.find((each) => each !== null) ?? null;
}

/**
 * @param {Attempt} attempt
 * @param {{error?: ServerError}} last
 * @param {AbortSignal} signal
 * @throws {ServerError} ENOTREADY as soon as a reply is one of another protocol
 */
async function untilExchange({ guarded, what, name, expected }, last, signal) {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await verifyExchange({ ...expected, tls: expected.tls(), timeoutMs: EXCHANGE_MS });
    } catch (error) {
      if (error instanceof ServerError) last.error = error;
      else last.error = new ServerError(/** @type {Error} */ (error).message, { code: 'EEXCHANGE', cause: error }); // of tls()
      const { reason = '', ...said } = /** @type {{ spoken?: string, reason?: string }} */ (last.error.data ?? {});
      const isAsked = said.spoken === undefined && (reason === 'timeout' || WRONG_REPLIES.has(reason));
      const spoken = isAsked ? await protocolAt(expected.host, expected.port, EXCHANGE_MS / 2) : said.spoken;
      if (spoken !== undefined && spoken !== familyOf(expected.protocol) && (isAsked || WRONG_REPLIES.has(reason))) {
        const text = `${what} speaks ${spoken}, not ${expected.protocol}: give --protocol ${spoken} (${last.error.message})`;
        const data = { server: name, reason: 'protocol', protocol: spoken, exchange: last.error.data };
        throw new ServerError(withStderr(text, guarded), { code: 'ENOTREADY', data });
      }
      await wait(pauseMs, undefined, { signal });
    }
  }
}

/**
 * @param {string} message
 * @param {import('../process/guarded.js').Guarded} guarded
 */
function withStderr(message, guarded) {
  const lines = guarded.stderrTail();
  return lines.length === 0 ? `${message}; its stderr is empty` : [`${message}; its stderr:`, ...lines].join('\n  ');
}
