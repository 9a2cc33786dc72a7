// Key `pin`: the CPUs of client and server. Pure. The CPUs themselves are chosen in plan/placement.js.

import { parseCpus } from '../../results/cpu-list.js';
import { mistake } from '../mistakes.js';

/**
 * @typedef {object} Pin
 * @property {string | null} client  a list of CPUs, or `each`: a CPU for each worker; null: all
 * @property {string | null} server  the same, for each instance
 * @property {{server: number, client: number} | null} cores  the number of CPUs for each side, instead of the lists
 */

const EACH = 'each';

/** @param {{client?: string, server?: string, cores?: string}} raw @returns {Pin} */
export function pinOf({ client = undefined, server = undefined, cores = undefined }) {
  const [forServer, forClient] = cores?.split(':').map(Number) ?? [];
  return {
    client: client ?? null,
    server: server ?? null,
    cores: cores === undefined ? null : { server: forServer, client: forClient },
  };
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function pinMistakes({ pin, target }, where) {
  const mistakes = [];
  for (const side of /** @type {const} */ (['client', 'server'])) {
    const list = pin[side];
    if (list === null || list === EACH || parseCpus(list) !== null) continue;
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
  const given = /** @type {const} */ (['client', 'server']).filter((side) => pin[side] !== null);
  if (pin.cores !== null && given.length > 0) {
    const keys = given.map((side) => `pin.${side}`);
    mistakes.push(
      mistake(
        where,
        'exclusive-keys',
        'pin.cores',
        { keys },
        `pin.cores excludes ${keys.join(' and ')}; give only one`,
      ),
    );
  }
  const forServer = pin.server ?? (pin.cores && `${pin.cores.server}:${pin.cores.client}`);
  if (forServer !== null && target !== undefined) {
    const key = pin.server === null ? 'pin.cores' : 'pin.server';
    mistakes.push(
      mistake(
        where,
        'pin-of-running-server',
        key,
        { value: forServer },
        `${forServer} is for a server that Broadside starts; this one runs already`,
      ),
    );
  }
  return mistakes;
}
