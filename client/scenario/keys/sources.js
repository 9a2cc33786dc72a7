// Key `sources`: the addresses to connect from. Pure. Which of them this machine has is checked in plan/sources.js.

import { isIP } from 'node:net';

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {string[]} one sentence for each mistake
 */
export function sourceMistakes({ sources }, where) {
  if (sources === 'auto') return [];
  const odd = sources.find((source) => isIP(source) === 0 || source.includes('%'));
  if (odd !== undefined) return [`${where('sources')}: "${odd}" is not an IPv4 or IPv6 address, such as 10.0.0.5`];
  const twice = sources.find((source, index) => sources.indexOf(source) !== index);
  return twice === undefined ? [] : [`${where('sources')}: ${twice} is there twice`];
}
