// Reads what a run left in its folder. Only what a caller asks for is read.

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSamples } from '../measure/sample-lines.js';
import { checkSchema } from '../measure/schema.js';

/** @param {string} path @returns {Promise<any>} null when it is missing or not JSON */
export async function readJson(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}

/** @param {string} folder @param {string} name @returns {any} throws when it is missing or not JSON */
const parseFile = (folder, name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

/** @param {string} folder of a run @returns {import('../../config/types.js').RunSummary} throws when the run has not ended, or is of another schema */
export function readSummary(folder) {
  const summary = parseFile(folder, 'summary.json');
  checkSchema(summary, join(folder, 'summary.json'));
  return summary;
}

/**
 * @typedef {{ scenario: import('../scenario/scenario.js').Scenario, plan: import('../plan/plan.js').Plan, environment: Record<string, any> }} Documents
 */

/**
 * @template {keyof Documents} N
 * @param {string} folder of a run @param {N} name
 * @returns {Documents[N] | null} null when it cannot be read
 */
export function readDocument(folder, name) {
  try {
    return parseFile(folder, `${name}.json`);
  } catch {
    return null;
  }
}

/** @param {string} folder of a run @param {string} leg its id @returns {import('../measure/sample.js').Sample[]} none of a leg that did not run */
export function readSamples(folder, leg) {
  try {
    return parseSamples(readFileSync(join(folder, leg, 'samples.ndjson'))).samples;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return [];
    throw error;
  }
}
