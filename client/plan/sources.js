// Chooses the addresses to connect from, and counts the ports they need. One address has some 28,000 ports towards one
// target. On loopback, more connections use more addresses of 127/8; elsewhere, only the machine's own addresses.
//
// The rule of `auto`: the kernel's choice, one address, while the connections need at most 40 % of its ports
// (USED_SHARE). Beyond that, on loopback as many addresses as keep each below that share; elsewhere all addresses of
// the interface and the network of the kernel's choice, because they reach the target, and are reached from it, by the
// same route. Other addresses can be named.

import { BlockList, isIP } from 'node:net';
import { isLoopback, LISTEN_HOSTS } from '../words/endpoint.js';
import { instancesOf } from '../scenario/keys/instances.js';
import { isReused } from '../machine/taken-ports.js';
import { fallsOf } from '../measure/profile.js';

/**
 * @import { Host } from '../machine/host.js'
 * @import { Scenario } from '../scenario/scenario.js'
 */

/**
 * Towards one target, or one instance of a server.
 * @typedef {{connections: number, ports: number, perSecond: number, heldSeconds: number, assumed: boolean}} PortDemand
 *   ports: local ones taken at once; perSecond: connects that leave one in TIME_WAIT, for heldSeconds; assumed: that
 *   rate is a guess
 */

/**
 * The share of a source's ports that plans use. Linux gives even ports to connect(2) first: once those are gone, every
 * connect looks through all of them, which takes the client's cores. Some are in TIME_WAIT, too.
 */
export const USED_SHARE = 0.4;
/** How long the side that closes first keeps the port (TCP_TIMEWAIT_LEN of the kernel), and when it is let go early. */
const TIME_WAIT_SECONDS = 60;
const REUSED_AFTER_SECONDS = 1;
/** Connects a second assumed of a workload without `connectRate`: more than two cores were seen to do. */
export const FAST_CONNECTS_PER_SECOND = 50_000;
/** Transfers a second assumed if nothing paces them. */
const FAST_TRANSFERS_PER_SECOND = 500_000;

/**
 * @param {Scenario} scenario
 * @param {Pick<Host, 'server'>} host
 * @returns {string} the address of the server, or of the first target
 */
export const serverAddress = ({ target, listen }, { server }) =>
  target?.host ?? server?.address ?? LISTEN_HOSTS[listen];

/**
 * @param {Scenario} scenario
 * @param {Pick<Host, 'addresses' | 'server'>} host
 * @returns {boolean} whether the server, or one of several, is on this machine, so that its sockets are too
 */
export function isLocal({ target, targets, listen, serverPid }, { addresses, server }) {
  const isOwn = (/** @type {string} */ host) => isLoopback(host) || addresses.some(({ address }) => address === host);
  if (server !== undefined) return isOwn(server.address);
  if (target === undefined || listen === 'unix' || serverPid !== null) return true;
  return (targets ?? [target]).some(({ host }) => isOwn(host));
}

/**
 * The connections the client closes by FIN in a second, at most.
 * @param {Scenario} scenario
 * @returns {{perSecond: number, assumed: boolean} | null} null: only those at the end; assumed: the rate is a guess
 */
function closesOf({ workload, connections, connectRate, lifetime, pauseNs, heartbeatNs, rate }) {
  if (workload === 'reconnect') {
    return { perSecond: connectRate ?? FAST_CONNECTS_PER_SECOND, assumed: connectRate === null };
  }
  if (lifetime === null) return null;
  const { transfers, timeNs } = lifetime;
  const byTime = timeNs === null ? 0 : connections / (timeNs / 1e9);
  if (transfers === null) return { perSecond: byTime, assumed: false };
  const everyNs = Math.max(pauseNs, heartbeatNs);
  const requested = rate ?? (everyNs > 0 ? connections / (everyNs / 1e9) : null);
  const byTransfers = Math.min(FAST_CONNECTS_PER_SECOND, (requested ?? FAST_TRANSFERS_PER_SECOND) / transfers);
  return { perSecond: byTime + byTransfers, assumed: requested === null };
}

/**
 * The local ports a scenario takes at once towards its server, or towards each of its instances. A connection has one
 * while it is open. In workload `reconnect` the client closes first, and the port stays taken in TIME_WAIT: 60 s, or 1
 * s if it is reused. net.ipv4.tcp_max_tw_buckets bounds their number. A close by RST leaves none. A unix
 * socket has no port.
 * @param {Scenario} scenario
 * @param {Pick<Host, 'timeWait' | 'server'>} host
 * @param {number} seconds that a leg connects for
 * @returns {PortDemand}
 */
export function portDemand(scenario, host, seconds) {
  const { timeWait } = host;
  const { connectionsProfile, connectRate, listen, socket } = scenario;
  if (listen === 'unix') return { connections: 0, ports: 0, perSecond: 0, heldSeconds: 0, assumed: false };
  const instances = Math.min(...instancesOf(scenario));
  const connections = Math.ceil(scenario.connections / instances);
  const ended = closesOf(scenario);
  if (ended === null || socket.lingerNs === 0) {
    const falls = Math.ceil(fallsOf(connectionsProfile) / instances);
    const closed = socket.lingerNs === 0 ? 0 : Math.min(timeWait.most, falls);
    return { connections, ports: connections + closed, perSecond: 0, heldSeconds: 0, assumed: false };
  }
  const reused = isReused(serverAddress(scenario, host), timeWait);
  const heldSeconds = Math.min(reused ? REUSED_AFTER_SECONDS : TIME_WAIT_SECONDS, seconds);
  const perSecond = Math.min(connectRate ?? Infinity, ended.perSecond) / instances;
  return {
    connections,
    ports: connections + Math.ceil(Math.min(timeWait.most, perSecond * heldSeconds)),
    perSecond,
    heldSeconds,
    assumed: ended.assumed && connectRate === null,
  };
}

/** @param {string} address */
export const versionOf = (address) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/**
 * The addresses that are as good as the kernel's choice; see the top of this file.
 * @param {Pick<Host, 'addresses' | 'towards'>} host
 * @returns {string[]} the kernel's choice first
 */
export function interfaceAddresses({ addresses, towards }) {
  const chosen = addresses.find(({ address }) => address === towards);
  if (chosen === undefined) return [];
  const version = versionOf(chosen.address);
  const network = new BlockList();
  network.addSubnet(chosen.address, chosen.prefix, version);
  const same = addresses.filter(
    (candidate) =>
      candidate.interface === chosen.interface &&
      versionOf(candidate.address) === version &&
      network.check(candidate.address, version),
  );
  return [...new Set([chosen.address, ...same.map(({ address }) => address)])];
}

/**
 * @param {Scenario} scenario
 * @param {Pick<Host, 'server'>} host
 * @returns {boolean} whether its connections may come from all of 127/8
 */
export const isLoopback4 = (scenario, host) => serverAddress(scenario, host).startsWith('127.');

/** @param {number} count @returns {string[]} addresses from 127.0.0.1 on */
function loopbackAddresses(count) {
  return Array.from(
    { length: count },
    (_, i) => `127.${Math.floor((i + 1) / 65_536)}.${Math.floor((i + 1) / 256) % 256}.${(i + 1) % 256}`,
  );
}

/**
 * @param {Scenario} scenario
 * @param {Pick<Host, 'ports' | 'portsTaken' | 'addresses' | 'towards' | 'server'>} host
 * @param {number} needed ports
 * @returns {string[]} addresses, used in turn; empty: the kernel's choice, one address
 */
export function chooseSources(scenario, host, needed) {
  const { sources } = scenario;
  if (sources !== 'auto') return sources;
  if (needed === 0) return []; // a unix socket has no source address
  if (host.ports === 0) return []; // no address has a port: see the limit of local ports
  const each = Math.max(1, host.ports * USED_SHARE);
  const used = needed + host.portsTaken;
  if (used <= each) return [];
  if (isLoopback4(scenario, host)) return loopbackAddresses(Math.ceil(used / each));
  const addresses = interfaceAddresses(host);
  return addresses.length > 1 ? addresses : [];
}
