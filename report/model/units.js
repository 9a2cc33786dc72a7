/**
 * Numbers as people read them: 68 ms, 146,000/s, 1.2 GB. Used on both sides: the generator imports it, the page gets
 * the same text inlined. Everything takes base units (ns, bytes, counts) and returns a string.
 */

const DURATIONS = [
  [3600e9, 'h'],
  [60e9, 'min'],
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
];

/**
 * @param {number} value
 * @param {number} digits significant ones
 * @returns {string} without exponent, thousands separated
 */
function significant(value, digits) {
  if (value === 0) return '0';
  const magnitude = Math.floor(Math.log10(Math.abs(value))) + 1;
  const rounded = Number(value.toPrecision(Math.max(digits, magnitude)));
  return rounded.toLocaleString('en-US', { maximumFractionDigits: Math.max(0, digits - magnitude) });
}

/** @param {number | null | undefined} ns @param {number} [digits] @returns {string} */
export function duration(ns, digits = 3) {
  if (ns === null || ns === undefined || !Number.isFinite(ns)) return '–';
  if (ns === 0) return '0';
  // Above two minutes the next unit reads better than thousands of seconds.
  for (const [size, name] of /** @type {Array<[number, string]>} */ (DURATIONS)) {
    const least = size >= 60e9 ? 2 * size : size;
    if (Math.abs(ns) >= least * 0.9995) return `${significant(ns / size, digits)} ${name}`;
  }
  return `${significant(ns, digits)} ns`;
}

/** @param {number | null | undefined} value @returns {string} a whole number with separators */
export function count(value) {
  return value === null || value === undefined || !Number.isFinite(value)
    ? '–'
    : Math.round(value).toLocaleString('en-US');
}

/** @param {number | null | undefined} value @returns {string} a count short enough for an axis: 10k, 1.5M */
export function shortCount(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  for (const [size, name] of /** @type {Array<[number, string]>} */ ([
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ])) {
    if (Math.abs(value) >= size) return `${significant(value / size, 3)}${name}`;
  }
  return significant(value, 3);
}

/** @param {number | null | undefined} value @returns {string} 146,000/s */
export function rate(value) {
  return value === null || value === undefined || !Number.isFinite(value) ? '–' : `${significant(value, 3)}/s`;
}

/** @param {number | null | undefined} value bytes @returns {string} powers of ten: 178 MB */
export function bytes(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  for (const [size, name] of /** @type {Array<[number, string]>} */ ([
    [1e12, 'TB'],
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
  ])) {
    if (Math.abs(value) >= size) return `${significant(value / size, 3)} ${name}`;
  }
  return `${significant(value, 3)} B`;
}

/** @param {number | null | undefined} value payload bytes per second @returns {string} MB/s = 10^6 bytes per second */
export function throughput(value) {
  return value === null || value === undefined || !Number.isFinite(value) ? '–' : `${significant(value / 1e6, 3)} MB/s`;
}

/**
 * @param {number | null | undefined} value payload bytes
 * @returns {string} powers of two, as scenarios write them: 1 KiB
 */
export function payload(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value >= 1048576 && value % 1048576 === 0) return `${value / 1048576} MiB`;
  if (value >= 1024 && value % 1024 === 0) return `${value / 1024} KiB`;
  return `${count(value)} B`;
}

/** @param {number | null | undefined} value @param {number} [digits] @returns {string} */
export function plain(value, digits = 3) {
  return value === null || value === undefined || !Number.isFinite(value) ? '–' : significant(value, digits);
}

/** @param {number} part 0..1 @param {number} [digits] @returns {string} 16.3 % */
export function percent(part, digits = 3) {
  return `${significant(part * 100, digits)} %`;
}
