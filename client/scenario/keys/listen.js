// Key `listen`: the address family that a server started by Broadside listens on. Pure.

import { FAMILIES } from '../../results/endpoint.js';
import { writtenText } from '../mistakes.js';

/**
 * The placeholders that a command needs to listen on each family.
 * @type {Record<import('../../results/endpoint.js').Family, string[]>}
 */
const PLACEHOLDERS = { ipv4: ['{port}'], ipv6: ['{port}', '{host}'], unix: ['{path}'] };

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @param {unknown} raw as it was written
 * @returns {string[]} one sentence for each mistake
 */
export function listenMistakes({ target, command, listen, sources: addresses }, where, raw) {
  const mistakes = [];
  if (target !== undefined && writtenText(raw, 'listen') !== undefined) {
    mistakes.push(
      `${where('listen')}: ${writtenText(raw, 'listen')} is for a server that Broadside starts; a target says by itself ` +
        'where it is; take listen away',
    );
  }
  const missing = command === undefined ? [] : PLACEHOLDERS[listen].filter((word) => !command.includes(word));
  if (missing.length > 0 && !(listen === 'unix' && command?.includes('{host}'))) {
    mistakes.push(
      `${where('command')}: "${command}" is to listen on ${FAMILIES[listen]} (listen), and has no ${missing.join(
        ' and no ',
      )} in it`,
    );
  }
  if (listen === 'unix' && addresses !== 'auto') {
    mistakes.push(
      `${where('sources')}: ${addresses.join(', ')}, and a connection to a unix socket comes from no address; ` +
        'leave sources out',
    );
  }
  return mistakes;
}
