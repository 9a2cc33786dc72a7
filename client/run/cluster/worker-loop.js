// The main loop of a cluster worker: receives a leg, runs its engines and sends their intervals to the primary.
// A worker ignores the signals of the terminal; it ends when the primary disconnects or has ended.
import { endWithParent } from '../../helper-process.js';
import { ProcessMeter, WorkerMeter } from '../../machine/usage.js';
import { QUOTE_BYTES } from '../../measure/quotes.js';
import { sliceRows } from '../../measure/slices.js';
import { allSecrets } from '../../protocols/kept-secrets.js';
import { masked } from '../../words/secrets.js';
import { payloadOf } from '../payload.js';
import { engineSettingsOf } from './engine-settings.js';

/**
 * @import { EngineSettings, Interval } from '../../engine/index.js'
 * @import { Recorded } from '../../measure/histogram.js'
 * @import { Quote } from '../../measure/quotes.js'
 * @import { Phase } from '../../measure/sample-merge.js'
 * @import { FromWorker, LegConfig, LogEnd, ToWorker } from './messages.js'
 */

/**
 * @typedef {{ second: number, phase: Phase, fromNs: number, toNs: number, last: boolean,
 *   counters: Float64Array, gauges: Float64Array, histograms: Record<string, Recorded | null>,
 * random: Float64Array, slowest: Float64Array, statusCodes?: Float64Array, quotes?:
 *   Quote[],
 *   requests?: Interval['requests'] }} EngineInterval
 * @typedef {{ start(startNs: bigint): void, drain(atNs: number): void,
 *   beginSteady(fromNs: number, toNs: number): void, changeSlices(slices: Float64Array): void,
 *   threads(): { engine: number, writer: number | null } | null,
 *   done: Promise<{ log: LogEnd }> }} Engine
 * @typedef {{ createEngine: (settings: EngineSettings, onInterval: (interval: EngineInterval) => void) => Engine, pin:
 *   (cpus: number[]) => void, names: { counters: readonly string[], kinds: readonly string[], gauges: readonly string[]
 *   } }} EngineModule
 */

/**
 * Time between forced collections. V8 would let the few arrays of each second pile up for minutes, and memory would
 * seem to grow (see ../leg-measurement.js). The engines' threads do not wait for a collection.
 */
const SECONDS_PER_COLLECTION = 30;

/**
 * @param {Omit<EngineInterval, 'requests'>} interval
 * @returns {Omit<EngineInterval, 'requests'>} with secrets in its quotes masked
 */
const withoutSecretQuotes = ({ quotes, ...interval }) => ({
  ...interval,
  ...(quotes && {
    quotes: quotes.map(({ bytes, ...quote }) => ({
      ...quote,
      bytes: masked(bytes, allSecrets(), bytes.length === QUOTE_BYTES).slice(0, QUOTE_BYTES),
    })),
  }),
});

/** @param {EngineModule} engineModule */
export function serveLegs({ createEngine, names, pin }) {
  endWithParent();
  /** @type {{ engine: Engine, meter: WorkerMeter, steadyToNs: number }[]} */
  let engines = [];
  let intervals = 0;
  const processMeter = new ProcessMeter();

  /** @param {LegConfig[]} configs */
  function prepare(configs) {
    const [{ payloadBytes, payloadSeed, payloadFile, cpus }] = configs;
    const payload = payloadOf({ payloadBytes, seed: payloadSeed, payloadFile });
    if (cpus !== null) pin(cpus);
    engines = configs.map((config) => create(config, payload));
    say({ type: 'ready' });
  }

  /** @param {NonNullable<EngineInterval['requests']>[number]} request */
  const requestOf = ({ codes, ...request }) => ({ ...request, statuses: named(names.kinds, codes) });

  /** @param {LegConfig} config @param {Uint8Array} payload */
  function create(config, payload) {
    const { engine: number, settings } = config;
    const engine = createEngine(engineSettingsOf(config, payload), (/** @type {EngineInterval} */ interval) => {
      try {
        const { requests, statusCodes, ...counted } = interval;
        say({
          type: 'interval',
          engine: number,
          usage: meter.read(),
          interval: {
            ...withoutSecretQuotes(counted),
            counters: { ...named(names.counters, interval.counters), ...countersOfCodes(statusCodes) },
            gauges: named(names.gauges, interval.gauges),
            ...(requests && { requests: requests.map(requestOf) }),
          },
        });
        intervals += 1;
        if (intervals % (SECONDS_PER_COLLECTION * engines.length) === 0) globalThis.gc?.();
      } catch (error) {
        fail(error); // the engine's callback would lose an error that is thrown here
      }
    });
    engine.done.then(({ log }) => say({ type: 'done', engine: number, log }), fail);
    const meter = new WorkerMeter(() => engine.threads()?.engine ?? null, processMeter);
    return { engine, meter, steadyToNs: settings.steadyToNs };
  }

  /** Starts the engines; earlier use does not count for the leg. @param {bigint} startNs */
  function begin(startNs) {
    const readAll = () => engines.forEach(({ meter }) => meter.read());
    for (const { engine } of engines) engine.start(startNs);
    const lead = Number(startNs - process.hrtime.bigint()) / 1e6;
    if (lead > 0) setTimeout(readAll, lead).unref();
    else readAll();
  }

  process.on('message', (/** @type {ToWorker} */ message) => {
    try {
      if (message.type === 'leg') prepare(message.configs);
      else if (message.type === 'start') begin(message.startNs);
      else if (message.type === 'steady')
        for (const { engine } of engines) engine.beginSteady(message.fromNs, message.toNs);
      else if (message.type === 'slices')
        for (const { engine, steadyToNs } of engines) engine.changeSlices(sliceRows(message.slices, steadyToNs));
      else if (message.type === 'drain') for (const { engine } of engines) engine.drain(message.atNs);
    } catch (error) {
      fail(error);
    }
  });
  say({ type: 'hello', pid: process.pid });
}

/** @param {readonly string[]} names @param {Float64Array} values @returns {Record<string, number>} */
function named(names, values) {
  return Object.fromEntries(names.map((name, i) => [name, values[i]]));
}

/**
 * @param {Float64Array} [pairs] of a status code and how many replies had it
 * @returns {Record<string, number>} such as "codes.200"
 */
function countersOfCodes(pairs = new Float64Array(0)) {
  const counters = Array.from({ length: pairs.length / 2 }, (_, i) => [`codes.${pairs[2 * i]}`, pairs[2 * i + 1]]);
  return Object.fromEntries(counters);
}

/** @param {FromWorker} message */
function say(message) {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

/** @param {unknown} error */
function fail(error) {
  say({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
}
