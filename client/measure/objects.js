// Values as JSON has them.

/** @param {unknown} value @returns {value is Record<string, unknown>} neither a scalar nor a list */
export const isObject = (value) => Object(value) === value && !Array.isArray(value);

/**
 * @param {unknown} value any JSON @param {string} key
 * @returns {unknown} what it has of its own at the key: every object inherits some, such as `constructor`; undefined:
 *   nothing
 */
export const ownValue = (value, key) =>
  Object(value) === value && Object.hasOwn(/** @type {object} */ (value), key)
    ? /** @type {Record<string, unknown>} */ (value)[key]
    : undefined;
