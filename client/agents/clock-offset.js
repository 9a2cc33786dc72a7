// The offset of an agent's CLOCK_MONOTONIC from the controller's, from the shortest of several round trips: its two
// directions can differ least, and the error is at most half of it.

/** Round trips that are measured for each agent. */
export const ROUND_TRIPS = 20;

/**
 * @typedef {{ sentNs: bigint, remoteNs: bigint, receivedNs: bigint }} RoundTrip  sentNs, receivedNs: by the
 *   controller's clock; remoteNs: by the agent's, in between
 * @typedef {{ offsetNs: number, roundTripNs: number }} ClockOffset  offsetNs: the agent's clock minus the controller's
 */

/** @param {ClockOffset} clock @returns {number} largest possible error of the offset in ns */
export const clockErrorNs = ({ roundTripNs }) => Math.ceil(roundTripNs / 2);

/** @param {RoundTrip[]} trips at least one @returns {ClockOffset & { exactOffsetNs: bigint }} */
export function clockOffset(trips) {
  const length = (/** @type {RoundTrip} */ { sentNs, receivedNs }) => receivedNs - sentNs;
  const shortest = trips.reduce((a, b) => (length(b) < length(a) ? b : a));
  const exactOffsetNs = shortest.remoteNs - (shortest.sentNs + shortest.receivedNs) / 2n;
  return { exactOffsetNs, offsetNs: Number(exactOffsetNs), roundTripNs: Number(length(shortest)) };
}
