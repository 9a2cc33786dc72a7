// Profiles: the rate of requests or the number of connections over the steady state, as a list of consecutive pieces
// {from, to, forNs}. A piece with from = to is a step, any other a line. The last value holds on.

/**
 * @import { RatePoint } from '../../config/types.js'
 * @import { Point } from './schedule.js'
 */

/**
 * @typedef {{from: number, to: number, forNs: number}} Piece
 */

/** @param {Piece[]} profile */
export function lengthOf(profile) {
  return profile.reduce((sum, { forNs }) => sum + forNs, 0);
}

/** @param {Piece[]} profile @returns {number} its highest value */
export function peakOf(profile) {
  return Math.max(...profile.flatMap(({ from, to }) => [from, to]));
}

/**
 * A profile as points.
 * @param {Piece[]} profile
 * @returns {{atNs: number, value: number, line: boolean}[]}
 */
function pointsOf(profile) {
  let atNs = 0;
  return profile.flatMap(({ from, to, forNs }) => {
    const start = { atNs, value: from, line: false };
    atNs += forNs;
    return to === from ? [start] : [start, { atNs, value: to, line: true }];
  });
}

/**
 * The number of connections after the ramp.
 * @param {{connections: number, connectionsProfile: Piece[] | null}} scenario
 */
export function firstConnections({ connections, connectionsProfile }) {
  return Math.min(connections, connectionsProfile?.[0]?.from ?? connections);
}

/**
 * Connections that follow a profile.
 * @param {Piece[] | null} profile
 * @param {number} fromNs the beginning of the profile
 * @param {number} limit the most connections that the client can have
 * @returns {Point[]} empty without a profile
 */
export function slotPoints(profile, fromNs, limit) {
  return pointsOf(profile ?? []).map(({ atNs, value, line }) => ({
    atNs: fromNs + atNs,
    slots: Math.min(value, limit),
    line,
  }));
}

/** @param {Piece[]} profile @returns {number} its lowest value above 0; at least 1 */
export function fewestOf(profile) {
  const fewest = profile.map(({ from, to }) => (from === to ? from : Math.min(from, to) || 1));
  return Math.min(...fewest.filter((connections) => connections > 0));
}

/** @param {Piece[] | null} profile @returns {number} its largest rise at once; 0 without a profile */
export function largestJump(profile) {
  return (profile ?? []).reduce(
    (largest, { from }, i, pieces) => (i === 0 ? 0 : Math.max(largest, from - pieces[i - 1].to)),
    0,
  );
}

/** @param {Piece[] | null} profile @returns {number} the sum of its falls */
export function fallsOf(profile) {
  return (profile ?? []).reduce(
    (sum, { from, to }, i, pieces) =>
      sum + Math.max(0, from - to) + (i === 0 ? 0 : Math.max(0, pieces[i - 1].to - from)),
    0,
  );
}

/**
 * The rates of an open loop.
 * @param {number} rate  constant, or the profile's peak
 * @param {Piece[] | null} profile
 * @param {number} holdNs for which the first rate holds before the profile begins
 * @returns {RatePoint[]} the first at 0
 */
export function ratePoints(rate, profile, holdNs) {
  if (profile === null) return [{ atNs: 0, rate, line: false }];
  const points = pointsOf(profile).map(({ atNs, value, line }) => ({ atNs: atNs + holdNs, rate: value, line }));
  return holdNs === 0 ? points : [{ ...points[0], atNs: 0 }, ...points];
}

/**
 * @param {RatePoint[]} points
 * @param {number} ns
 * @returns {number} requests that are due within that time
 */
export function requestsOf(points, ns) {
  return points.reduce((sum, { atNs, rate }, i) => {
    const next = points[i + 1] ?? { atNs: ns, rate, line: false };
    const length = Math.max(0, Math.min(next.atNs, ns) - atNs);
    const end = next.line && next.atNs > atNs ? rate + ((next.rate - rate) * length) / (next.atNs - atNs) : rate;
    return sum + (((rate + end) / 2) * length) / 1e9;
  }, 0);
}
