// What a scenario names and this machine does not have: an address, a CPU, a backend, a congestion control, a folder
// for sockets. Refused before anything starts. Pure.

import { familyOf, isLoopback } from '../../words/endpoint.js';
import { missingCpus } from '../../measure/cpu-list.js';
import { kindOf } from '../../transports/index.js';
import { EACH } from '../placement.js';
import { serverAddress, versionOf } from '../sources.js';
import { unavailable } from './limit.js';

/** @typedef {import('./index.js').Situation} Situation */
/** @typedef {import('./limit.js').Limit} Limit */

/**
 * The first of the addresses to connect to that no connection can reach, because the loopback interface is down or there is
 * no IPv6.
 * @param {Situation} situation @returns {Limit[]}
 */
function reach({ scenario, host }) {
  const { target, targets = target && [target] } = scenario;
  const hosts = targets?.map((one) => one.host) ?? [serverAddress(scenario, host)];
  const [local] = hosts.filter(isLoopback);
  if (local !== undefined && host.loopbacks.length === 0) return [unavailable('loopback-down', { address: local })];
  const lacking = hosts.find(
    (address) =>
      familyOf(address) === 'ipv6' && !(isLoopback(address) ? host.loopbacks.includes(address) : host.hasIpv6),
  );
  const listen = target === undefined ? scenario.listen : null;
  return lacking === undefined ? [] : [unavailable('ipv6-unavailable', { address: lacking, listen })];
}

/** Where the launcher makes the socket of a server. @param {Situation} situation @returns {Limit[]} */
function socketFolder({ scenario: { listen, target }, host: { socketFolder: folder } }) {
  if (listen !== 'unix' || target !== undefined || folder.problem === null) return [];
  return [unavailable('socket-folder-unusable', folder)];
}

/** @param {Situation} situation @returns {Limit[]} */
function congestion({ scenario: { socket }, host }) {
  if (socket.congestion === null || host.congestion === null || host.congestion.includes(socket.congestion)) return [];
  return [unavailable('congestion-unavailable', { congestion: socket.congestion, known: host.congestion })];
}

/** @param {Situation} situation @returns {Limit[]} one for the first address that connections cannot come from */
function sources({ scenario, host }) {
  const { sources: given, listen } = scenario;
  const { addresses } = host;
  if (given === 'auto') return [];
  const own = addresses.map(({ address }) => address).filter((address) => versionOf(address) === listen);
  const source = given.find((one) => !own.includes(one) && !(listen === 'ipv4' && isLoopback(one)));
  if (source === undefined) return [];
  const away = !isLoopback(serverAddress(scenario, host));
  return [unavailable('source-unavailable', { source, own, loopback: !away && listen === 'ipv4' })];
}

/** @param {Situation} situation @returns {Limit[]} */
function pins({ scenario: { pin }, host: { cpus } }) {
  return /** @type {const} */ (['client', 'server']).flatMap((side) => {
    const list = pin[side];
    const missing = list === null || list === EACH ? [] : missingCpus(list, cpus);
    return missing.length === 0 ? [] : [unavailable('cpu-unavailable', { side, list, missing, allowed: cpus })];
  });
}

/** CPUs that `each` needs for the instances of a server. @param {Situation} situation @returns {Limit[]} */
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
  const missing = kindOf(scenario.transport)?.missing?.(scenario, host) ?? null;
  return missing === null ? [] : [unavailable(missing.code, missing.data)];
}

/** @param {Situation} situation @returns {Limit[]} */
export function machineLimits(situation) {
  return [reach, socketFolder, congestion, sources, pins, instanceCpus, cores, transport].flatMap((limits) =>
    limits(situation),
  );
}
