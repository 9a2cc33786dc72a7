// The load that every leg bears, in one line of the console. Pure.

import { counted } from '../results/format.js';
import { loadTexts } from '../results/phrases/load.js';
import { settingsText } from '../scenario/keys/server-labels.js';

/**
 * @param {import('../scenario/scenario.js').Scenario} scenario
 * @param {{ sharedOptions: Record<string, unknown> }} plan
 * @param {number} workers
 * @returns {string} such as "50 connections · continuous · redis GET · 1 KiB · 16 in flight on each · 2 workers"
 */
export function loadText(scenario, { sharedOptions }, workers) {
  return [...loadTexts(scenario), counted(workers, 'worker'), settingsText(sharedOptions)]
    .filter((text) => text !== '')
    .join(' · ');
}
