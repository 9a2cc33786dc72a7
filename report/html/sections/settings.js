/** Limits and kernel settings in the words and units a person knows them by. */
import { bytes, count } from '../../../client/words/format.js';

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
 * @param {number} pageBytes of a memory page, in which the kernel counts tcp_mem
 * @returns {string}
 */
function settingText(name, value, pageBytes) {
  const numbers = value.split(/\s+/).map(Number);
  if (value === '' || numbers.some((number) => Number.isNaN(number))) return value;
  // 1024 and 60999 are names of ports, not amounts.
  if (name.endsWith('port_range')) return numbers.join(' – ');
  if (name.endsWith('tcp_mem')) return numbers.map((pages) => bytes(pages * pageBytes)).join(' / ');
  return numbers.map((number) => (IN_BYTES.test(name) ? bytes(number) : count(number))).join(' / ');
}

/**
 * @param {Record<string, unknown> | undefined} sysctl
 * @param {number} [pageBytes] of a memory page
 * @returns {Array<[string, string]>} by the name that `sysctl` knows
 */
export function kernelSettings(sysctl, pageBytes = 4096) {
  return Object.entries(sysctl ?? {})
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [name, settingText(name, String(value), pageBytes)]);
}
