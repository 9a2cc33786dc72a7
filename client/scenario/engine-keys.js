// The scenario keys whose values the engine gets unchanged: those with x-engine in the schema. `backoff.base`, resolved
// to `backoff.baseNs`, is the engine's setting `backoffBaseNs`.

import { resolvedName } from './resolve.js';
import { scenarioKeys } from './schema.js';

/**
 * @import { Scenario } from './scenario.js'
 * @import { Raw } from './merge.js'
 */

/** @param {string[]} path @returns {string} in one word, such as backoffBaseNs */
const joined = ([first, ...parts]) => [first, ...parts.map((part) => part[0].toUpperCase() + part.slice(1))].join('');

/** Where the value is in a resolved scenario, and the name of the engine's setting. */
export const engineKeys = [...scenarioKeys]
  .filter(([, schema]) => schema['x-engine'])
  .map(([key, schema]) => resolvedName(key, schema).split('.'))
  .map((path) => ({ path, name: joined(path) }));

/**
 * @param {Partial<Scenario>} settings
 * @returns {Record<string, unknown>} values by the engine's names; without a value, the engine uses its default
 */
export function engineValues(settings) {
  const entries = engineKeys.map(({ path, name }) => [
    name,
    path.reduce((part, key) => part?.[key], /** @type {Raw} */ (settings)),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null));
}
