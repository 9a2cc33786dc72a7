// How busy the machine of the client was, whoever used it.

/** @import { Sample } from '../../config/types.js' */

/**
 * @param {Sample[]} samples
 * @returns {{ busyCores: number, cores: number } | undefined} busyCores: mean over their time; undefined where that was
 *   not measured
 */
export function machineUseOf(samples) {
  const timed = samples.filter(({ fromNs, toNs }) => toNs > fromNs);
  const cores = timed[0]?.machine.busy.length ?? 0;
  if (cores === 0) return undefined;
  const [busyNs, ns] = timed.reduce(
    ([busy, all], { fromNs, toNs, machine }) => [
      busy + machine.busy.reduce((sum, share) => sum + share, 0) * (toNs - fromNs),
      all + (toNs - fromNs),
    ],
    [0, 0],
  );
  return { busyCores: busyNs / ns, cores };
}
