// Key `sources`: the addresses to connect from. Pure. Which of them this machine has is checked in plan/limits/machine.js.

import { isIP } from 'node:net';
import { FAMILIES, isLoopback } from '../../results/endpoint.js';

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

/**
 * Whether the target can be reached from the addresses, wherever they are used; known once its name is resolved.
 * @param {Pick<import('../scenario.js').Scenario, 'sources' | 'target' | 'listen'>} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {string[]} one sentence for each mistake
 */
export function sourceFamilyMistakes({ sources, target, listen }, where) {
  if (sources === 'auto' || listen === 'unix') return [];
  return sources.flatMap((source) => {
    const family = isIP(source) === 6 ? 'ipv6' : 'ipv4';
    if (family !== listen) {
      return [
        `${where('sources')}: ${source} is an ${FAMILIES[family]} address, from which an ${FAMILIES[listen]} ` +
          'one cannot be reached; give addresses of this machine, or auto',
      ];
    }
    return target !== undefined && !isLoopback(target.host) && isLoopback(source)
      ? [
          `${where('sources')}: ${source} is a loopback address, from which ${target.host} cannot be reached; give ` +
            'other addresses of this machine, or auto',
        ]
      : [];
  });
}
