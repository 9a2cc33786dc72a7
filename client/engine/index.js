/**
 * The engine as the rest of the client sees it: one object or several in a worker, each of which moves the bytes and
 * takes the times on a thread of its own. This file only puts names to numbers; the addon behind it is built by
 * node-gyp.
 */
import { randomBytes } from 'node:crypto';
import { endpointRecords } from './endpoints.js';
import { addonPath, loadAddon } from './prebuilt.js';

/**
 * @import { Quote } from '../measure/quotes.js'
 * @import { TlsFailure } from '../words/tls-failure.js'
 * @import { Endpoint } from './endpoints.js'
 */

/**
 * @typedef {{atNs: number, slots: number, line: boolean}} SchedulePoint cumulative slots
 * @typedef {{atNs: number, rate: number, line: boolean}} RatePoint
 * @typedef {{authorities: string, certificate: string, key: string, serverName: string,
 *   verify: boolean, resume: boolean}} EngineTls PEM and other texts, empty where there is none: what they are,
 *   core/transport/channel.h says
 * @typedef {object} LegSettings  what a leg says of one engine
 * @property {{first: number, stride: number, count: number}} slots
 * @property {Endpoint[]} endpoints slot i goes to endpoints[i % length]
 * @property {Partial<SocketOptions>} [socket]
 * @property {'tcp' | 'sctp' | 'sctp-seqpacket' | 'udp'} [transport] what runs over IP; tcp by default
 * @property {EngineTls | null} [tls] null, the default: plain
 * @property {string} protocol
 * @property {SchedulePoint[]} schedule of this worker's own slots, relative to the leg's start
 * @property {number} [firstRequestNs] no request before then, relative to the leg's start; 0, the default: each
 *   connection begins when it is open
 * @property {number} steadyFromNs
 * @property {number} steadyToNs
 * @property {number} [warmupNs] the last so much before steadyFromNs is the warm-up; 0, none, by default
 * @property {number} drainTimeoutNs
 * @property {number} [connectRate] attempts a second of this engine at most; 0, the default: no bound
 * @property {boolean} [lifetimeIsFinal] the slot of a connection that has ended by its lifetime opens no other one
 * @property {number} [rateFromNs] relative to the leg's start; 0 by default
 * @property {number} [transfers] that may begin, of this engine; 0, the default: no bound
 * @property {number} seed
 * @property {bigint} [identity] 64 bits from which UUIDs and the names of connections follow; drawn by default, so that
 *   neither another engine nor another run has them
 * @property {number} [firstNumber] of its requests, which are slots.stride apart; 0 by default
 * @property {{path: string, splitsPath?: string | null, reserveBytes: number} | null} log splitsPath: of what kernel
 *   timestamps say of some of its rows
 * @property {boolean} [ownDescriptors] its thread has a table of descriptors of its own, so that the limit of open
 *   files is that of this engine alone; false by default
 * @property {boolean} [tap] it keeps what its first connection exchanges; false by default
 * @property {bigint} t0Ns the run's zero on CLOCK_MONOTONIC
 * @property {number} intervalNs
 *
 * @typedef {object} RequestSettings  what the worker makes: the requests and when they are due
 * @property {Uint8Array} payload
 * @property {number} [payloadSpread] a request carries up to this many bytes fewer of it, drawn uniformly; 0 by default
 * @property {Uint8Array} [protocolBytes] made of the protocol's options, such as the head of a request
 * @property {Record<string, number | boolean>} [protocolParameters] each that the protocol's C file lists, by name
 * @property {Float64Array | null} [slices] in which it is loaded: rows of 4, ns since the leg's start: from when on
 *   requests may begin, from when they are measured, until when they may begin, until when replies are awaited; in open
 *   loop the rates say the same. null: all the time
 * @property {RatePoint[]} [rates] open loop: requests a second of this engine, relative to rateFromNs, the first at 0;
 *   none, the default: closed loop
 *
 * @typedef {Record<string, unknown>} Values  numbers, flags and texts by name, such as pauseNs. Each has a row in
 *   node/settings.c, and is described in core/connection/engine_settings.h
 * @typedef {Values & LegSettings & RequestSettings} EngineSettings
 *
 * @typedef {{values: Float64Array, counts: Float64Array, min: number, max: number, sum: number} | null} CutHistogram
 * @typedef {object} Interval
 * @property {number} second the second it ends in: ceil(toNs / 1e9)
 * @property {'ramp' | 'warmup' | 'steady' | 'drain'} phase
 * @property {number} fromNs relative to the leg's start
 * @property {number} toNs
 * @property {boolean} last
 * @property {boolean} [merged] spans several seconds, of one phase, because this thread had read none for that long
 * @property {Float64Array} counters of the span, in the order of names.counters
 * @property {Float64Array} [statusCodes] pairs of a status code and how many replies had it; absent where the protocol
 *   has none, and without replies
 * @property {Float64Array} gauges at toNs, in the order of names.gauges
 * @property {Record<string, CutHistogram>} histograms  by the names of measure/fields.js: ns; rtt: of at most 64 open
 *   connections at toNs; perConnection: in the last interval
 * @property {Float64Array} [tenths] perConnection added up by tenth of the slots, in the order in which these open;
 *   tenths are equally large, so that up to 9 slots of an engine are in none
 * @property {Float64Array} random rows of 5: key, startNs (relative to t0), responseNs, connection, status
 * @property {Float64Array} slowest the same
 * @property {number} [quietFromNs] relative to the leg's start: the longest time in which replies were awaited and none
 *   came; it may have begun before the interval. Absent without any
 * @property {number} [quietToNs]
 * @property {TlsFailure} [tlsFailure] the first failure of TLS, in one interval of the leg
 * @property {{ failed: number, unfinished: number, codes: Float64Array, responseTime: CutHistogram }[]} [requests]
 *   those of a list, in its order, each with its replies by kind, in the order of names.kinds
 * @property {Quote[]} [quotes] what the server said: those that are the first of their kind and state in the leg
 *
 * @typedef {{total: number, first: string}} TappedBytes  first: at most 4 KiB, one character each
 * @typedef {object} Tapped  what the first connection has exchanged; over TLS without its encryption
 * @property {TappedBytes} sent
 * @property {TappedBytes} received
 * @property {Record<'connect' | 'secure' | 'open' | 'send' | 'first' | 'last' | 'close', number>} timesNs  on
 *   CLOCK_MONOTONIC: the attempt begins, TLS begins, the connection is open, the first send, first and last bytes come,
 *   it has ended; 0: it did not come to that
 * @property {Record<'version' | 'cipher' | 'subject' | 'issuer' | 'expires', string>} tls  empty where that is not
 *   known
 *
 * @typedef {{rows: number, bytes: number, error: string | null}} EngineLog
 * @typedef {object} Engine
 * @property {(startNs: bigint) => void} start absolute CLOCK_MONOTONIC; may be in the past
 * @property {(fromNs: number, toNs: number) => void} beginSteady the steady state begins at fromNs already and ends at
 *   toNs, relative to the leg's start; once, and nothing happens when it has begun
 * @property {(slices: Float64Array) => void} changeSlices these are its slices from now on, as in the settings
 * @property {(atNs: number) => void} drain begin the drain early, relative to the leg's start
 * @property {() => void} stop end at once
 * @property {() => {engine: number, writer: number | null}} threads thread ids; engine is 0 until it runs,
 *   and stays until the last interval has been handed out
 * @property {() => Tapped | null} tapped once it is done; null without `tap`
 * @property {Promise<{log: EngineLog | null}>} done after the last interval; rejects when the engine failed
 */

/**
 * Options of the connections' sockets. null leaves one to the kernel; what is given is set before a connect, or that
 * fails.
 * @typedef {object} SocketOptions
 * @property {boolean} nodelay TCP_NODELAY; true by default
 * @property {number | null} keepAliveSeconds idle until the first probe, and between two
 * @property {boolean} resetOnClose SO_LINGER with 0 s: close(2) sends RST
 * @property {number | null} sourcePort of slot 0; slot i has this + i / the number of endpoints
 */

/**
 * @typedef {{ address: string, port: number, inode: number, queue: number, backlog: number, drops: number }} Listener
 *   queue: connections that wait for accept(); backlog: the longest queue; drops: SYNs and handshakes since it listens,
 *   modulo 2^32
 * @typedef {object} Handle  of an engine in the addon
 *
 * @typedef {object} Addon  what the functions below say of it
 * @property {string[]} counters
 * @property {string[]} gauges
 * @property {string[]} histograms
 * @property {string[]} statuses
 * @property {string} tls  empty: built without
 * @property {() => Listener[]} listeners
 * @property {(pid: number) => number | null} processCpuNs
 * @property {() => boolean} ownDescriptors
 * @property {(cpus: Uint32Array) => void} pin
 * @property {(settings: object, onInterval: (interval: Interval) => void, onEnd: (result: { error: number, rows?:
 *   number, bytes?: number, logError?: string }) => void) => Handle} create
 * @property {(handle: Handle, startNs: bigint) => void} start
 * @property {(handle: Handle, fromNs: number, toNs: number) => void} beginSteady
 * @property {(handle: Handle, changed: { slices: Parameters<Engine['changeSlices']>[0] }) => void} changeSlices
 * @property {(handle: Handle, atNs: number) => void} drain
 * @property {(handle: Handle) => void} stop
 * @property {(handle: Handle) => { engine: number, writer: number }} threads
 * @property {(handle: Handle) => ReturnType<Engine['tapped']>} tapped
 */

/** @type {Addon} */
const addon = loadAddon(addonPath());

/** Of a counter of replies. */
const KIND = /(?<=^statuses\.).*/;

/**
 * The names of the values in an interval's arrays, in their order.
 * @type {{counters: string[], kinds: string[], gauges: string[], histograms: string[], statuses: string[]}}
 */
export const names = {
  counters: addon.counters,
  kinds: addon.counters.flatMap((name) => KIND.exec(name)?.[0] ?? []),
  gauges: addon.gauges,
  histograms: addon.histograms,
  statuses: addon.statuses,
};

/** The OpenSSL that the engine speaks TLS with; null when it was built without. @type {string | null} */
export const tlsVersion = addon.tls || null;

/**
 * The TCP sockets of this network namespace that listen.
 * @returns {Listener[]}
 * @throws {Error} with an errno's name as code where the kernel does not tell them
 */
export const listeners = () => addon.listeners();

/**
 * Takes some 30 ns a thread.
 * @param {number} pid
 * @returns {number | null} CPU time of all threads that the process has and had; null when it has ended
 */
export const processCpuNs = (pid) => addon.processCpuNs(pid);

/** @returns {boolean} whether this kernel lets an engine have descriptors of its own (ownDescriptors) */
export const canOwnDescriptors = () => addon.ownDescriptors();

/**
 * Binds this process, with all the threads it has and will have, to some CPUs.
 * @param {number[]} cpus
 * @throws {Error} with an errno's name as code when the kernel has none of them for this process
 */
export function pin(cpus) {
  addon.pin(Uint32Array.from(cpus));
}

const NS_PER_SECOND = 1e9;

/**
 * @param {EngineSettings} settings
 * @param {(interval: Interval) => void} onInterval once a second and at each change of phase, on the JavaScript thread
 * @returns {Engine}
 */
export function createEngine({ slots, endpoints, schedule, rates = [], log, ...settings }, onInterval) {
  /** @type {(value: {log: EngineLog | null}) => void} */
  let resolve;
  /** @type {(error: Error) => void} */
  let reject;
  /** @type {Promise<{log: EngineLog | null}>} */
  const done = new Promise((yes, no) => ([resolve, reject] = [yes, no]));
  const handle = addon.create(
    {
      identity: randomBytes(8).readBigUInt64LE(),
      ...settings,
      ...slots,
      endpoints: endpointRecords(endpoints),
      schedule: Float64Array.from(schedule.flatMap(({ atNs, slots: count, line }) => [atNs, count, line ? 1 : 0])),
      rates: Float64Array.from(rates.flatMap(({ atNs, rate, line }) => [atNs, rate, line ? 1 : 0])),
      logPath: log?.path ?? '',
      logSplitsPath: log?.splitsPath ?? '',
      logReserveBytes: log?.reserveBytes ?? 0,
    },
    (interval) => onInterval({ ...interval, second: Math.ceil(interval.toNs / NS_PER_SECOND) }),
    (result) => {
      const { rows = 0, bytes = 0, logError = null } = result;
      if (result.error) reject(new Error(`the engine failed: errno ${-result.error}`));
      else resolve({ log: log ? { rows, bytes, error: logError } : null });
    },
  );
  let started = false;
  return {
    start: (startNs) => {
      addon.start(handle, startNs);
      started = true;
    },
    beginSteady: (fromNs, toNs) => addon.beginSteady(handle, Math.round(fromNs), Math.round(toNs)),
    changeSlices: (slices) => addon.changeSlices(handle, { slices }),
    drain: (atNs) => addon.drain(handle, Math.max(0, Math.round(atNs))),
    stop: () => {
      addon.stop(handle);
      if (!started) resolve({ log: log ? { rows: 0, bytes: 0, error: null } : null });
    },
    threads: () => {
      const { engine, writer } = addon.threads(handle);
      return { engine, writer: writer || null };
    },
    tapped: () => addon.tapped(handle),
    done,
  };
}
