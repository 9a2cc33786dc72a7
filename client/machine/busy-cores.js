// How many cores are busy now, whoever uses them: what a run would have to share.

import { setTimeout as wait } from 'node:timers/promises';
import { MachineMeter } from './usage.js';

/** @param {number} [ms] over which it is measured @returns {Promise<number>} cores, such as 1.3 */
export async function readBusyCores(ms = 500) {
  const meter = new MachineMeter();
  meter.read();
  await wait(ms);
  return meter.read().reduce((sum, share) => sum + share, 0);
}
