// Texts for the client's part of the response times, measured by kernel timestamps.

import { PERCENTILES } from '../measure/timestamps.js';
import { count, percent } from './format.js';
import { joinNames } from './lists.js';

/**
 * @import { ClientPart } from '../../config/types.js'
 * @import { Timestamps } from '../measure/timestamps.js'
 */

/** @param {string} name @param {ClientPart} part @returns {string} such as "56 % of the p50 response time" */
const partText = (name, { share }) => `${percent(share, 2)} of the ${name} response time`;

/**
 * @param {Timestamps | undefined} timestamps
 * @returns {string | undefined} number of transfers split, and of those left out; undefined without timestamps
 */
export const sampledText = (timestamps) =>
  timestamps &&
  `${count(timestamps.sampled)}${timestamps.leftOut ? `, ${count(timestamps.leftOut.total)} left out` : ''}`;

/**
 * @param {Timestamps | undefined} timestamps
 * @returns {string | undefined} such as "the client itself caused 56 % of the p50 response time"; undefined if unknown
 */
export function clientPartText(timestamps) {
  const texts = PERCENTILES.flatMap((name) => {
    const part = timestamps?.clientPart?.[name];
    return part === undefined ? [] : [partText(name, part)];
  });
  return texts.length > 0 ? `the client itself caused ${joinNames(texts)}` : undefined;
}
