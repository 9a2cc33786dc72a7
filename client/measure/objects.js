// What kind of JSON a value is. Pure.

/** @param {unknown} value @returns {value is Record<string, any>} neither a scalar nor a list */
export const isObject = (value) => Object(value) === value && !Array.isArray(value);
