// Whether what is written has the shape that the schema says.

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
 * @returns {Mistake[]} of keys that are right for themselves, but not together
 * @throws {UsageError} for any other
 */
export function checkShape(merged, where) {
  const swept = [merged.sweep?.connections].flat().filter(Number.isInteger);
  const derived = swept.length > 0 && merged.connections === undefined;
  if (derived) merged.connections = Math.max(...swept);
  const errors = validate(merged) ? [] : (validate.errors ?? []);
  // what is wrong with the most of a sweep is reported for the sweep
  const found = errors.filter(({ instancePath }) => !derived || instancePath !== '/connections');
  const own = found.filter((error) => !isOfKeysTogether(error));
  refuse(explain(own, where));
  return explain(found, where);
}

/**
 * @param {Raw} raw as written @param {string} key
 * @returns {boolean} whether what is written at the key is as the schema has it
 */
export const isShaped = (raw, key) =>
  validate(structuredClone(raw)) ||
  !(validate.errors ?? []).some(({ instancePath }) => `${instancePath}/`.startsWith(`/${key}/`));
