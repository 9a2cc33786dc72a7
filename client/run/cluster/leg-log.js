// How much of the disk an engine's transfer log must leave free: samples, summaries and the report come first.
import { statfsSync } from 'node:fs';

const MIB = 2 ** 20;

/**
 * Room left on the disk for samples, summaries and the report.
 * @param {string} folder @param {number} shares  each with a log of its own
 * @returns {number} bytes
 */
export function reserveFor(folder, shares) {
  try {
    const { bsize, blocks } = statfsSync(folder);
    const forTheRest = Math.min(64 * MIB, bsize * blocks * 0.05);
    const forBatches = (1 + shares / 2) * MIB; // each engine may be about to write one, of 0.34 MiB
    return Math.floor(Math.max(forTheRest, forBatches));
  } catch {
    return 0;
  }
}
