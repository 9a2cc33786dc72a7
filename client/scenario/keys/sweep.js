// Key `sweep`: a leg for each number of connections. Pure.

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @param {any} raw as it was written
 * @returns {string[]} one sentence for each mistake
 */
export function sweepMistakes({ sweep }, where, raw) {
  return sweep === null || raw?.connections === undefined
    ? []
    : [
        `${where('connections')}: ${Array.isArray(raw.connections) ? 'a profile' : raw.connections}, and sweep.connections says how many there are in each leg; give one of ` +
          'them up',
      ];
}
