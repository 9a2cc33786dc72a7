// The messages between primary and worker (cluster IPC, 'advanced' serialization: JSON and typed arrays, no descriptors).
// Times are relative to the leg's start, except startNs and t0Ns, which are CLOCK_MONOTONIC.

/**
 * @typedef {import('../../measure/sample-merge.js').Phase} Phase
 * @typedef {import('../../measure/histogram.js').Recorded} Recorded
 * @typedef {import('../../words/tls-failure.js').TlsFailure} TlsFailure
 * @typedef {{ atNs: number, slots: number, line: boolean }} SchedulePoint
 * @typedef {{ atNs: number, rate: number, line: boolean }} RatePoint  atNs: relative to rateFromNs
 */

/**
 * What an engine of a worker is to do in one leg. The payload is made in the worker from its seed and length, or read from its file.
 * @typedef {{ worker: number, engine: number, ownDescriptors: boolean, slots: { first: number, stride: number, count: number },
 *   endpoints: import('./assignment.js').Endpoint[], tls: import('../../engine/index.js').EngineTls | null,
 *   transport: import('../../transports/index.js').Transport, stack: 'kernel' | 'usrsctp', cpus: number[] | null,
 *   protocol: string, protocolOptions: Record<string, any>, payloadBytes: number, payloadMinBytes: number | null,
 *   payloadSeed: number, payloadFile: import('../../scenario/keys/payload.js').PayloadFile | null, transfersPerConnection: number | null, workload: string, pauseNs: number, heartbeatNs: number, schedule: SchedulePoint[],
 *   firstRequestNs: number, steadyFromNs: number,
 *   steadyToNs: number, warmupNs: number, drainTimeoutNs: number, connectTimeoutNs: number,
 *   transferTimeoutNs: number, backoff: { baseNs: number, factor: number, capNs: number }, connectRate: number,
 *   pipeline: number, timestamps: import('../../scenario/scenario.js').Scenario['timestamps'], transfers: number, slices: import('../../measure/slices.js').Slices | null, rates: RatePoint[], poisson: number, rateFromNs: number,
 *   seed: number, firstNumber: number,
 *   socket: Partial<import('../../engine/index.js').SocketOptions>,
 *   lifetime: { transfers: number, timeNs: number, isFinal: boolean },
 *   log: null | { path: string, splitsPath: string | null, reserveBytes: number }, t0Ns: bigint, intervalNs: number }} LegConfig  rates: of all its slices together;
 *   engine: its number in the worker; ownDescriptors: apart from those of the
 *   process, because there are several
 */

/**
 * One interval of the engine with its arrays named.
 * @typedef {{ second: number, phase: Phase, fromNs: number, toNs: number, last: boolean, counters: Record<string, number>,
 *   gauges: Record<string, number>, histograms: Record<string, Recorded | null | undefined>,
 *   random: Float64Array, slowest: Float64Array, merged?: boolean, quietFromNs?: number, quietToNs?: number,
 *   tlsFailure?: TlsFailure, quotes?: import('../../measure/quotes.js').Quote[],
 *   requests?: import('../../measure/requests.js').RequestInterval[], tenths?: Float64Array }} Interval
 *   merged: it spans several seconds, because JavaScript released none in time; tlsFailure: the engine's first one; quotes: its
 *   first ones of each kind and state; requests: of a list, in its order; tenths: in the last one, transfers
 *   of the steady state by tenth of the engine's slots
 */

/**
 * What an engine's thread used since its previous interval, and its process since the previous interval of any of its engines.
 * @typedef {{ cpuSeconds: number, engineCpuSeconds: number, waitSeconds: number, rssBytes: number,
 *   wallSeconds: number }} WorkerUsage
 */

/** @typedef {null | { rows: number, bytes: number, error: null | string }} LogEnd */

/**
 * @typedef {{ type: 'leg', configs: LegConfig[] } | { type: 'start', startNs: bigint }
 *   | { type: 'steady', fromNs: number, toNs: number } | { type: 'slices', slices: import('../../measure/slices.js').Slices } | { type: 'drain', atNs: number }} ToWorker
 * @typedef {{ type: 'hello', pid: number } | { type: 'ready' }
 *   | { type: 'interval', engine: number, interval: Interval, usage: WorkerUsage }
 *   | { type: 'done', engine: number, log: LogEnd }
 *   | { type: 'failed', message: string }} FromWorker  configs: one for each engine; engine: which one of the worker it is
 */
