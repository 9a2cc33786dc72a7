// Key `sources`: the addresses to connect from. Pure. Which of them this machine has is checked in plan/limits/machine.js.

import { isIP } from 'node:net';
import { FAMILIES, isLoopback } from '../../results/endpoint.js';
import { mistake } from '../mistakes.js';

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function sourceMistakes({ sources }, where) {
  if (sources === 'auto') return [];
  const odd = sources.find((source) => isIP(source) === 0 || source.includes('%'));
  if (odd !== undefined)
    return [
      mistake(
        where,
        'not-an-address',
        'sources',
        { source: odd },
        `"${odd}" is not an IPv4 or IPv6 address, such as 10.0.0.5`,
      ),
    ];
  const twice = sources.find((source, index) => sources.indexOf(source) !== index);
  return twice === undefined
    ? []
    : [mistake(where, 'source-twice', 'sources', { source: twice }, `${twice} is given twice`)];
}

/**
 * Whether the target can be reached from the addresses, wherever they are used; known once its name is resolved.
 * @param {Pick<import('../scenario.js').Scenario, 'sources' | 'target' | 'listen'>} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function sourceFamilyMistakes({ sources, target, listen }, where) {
  if (sources === 'auto' || listen === 'unix') return [];
  return sources.flatMap((source) => {
    const family = isIP(source) === 6 ? 'ipv6' : 'ipv4';
    if (family !== listen) {
      return [
        mistake(
          where,
          'source-family',
          'sources',
          { source, family, listen },
          `${source} is an ${FAMILIES[family]} address, from which an ${FAMILIES[listen]} ` +
            'one cannot be reached; give addresses of this machine, or auto',
        ),
      ];
    }
    return target !== undefined && !isLoopback(target.host) && isLoopback(source)
      ? [
          mistake(
            where,
            'source-loopback',
            'sources',
            { source, target: target.host },
            `${source} is a loopback address, from which ${target.host} cannot be reached; give ` +
              'other addresses of this machine, or auto',
          ),
        ]
      : [];
  });
}
