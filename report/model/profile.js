/** What a run asked for over time, in words: a number, or the pieces of its profile. Pure. */
import { count, duration, rate } from './units.js';

/**
 * @param {Array<{ from: number, to: number, forNs: number }>} profile
 * @param {(value: number) => string} value
 * @returns {string} such as: 100/s for 10 s, 100/s to 500/s in 10 s
 */
function pieces(profile, value) {
  return profile
    .map(({ from, to, forNs }) =>
      from === to ? `${value(from)} for ${duration(forNs)}` : `${value(from)} to ${value(to)} in ${duration(forNs)}`,
    )
    .join(', ');
}

/** @param {any} scenario @returns {string | null} requests a second of an open loop; null in closed loop */
export function rateText(scenario) {
  if (scenario?.rateProfile) return pieces(scenario.rateProfile, rate);
  return scenario?.rate ? rate(scenario.rate) : null;
}

/** @param {any} scenario @returns {string} connections asked for */
export function connectionsText(scenario) {
  if (scenario?.sweep?.connections) return `${scenario.sweep.connections.map(count).join(', ')} in turn`;
  return scenario?.connectionsProfile ? pieces(scenario.connectionsProfile, count) : count(scenario?.connections);
}
