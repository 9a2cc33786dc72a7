// Resolves the keys that follow from the schema alone: a duration to ns, a size to bytes, a rate to a number, an absent
// key without a default to null. complete.js resolves the others.

import { ownValue } from '../measure/objects.js';
import { parseDuration, parseRate, parseSize } from '../words/units.js';
import { scenarioSchema } from './schema.js';

/**
 * @import { DerivedKeys } from '../../config/types.js'
 * @import { KeySchema } from './schema.js'
 * @import { Written } from './scenario.js'
 */

/** Keys that complete.js resolves. The options of protocols are resolved by their protocols. */
const COMPLETED_KEYS = new Set([
  ...['$schema', 'name', 'servers', 'target', 'command', 'instances', 'listen', 'wrap', 'pin', 'tls', 'sweep', 'tests'],
  ...['find', 'interleave', 'compareAt', 'margin', 'connections', 'rate', 'payload', 'lifetime'],
  ...['warmup', 'warmupTimeout', 'duration', 'budget'],
]);

/** By unit: the suffix of the resolved name, and the parser of the text. */
const UNITS = {
  duration: { suffix: 'Ns', parse: parseDuration },
  size: { suffix: 'Bytes', parse: parseSize },
  rate: { suffix: '', parse: parseRate },
};

/** Keys that follow from the schema alone. @type {[string, KeySchema][]} */
export const derivedKeys = Object.entries(/** @type {Record<string, KeySchema>} */ (scenarioSchema.properties)).filter(
  ([key, schema]) => !COMPLETED_KEYS.has(key) && schema['x-group'] !== 'protocols',
);

/** @param {string} key @param {KeySchema} schema @returns {string} of the resolved key, such as legGapNs */
export const resolvedName = (key, { 'x-unit': unit }) => key + (unit === undefined ? '' : UNITS[unit].suffix);

/** @param {string} key @param {KeySchema} schema @param {unknown} value as written @returns {[string, unknown]} */
function resolved(key, schema, value) {
  const { properties, type, 'x-unit': unit } = schema;
  if (properties !== undefined) {
    const parts = Object.entries(properties).map(([part, partSchema]) =>
      resolved(part, partSchema, ownValue(value, part)),
    );
    return [key, Object.fromEntries(parts)];
  }
  const name = resolvedName(key, schema);
  if (value === undefined) return [name, type === 'array' ? [] : null];
  return [name, unit === undefined ? value : UNITS[unit].parse(/** @type {string} */ (value))];
}

/** @param {Written} raw valid by the schema @returns {DerivedKeys} */
export const derivedOf = (raw) =>
  /** @type {DerivedKeys} */ (
    Object.fromEntries(
      derivedKeys.map(([key, schema]) => resolved(key, schema, /** @type {Record<string, unknown>} */ (raw)[key])),
    )
  );
