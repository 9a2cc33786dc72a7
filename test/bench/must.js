// The requirements on the results of a bench, and how they are reported. Pure. The median decides whether a requirement
// is met; the interval says how certain that is.

/**
 * @template Result
 * @typedef {object} Must
 * @property {string} name
 * @property {(result: Result) => import('./spread.js').Spread} of
 * @property {number} limit at most
 * @property {(result: Result) => boolean} [binds] where it holds; everywhere when left out
 * @property {(value: number) => string} format
 */

/** @param {import('./spread.js').Spread} spread @param {number} limit @returns {'met' | 'missed' | 'open'} */
function verdict({ low, high }, limit) {
  if (high <= limit) return 'met';
  return low > limit ? 'missed' : 'open';
}

/**
 * @template Result
 * @param {Must<Result>} must
 * @param {Result} result
 * @returns {'met' | 'missed' | 'open' | null} by the interval; open: it holds the limit, so that more rounds could
 *   say either; null where the must does not apply
 */
export function judge({ of, limit, binds = () => true }, result) {
  return binds(result) ? verdict(of(result), limit) : null;
}

/**
 * @template Result
 * @param {Must<Result>} must
 * @param {Result} result
 * @returns {boolean} whether the median keeps the limit
 */
export function keeps({ of, limit, binds = () => true }, result) {
  return !binds(result) || of(result).median <= limit;
}

/**
 * @template Result
 * @param {Must<Result>[]} musts
 * @returns {(results: Result[]) => boolean} whether every result keeps all of them
 */
export const keepsEach = (musts) => (results) => results.every((result) => musts.every((must) => keeps(must, result)));
