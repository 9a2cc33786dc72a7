// Computes the share of a leg that an engine of a worker has: the scenario's settings, its slots, its part of the
// schedule. A leg of W workers with E engines each has S = W * E shares. Slot i belongs to share i mod S, and share s
// to worker s mod W: slot i therefore belongs to worker i mod W, however many engines it has. A replacement gets
// exactly the shares of the dead worker.
import { engineValues } from '../../scenario/engine-keys.js';
import { forEngine } from '../../scenario/keys/socket.js';
import { parseCpus } from '../../measure/cpu-list.js';
import { instanceOf } from '../../measure/instances.js';
import { shareOf, slotsOf, transfersOf } from '../../measure/schedule.js';

/**
 * @import { Slices } from '../../../config/types.js'
 * @import { EngineTls, LegSettings, RatePoint, SchedulePoint } from '../../engine/index.js'
 * @import { Scenario } from '../../scenario/scenario.js'
 * @import { Transport } from '../../transports/index.js'
 * @import { LegConfig } from './messages.js'
 * @import { WorkerHandle } from './worker-handle.js'
 */

/**
 * The keys of a resolved scenario that workers require; any other key may be absent, as if it was not given.
 * @typedef {Pick<Scenario, 'workload' | 'protocol' | 'payloadBytes' | 'connections' | 'seed' | 'connectTimeoutNs' |
 *   'transferTimeoutNs' | 'backoff'> & Partial<Scenario>} Load
 * @typedef {Load & Pick<Scenario, 'pipeline' | 'pauseNs' | 'arrivals'>} Settings
 * @typedef {{ address: string, port: number, source?: string }} Endpoint
 * @typedef {{ endpoints: Endpoint[], tls: EngineTls | null }} Instance  of the server
 * @typedef {object} Leg
 * @property {string} id
 * @property {string} label
 * @property {number} [connections]
 * @property {number} workers
 * @property {number} [engines]  of each worker; absent: 1
 * @property {Transport} [transport]
 * @property {{ client: string | null, server: string | null }} pin
 * @property {string[]} [workerCpus]
 * @property {{ client?: string }} [wrap]
 * @property {SchedulePoint[]} schedule
 * @property {SchedulePoint[]} [profile]
 * @property {RatePoint[]} [rates]
 * @property {Slices} [slices]
 * @property {number} rampToNs
 * @property {number | null} warmupTransfers
 * @property {number} steadyFromNs
 * @property {number} steadyToNs
 * @property {number} drainTimeoutNs
 * @property {number} endNs
 */

/**
 * More requests than an engine sends in a leg: a replacement's requests are numbered after those of the dead worker.
 */
const MAX_REQUESTS = 2 ** 32;

/** @param {Pick<Leg, 'workers' | 'engines'>} leg @returns {number} how many shares it has */
export const sharesOf = ({ workers, engines = 1 }) => workers * engines;

/**
 * @param {WorkerHandle} worker
 * @param {{ settings: Settings, leg: Leg, instances: Instance[], t0Ns: bigint,
 *   logs: LegSettings['log'][] }} load  instances: the workers take them in turn; logs: of the worker's engines
 * @returns {LegConfig[]} of each engine of the worker
 */
export function assignWorker({ index, running, generation }, { instances, logs, ...load }) {
  const instance = instances[instanceOf(index, instances.length)];
  return running.map(({ share }, i) => assign({ ...load, ...instance, log: logs[i], share, generation }));
}

/**
 * @param {{ settings: Load, leg: Omit<Leg, 'id' | 'label' | 'warmupTransfers' | 'endNs'>, share: number, generation:
 *   number, t0Ns: bigint, endpoints: Endpoint[], tls?: EngineTls | null, log: LegSettings['log'] }} share share: 0 to
 *   sharesOf(leg) - 1; generation: how often the worker was replaced; it changes only the seed and the request numbers
 * @returns {LegConfig}
 */
export function assign({ settings, leg, share, generation, t0Ns, endpoints, tls = null, log }) {
  const { seed } = settings;
  const { connections = settings.connections, engines = 1 } = leg;
  const shares = sharesOf(leg);
  const worker = share % leg.workers;
  const count = slotsOf(connections, share, shares);
  const transfers = settings.transfers ? transfersOf(settings.transfers, connections, share, shares) : 0;
  return {
    worker,
    engine: Math.floor(share / leg.workers),
    cpus: parseCpus(leg.workerCpus?.[worker] ?? leg.pin.client ?? ''),
    protocolOptions: settings.protocolOptions ?? {},
    payloadBytes: settings.payloadBytes,
    payloadMinBytes: settings.payloadMinBytes ?? null,
    payloadSeed: seed,
    payloadFile: settings.payloadFile ?? null,
    transfersPerConnection: transfersPerConnection(settings, count, transfers),
    slices: leg.slices ?? null,
    rates: (leg.rates ?? []).map((point) => ({ ...point, rate: point.rate * (count / connections) })),
    settings: {
      ...engineValues(settings),
      ownDescriptors: engines > 1,
      slots: { first: share, stride: shares, count },
      endpoints,
      tls,
      transport: leg.transport,
      protocol: settings.protocol,
      schedule: shareOf([...leg.schedule, ...(leg.profile ?? [])], share, shares),
      firstRequestNs: settings.start === 'together' ? leg.rampToNs : 0,
      steadyFromNs: leg.steadyFromNs,
      steadyToNs: leg.steadyToNs,
      warmupNs: leg.steadyFromNs - leg.rampToNs,
      drainTimeoutNs: leg.drainTimeoutNs,
      socket: forEngine(settings.socket),
      lifetimeIsFinal: settings.lifetime?.reopen === false,
      transfers,
      rateFromNs: leg.rampToNs,
      connectRate: (settings.connectRate ?? 0) * (count / connections),
      seed: (seed + share * 0x9e3779b1 + generation * 0x85ebca6b) >>> 0,
      firstNumber: 1 + share + shares * generation * MAX_REQUESTS,
      log,
      t0Ns,
      intervalNs: 1e9,
    },
  };
}

/**
 * @param {Load} settings
 * @param {number} slots of the worker
 * @param {number} transfers of the worker; 0: no bound
 * @returns {number | null} transfers of a connection that is not lost; null: not known beforehand
 */
function transfersPerConnection({ workload, lifetime }, slots, transfers) {
  if (workload === 'once' || workload === 'reconnect') return 1;
  if (lifetime) return lifetime.timeNs === null ? lifetime.transfers : null;
  return slots === 1 && transfers > 0 ? transfers : null;
}

/** @param {Settings} settings @returns {boolean} whether a leg may complete its work before its planned end */
export const endsByItself = ({ workload, transfers, lifetime }) =>
  workload === 'once' || Boolean(transfers) || lifetime?.reopen === false;

/**
 * Slot i connects to endpoint i mod length. The slots of one instance are `instances` apart, and take each source in
 * turn.
 * @param {{ address: string, port: number }} instance
 * @param {string[]} sources
 * @param {number} instances
 * @returns {Endpoint[]} to which the slots of one instance connect
 */
export function endpointsOf({ address, port }, sources, instances) {
  if (sources.length === 0) return [{ address, port }];
  return sources.flatMap((source) => Array.from({ length: instances }, () => ({ address, port, source })));
}
