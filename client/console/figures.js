// Numbers as a person reads them: four characters that matter, and a unit.
import { formatCount } from '../results/units.js';

/** @param {number} ns @returns {string} such as 870 ns, 14.2 us, 1.23 ms, 2.50 s, 1m 05s */
export function time(ns) {
  if (ns >= 60e9) return `${Math.floor(ns / 60e9)}m ${String(Math.floor((ns % 60e9) / 1e9)).padStart(2, '0')}s`;
  const scale = ns < 999.5 ? 0 : ns < 999.5e3 ? 1 : ns < 999.5e6 ? 2 : 3;
  return `${three(ns / 1000 ** scale, scale === 0)} ${['ns', 'us', 'ms', 's'][scale]}`;
}

/** @param {number} count @returns {string} whole up to 9,999, then 12.3k, 1.23M */
export function short(count) {
  if (count < 9999.5) return formatCount(Math.round(count));
  const scale = count < 999.5e3 ? 1 : count < 999.5e6 ? 2 : 3;
  return `${three(count / 1000 ** scale)}${['', 'k', 'M', 'G'][scale]}`;
}

/** So many times what is received is sent, and more, where that is what the transfers are about. */
const TELLING_TIMES = 2;

/**
 * @param {number} sent bytes
 * @param {number} received bytes
 * @returns {boolean} whether what was sent tells more than what came back
 */
export const sendsMore = (sent, received) => sent > TELLING_TIMES * received;

/** @param {number} bytes @returns {string} 10^6 bytes, without the unit: 12.6 */
export function megabytes(bytes) {
  const mb = bytes / 1e6;
  return mb >= 9999.5 ? short(mb) : mb === 0 ? '0' : three(mb);
}

/** @param {number} bytes @returns {string} binary units: 45.2 MiB */
export function memory(bytes) {
  const scale = bytes < 1024 ? 0 : bytes < 1024 ** 2 ? 1 : bytes < 1024 ** 3 ? 2 : 3;
  return `${three(bytes / 1024 ** scale, scale === 0)} ${['B', 'KiB', 'MiB', 'GiB'][scale]}`;
}

/** @param {number} share of one core @returns {string} 87% */
export function percent(share) {
  return `${Math.round(share * 100)}%`;
}

/** @param {number} seconds @returns {string} m:ss, h:mm:ss */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds + 1e-6));
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** @param {number} value @param {boolean} [whole] @returns {string} three significant digits */
function three(value, whole = false) {
  if (whole || value >= 99.95) return String(Math.round(value));
  return value.toFixed(value >= 9.995 ? 1 : 2);
}
