// Checks a scenario as written against the schema.

import { validatorOf } from '../../config/validators.js';
import { explain, isOfKeysTogether, refuse } from './mistakes.js';

/**
 * @import { Raw } from './merge.js'
 * @import { Mistake, Where } from './mistakes.js'
 */

const validate = validatorOf('scenario');

/**
 * Checks a scenario against the schema, which fills in constant defaults.
 * @param {Raw} merged as written, flags included; changed in place
 * @param {Where} where
 * @returns {Mistake[]} of keys that are valid by themselves, but not together
 * @throws {UsageError} for all other mistakes
 */
export function checkShape(merged, where) {
  const swept = [merged.sweep?.connections].flat().filter(Number.isInteger);
  const isDerived = swept.length > 0 && merged.connections === undefined;
  if (isDerived) merged.connections = Math.max(...swept);
  const errors = validate(merged) ? [] : (validate.errors ?? []);
  // an error in the number derived from the sweep is reported for the sweep
  const reported = errors.filter(({ instancePath }) => !isDerived || instancePath !== '/connections');
  const ofSingleKeys = reported.filter((error) => !isOfKeysTogether(error));
  refuse(explain(ofSingleKeys, where));
  return explain(reported, where);
}

/**
 * @param {Raw} raw as written @param {string} key
 * @returns {boolean} whether the value at the key is valid by the schema
 */
export const isShaped = (raw, key) =>
  validate(structuredClone(raw)) ||
  !(validate.errors ?? []).some(({ instancePath }) => `${instancePath}/`.startsWith(`/${key}/`));
