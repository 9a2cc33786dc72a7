// Reads what a run left in its folder, of either schema. Only what a caller asks for is read.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSamples } from '../results/sample-lines.js';
import { upgradeRunSummary } from '../results/schema-1.js';

/** @param {string} folder @param {string} name @returns {any} throws when it is missing or not JSON */
const readJson = (folder, name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

/** @param {string} folder of a run @returns {Record<string, any>} throws when the run has not ended */
export const readSummary = (folder) => upgradeRunSummary(readJson(folder, 'summary.json'));

/** @param {string} folder of a run @param {'scenario' | 'plan' | 'environment'} name @returns {any} null when it cannot be read */
export function readDocument(folder, name) {
  try {
    return readJson(folder, `${name}.json`);
  } catch {
    return null;
  }
}

/** @param {string} folder of a run @param {string} leg its id @returns {import('../results/sample.js').Sample[]} none of a leg that did not run */
export function readSamples(folder, leg) {
  try {
    return parseSamples(readFileSync(join(folder, leg, 'samples.ndjson'))).samples;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return [];
    throw error;
  }
}
