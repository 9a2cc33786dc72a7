// Every limit in the way of a run, in one list. Pure: the machine's facts come in as `host` (host.js). What is done
// about them is decided in preflight.js.

import { clientLimits } from './client.js';
import { kernelLimits } from './kernel.js';
import { machineLimits } from './machine.js';
import { serverLimits } from './server.js';

/** @typedef {import('./limit.js').Limit} Limit */

/**
 * A server that is started here, by name or by a command.
 * @typedef {object} StartedServer
 * @property {string} label
 * @property {number} instances  copies of it, which share the connections evenly
 * @property {number} processes  that share its port, each with an accept queue of its own
 * @property {boolean} isSplit   several of them because one has too few descriptors, not by request
 * @property {number | null} places  connections it serves at once; null: as many as limits allow, or not known
 * @property {'threads' | 'processes' | null} placesOption  what says so
 * @property {number | null} backlog      null: not known
 * @property {number | null} maxChildren  null: its own choice
 * @property {import('../processes.js').KnownServer['manifest'] | null} manifest  null: not listed
 *
 * What limits are judged of.
 * @typedef {object} Situation
 * @property {import('../../scenario/scenario.js').Scenario} scenario
 * @property {import('../../machine/host.js').Host} host
 * @property {number} workers
 * @property {number} engines             of each worker
 * @property {string[]} sources           empty: the kernel's choice
 * @property {import('../sources.js').PortDemand} demand
 * @property {boolean} local              the server is on this machine
 * @property {StartedServer[]} servers
 * @property {number} legs
 * @property {number} seconds             of a leg, without its drain
 * @property {number | null} rows         of the transfer log of a leg, where the scenario bounds them
 */

/** @param {Situation} situation @returns {Limit[]} */
export function limitsOf(situation) {
  return [
    ...machineLimits(situation),
    ...clientLimits(situation),
    ...serverLimits(situation),
    ...kernelLimits(situation),
  ];
}
