// Reads the small files of /proc and /sys in which the kernel keeps its limits. A file that cannot be read gives null.

import { readFile } from 'node:fs/promises';

/**
 * @param {string} path
 * @returns {Promise<string | null>}
 */
export async function read(path) {
  return readFile(path, 'utf8').catch(() => null);
}

/**
 * @param {string | null} text
 * @returns {number[]} the numbers in it; words are left out
 */
export function numbers(text) {
  return (text ?? '')
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(Number)
    .filter((value) => Number.isFinite(value));
}

/**
 * @param {string} path
 * @returns {Promise<number | null>} null: the file cannot be read, or has no number, such as `max`
 */
export async function readNumber(path) {
  return numbers(await read(path))[0] ?? null;
}

/**
 * @param {string | null} limits content of /proc/self/limits
 * @param {string} name
 * @returns {{soft: number, hard: number}} Infinity: unlimited or unknown
 */
export function limitsOf(limits, name) {
  const line = (limits ?? '').split('\n').find((row) => row.startsWith(name));
  const [soft, hard] = [0, 1].map((column) => {
    const value = line?.slice(name.length).trim().split(/\s+/)[column];
    return value === undefined || value === 'unlimited' ? Infinity : Number(value);
  });
  return { soft, hard };
}
