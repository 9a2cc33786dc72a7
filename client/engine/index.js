/**
 * JavaScript interface of the engine. A worker has one engine or several; each moves bytes and takes times on its own
 * thread. This file only gives names to the values of the addon, which node-gyp builds.
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
 *   verify: boolean, resume: boolean}} EngineTls  texts are empty if not given; core/transport/channel.h describes them
 * @typedef {object} LegSettings  the settings of an engine that follow from the leg
 * @property {{first: number, stride: number, count: number}} slots
 * @property {Endpoint[]} endpoints slot i goes to endpoints[i % length]
 * @property {Partial<SocketOptions>} [socket]
 * @property {'tcp' | 'sctp' | 'sctp-seqpacket' | 'udp'} [transport] protocol above IP; tcp by default
 * @property {EngineTls | null} [tls] null by default: no TLS
 * @property {string} protocol
 * @property {SchedulePoint[]} schedule of this engine's slots, relative to the leg's start
 * @property {number} [firstRequestNs] earliest time of a request, relative to the leg's start; 0 by default: each
 *   connection sends when it is open
 * @property {number} steadyFromNs
 * @property {number} steadyToNs
 * @property {number} [warmupNs] length of the warm-up, which ends at steadyFromNs; 0 by default: none
 * @property {number} drainTimeoutNs
 * @property {number} [connectRate] maximum attempts per second of this engine; 0 by default: no maximum
 * @property {boolean} [lifetimeIsFinal] a slot is not opened again after its connection's lifetime
 * @property {number} [rateFromNs] relative to the leg's start; 0 by default
 * @property {number} [transfers] maximum number of transfers of this engine; 0 by default: no maximum
 * @property {number} seed
 * @property {bigint} [identity] 64 bits that determine UUIDs and names of connections; random by default, so that
 *   engines and runs differ
 * @property {number} [firstNumber] number of its first request; the numbers are slots.stride apart; 0 by default
 * @property {{path: string, splitsPath?: string | null, reserveBytes: number} | null} log splitsPath: file for the
 *   parts of transfers that kernel timestamps split
 * @property {boolean} [ownDescriptors] its thread has its own table of descriptors, and thus its own limit of open
 *   files; false by default
 * @property {boolean} [tap] it keeps what its first connection exchanges; false by default
 * @property {bigint} t0Ns the run's zero on CLOCK_MONOTONIC
 * @property {number} intervalNs
 *
 * @typedef {object} RequestSettings  the settings of an engine that the worker makes: requests and when they are due
 * @property {Uint8Array} payload
 * @property {number} [payloadSpread] maximum number of bytes by which a request's payload is shorter, drawn uniformly;
 *   0 by default
 * @property {Uint8Array} [protocolBytes] made from the protocol's options, such as the head of a request
 * @property {Record<string, number | boolean>} [protocolParameters] by the names in the protocol's C file
 * @property {Float64Array | null} [slices] in which the server is loaded: rows of 4 times in ns since the leg's start:
 *   requests may begin, requests are measured, requests may no longer begin, replies are no longer awaited; in an open
 *   loop, the rates agree with them. null: all the time
 * @property {RatePoint[]} [rates] open loop: requests per second of this engine, relative to rateFromNs, the first at
 *   0; empty by default: closed loop
 *
 * @typedef {Record<string, unknown>} Values  numbers, flags and texts by name, such as pauseNs; node/settings.c lists
 *   them, core/connection/engine_settings.h describes them
 * @typedef {Values & LegSettings & RequestSettings} EngineSettings
 *
 * @typedef {{values: Float64Array, counts: Float64Array, min: number, max: number, sum: number} | null} CutHistogram
 * @typedef {object} Interval
 * @property {number} second the second it ends in: ceil(toNs / 1e9)
 * @property {'ramp' | 'warmup' | 'steady' | 'drain'} phase
 * @property {number} fromNs relative to the leg's start
 * @property {number} toNs
 * @property {boolean} last
 * @property {boolean} [merged] it spans several seconds of a phase, because JavaScript did not read for that long
 * @property {Float64Array} counters of the interval, in the order of names.counters
 * @property {Float64Array} [statusCodes] pairs of a status code and its number of replies; absent without replies, and
 *   if the protocol has no status codes
 * @property {Float64Array} gauges at toNs, in the order of names.gauges
 * @property {Record<string, CutHistogram>} histograms  by the names of measure/fields.js: ns; rtt: of at most 64 open
 *   connections at toNs; perConnection: in the last interval
 * @property {Float64Array} [tenths] sums of perConnection by tenth of the slots, in the order in which slots open;
 *   tenths have the same size, so that up to 9 slots of an engine are left out
 * @property {Float64Array} random rows of 5: key, startNs (relative to t0), responseNs, connection, status
 * @property {Float64Array} slowest rows as in random
 * @property {number} [quietFromNs] start of the longest time in which replies were awaited but none came, relative to
 *   the leg's start; may be before the interval. Absent without such a time
 * @property {number} [quietToNs] its end
 * @property {TlsFailure} [tlsFailure] the leg's first TLS failure, in a single interval
 * @property {{ failed: number, unfinished: number, codes: Float64Array, responseTime: CutHistogram }[]} [requests]
 *   of a list, in its order; codes: replies by kind, in the order of names.kinds
 * @property {Quote[]} [quotes] from replies; each is the first of its kind and state in the leg
 *
 * @typedef {{total: number, first: string}} TappedBytes  total: number of bytes; first: at most 4 KiB, one character
 *   per byte
 * @typedef {object} Tapped  what the first connection exchanged; with TLS, the decrypted bytes
 * @property {TappedBytes} sent
 * @property {TappedBytes} received
 * @property {Record<'connect' | 'secure' | 'open' | 'send' | 'first' | 'last' | 'close', number>} timesNs  on
 *   CLOCK_MONOTONIC: begin of the attempt, begin of TLS, connection open, first send, first byte received, last byte
 *   received, end; 0 if it did not happen
 * @property {Record<'version' | 'cipher' | 'subject' | 'issuer' | 'expires', string>} tls  empty if not known
 *
 * @typedef {{rows: number, bytes: number, error: string | null}} EngineLog
 * @typedef {object} Engine
 * @property {(startNs: bigint) => void} start on CLOCK_MONOTONIC; may be in the past
 * @property {(fromNs: number, toNs: number) => void} beginSteady begins the steady state earlier, at fromNs, and ends
 *   it at toNs, relative to the leg's start; has an effect only once, and only before the steady state
 * @property {(slices: Float64Array) => void} changeSlices replaces the slices of the settings
 * @property {(atNs: number) => void} drain begins the drain early, at atNs relative to the leg's start
 * @property {() => void} stop ends the engine at once
 * @property {() => {engine: number, writer: number | null}} threads thread ids; engine: 0 until it runs, and kept until
 *   the last interval has been delivered
 * @property {() => Tapped | null} tapped after the engine's end; null without `tap`
 * @property {Promise<{log: EngineLog | null}>} done resolves after the last interval; rejects if the engine failed
 */

/**
 * Options of the connections' sockets. null leaves the kernel's default. Options are set before connect; an attempt
 * fails if one cannot be set.
 * @typedef {object} SocketOptions
 * @property {boolean} nodelay TCP_NODELAY; true by default
 * @property {number | null} keepAliveSeconds idle time before the first probe, and between probes
 * @property {boolean} resetOnClose SO_LINGER with 0 s: close(2) sends RST
 * @property {number | null} sourcePort of slot 0; slot i has this + i / the number of endpoints
 */

/**
 * @typedef {{ address: string, port: number, inode: number, queue: number, backlog: number, drops: number }} Listener
 *   queue: connections that wait for accept(); backlog: maximum length of the queue; drops: dropped SYNs and handshakes
 *   since it began to listen, modulo 2^32
 * @typedef {object} Handle  an engine in the addon
 *
 * @typedef {object} Addon  see the functions below
 * @property {string[]} counters
 * @property {string[]} gauges
 * @property {string[]} histograms
 * @property {string[]} statuses
 * @property {string} tls  empty if built without TLS
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

/** Kind of reply in the name of a counter. */
const KIND = /(?<=^statuses\.).*/;

/**
 * Names of the values in an interval's arrays, in order.
 * @type {{counters: string[], kinds: string[], gauges: string[], histograms: string[], statuses: string[]}}
 */
export const names = {
  counters: addon.counters,
  kinds: addon.counters.flatMap((name) => KIND.exec(name)?.[0] ?? []),
  gauges: addon.gauges,
  histograms: addon.histograms,
  statuses: addon.statuses,
};

/** Version of the engine's OpenSSL; null if it was built without TLS. @type {string | null} */
export const tlsVersion = addon.tls || null;

/**
 * @returns {Listener[]} the listening TCP sockets of this network namespace
 * @throws {Error} with the name of an errno as code if the kernel does not list them
 */
export const listeners = () => addon.listeners();

/**
 * Takes about 30 ns per thread.
 * @param {number} pid
 * @returns {number | null} CPU time of all present and past threads of the process; null if the process has ended
 */
export const processCpuNs = (pid) => addon.processCpuNs(pid);

/** @returns {boolean} whether this kernel supports the setting ownDescriptors */
export const canOwnDescriptors = () => addon.ownDescriptors();

/**
 * Binds all present and future threads of this process to CPUs.
 * @param {number[]} cpus
 * @throws {Error} with the name of an errno as code if this process may use none of the CPUs
 */
export function pin(cpus) {
  addon.pin(Uint32Array.from(cpus));
}

const NS_PER_SECOND = 1e9;

/**
 * @param {EngineSettings} settings
 * @param {(interval: Interval) => void} onInterval called once a second and at each change of phase
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
  let isStarted = false;
  return {
    start: (startNs) => {
      addon.start(handle, startNs);
      isStarted = true;
    },
    beginSteady: (fromNs, toNs) => addon.beginSteady(handle, Math.round(fromNs), Math.round(toNs)),
    changeSlices: (slices) => addon.changeSlices(handle, { slices }),
    drain: (atNs) => addon.drain(handle, Math.max(0, Math.round(atNs))),
    stop: () => {
      addon.stop(handle);
      if (!isStarted) resolve({ log: log ? { rows: 0, bytes: 0, error: null } : null });
    },
    threads: () => {
      const { engine, writer } = addon.threads(handle);
      return { engine, writer: writer || null };
    },
    tapped: () => addon.tapped(handle),
    done,
  };
}
