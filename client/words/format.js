// Formats measured figures for console and page: 68.4 ms, 146,000/s, 1.2 GB, 87 %. Arguments are in base units (ns,
// bytes, counts, shares). Amounts of data are in powers of ten, except payload, which a scenario sets in KiB. The page
// runs this file in the browser. units.js formats values as a scenario has them (`500ms`, `64KiB`).

/** Text for a figure that was not measured. */
export const NOT_MEASURED = '–';

/** @type {Array<[number, string]>} */
const DURATIONS = [
  [3600e9, 'h'],
  [60e9, 'min'],
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
];

/** Minutes and hours are used from this many on. */
const MIN_LONG_UNITS = 2;
/** Smallest part of a unit that is rounded to a whole one. */
const ROUNDED_UP = 0.9995;
/** Limit of toPrecision(). */
const MAX_DIGITS = 100;

/** @type {Array<[number, string]>} */
const DECIMAL_PREFIXES = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];

/** @param {number | null | undefined} value @returns {value is number} */
const isMeasured = (value) => value !== null && value !== undefined && Number.isFinite(value);

/**
 * Formats like Intl.NumberFormat, which takes longer to load than the making of a plan.
 * @param {number} value @param {number} digits maximum of the fraction @returns {string} with thousands separators
 */
function grouped(value, digits) {
  const [whole, fraction = ''] = value.toFixed(Math.min(digits, 20)).split('.');
  const decimals = fraction.replace(/0+$/, '');
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (decimals && `.${decimals}`);
}

/**
 * @param {number} value
 * @param {number} digits significant ones
 * @returns {string} without exponent, with thousands separators
 */
function significant(value, digits) {
  if (value === 0) return '0';
  const magnitude = Math.floor(Math.log10(Math.abs(value))) + 1;
  const rounded = Number(value.toPrecision(Math.min(Math.max(digits, magnitude), MAX_DIGITS)));
  return grouped(rounded, Math.max(0, digits - magnitude));
}

/**
 * @param {number} value @param {string} gap between number and prefix
 * @returns {string} three digits and the prefix of its power of 1,000
 */
function prefixed(value, gap) {
  const prefix = DECIMAL_PREFIXES.find(([size]) => Math.abs(value) >= size * ROUNDED_UP);
  return prefix ? `${significant(value / prefix[0], 3)}${gap}${prefix[1]}` : `${significant(value, 3)}${gap}`;
}

/** @param {number | null | undefined} ns @param {number} [digits] @returns {string} 68.4 ms, 3 min */
export function duration(ns, digits = 3) {
  if (!isMeasured(ns)) return NOT_MEASURED;
  if (ns === 0) return '0';
  for (const [size, name] of DURATIONS) {
    const least = size >= 60e9 ? MIN_LONG_UNITS * size : size;
    if (Math.abs(ns) >= least * ROUNDED_UP) return `${significant(ns / size, digits)} ${name}`;
  }
  return `${significant(ns, digits)} ns`;
}

/** Smallest and largest value in a column with a common unit, in that unit. */
const MIN_OF_COMMON_UNIT = 0.05;
const MAX_OF_COMMON_UNIT = 99_999;

/**
 * @param {'duration' | 'size'} kind @param {number[]} values of a column: ns, or bytes
 * @returns {(value: number) => string} formats all values in a common unit, such as 0.10 kB and 16.7 kB; if they are
 *   too far apart, each in its own unit
 */
export function inOneUnit(kind, values) {
  const known = values.filter((value) => value > 0);
  const [smallest, largest] = [Math.min(...known), Math.max(...known)];
  const units =
    kind === 'duration' ? DURATIONS : [...DECIMAL_PREFIXES, [1, '']].map(([size, name]) => [size, `${name}B`]);
  const unit = /** @type {[number, string][]} */ (units).find(
    ([size]) =>
      size * ROUNDED_UP <= largest / (size >= 60e9 && kind === 'duration' ? MIN_LONG_UNITS : 1) &&
      smallest / size >= MIN_OF_COMMON_UNIT,
  );
  if (unit === undefined || largest / unit[0] > MAX_OF_COMMON_UNIT) return kind === 'duration' ? duration : bytes;
  const [size, name] = unit;
  return (value) =>
    value === 0 ? '0' : `${value < size ? (value / size).toFixed(2) : significant(value / size, 3)} ${name}`;
}

/** @param {number} seconds since the start @returns {string} m:ss, h:mm:ss */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds + 1e-6));
  const twoDigits = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${twoDigits(whole % 60)}` : `${minutes}:${twoDigits(whole % 60)}`;
}

/** @param {number} cores such as 1.5, of a CPU quota @returns {string} such as "1.5 cores" */
export const coreCount = (cores) => `${Number(cores.toFixed(2))} ${cores === 1 ? 'core' : 'cores'}`;

/** @param {number | null | undefined} value @returns {string} a whole number with thousands separators */
export function count(value) {
  return isMeasured(value) ? grouped(Math.round(value), 0) : NOT_MEASURED;
}

/** @param {number} n @param {string} noun @param {string} [plural] @returns {string} 1 worker, 2 workers */
export function counted(n, noun, plural = `${noun}s`) {
  return `${count(n)} ${n === 1 ? noun : plural}`;
}

/** @param {number | null | undefined} value @returns {string} short enough for an axis: 10k, 1.5M */
export function shortCount(value) {
  return isMeasured(value) ? prefixed(value, '') : NOT_MEASURED;
}

/** @param {number | null | undefined} value @returns {string} whole up to 9,999, then short: 12.3k, 1.23M */
export function compactCount(value) {
  return isMeasured(value) && value >= 9999.5 ? shortCount(value) : count(value);
}

/** @param {number | null | undefined} value @returns {string} 146,000/s */
export function rate(value) {
  return isMeasured(value) ? `${bareRate(value)}/s` : NOT_MEASURED;
}

/** @param {number | null | undefined} value @returns {string} 146,000, without the unit */
export function bareRate(value) {
  return isMeasured(value) ? significant(value, 3) : NOT_MEASURED;
}

/** @param {number | null | undefined} value bytes @returns {string} in powers of ten: 178 MB */
export function bytes(value) {
  return isMeasured(value) ? `${prefixed(value, ' ')}B` : NOT_MEASURED;
}

/** @param {number | null | undefined} value bytes a second @returns {string} MB/s = 10^6 bytes a second */
export function throughput(value) {
  return isMeasured(value) ? `${megabytes(value)} MB/s` : NOT_MEASURED;
}

/** @param {number | null | undefined} value bytes @returns {string} 10^6 bytes, without the unit: 12.6 */
export function megabytes(value) {
  return isMeasured(value) ? significant(value / 1e6, 3) : NOT_MEASURED;
}

/**
 * @param {number | null | undefined} value bytes that a scenario sets
 * @returns {string} in powers of two: 1 KiB
 */
export function payload(value) {
  if (!isMeasured(value)) return NOT_MEASURED;
  if (value >= 1048576 && value % 1048576 === 0) return `${value / 1048576} MiB`;
  if (value >= 1024 && value % 1024 === 0) return `${value / 1024} KiB`;
  return `${count(value)} B`;
}

/** @param {number | null | undefined} value @param {number} [digits] @returns {string} */
export function plain(value, digits = 3) {
  return isMeasured(value) ? significant(value, digits) : NOT_MEASURED;
}

/** @param {number} share 0..1 @param {number} [digits] @returns {string} 16.3 % */
export function percent(share, digits = 3) {
  return `${significant(share * 100, digits)} %`;
}

/** @param {number} share such as of one core @returns {string} 87 % */
export function wholePercent(share) {
  return `${Math.round(share * 100)} %`;
}
