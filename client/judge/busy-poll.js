// Whether busyPoll took CPU time that the server needed. Pure.
// The one thing to know: idle polls never make the client the limit (limit-attribution.js), but they occupy a core.

import { warning } from '../words/warnings.js';

/** @typedef {import('../measure/sample.js').Sample} Sample */

/** As in limit-attribution.js: the busy share from which on a core is full, and the waiting that is more than a busy moment. */
const bounds = Object.freeze({ coreFull: 0.95, waiting: 0.2 });

/**
 * @param {Sample[]} samples of a leg
 * @returns {import('../words/warnings.js').Warning | null} when in the steady state the server's threads waitedNs for cores
 *   while engines polledNs
 */
export function busyPollWarning(samples) {
  let [spanNs, polledNs, waitedNs, cores] = [0, 0, 0, 0];
  for (const {
    phase,
    fromNs,
    toNs,
    client,
    server,
    machine: { busy },
  } of samples) {
    if (phase !== 'steady') continue;
    spanNs += toNs - fromNs;
    if (!client.idlePollSeconds || !server?.waitSeconds || busy.some((share) => share < bounds.coreFull)) continue;
    polledNs += client.idlePollSeconds * 1e9;
    waitedNs += server.waitSeconds * 1e9;
    cores = busy.length;
  }
  if (polledNs === 0 || waitedNs < bounds.waiting * spanNs) return null;
  return warning('busy-poll-starves-server', { cores, spinning: polledNs / spanNs, waiting: waitedNs / spanNs });
}
