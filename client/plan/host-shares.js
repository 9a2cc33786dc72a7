// Plans a run for several hosts: the share of each host in each leg, and whether it can carry that share. The legs are
// those of one host with as many workers as all hosts have together; worker w is on host w mod hosts
// (../measure/hosts.js). The load is thus divided over workers, and nothing is lost to rounding.

import { slotsOf } from '../measure/schedule.js';
import { decide } from './preflight.js';

/**
 * @import { Host, LoadHost } from '../machine/host.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Leg } from './plan.js'
 * @import { Decision } from './preflight.js'
 * @import { KnownServer } from './processes.js'
 */

/**
 * @typedef {Pick<LoadHost, 'name' | 'title'> & { scenario: Scenario, decision: Decision }} HostShare  scenario: its
 *   share of the load, as one host would run it
 */

/** The most workers of one of several hosts at a time; each is a process. */
export const MOST_WORKERS = 128;

/**
 * The load of one host of several, so that its limits can be judged.
 * @param {Scenario} scenario @param {number} index @param {number} hosts
 * @returns {Scenario}
 */
export function shareOfHost(scenario, index, hosts) {
  const connections = slotsOf(scenario.connections, index, hosts);
  const part = connections / scenario.connections;
  const scaled = (/** @type {number | null} */ value) => (value === null ? null : value * part);
  const profile = (/** @type {Scenario['rateProfile']} */ pieces, /** @type {(value: number) => number} */ scale) =>
    pieces === null ? null : pieces.map((piece) => ({ ...piece, from: scale(piece.from), to: scale(piece.to) }));
  return {
    ...scenario,
    connections,
    connectRate: scaled(scenario.connectRate),
    rate: scaled(scenario.rate),
    rateProfile: profile(scenario.rateProfile, (value) => value * part),
    connectionsProfile: profile(scenario.connectionsProfile, (value) => slotsOf(value, index, hosts)),
    transfers: scenario.transfers === null ? null : Math.max(1, Math.ceil(scenario.transfers * part)),
    force: false,
  };
}

/**
 * Divides the load of a leg, and judges the demands on each host and on all of them together.
 * @param {Scenario} scenario without tests and sweep
 * @param {Host & { hosts: LoadHost[] }} host of all hosts together
 * @param {KnownServer[]} known
 * @param {number} variants of the run
 * @returns {Decision & { shares: HostShare[] }}
 */
export function decideOnHosts(scenario, host, known, variants) {
  const { hosts, server } = host;
  const shares = hosts.map(({ name, title, host: sharedHost }, index) => {
    const part = shareOfHost(scenario, index, hosts.length);
    return { name, title, scenario: part, decision: decide(part, { ...sharedHost, server }, [], variants) };
  });
  const whole = decide({ ...scenario, workers: workersOf(shares, scenario) }, host, known, variants);
  const isPossible = whole.scenario !== null && shares.every(({ decision }) => decision.scenario !== null);
  return { ...whole, scenario: isPossible ? scenario : null, sizing: { ...whole.sizing, sources: [] }, shares };
}

/**
 * @param {HostShare[]} shares @param {Scenario} scenario of all
 * @returns {number} workers of all hosts together: as many on each, unless there are fewer connections
 */
function workersOf(shares, { connections, transfers }) {
  const each = Math.max(...shares.map(({ decision }) => decision.sizing.workers));
  return Math.min(each * shares.length, connections, transfers ?? Infinity);
}

/**
 * @param {Host} host that the legs are planned for @param {HostShare[]} [shares] absent: the workers are on this host
 * @returns {Pick<Leg, 'agents' | 'agentSources' | 'serverAgent'>} of a leg
 */
export const placeOnHosts = ({ server }, shares) => ({
  ...(server === undefined ? {} : { serverAgent: server.name }),
  ...(shares === undefined ? {} : placeOfWorkers(shares)),
});

/** @param {HostShare[]} shares @returns {Pick<Leg, 'agents' | 'agentSources'>} of a leg */
function placeOfWorkers(shares) {
  const sources = shares.map(({ decision }) => decision.sizing.sources);
  const agents = shares.map(({ name }) => name);
  return sources.every((addresses) => addresses.length === 0) ? { agents } : { agents, agentSources: sources };
}
