// The addresses to connect from. Pure. One address has some 28,000 ports towards one target; on loopback all of 127/8
// is ours, so more connections take more of it. (Elsewhere the machine's own addresses would serve; not yet.)

/**
 * The share of a source's ports that is planned with. Linux gives even ports to connect(2) first: once those are gone,
 * every connect looks through all of them, which takes the client's cores. Some are in TIME_WAIT, too.
 */
const USED_SHARE = 0.4;

/**
 * @param {import('../scenario/scenario.js').Scenario} scenario
 * @returns {boolean} whether the server is on this machine, so that its sockets are too
 */
export function isLocal({ target }) {
  return target === undefined || target.host.startsWith('127.');
}

/**
 * @param {import('../scenario/scenario.js').Scenario} scenario
 * @param {import('./host.js').Host} host
 * @returns {string[]} IPv4 addresses, used in turn; empty: the kernel's choice, one address, is enough
 */
export function sourcesFor(scenario, { ports }) {
  if (!isLocal(scenario) || scenario.connections <= ports * USED_SHARE) return [];
  const count = Math.ceil(scenario.connections / (ports * USED_SHARE));
  return Array.from({ length: count }, (_, i) => `127.0.${Math.floor((i + 1) / 256)}.${(i + 1) % 256}`);
}
