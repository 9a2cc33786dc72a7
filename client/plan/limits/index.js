// Lists every limit in the way of a run. The machine's facts come in as `host` (host.js). preflight.js decides what is
// done about the limits.

import { missingCpus } from '../../measure/cpu-list.js';
import { kindOf } from '../../transports/index.js';
import { familyOf, isLoopback } from '../../words/endpoint.js';
import { EACH } from '../placement.js';
import { serverAddress, versionOf } from '../sources.js';
import { clientLimits } from './client.js';
import { kernelLimits } from './kernel.js';
import { unavailable } from './limit.js';
import { serverLimits } from './server.js';

/**
 * @import { Limit } from '../../../config/types.js'
 * @import { Host } from '../../machine/host.js'
 * @import { Scenario } from '../../scenario/scenario.js'
 * @import { KnownServer } from '../processes.js'
 * @import { PortDemand } from '../sources.js'
 */

/**
 * A server that is started here, by name or by a command.
 * @typedef {object} StartedServer
 * @property {string} label
 * @property {number} instances  copies of it, which share the connections evenly
 * @property {number} processes  that share its port, each with an accept queue of its own
 * @property {boolean} isSplit   there are several because one has too few descriptors, not by request
 * @property {number | null} places  connections it serves at once; null: as many as limits allow, or not known
 * @property {'threads' | 'processes' | null} placesOption  the option that sets places
 * @property {number | null} backlog      null: not known
 * @property {number | null} maxChildren  null: the server's choice
 * @property {KnownServer['manifest'] | null} manifest  null: not listed
 *
 * The run whose limits are judged.
 * @typedef {object} Situation
 * @property {Scenario} scenario
 * @property {Host} host
 * @property {number} workers
 * @property {number} engines             of each worker
 * @property {string[]} sources           empty: the kernel's choice
 * @property {PortDemand} demand
 * @property {boolean} local              the server is on this machine
 * @property {StartedServer[]} servers
 * @property {number} legs
 * @property {number} seconds             of a leg, without its drain
 * @property {number | null} rows         of the transfer log of a leg, if the scenario bounds them; otherwise null
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

/**
 * The first target address that no connection can reach, because the loopback interface is down or there is no IPv6.
 * @param {Situation} situation @returns {Limit[]}
 */
function reach({ scenario, host }) {
  const { target, targets = target && [target] } = scenario;
  const hosts = targets?.map((endpoint) => endpoint.host) ?? [serverAddress(scenario, host)];
  const [local] = hosts.filter(isLoopback);
  if (local !== undefined && host.loopbacks.length === 0) return [unavailable('loopback-down', { address: local })];
  const lacking = hosts.find(
    (address) =>
      familyOf(address) === 'ipv6' && !(isLoopback(address) ? host.loopbacks.includes(address) : host.hasIpv6),
  );
  const listen = target === undefined ? scenario.listen : null;
  return lacking === undefined ? [] : [unavailable('ipv6-unavailable', { address: lacking, listen })];
}

/** The folder in which the launcher makes the socket of a server. @param {Situation} situation @returns {Limit[]} */
function socketFolder({ scenario: { listen, target }, host: { socketFolder: folder } }) {
  if (listen !== 'unix' || target !== undefined || folder.problem === null) return [];
  return [unavailable('socket-folder-unusable', folder)];
}

/** @param {Situation} situation @returns {Limit[]} one for the first address that connections cannot come from */
function sources({ scenario, host }) {
  const { sources: given, listen } = scenario;
  const { addresses } = host;
  if (given === 'auto') return [];
  const usable = addresses.map(({ address }) => address).filter((address) => versionOf(address) === listen);
  const source = given.find((address) => !usable.includes(address) && !(listen === 'ipv4' && isLoopback(address)));
  if (source === undefined) return [];
  const away = !isLoopback(serverAddress(scenario, host));
  return [unavailable('source-unavailable', { source, own: usable, loopback: !away && listen === 'ipv4' })];
}

/** @param {Situation} situation @returns {Limit[]} */
function pins({ scenario: { pin }, host: { cpus } }) {
  return /** @type {const} */ (['client', 'server']).flatMap((side) => {
    const list = pin[side];
    const missing = list === null || list === EACH ? [] : missingCpus(list, cpus);
    return missing.length === 0 ? [] : [unavailable('cpu-unavailable', { side, list, missing, allowed: cpus })];
  });
}

/** The CPUs that `each` needs for the instances of a server. @param {Situation} situation @returns {Limit[]} */
function instanceCpus({ scenario: { pin }, host: { cpus }, servers }) {
  const instances = Math.max(...servers.map((server) => server.instances));
  if (pin.server !== EACH || instances <= cpus.length) return [];
  return [unavailable('cpus-too-few', { instances, cpus: cpus.length })];
}

/** @param {Situation} situation @returns {Limit[]} */
function cores({ scenario: { pin }, host: { cpus } }) {
  if (!pin.cores || pin.cores.server + pin.cores.client <= cpus.length) return [];
  return [unavailable('cores-too-few', { ...pin.cores, cpus: cpus.length })];
}

/** @param {Situation} situation @returns {Limit[]} */
function transport({ scenario, host }) {
  const missing = kindOf(scenario.transport)?.missing?.(scenario.transport, host) ?? null;
  return missing === null ? [] : [unavailable(missing.code, missing.data)];
}

/**
 * Things that a scenario names and this machine does not have: they refuse the run before anything starts.
 * @param {Situation} situation @returns {Limit[]}
 */
function machineLimits(situation) {
  return [reach, socketFolder, sources, pins, instanceCpus, cores, transport].flatMap((limits) => limits(situation));
}
