// Parses and writes durations, sizes and rates of a scenario (`500ms`, `64KiB`, `5000/s`); the program uses
// nanoseconds, bytes and numbers per second. Messages quote values of a scenario in this form; format.js formats all
// others. The patterns in config/schema/scenario.json accept the same texts as the parsers; a test compares them.

/** @type {Readonly<Record<string, number>>} */
const DURATION_UNITS = { us: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 };
/** @type {Readonly<Record<string, number>>} */
const SIZE_UNITS = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

export const durationPattern = '^[0-9]+(\\.[0-9]+)?(us|ms|s|m|h)$';
export const sizePattern = '^[0-9]+(\\.[0-9]+)?(B|KiB|MiB|GiB)$';
export const ratePattern = '^[0-9]+(\\.[0-9]+)?/s$';

/**
 * @param {string} text
 * @param {string} pattern
 * @param {Readonly<Record<string, number>>} units
 * @returns {number} NaN if the text does not match the pattern
 */
function parse(text, pattern, units) {
  const match = new RegExp(pattern).exec(text);
  if (match === null) return NaN;
  const unit = text.slice(text.search(/[A-Za-z]/));
  return Number(text.slice(0, -unit.length)) * (units[unit] ?? NaN);
}

/**
 * @param {string} text such as `500ms`, `5s`, `1.5m`
 * @returns {number} whole nanoseconds; NaN if the text is not a duration
 */
export function parseDuration(text) {
  return Math.round(parse(text, durationPattern, DURATION_UNITS));
}

/**
 * @param {string} text such as `1B`, `64KiB`, `1MiB`
 * @returns {number} bytes, possibly fractional (`1.5B`); NaN if the text is not a size
 */
export function parseSize(text) {
  return parse(text, sizePattern, SIZE_UNITS);
}

/**
 * @param {string} text such as `50000/s`, `0.5/s`
 * @returns {number} per second; NaN if the text is not a rate
 */
export function parseRate(text) {
  return new RegExp(ratePattern).test(text) ? Number(text.slice(0, -2)) : NaN;
}

/**
 * @param {number} value in the smallest unit of `units`, or a fraction of it
 * @param {Readonly<Record<string, number>>} units in ascending order
 * @returns {string} the exact value, a whole number of the largest possible unit
 */
function write(value, units) {
  const entries = Object.entries(units);
  const [unit, size] = (value !== 0 && entries.findLast(([, candidate]) => value % candidate === 0)) || entries[0];
  return `${Number((value / size).toFixed(9))}${unit}`;
}

/** @param {number} ns @returns {string} 0s, 500ms, 90s, 2h */
export function writeDuration(ns) {
  return ns === 0 ? '0s' : write(ns, DURATION_UNITS);
}

/** @param {number} bytes @returns {string} 1B, 64KiB, 1GiB */
export function writeSize(bytes) {
  return write(bytes, SIZE_UNITS);
}

/**
 * Guesses the meaning of an invalid duration, size or rate: a bare number, a wrong case, another spelling.
 * @param {string} text
 * @param {'duration' | 'size' | 'rate'} kind
 * @returns {string | undefined} a valid text; undefined without a guess
 */
export function guessUnit(text, kind) {
  const parts = kind === 'duration' ? (text.match(/[0-9.]+(h|ms|us|m|s)/g) ?? []) : [];
  if (parts.length > 1 && parts.join('') === text.replace(/\s/g, '')) {
    return writeDuration(parts.reduce((sum, part) => sum + parseDuration(part), 0)); // 2m30s
  }
  const [, short, factor = ''] = kind === 'rate' ? (/^([0-9]+(?:\.[0-9]+)?) ?([kKM])(?:\/s)?$/.exec(text) ?? []) : [];
  if (short !== undefined) return `${Math.round(Number(short) * (factor === 'M' ? 1e6 : 1e3))}/s`; // 2k
  const [power] = kind === 'rate' ? (/^[0-9]+(?:\.[0-9]+)?e[0-9]{1,2}(?=(?:\/s)?$)/.exec(text) ?? []) : [];
  if (power !== undefined) return `${Number(power)}/s`; // 1e6
  const match = /^\s*([0-9]+(?:\.[0-9]+)?)[\s_]*([A-Za-zµ/ ]*)\s*$/.exec(text);
  if (match === null) return undefined;
  const [, number = '', suffix = ''] = match;
  const spellings =
    kind === 'duration'
      ? {
          us: ['us', 'µs', 'usec'],
          ms: ['ms', 'msec', 'millis', 'milliseconds'],
          h: ['h', 'hr', 'hours', 'hour'],
          m: ['m', 'min', 'mins', 'minutes', 'minute'],
          s: ['', 's', 'sec', 'secs', 'seconds', 'second'],
        }
      : kind === 'rate'
        ? { '/s': ['', '/s', '/sec', '/second', 'per second', 'rps', 'cps'] }
        : { B: ['', 'b', 'byte', 'bytes'], KiB: ['k', 'kb', 'kib'], MiB: ['m', 'mb', 'mib'], GiB: ['g', 'gb', 'gib'] };
  const unit = Object.entries(spellings).find(([, forms]) => forms.includes(suffix.toLowerCase()))?.[0];
  return unit === undefined ? undefined : `${number}${unit}`;
}
