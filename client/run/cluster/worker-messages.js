// What a person is told of workers. The one thing to know: what a dead one cost is what its last report told. Pure.
import { formatSize } from '../../results/units.js';

/**
 * @param {{ index: number, how: string, what: 'died' | 'could not be started', reported: boolean,
 *   gone: import('../../results/sample.js').Gone, again: boolean, open: boolean, cry: string }} loss
 *   reported: it had told anything of the leg; again: its slots begin anew what they had done; open: requests are due
 *   by a rate; cry: its last words
 * @returns {string}
 */
export function workerLostMessage({ index, how, what, reported, gone, again, open, cry }) {
  const cost =
    what !== 'died'
      ? ''
      : !reported
        ? ' before its first report'
        : ` with ${gone.open} connections open, ${gone.unfinished} transfers and ${gone.abandoned} attempts in flight` +
          (again ? '; what its slots had done already is done once more' : '') +
          (open ? '; what is due of it until its replacement begins is unsent' : '');
  return `worker ${index} ${what} (${how})${cost}${cry ? `: ${cry}` : ''}`;
}

/** @param {string} failure of TLS, as an engine tells it */
export function tlsFailureMessage(failure) {
  const remedy = failure.includes('certificate was not accepted')
    ? '. Give tls.ca or tls.serverName if it is right, or tls.verify false to take any'
    : '';
  return `TLS failed ${failure}${remedy} (told once; counted among rejects or errors)`;
}

/** Above it, a worker may lack the memory or the time to make its payload. */
const LARGE_PAYLOAD_BYTES = 64 * 1024 ** 2;

/** @param {number[]} workers @param {number} readyMs they had @param {number} payloadBytes that each makes first */
export function workersNotReadyMessage(workers, readyMs, payloadBytes) {
  return `worker ${workers.join(', ')} was not ready within ${readyMs / 1000} s${
    payloadBytes < LARGE_PAYLOAD_BYTES
      ? ''
      : `; each makes a payload of ${formatSize(payloadBytes)} first: give a smaller one, or fewer workers`
  }`;
}
