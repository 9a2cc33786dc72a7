// Random numbers from a seed, so that draws can be repeated.

/**
 * @param {number} seed any whole number
 * @returns {() => number} the next number, uniform in [0, 1); always the same sequence for the same seed (mulberry32,
 *   Ettinger 2017)
 */
export function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * @template T
 * @param {readonly T[]} list @param {() => number} random uniform in [0, 1)
 * @returns {T[]} in random order (Fisher-Yates)
 */
export function shuffled(list, random) {
  const order = [...list];
  for (let i = order.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
