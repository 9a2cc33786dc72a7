// The messages between primary and worker (cluster IPC, 'advanced' serialization: JSON and typed arrays, no
// descriptors). Times are relative to the leg's start, except startNs and t0Ns, which are CLOCK_MONOTONIC.

/**
 * @import { Slices } from '../../../config/types.js'
 * @import { LegSettings, RatePoint, Values } from '../../engine/index.js'
 * @import { Recorded } from '../../measure/histogram.js'
 * @import { Quote } from '../../measure/quotes.js'
 * @import { RequestInterval } from '../../measure/requests.js'
 * @import { Phase } from '../../measure/sample-merge.js'
 * @import { ProtocolOptions } from '../../protocols/index.js'
 * @import { PayloadFile } from '../../scenario/keys/payload.js'
 * @import { TlsFailure } from '../../words/tls-failure.js'
 */

/**
 * The task of an engine in one leg. The worker makes the payload from seed and length, or reads it from its file.
 * @typedef {object} LegConfig
 * @property {number} worker
 * @property {number} engine  number in the worker
 * @property {number[] | null} cpus
 * @property {ProtocolOptions} protocolOptions
 * @property {number} payloadBytes
 * @property {number | null} payloadMinBytes
 * @property {number} payloadSeed
 * @property {PayloadFile | null} payloadFile
 * @property {number | null} transfersPerConnection
 * @property {Slices | null} slices
 * @property {RatePoint[]} rates  of all slices together
 * @property {Values & LegSettings} settings  passed to the engine unchanged
 */

/**
 * One interval of the engine with its arrays named.
 * @typedef {object} Interval
 * @property {number} second
 * @property {Phase} phase
 * @property {number} fromNs
 * @property {number} toNs
 * @property {boolean} last
 * @property {Record<string, number>} counters
 * @property {Record<string, number>} gauges
 * @property {Record<string, Recorded | null | undefined>} histograms
 * @property {Float64Array} random
 * @property {Float64Array} slowest
 * @property {boolean} [merged]  whether it spans several seconds, because JavaScript released none in time
 * @property {number} [quietFromNs]
 * @property {number} [quietToNs]
 * @property {TlsFailure} [tlsFailure]  the engine's first TLS failure
 * @property {Quote[]} [quotes]  the engine's first quotes of each kind and state
 * @property {RequestInterval[]} [requests]  of each request in a list of requests, in order
 * @property {Float64Array} [tenths]  in the last interval: transfers of the steady state by tenth of the engine's slots
 */

/**
 * What an engine's thread used since its previous interval, and its process since the previous interval of any of its
 * engines.
 * @typedef {{ cpuSeconds: number, engineCpuSeconds: number, waitSeconds: number, rssBytes: number,
 *   wallSeconds: number }} WorkerUsage
 */

/** @typedef {null | { rows: number, bytes: number, error: null | string }} LogEnd */

/**
 * @typedef {{ type: 'leg', configs: LegConfig[] } | { type: 'start', startNs: bigint } | { type: 'steady', fromNs:
 *   number, toNs: number } | { type: 'slices', slices: Slices } | { type: 'drain', atNs: number }} ToWorker
 * @typedef {{ type: 'hello', pid: number } | { type: 'ready' } | { type: 'interval', engine: number, interval:
 *   Interval, usage: WorkerUsage } | { type: 'done', engine: number, log: LogEnd } | { type: 'failed', message: string
 *   }} FromWorker  configs: of each engine; engine: its number in the worker
 */
