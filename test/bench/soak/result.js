// The results of a soak for each process, and whether they meet the requirements. Pure. Connections may open and close,
// up to the requested number; every other descriptor must be there from the first reading to the last.

import { slopeOf } from '../slope.js';

/** The must: how much a process may grow. */
export const MOST_KB_PER_MINUTE = 100;
/** The share of the time, at the beginning, in which memory may still find its size. */
export const WARM_UP = 0.2;

/**
 * @typedef {import('../process-use.js').Use & {minute: number}} Reading minute: since the first
 * @typedef {object} Result
 * @property {string} name
 * @property {number} pid
 * @property {number} readings
 * @property {number} firstBytes resident, after warm-up
 * @property {number} lastBytes
 * @property {number} slope KB a minute, after warm-up
 * @property {number} error
 * @property {[number, number]} others the least descriptors that are no connections, of the first half and the second
 * @property {number} sockets the most
 * @property {string[]} missed which musts
 */

/**
 * @param {{name: string, pid: number}} member
 * @param {Reading[]} readings
 * @param {{minutes: number, mostSockets: number}} soak of which the process had to be there from begin to end
 * @returns {Result}
 */
export function resultOf({ name, pid }, readings, { minutes, mostSockets }) {
  const warm = readings.filter(({ minute }) => minute >= WARM_UP * minutes);
  const { slope, error } = slopeOf(warm.map(({ minute, rssBytes }) => [minute, rssBytes / 1000]));
  const leastOf = (/** @type {Reading[]} */ some) => Math.min(...some.map(({ others }) => others));
  const middle = Math.ceil(readings.length / 2);
  const [first, second] = [leastOf(readings.slice(0, middle)), leastOf(readings.slice(middle))];
  const sockets = Math.max(...readings.map((reading) => reading.sockets));
  const missed = [
    ...(slope < MOST_KB_PER_MINUTE ? [] : ['memory']),
    ...(first === second && sockets <= mostSockets ? [] : ['descriptors']),
  ];
  return {
    name,
    pid,
    readings: readings.length,
    firstBytes: warm[0]?.rssBytes ?? NaN,
    lastBytes: warm.at(-1)?.rssBytes ?? NaN,
    slope,
    error,
    others: [first, second],
    sockets,
    missed,
  };
}

/** @param {Result[]} results @returns {string[][]} rows of a table under HEAD */
export function rowsOf(results) {
  const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(1);
  return results.map(({ name, pid, firstBytes, lastBytes, slope, error, others: [first, second], sockets, missed }) => [
    `${name} (${pid})`,
    megabytes(firstBytes),
    megabytes(lastBytes),
    `${slope.toFixed(0)} ± ${error.toFixed(0)}`,
    first === second ? String(first) : `${first}, then ${second}`,
    String(sockets),
    missed.length === 0 ? 'yes' : `no: ${missed.join(', ')}`,
  ]);
}

export const HEAD = [
  ...['process', 'MB after warm-up', 'MB at the end', 'KB a minute', 'descriptors', 'most connections', 'kept'],
];
