// The samples of a leg whose controller has ended during it: those that it wrote, and those that are made from what its agents
// reported (replay.js). Pure. The agents' reports have every count of the leg; what only the controller could read of server and
// machine is in what it wrote.

/** @typedef {import('../../measure/sample.js').Sample} Sample */

/** Read by the controller, not reported by workers. */
const READINGS = /** @type {const} */ ([
  'client',
  'server',
  'machine',
  'serverMachine',
  'kernel',
  'serverKernel',
  'listen',
  'unloaded',
  'limitedBy',
]);
/** Reported by workers. */
const COUNTS = /** @type {const} */ (['counters', 'rejects', 'errors', 'gauges', 'histograms', 'transfers']);

/** @param {Sample} sample */
const spanOf = ({ phase, fromNs, toNs }) => `${phase} ${fromNs} ${toNs}`;

/** @param {Sample} a @param {Sample} b @returns {boolean} */
const countsAgree = (a, b) => COUNTS.every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));

/**
 * @param {Sample[]} written
 * @param {Sample[]} reported with all counts of the leg
 * @returns {Sample[]} the written ones as they are, where they have counted the same: a report that came late may be in another
 *   sample; and those that the controller did not write any more
 */
export function joinSamples(written, reported) {
  // only a sample with a time span has readings
  const bySpan = new Map(written.filter(({ fromNs, toNs }) => toNs > fromNs).map((one) => [spanOf(one), one]));
  return reported.map((sample) => {
    const own = bySpan.get(spanOf(sample));
    if (own === undefined) return sample;
    return countsAgree(own, sample) ? own : withReadings(sample, own);
  });
}

/** @param {Sample} sample @param {Sample} read @returns {Sample} */
function withReadings(sample, read) {
  const readings = READINGS.flatMap((name) => (read[name] === undefined ? [] : [[name, read[name]]]));
  const { instances } = sample;
  return {
    ...sample,
    ...Object.fromEntries(readings),
    ...(instances && {
      instances: instances.map((one, index) => ({
        ...one,
        serverCpuSeconds: read.instances?.[index]?.serverCpuSeconds,
      })),
    }),
  };
}
