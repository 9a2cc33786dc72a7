// Where the slots of a leg connect to, for each instance of the server. Pure.

/**
 * Slot i goes to endpoint i mod length. The slots of one instance are `instances` apart, and take each source in turn.
 * @param {{ address: string, port: number }} instance
 * @param {string[]} sources
 * @param {number} instances
 * @returns {import('./assignment.js').Endpoint[]}
 */
export function endpointsOf({ address, port }, sources, instances) {
  if (sources.length === 0) return [{ address, port }];
  return sources.flatMap((source) => Array.from({ length: instances }, () => ({ address, port, source })));
}
