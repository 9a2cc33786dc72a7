// How many of the cores that a run may use are busy now, whoever uses them: what it would have to share.

import { setTimeout as wait } from 'node:timers/promises';
import { MachineMeter } from './usage.js';

/**
 * @param {number[]} cpus that this process may run on
 * @param {number} [ms] over which it is measured
 * @returns {Promise<number>} cores, such as 1.3
 */
export async function readBusyCores(cpus, ms = 500) {
  const meter = new MachineMeter(cpus);
  meter.read();
  await wait(ms);
  return meter.read().reduce((sum, share) => sum + share, 0);
}
