// Waits until a server is ready: its first line of stdout says so, or one exchange succeeds. The one thing to know: it
// waits for a condition with a deadline, and a server that ends meanwhile is told at once, with what it wrote.

import { setTimeout as wait } from 'node:timers/promises';
import { ServerError } from '../errors.js';
import { daemonText } from '../process/guarded.js';
import { hostTaken } from './hosts.js';
import { verifyExchange } from './verify.js';

const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 200;

/**
 * @typedef {object} Ready
 * @property {'line' | 'exchange'} by how it was found ready
 * @property {string} host
 * @property {number} port
 * @property {number[]} pids
 * @property {string} protocol
 */

/**
 * @param {string} line
 * @returns {Record<string, any> | null} null when it is no ready line
 */
export function parseReadyLine(line) {
  if (!line.startsWith('{')) return null;
  try {
    const said = JSON.parse(line);
    return said.ready === true && Number.isInteger(said.port) ? said : null;
  } catch {
    return null;
  }
}

/**
 * @param {object} options
 * @param {import('../process/guarded.js').Guarded} options.guarded
 * @param {string} options.what how to call the server in messages
 * @param {Promise<Record<string, any>>} options.line the ready line, once it has come
 * @param {boolean} options.byExchange whether a successful exchange counts too
 * @param {{host: string, port: number, protocol: string, protocolOptions?: any,
 *   tls: () => import('node:tls').ConnectionOptions | null}} options.expected
 * @param {number} options.timeoutMs
 * @returns {Promise<Ready>} rejects with ServerError EDIED or ENOTREADY; the server is then still to be stopped
 */
export async function waitReady({ guarded, what, line, byExchange, expected, timeoutMs }) {
  const pid = await guarded.started;
  const over = new AbortController();
  /** @type {{last?: string}} why the last exchange failed */
  const tries = {};
  const deadline = wait(timeoutMs, undefined, { signal: over.signal }).then(() => {
    const fault = tries.last && !tries.last.startsWith('nothing listens') ? ` (${tries.last})` : '';
    const hint = byExchange
      ? `no ready line, and no ${expected.protocol} exchange on port ${expected.port}${fault}`
      : 'no ready line on its stdout';
    throw new ServerError(withTail(`${what} was not ready within ${timeoutMs} ms: ${hint}`, guarded), {
      code: 'ENOTREADY',
    });
  });
  const died = guarded.exited.then((ending) => {
    const { code, signal } = ending;
    const how = signal ? `was ended by ${signal}` : `ended with exit status ${code}`;
    throw new ServerError(withTail(`${what} ${how} before it was ready${daemonText(ending)}`, guarded), {
      code: 'EDIED',
    });
  });
  const said = line.then(async ({ host = expected.host, port, pids, protocol }) => {
    const taken = await hostTaken(host, expected.host);
    if (taken === null) {
      throw new ServerError(`${what} said it listens on ${JSON.stringify(host)}, was told ${expected.host}`, {
        code: 'ENOTREADY',
      });
    }
    return {
      by: /** @type {const} */ ('line'),
      host: taken,
      port,
      pids: Array.isArray(pids) && pids.length > 0 ? pids : [pid],
      protocol: protocol ?? expected.protocol,
    };
  });
  const found = { by: /** @type {const} */ ('exchange'), ...expected, pids: [pid] };
  const answered = byExchange ? untilExchange(expected, tries, over.signal).then(() => found) : null;
  const contestants = [deadline, died, said, ...(answered ? [answered] : [])];
  try {
    return /** @type {Ready} */ (await Promise.race(contestants));
  } finally {
    over.abort();
    for (const each of contestants) each.catch(() => {}); // the race is over for them
  }
}

/**
 * @param {{host: string, port: number, protocol: string, protocolOptions?: any,
 *   tls: () => import('node:tls').ConnectionOptions | null}} expected
 * @param {{last?: string}} tries
 * @param {AbortSignal} signal
 */
async function untilExchange(expected, tries, signal) {
  for (let pauseMs = FIRST_WAIT_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await verifyExchange({ ...expected, tls: expected.tls(), timeoutMs: 1000 });
    } catch (error) {
      tries.last = /** @type {Error} */ (error).message;
      await wait(pauseMs, undefined, { signal });
    }
  }
}

/**
 * @param {string} message
 * @param {import('../process/guarded.js').Guarded} guarded
 */
function withTail(message, guarded) {
  const lines = guarded.stderrTail();
  return lines.length === 0
    ? `${message}; it wrote nothing on stderr`
    : [`${message}; it wrote:`, ...lines].join('\n  ');
}
