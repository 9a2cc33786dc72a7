/** Texts for limits, kernel settings and options of the protocol. */
import { bytes, count, counted, duration, payload } from '../../../client/words/format.js';

/** @type {Record<string, string>} */
export const LIMIT_WORDS = {
  descriptors: 'descriptors per process',
  openFiles: 'open files, whole system',
  ports: 'ports per local address',
  threads: 'threads and processes',
  somaxconn: 'longest accept queue',
  tcpMemoryBytes: 'TCP memory pressure',
  tcpMemoryMaxBytes: 'TCP memory limit',
  memoryAvailableBytes: 'memory available',
  diskFreeBytes: 'disk free for logs',
};

const IN_BYTES = /[rw]mem(_default|_max)?$/;

/**
 * @param {string} name
 * @param {string} value as the kernel writes it
 * @param {number} pageBytes size of a memory page, the unit of tcp_mem
 * @returns {string}
 */
function settingText(name, value, pageBytes) {
  const numbers = value.split(/\s+/).map(Number);
  if (value === '' || numbers.some((number) => Number.isNaN(number))) return value;
  // Port numbers are not formatted as counts.
  if (name.endsWith('port_range')) return numbers.join(' – ');
  if (name.endsWith('tcp_mem')) return numbers.map((pages) => bytes(pages * pageBytes)).join(' / ');
  return numbers.map((number) => (IN_BYTES.test(name) ? bytes(number) : count(number))).join(' / ');
}

/**
 * @param {Record<string, unknown> | undefined} sysctl
 * @param {number} [pageBytes] of a memory page
 * @returns {Array<[string, string]>} names as in `sysctl`, and values
 */
export function kernelSettings(sysctl, pageBytes = 4096) {
  return Object.entries(sysctl ?? {})
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [name, settingText(name, String(value), pageBytes)]);
}

const LONGEST_TEXT = 60;
/** These repeat other options in another form. */
const HIDDEN = ['content', 'delimiterContent'];

/** @param {string} text @returns {string} the text, cut if long, quoted if it has spaces or control characters */
function shownText(text) {
  const short = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  return /^[!-~…]+$/.test(short) ? short : JSON.stringify(short);
}

/** @param {string} key @param {unknown} value @returns {string} */
function optionText(key, value) {
  if (typeof value === 'string') return `${key} ${shownText(value)}`;
  if (typeof value === 'number' && key.endsWith('Bytes')) return `${key.slice(0, -5)} ${payload(value)}`;
  if (typeof value === 'number' && key.endsWith('Ns')) return `${key.slice(0, -2)} ${duration(value)}`;
  if (typeof value === 'number') return `${key} ${count(value)}`;
  if (typeof value === 'boolean') return value ? key : `no ${key}`;
  if (key === 'requests') return counted(/** @type {unknown[]} */ (value).length, 'request');
  if (Array.isArray(value)) return `${key} ${value.join(' ')}`;
  const names = Object.entries(Object(value)).map(([name, text]) => `${name}: ${shownText(String(text))}`);
  return names.length > 0 ? `${key} ${names.join('; ')}` : '';
}

/**
 * @param {{ protocol?: string, protocolOptions?: object } | undefined} load
 * @returns {string | undefined} such as "memcached (ratio 9:1, keys 10,000)"
 */
export function protocolText(load) {
  const name = load?.protocol;
  const options = Object.entries(load?.protocolOptions ?? {})
    .filter(([key]) => !HIDDEN.includes(key))
    .map(([key, value]) => optionText(key, value))
    .filter((text) => text !== '');
  return options.length > 0 ? `${name} (${options.join(', ')})` : name;
}
