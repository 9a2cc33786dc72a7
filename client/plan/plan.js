// The plan of a run: its legs, their schedules, what they will take, and which limits they will meet. Pure: the
// machine's facts come in as `host` (host.js). What the client cannot do is an error before anything starts; what a
// server or the kernel will not do is a warning, and is then run into: that is what is measured.

import { chooseBackend } from './backend.js';
import { checkPins } from './cpus.js';
import { limitsOf, ROW_BYTES, SPARE_DESCRIPTORS, warningsOf } from './limits.js';
import { plannedOptions } from './processes.js';
import { rampSchedule } from './schedule.js';
import { sourcesFor } from './sources.js';

/**
 * @typedef {{kind: 'named', name: string, options: Record<string, unknown>, env: Record<string, string>}
 *   | {kind: 'target', host: string, port: number, pid: number | null}
 *   | {kind: 'command', command: string}} PlannedServer
 *
 * @typedef {object} Leg   all times in ns relative to the leg's start
 * @property {string} id
 * @property {string} label
 * @property {PlannedServer} server
 * @property {Record<string, unknown>} axes
 * @property {number} round
 * @property {number} workers
 * @property {string} io            the backend its workers run over
 * @property {{client: string | null, server: string | null}} pin  lists of CPUs; null: the kernel's choice
 * @property {string[]} sources    addresses to connect from, in turn; empty: the kernel's choice
 * @property {import('./schedule.js').Point[]} schedule
 * @property {number} steadyFromNs
 * @property {number} steadyToNs
 * @property {number} drainTimeoutNs
 * @property {number} endNs
 *
 * @typedef {object} Plan
 * @property {1} schema
 * @property {string} scenario
 * @property {string} workload
 * @property {string} protocol
 * @property {number} payloadBytes
 * @property {number} connections
 * @property {string} transferLog
 * @property {number} seed
 * @property {Leg[]} legs
 * @property {{seconds: number, transferLogBytes: number | null, descriptorsPerWorker: number}} expected
 * @property {string[]} warnings
 */

/**
 * @param {import('../scenario/scenario.js').Scenario} scenario
 * @param {import('./host.js').Host} host
 */
function countWorkers({ workers, connections }, { descriptors, cores }) {
  if (workers !== 'auto') return Math.min(workers, connections);
  const needed = Math.ceil(connections / Math.max(1, descriptors - SPARE_DESCRIPTORS));
  return Math.min(connections, Math.max(needed, Math.min(2, cores)));
}

/**
 * @param {import('../scenario/scenario.js').Scenario} scenario
 * @param {import('./host.js').Host} host
 * @param {import('./processes.js').KnownServer[]} known
 * @returns {{label: string, server: PlannedServer}[]}
 */
function plannedServers({ servers, target, command, serverPid, connections }, { descriptors }, known) {
  if (servers !== undefined) {
    return servers.map(({ name, as, options, env }) => {
      const fit = plannedOptions(options, known.find((one) => one.name === name), { connections, descriptors });
      return { label: as, server: { kind: 'named', name, options: fit, env } };
    });
  }
  if (target !== undefined) {
    return [{ label: `${target.host}:${target.port}`, server: { kind: 'target', ...target, pid: serverPid } }];
  }
  const program = /[^/\s]+(?=\s|$)/.exec(command ?? '')?.[0] ?? 'command';
  return [{ label: program, server: { kind: 'command', command: command ?? '' } }];
}

/**
 * @param {number} index of the leg
 * @param {string} label
 * @returns {string} name of its folder
 */
function legId(index, label) {
  const slug = label.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|-+$/g, '');
  return `${String(index + 1).padStart(2, '0')}-${slug === '' ? 'leg' : slug}`;
}

/**
 * The rows the transfer log will have where the scenario itself bounds them; transfers that fail and are tried again
 * come on top.
 * @param {import('../scenario/scenario.js').Scenario} scenario
 * @param {number} legNs
 * @returns {number | null}
 */
function expectedRows({ workload, connections, heartbeatNs, pauseNs }, legNs) {
  if (workload === 'once') return connections;
  if (workload === 'hold') return heartbeatNs === 0 ? 0 : connections * (Math.floor(legNs / heartbeatNs) + 1);
  return pauseNs === 0 ? null : connections * (Math.floor(legNs / pauseNs) + 1);
}

/**
 * @param {import('../scenario/scenario.js').Scenario} scenario
 * @param {import('./host.js').Host} host
 * @param {import('./processes.js').KnownServer[]} [known]  the servers there are, as the launcher lists them
 * @returns {Plan}
 * @throws {import('../errors.js').EnvironmentError} when this machine's client cannot do it
 */
export function plan(scenario, host, known = []) {
  const workers = countWorkers(scenario, host);
  limitsOf(scenario, host, workers);
  const sources = sourcesFor(scenario, host);
  checkPins(scenario.pin, host.cpus);
  const io = chooseBackend(scenario, host.backends);
  const { pin } = scenario;
  const { points, endNs: steadyFromNs } = rampSchedule(scenario.connections, scenario.ramp);
  const steadyToNs = steadyFromNs + scenario.durationNs;
  const endNs = steadyToNs + scenario.drainTimeoutNs;
  const legs = plannedServers(scenario, host, known).map(({ label, server }, index) => ({
    id: legId(index, label), label, server, axes: {}, round: 1, workers, io, pin, sources, schedule: points,
    steadyFromNs, steadyToNs, drainTimeoutNs: scenario.drainTimeoutNs, endNs,
  }));
  const rows = expectedRows(scenario, steadyToNs);
  return {
    schema: 1,
    scenario: scenario.name,
    workload: scenario.workload,
    protocol: scenario.protocol,
    payloadBytes: scenario.payloadBytes,
    connections: scenario.connections,
    transferLog: scenario.transferLog,
    seed: scenario.seed,
    legs,
    expected: {
      seconds: (legs.length * endNs) / 1e9,
      transferLogBytes: scenario.transferLog === 'none' ? 0
        : rows === null ? null : Math.ceil(rows * legs.length * ROW_BYTES[scenario.transferLog]),
      descriptorsPerWorker: Math.ceil(scenario.connections / workers) + SPARE_DESCRIPTORS,
    },
    warnings: warningsOf(scenario, host, workers),
  };
}
