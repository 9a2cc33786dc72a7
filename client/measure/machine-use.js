// The load of the client's machine, by all programs.

/** @import { Sample } from '../../config/types.js' */

/**
 * @param {Sample[]} samples
 * @returns {{ busyCores: number, cores: number } | undefined} busyCores: the mean over their time; undefined if it was
 *   not measured
 */
export function machineUseOf(samples) {
  const timed = samples.filter(({ fromNs, toNs }) => toNs > fromNs);
  const cores = timed[0]?.machine.busy.length ?? 0;
  if (cores === 0) return undefined;
  const [busyNs, ns] = timed.reduce(
    ([busy, total], { fromNs, toNs, machine }) => [
      busy + machine.busy.reduce((sum, share) => sum + share, 0) * (toNs - fromNs),
      total + (toNs - fromNs),
    ],
    [0, 0],
  );
  return { busyCores: busyNs / ns, cores };
}
