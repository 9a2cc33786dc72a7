// Tests and reads of JSON values.

/** @param {unknown} value @returns {value is Record<string, unknown>} neither a scalar nor a list */
export const isObject = (value) => Object(value) === value && !Array.isArray(value);

/**
 * @param {unknown} value any JSON @param {string} key
 * @returns {unknown} the value of its own property, not of an inherited one such as `constructor`; undefined if absent
 */
export const ownValue = (value, key) =>
  Object(value) === value && Object.hasOwn(/** @type {object} */ (value), key)
    ? /** @type {Record<string, unknown>} */ (value)[key]
    : undefined;
