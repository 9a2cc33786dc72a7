// The results of a storm from the samples of the run and the readings of its processes, and which requirements it met.
// Pure. Samples cover whole seconds, so times derived from them are exact to a second.

/** The limit: attempts of the busiest second after an outage of 4 x cap, divided by those of a mean second. */
const MOST_PEAK = 2.5;
/** What the second storm may add to a process: JavaScript collects when it likes. */
const MOST_ADDED_BYTES = 5e6;

/**
 * @typedef {object} Storm
 * @property {number} deadMs how long the server was dead
 * @property {number} backMs from its being ready to the end of the first second at which all were open
 * @property {{peak: number, mean: number}} dead attempts a second in the last half of that time
 * @property {{peak: number, mean: number}} back and from the second of its return to that in which all were open
 * @property {Record<string, number>} rejects by cause, those that there were
 * @property {Record<string, number>} errors
 * @property {number} metThemselves connections seen whose own address is their peer's
 *
 * @typedef {{diedNs: number, readyNs: number}} Times of the server, since the leg's start
 * @typedef {Record<string, import('../process-use.js').Use>} Uses by the name of the process
 */

/** @param {any[]} samples @param {'rejects' | 'errors'} kind @returns {Record<string, number>} */
function causesOf(samples, kind) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const sample of samples) {
    for (const [cause, count] of Object.entries(sample[kind])) {
      if (cause !== 'total' && count > 0) sums[cause] = (sums[cause] ?? 0) + count;
    }
  }
  return sums;
}

/** @param {any[]} samples @returns {{peak: number, mean: number}} */
function attemptsOf(samples) {
  const counts = samples.map(({ counters }) => counters.attempts);
  return { peak: Math.max(...counts), mean: counts.reduce((sum, count) => sum + count, 0) / counts.length };
}

/**
 * @param {any[]} samples of the leg
 * @param {Times} times
 * @param {{connections: number, metThemselves: number}} how
 * @returns {Storm}
 */
export function stormOf(samples, { diedNs, readyNs }, { connections, metThemselves }) {
  const end = samples.findIndex(({ toNs, gauges }) => toNs > readyNs && gauges.open === connections);
  const all = samples[end];
  const during = samples.slice(0, end + 1).filter(({ toNs }) => toNs > diedNs);
  const middleNs = (diedNs + readyNs) / 2;
  return {
    deadMs: (readyNs - diedNs) / 1e6,
    backMs: (all.toNs - readyNs) / 1e6,
    dead: attemptsOf(during.filter(({ fromNs, toNs }) => fromNs >= middleNs && toNs <= readyNs)),
    back: attemptsOf(during.filter(({ toNs }) => toNs >= readyNs)),
    rejects: causesOf(during, 'rejects'),
    errors: causesOf(during, 'errors'),
    metThemselves,
  };
}

/**
 * @param {Storm[]} storms
 * @param {Uses[]} uses before, and after each
 * @param {{latestMs: number}} must cap + connectTimeout
 * @returns {string[]} what was missed, a sentence each
 */
export function missedOf(storms, uses, { latestMs }) {
  const seconds = (/** @type {number} */ ms) => (ms / 1000).toFixed(1);
  return [
    ...storms.flatMap(({ backMs, dead, back, metThemselves, rejects, errors }, i) => {
      const which = `storm ${i + 1}`;
      const strange = [...Object.keys(rejects), ...Object.keys(errors)].filter(
        (cause) => !['refused', 'reset', 'closed'].includes(cause),
      );
      return [
        // the end of a second may be a second later than the event
        ...(backMs < latestMs + 1000 ? [] : [`${which}: all back after ${seconds(backMs)} s`]),
        ...([dead, back].every(({ peak, mean }) => peak <= MOST_PEAK * mean) ? [] : [`${which}: a second was a storm`]),
        ...(metThemselves === 0 ? [] : [`${which}: ${metThemselves} connections were open to themselves`]),
        ...strange.map((cause) => `${which}: ${cause}`),
      ];
    }),
    ...Object.entries(uses[0] ?? {}).flatMap(([name, first]) => {
      const after = uses.slice(1).map((each) => each[name]);
      const [once, twice] = [after[0], after.at(-1)];
      const same = after.every((use) => use && use.sockets === first.sockets && use.others === first.others);
      const added = once && twice ? twice.rssBytes - once.rssBytes : NaN;
      return [
        ...(same ? [] : [`${name}: descriptors differ`]),
        ...(added <= MOST_ADDED_BYTES
          ? []
          : [`${name}: the storms after the first added ${(added / 1e6).toFixed(1)} MB`]),
      ];
    }),
  ];
}
