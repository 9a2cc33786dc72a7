/** Limits and kernel settings in the words and units a person knows them by. */
import { bytes, count } from '../../model/units.js';

/** @type {Record<string, string>} */
export const LIMIT_WORDS = {
  descriptors: 'descriptors per process',
  openFiles: 'open files, whole system',
  ports: 'ports per local address',
  threads: 'threads and processes',
  somaxconn: 'longest accept queue',
  tcpMemoryBytes: 'TCP pressure from',
  tcpMemoryMaxBytes: 'TCP drops from',
  memoryAvailableBytes: 'memory available',
  diskFreeBytes: 'disk free for logs',
};

/** The kernel counts tcp_mem in pages. */
const PAGE_BYTES = 4096;
const IN_BYTES = /[rw]mem(_default|_max)?$/;

/** @param {string} name @param {string} value as the kernel writes it @returns {string} */
function settingText(name, value) {
  const numbers = value.split(/\s+/).map(Number);
  if (value === '' || numbers.some((number) => Number.isNaN(number))) return value;
  // 1024 and 60999 are names of ports, not amounts.
  if (name.endsWith('port_range')) return numbers.join(' – ');
  if (name.endsWith('tcp_mem')) return numbers.map((pages) => bytes(pages * PAGE_BYTES)).join(' / ');
  return numbers.map((number) => (IN_BYTES.test(name) ? bytes(number) : count(number))).join(' / ');
}

/**
 * @param {Record<string, unknown> | undefined} sysctl
 * @returns {Array<[string, string]>} by the name that `sysctl` knows
 */
export function kernelSettings(sysctl) {
  return Object.entries(sysctl ?? {})
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [name, settingText(name, String(value))]);
}
