// How much space an engine's transfer log must leave free on the disk for samples, summaries and the report.
import { statfsSync } from 'node:fs';

const MIB = 2 ** 20;

/**
 * @param {string} folder @param {number} shares of the leg; each has a log
 * @returns {number} bytes to leave free
 */
export function reserveFor(folder, shares) {
  try {
    const { bsize, blocks } = statfsSync(folder);
    const forTheRest = Math.min(64 * MIB, bsize * blocks * 0.05);
    const forBatches = (1 + shares / 2) * MIB; // each engine may be about to write a batch of 0.34 MiB
    return Math.floor(Math.max(forTheRest, forBatches));
  } catch {
    return 0;
  }
}
