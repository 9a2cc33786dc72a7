// Key `pin`: the CPUs of client and server. Pure.

import { parseCpus } from '../../results/cpu-list.js';
import { mistake } from '../mistakes.js';

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function pinMistakes({ pin, target }, where) {
  const mistakes = [];
  for (const side of /** @type {const} */ (['client', 'server'])) {
    const list = pin[side];
    if (list === null || parseCpus(list) !== null) continue;
    mistakes.push(
      mistake(
        where,
        'not-a-cpu-list',
        `pin.${side}`,
        { value: list },
        `"${list}" is not a list of CPUs such as 0, 0-1 or 1,3`,
      ),
    );
  }
  if (pin.server !== null && target !== undefined) {
    mistakes.push(
      mistake(
        where,
        'pin-of-running-server',
        'pin.server',
        { value: pin.server },
        `${pin.server} is for a server that Broadside starts; this one runs already`,
      ),
    );
  }
  return mistakes;
}
