// The times at which the kernel repeats an unanswered SYN, and how many connects waited for which repetition. A full
// accept queue drops SYNs, so connect times come in steps at these times, and nowhere else.

/** @import { Histogram } from './histogram.js' */

/** RFC 6298; Linux has no setting for it. */
const initialRtoNs = 1e9;
/** The longest time between two retransmissions, if the kernel has no setting for it (before Linux 6.15). */
const defaultRtoMaxNs = 120e9;

/**
 * The times after a connect at which its SYN is sent again. As tcp_retransmit_timer() does it: after each of the first
 * `linear` retransmissions it waits the initial timeout again, after each later one twice as long as before; these
 * linear ones come on top of `retries`.
 * @param {{ retries: number, linear?: number, rtoMaxNs?: number, initialNs?: number }} settings
 *   retries: tcp_syn_retries; linear: tcp_syn_linear_timeouts, 0 if the kernel does not know it (before Linux 6.5)
 * @returns {number[]} ns
 */
export function synRetryTimes({ retries, linear = 0, rtoMaxNs = defaultRtoMaxNs, initialNs = initialRtoNs }) {
  const times = [];
  let waitNs = initialNs;
  let atNs = waitNs;
  for (let retry = 1; retry <= retries + linear; retry += 1) {
    times.push(atNs);
    if (retry > linear) waitNs = Math.min(2 * waitNs, rtoMaxNs);
    atNs += waitNs;
  }
  return times;
}

/**
 * The part `tcp` of environment.json.
 * @param {Record<string, string | null>} sysctl by name, as the kernel writes them
 * @param {number} pageBytes of a memory page
 * @returns {{ initialRtoNs: number, synRetries: number, synLinearTimeouts: number, synRetryNs: number[],
 *   memPages?: { low: number, pressure: number, high: number, pageBytes: number } } | undefined} memPages: tcp_mem, the
 *   thresholds of the counter TcpMemPages; undefined if the kernel does not say how often it retries
 */
export function tcpSettings(sysctl, pageBytes) {
  const number = (/** @type {string} */ name) => (/^\d+$/.test(sysctl[name] ?? '') ? Number(sysctl[name]) : null);
  const synRetries = number('net.ipv4.tcp_syn_retries');
  if (synRetries === null) return undefined;
  const synLinearTimeouts = number('net.ipv4.tcp_syn_linear_timeouts') ?? 0;
  const rtoMaxMs = number('net.ipv4.tcp_rto_max_ms');
  const [low, pressure, high] = (sysctl['net.ipv4.tcp_mem'] ?? '').trim().split(/\s+/).map(Number);
  return {
    initialRtoNs,
    synRetries,
    synLinearTimeouts,
    synRetryNs: synRetryTimes({
      retries: synRetries,
      linear: synLinearTimeouts,
      ...(rtoMaxMs === null ? {} : { rtoMaxNs: rtoMaxMs * 1e6 }),
    }),
    ...(high > 0 ? { memPages: { low, pressure, high, pageBytes } } : {}),
  };
}

/**
 * @param {Histogram} connectTimes
 * @param {number[]} [synRetryNs]
 * @returns {{ retry: number, atNs: number, connections: number }[] | undefined} connects that were completed between a
 *   retransmission and the next, up to the last that any needed; undefined if none was needed
 */
export function connectSteps(connectTimes, synRetryNs = []) {
  const steps = synRetryNs.map((atNs, i) => ({
    retry: i + 1,
    atNs,
    connections: connectTimes.countBetween(atNs, synRetryNs[i + 1] ?? Infinity),
  }));
  const last = steps.findLastIndex(({ connections }) => connections > 0);
  return last < 0 ? undefined : steps.slice(0, last + 1);
}
