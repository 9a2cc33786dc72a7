// Looking instead of sleeping (busyPoll) that was done at the server's expense. Pure.
// The one thing to know: looks in vain are no limit (limit.js), but they take a core that the server may have needed.

import { warning } from './warnings.js';

/** @typedef {import('./sample.js').Sample} Sample */

/** As in limit.js: from which on a core is full, and waiting is more than that of a busy moment. */
const bounds = Object.freeze({ coreFull: 0.95, waiting: 0.2 });

/**
 * @param {Sample[]} samples of a leg
 * @returns {import('./warnings.js').Warning | null} when in the steady state the server's threads waited for cores
 *   while engines spun
 */
export function busyPollWarning(samples) {
  let [span, spun, waited, cores] = [0, 0, 0, 0];
  for (const {
    phase,
    fromNs,
    toNs,
    client,
    server,
    machine: { busy },
  } of samples) {
    if (phase !== 'steady') continue;
    span += toNs - fromNs;
    if (!client.idlePollSeconds || !server?.waitSeconds || busy.some((share) => share < bounds.coreFull)) continue;
    spun += client.idlePollSeconds * 1e9;
    waited += server.waitSeconds * 1e9;
    cores = busy.length;
  }
  if (spun === 0 || waited < bounds.waiting * span) return null;
  return warning('busy-poll-starves-server', { cores, spinning: spun / span, waiting: waited / span });
}
