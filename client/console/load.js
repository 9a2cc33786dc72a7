// The load of every leg in one line.

import { count, counted } from '../words/format.js';
import { loadTexts } from '../scenario/load-text.js';
import { settingsText } from '../scenario/keys/server-labels.js';

/** @import { Scenario } from '../scenario/scenario.js' */

/** @param {{ workers: number }[]} legs @returns {string} such as "2 workers", "1 to 8 workers" */
function workersText(legs) {
  const numbers = legs.map(({ workers }) => workers);
  const [fewest, largest] = [Math.min(...numbers), Math.max(...numbers)];
  return fewest === largest ? counted(largest, 'worker') : `${count(fewest)} to ${counted(largest, 'worker')}`;
}

/**
 * @param {{ settings: Scenario }[]} legs
 * @param {string} longest  such as "12 s"
 * @returns {string} when the legs end: by time, or by a number of transfers
 */
export function endText(legs, longest) {
  const [transfers, ...others] = new Set(legs.map(({ settings }) => settings.transfers));
  return transfers === null || others.length > 0
    ? `up to ${longest}`
    : `${legs.length === 1 ? '' : 'each '}until ${counted(transfers, 'transfer')} are done, at most ${longest}`;
}

/**
 * @param {Scenario} scenario
 * @param {{ sharedOptions: Record<string, unknown>, legs: { workers: number }[] }} plan
 * @returns {string} such as "50 connections · continuous · redis GET · 1 KiB · 16 in flight on each · 2 workers"
 */
export function loadText(scenario, { sharedOptions, legs }) {
  return [...loadTexts(scenario), workersText(legs), settingsText(sharedOptions)]
    .filter((text) => text !== '')
    .join(' · ');
}
