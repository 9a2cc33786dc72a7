// How far an agent's CLOCK_MONOTONIC is ahead of the controller's. Pure. Of several round trips the shortest one is
// used, because its two ways can differ least: the offset is wrong by at most half of it.

/** Round trips that are measured for one agent. */
export const ROUND_TRIPS = 20;

/**
 * @typedef {{ sentNs: bigint, remoteNs: bigint, receivedNs: bigint }} RoundTrip  sentNs, receivedNs: by the
 *   controller's clock; remoteNs: by the agent's, in between
 * @typedef {{ offsetNs: number, roundTripNs: number }} ClockOffset  offsetNs: the agent's clock minus the controller's
 */

/** @param {ClockOffset} clock @returns {number} ns by which the offset may be wrong, at most */
export const clockErrorNs = ({ roundTripNs }) => Math.ceil(roundTripNs / 2);

/** @param {RoundTrip[]} trips at least one @returns {ClockOffset & { exactOffsetNs: bigint }} */
export function clockOffset(trips) {
  const length = (/** @type {RoundTrip} */ { sentNs, receivedNs }) => receivedNs - sentNs;
  const best = trips.reduce((a, b) => (length(b) < length(a) ? b : a));
  const exactOffsetNs = best.remoteNs - (best.sentNs + best.receivedNs) / 2n;
  return { exactOffsetNs, offsetNs: Number(exactOffsetNs), roundTripNs: Number(length(best)) };
}
