// Key `listen`: the address family that a server started by Broadside listens on. Pure.

import { FAMILIES } from '../../results/endpoint.js';
import { mistake, writtenText } from '../mistakes.js';
import { allCommands } from './commands.js';

/**
 * The placeholders that a command needs to listen on each family.
 * @type {Record<import('../../results/endpoint.js').Family, string[]>}
 */
const PLACEHOLDERS = { ipv4: ['{port}'], ipv6: ['{port}', '{host}'], unix: ['{path}'] };

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @param {unknown} raw as it was written
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function listenMistakes(scenario, where, raw) {
  const { target, listen, sources: addresses } = scenario;
  const mistakes = [];
  if (target !== undefined && writtenText(raw, 'listen') !== undefined) {
    mistakes.push(
      mistake(
        where,
        'listen-of-target',
        'listen',
        { listen },
        `${writtenText(raw, 'listen')} is for a server that Broadside starts; a target says itself where it listens; leave ` +
          'listen out',
      ),
    );
  }
  for (const { command } of allCommands(scenario)) {
    const missing = PLACEHOLDERS[listen].filter((word) => !command.includes(word));
    if (missing.length === 0 || (listen === 'unix' && command.includes('{host}'))) continue;
    mistakes.push(
      mistake(
        where,
        'placeholder-missing',
        'command',
        { command, listen, missing },
        `"${command}" must listen on ${FAMILIES[listen]} (listen), but has no ${missing.join(' and no ')} in it`,
      ),
    );
  }
  if (listen === 'unix' && addresses !== 'auto') {
    mistakes.push(
      mistake(
        where,
        'sources-of-unix-socket',
        'sources',
        { sources: addresses },
        `${addresses.join(', ')}, but a connection to a unix socket has no source address; leave sources out`,
      ),
    );
  }
  return mistakes;
}
