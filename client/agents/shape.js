// What the checks of messages between hosts are made of. Pure. A message that fails one is thrown away with its sender.

const MOST_TEXT = 10_000;

/** In place of an object that is missing. @type {Readonly<Record<string, unknown>>} */
export const NOTHING = Object.freeze({});

/**
 * @param {boolean} holds @param {string} what
 * @returns {asserts holds}
 * @throws {TypeError} when it does not hold
 */
export function must(holds, what) {
  if (!holds) throw new TypeError(what);
}

/** @param {unknown} value @returns {value is number} */
export const isCount = (value) => Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0;

/** @param {unknown} value @param {number} most @returns {value is number} */
export const isAmount = (value, most) => typeof value === 'number' && value >= 0 && value <= most;

/** @param {unknown} value @param {number} [most] characters @returns {value is string} */
export const isText = (value, most = MOST_TEXT) => typeof value === 'string' && value.length <= most;

/**
 * @template Value
 * @param {unknown} value @param {number} most @param {(one: unknown) => one is Value} is
 * @returns {value is Value[]}
 */
export const isListOf = (value, most, is) => Array.isArray(value) && value.length <= most && value.every(is);

/** @param {unknown} value @returns {value is bigint} that a clock can show */
export const isClockNs = (value) => typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
