// A folder for what a bench makes up to measure with, next to what is built for the benches.

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD } from './build.js';

/**
 * @template T
 * @param {string} name of the bench
 * @param {(folder: () => string) => Promise<T>} body  folder: made at the first call, removed at the end
 * @returns {Promise<T>}
 */
export async function withScratch(name, body) {
  let made = '';
  try {
    return await body(() => (made ||= mkdtempSync(join(BUILD, `${name}-`))));
  } finally {
    if (made) rmSync(made, { recursive: true, force: true });
  }
}
