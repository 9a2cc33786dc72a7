// Key `pin`: the CPUs of client and server. Pure.

import { parseCpus } from '../../results/cpu-list.js';

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {string[]} one sentence for each mistake
 */
export function pinMistakes({ pin, target }, where) {
  const mistakes = [];
  for (const side of /** @type {const} */ (['client', 'server'])) {
    const list = pin[side];
    if (list === null || parseCpus(list) !== null) continue;
    mistakes.push(`${where(`pin.${side}`)}: "${list}" is not a list of CPUs such as 0, 0-1 or 1,3`);
  }
  if (pin.server !== null && target !== undefined) {
    mistakes.push(
      `${where('pin.server')}: ${pin.server} belongs to a server that Broadside starts; this one runs already`,
    );
  }
  return mistakes;
}
