// Key `timestamps`: which transfers are split by the kernel's timestamps. Pure. The one thing to know: the kernel stamps
// TCP, and a request that it takes at once; where none can be split the usual is off, and anything else is refused.

import { mistake } from '../mistakes.js';

/** @typedef {'sample' | 'all' | 'off'} TimestampsChoice */
/** @typedef {Pick<import('../scenario.js').Scenario, 'transport' | 'listen' | 'protocol' | 'workload' | 'heartbeatNs' | 'payloadBytes' |
 *   'payloadMinBytes'>} Splittable what decides it */

/** As REQUEST_BYTES_MOST of the engine (core/connection/stamps.c). */
const LARGEST_REQUEST_BYTES = 65_536;
/** Whose requests are the payload. */
const ONLY_PAYLOAD = ['echo', 'websocket'];

/**
 * @param {Splittable} scenario
 * @returns {[string, Record<string, any>, string] | null} code, data and why no transfer can be split; null: they can
 */
function obstacle({ transport, listen, protocol, workload, heartbeatNs, payloadBytes, payloadMinBytes }) {
  if (transport !== 'tcp') {
    return ['timestamps-without-tcp', { transport }, `kernel timestamps need transport "tcp", not ${transport}`];
  }
  if (listen === 'unix') return ['timestamps-of-unix-socket', {}, 'the kernel does not stamp unix sockets'];
  if (protocol === 'stream') {
    return ['timestamps-without-replies', { protocol }, `protocol ${protocol} has no replies to time`];
  }
  if (workload === 'hold' && heartbeatNs === 0) {
    return ['timestamps-without-transfers', { workload }, 'workload hold without heartbeat has no transfers'];
  }
  const leastBytes = payloadMinBytes ?? payloadBytes;
  if (ONLY_PAYLOAD.includes(protocol) && leastBytes > LARGEST_REQUEST_BYTES) {
    const data = { payloadBytes: leastBytes, max: LARGEST_REQUEST_BYTES };
    return ['timestamps-of-large-requests', data, 'requests of more than 64KiB do not leave at one moment'];
  }
  return null;
}

/**
 * @param {TimestampsChoice | undefined} given undefined: it was left out
 * @param {Splittable} scenario
 * @returns {TimestampsChoice}
 */
export const timestampsOf = (given, scenario) => given ?? (obstacle(scenario) === null ? 'sample' : 'off');

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function timestampsMistakes(scenario, where) {
  const { timestamps } = scenario;
  const found = timestamps === 'off' ? null : obstacle(scenario);
  if (found === null) return [];
  const [code, data, why] = found;
  return [mistake(where, code, 'timestamps', { timestamps, ...data }, `${timestamps}, but ${why}; leave it out`)];
}
