// Key `budget`: the times at which servers that take turns are compared before the budget is used up, and the level of
// each comparison. All comparisons together claim a difference between equal servers in at most 5 % of runs. The time
// doubles from one comparison to the next, and all have the same level (S. J. Pocock: Group sequential methods in the
// design and analysis of clinical trials, Biometrika 64, 1977). His levels are for equal steps; the levels below are
// for doubling steps, and come from simulation.

/** Levels by the number of comparisons. */
const LEVELS = [0.05, 0.0292, 0.0208, 0.0157, 0.0129, 0.0108];

/**
 * @param {number} minNs of the steady state @param {number} budgetNs at most
 * @returns {number[]} ns since the start of the steady state, ascending; the last is its end
 */
export function lookTimes(minNs, budgetNs) {
  const times = [budgetNs];
  while (times.length < LEVELS.length && times[0] / 2 >= minNs) times.unshift(times[0] / 2);
  return times;
}

/**
 * @param {number} looks how many times servers are compared
 * @returns {number} level of each time, such as 0.05 for intervals of 95 %
 */
export const levelOf = (looks) => LEVELS[looks - 1];
