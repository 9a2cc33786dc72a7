// What other programs took of the machine while a leg ran: busy time that neither client nor server used. Pure.
// The one thing to know: it cannot be told of a server whose processes are not known, or that runs elsewhere.

/** @typedef {import('./sample.js').Sample} Sample */

/** From so many cores on, and so large a part of the machine, it is worth a word. */
const bounds = Object.freeze({ cores: 0.3, share: 0.15 });

/**
 * @param {Sample[]} samples of a leg
 * @returns {{ cores: number, of: number } | null} mean over the steady state, in cores; null where it cannot be told
 */
export function foreignCores(samples) {
  const steady = samples.filter(({ phase, fromNs, toNs }) => phase === 'steady' && toNs > fromNs);
  const of = steady[0]?.machine.busy.length ?? 0;
  if (of === 0 || steady.some(({ server }) => server === null)) return null;
  let seconds = 0;
  let rest = 0;
  for (const { fromNs, toNs, machine, client, server } of steady) {
    const span = (toNs - fromNs) / 1e9;
    seconds += span;
    rest += machine.busy.reduce((sum, share) => sum + share, 0) * span - client.cpuSeconds - (server?.cpuSeconds ?? 0);
  }
  return seconds > 0 ? { cores: Math.max(0, rest / seconds), of } : null;
}

/** @param {Sample[]} samples @returns {string | null} a warning, when it was much */
export function foreignWarning(samples) {
  const foreign = foreignCores(samples);
  if (foreign === null || foreign.cores < bounds.cores || foreign.cores < bounds.share * foreign.of) return null;
  return (
    `other programs used ${foreign.cores.toFixed(1)} of ${foreign.of} cores in the steady state: the figures are ` +
    'of a machine that was shared'
  );
}
