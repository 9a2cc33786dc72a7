// Basic checks of messages between hosts. A message that fails a check ends the work with its sender.

const MOST_TEXT = 10_000;

/** The fields of a missing object: none. @type {Readonly<Record<string, unknown>>} */
export const NOTHING = Object.freeze({});

/**
 * @param {boolean} holds @param {string} objection message of the error
 * @returns {asserts holds}
 * @throws {TypeError} when it does not hold
 */
export function must(holds, objection) {
  if (!holds) throw new TypeError(objection);
}

/** @param {unknown} value @returns {value is number} */
export const isCount = (value) => Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0;

/** @param {unknown} value @param {number} max @returns {value is number} */
export const isAmount = (value, max) => typeof value === 'number' && value >= 0 && value <= max;

/** @param {unknown} value @param {number} [max] characters @returns {value is string} */
export const isText = (value, max = MOST_TEXT) => typeof value === 'string' && value.length <= max;

/**
 * @template Value
 * @param {unknown} value @param {number} max @param {(element: unknown) => element is Value} isElement
 * @returns {value is Value[]}
 */
export const isListOf = (value, max, isElement) =>
  Array.isArray(value) && value.length <= max && value.every(isElement);

/** @param {unknown} value @returns {value is bigint} whether a clock can show it */
export const isClockNs = (value) => typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
