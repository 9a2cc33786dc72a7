// What a schema cannot say: which keys of a scenario go together. Pure; every mistake is one sentence.

import { shown } from './mistakes.js';
import { isPattern } from './keys/server-patterns.js';
import { optionMistakes } from './server-checks.js';
import { lifetimeMistakes } from './keys/lifetime.js';
import { socketMistakes } from './keys/socket.js';
import { tlsMistakes } from './keys/tls.js';
import { parseCpus } from '../results/cpu-list.js';
import { FAMILIES } from '../results/endpoint.js';
import { firstConnections } from '../results/profile.js';
import { rampSteps } from '../results/schedule.js';
import { sourcesMistake } from '../plan/sources.js';
import { protocolOf } from '../protocols/index.js';
import { formatCount, formatDuration, formatSize } from '../results/units.js';

/** @typedef {import('./scenario.js').Scenario} Scenario */
/** @typedef {(path: string) => string} Where */

const HOUR_NS = 3600e9;
const MAX_RAMP_STEPS = 100_000;
const MAX_CONNECTS_PER_SECOND = 10_000_000;
const MAX_REQUESTS_PER_SECOND = 100_000_000;
/** Of volley. */
const WORD_BYTES = 4;
const MAX_PAYLOAD_BYTES = 1024 ** 3;

/**
 * @param {Scenario} scenario
 * @param {Where} where
 * @param {unknown} raw
 * @returns {string[]}
 */
function times(scenario, where, raw) {
  /** @type {[string, number, {zero?: boolean, most?: number}][]} */
  const rows = [
    ['duration', scenario.durationNs, { most: 24 * 7 * HOUR_NS }],
    ['warmup', scenario.warmupTransfers === null ? scenario.warmupNs : 0, { zero: true, most: HOUR_NS }],
    ['warmupTimeout', scenario.warmupTransfers === null ? 1 : scenario.warmupNs, { most: HOUR_NS }],
    ['ramp.every', scenario.ramp.everyNs, { most: HOUR_NS }],
    ['pause', scenario.pauseNs, { zero: true, most: HOUR_NS }],
    ['heartbeat', scenario.heartbeatNs, { zero: true, most: HOUR_NS }],
    ['connectTimeout', scenario.connectTimeoutNs, { most: HOUR_NS }],
    ['transferTimeout', scenario.transferTimeoutNs, { most: HOUR_NS }],
    ['drainTimeout', scenario.drainTimeoutNs, { zero: true, most: HOUR_NS }],
    ['busyPoll', scenario.busyPollNs, { zero: true, most: HOUR_NS }],
    ['backoff.base', scenario.backoff.baseNs, { most: HOUR_NS }],
    ['backoff.cap', scenario.backoff.capNs, { most: HOUR_NS }],
  ];
  return rows.flatMap(([path, ns, { zero = false, most = Infinity }]) => {
    if (ns === 0 && !zero) return [`${where(path)}: must be longer than 0s`];
    return ns > most
      ? [`${where(path)}: ${given(raw, path) ?? formatDuration(ns)} is too long; at most ${formatDuration(most)}`]
      : [];
  });
}

/**
 * @param {unknown} raw
 * @param {string} path
 * @returns {string | undefined} as it was written, short enough for a message
 */
function given(raw, path) {
  const text = path.split('.').reduce((/** @type {any} */ place, key) => Object(place)[key], raw);
  return typeof text === 'string' ? shown(text).replaceAll('"', '') : undefined;
}

/** @param {Scenario} scenario @returns {any} the options of its protocol */
const optionsOf = (scenario) => /** @type {any} */ (scenario)[scenario.protocol];

/** @param {Scenario} scenario */
const hasNoPayload = (scenario) => protocolOf(scenario.protocol).hasPayload?.(optionsOf(scenario)) === false;

/**
 * @param {Scenario} scenario
 * @param {Where} where
 * @returns {string[]}
 */
function protocolMistakes(scenario, where) {
  const { protocol, pipeline } = scenario;
  const { mistakes, pipelined = true } = protocolOf(protocol);
  const wrong = (mistakes?.(optionsOf(scenario), scenario) ?? []).map(
    ([key, why]) => `${where(`${protocol}.${key}`)}: ${why}`,
  );
  if (pipeline === 1 || pipelined) return wrong;
  return [
    ...wrong,
    `${where('pipeline')}: ${pipeline}, and a connection of ${protocol} has one request under way at most; ` +
      'leave pipeline out',
  ];
}

/**
 * @param {Scenario} scenario
 * @param {Where} where
 * @param {unknown} raw
 * @returns {string[]}
 */
function payloadMistakes(scenario, where, raw) {
  const { protocol, payloadBytes } = scenario;
  const payload = given(raw, 'payload');
  if (protocolOf(protocol).sizes?.(optionsOf(scenario))) {
    // which have judged each size under its own key
    return payload === undefined
      ? []
      : [`${where('payload')}: ${payload}, and the options of ${protocol} say how large it is; leave payload out`];
  }
  if (hasNoPayload(scenario)) {
    return payload === undefined
      ? []
      : [`${where('payload')}: ${payload}, and such a request of ${protocol} carries none; leave payload out`];
  }
  const mistakes = [];
  if (!Number.isInteger(payloadBytes)) mistakes.push(`${where('payload')}: ${payloadBytes} bytes are not whole bytes`);
  else if (payloadBytes < 1) mistakes.push(`${where('payload')}: a payload has at least 1B`);
  else if (payloadBytes > MAX_PAYLOAD_BYTES) {
    mistakes.push(
      `${where('payload')}: ${formatSize(payloadBytes)} is too large; at most ${formatSize(MAX_PAYLOAD_BYTES)}`,
    );
  }
  if (protocol === 'volley' && payloadBytes !== WORD_BYTES) {
    mistakes.push(
      `${where('payload')}: ${formatSize(payloadBytes)}, and a request of volley is always ${WORD_BYTES} bytes; ` +
        `leave payload out, or give ${where('payload').startsWith('--') ? '' : 'another protocol or '}--payload ${WORD_BYTES}B`,
    );
  }
  return mistakes;
}

/**
 * @param {Scenario} scenario
 * @param {Where} where
 * @param {unknown} raw
 * @returns {string[]}
 */
function load(scenario, where, raw) {
  const { workload, heartbeatNs, pauseNs, pipeline, connectRate, ramp, backoff } = scenario;
  const mistakes = [];
  if (connectRate !== null && !(connectRate > 0 && connectRate <= MAX_CONNECTS_PER_SECOND)) {
    mistakes.push(
      `${where('connectRate')}: ${connectRate}/s is not a rate at which to connect; more than 0/s, at most ` +
        `${formatCount(MAX_CONNECTS_PER_SECOND)}/s, or leave it out to connect as fast as it goes`,
    );
  }
  if (heartbeatNs > 0 && workload !== 'hold') {
    mistakes.push(
      `${where('heartbeat')}: ${formatDuration(heartbeatNs)} belongs to workload "hold", and the workload is ` +
        `"${workload}"; take it away, or give workload "hold"`,
    );
  }
  if (pauseNs > 0 && workload !== 'continuous') {
    mistakes.push(
      `${where('pause')}: ${formatDuration(pauseNs)} belongs to workload "continuous", and the workload is ` +
        `"${workload}"${workload === 'hold' ? '; give heartbeat for a transfer now and then' : '; take it away'}`,
    );
  }
  mistakes.push(
    ...openLoop(scenario, where),
    ...profiles(scenario, where),
    ...warmUp(scenario, where, raw),
    ...numbered(scenario, where),
    ...swept(scenario, where, raw),
  );
  if (pipeline > 1 && (workload !== 'continuous' || pauseNs > 0)) {
    mistakes.push(
      `${where('pipeline')}: ${pipeline} belongs to workload "continuous" without a pause, and ` +
        `${pauseNs > 0 ? `pause is ${formatDuration(pauseNs)}` : `the workload is "${workload}"`}; give one of them up`,
    );
  }
  mistakes.push(...protocolMistakes(scenario, where));
  mistakes.push(...tlsMistakes(scenario).map(([path, why]) => `${where(path)}: ${why}`));
  mistakes.push(...payloadMistakes(scenario, where, raw));
  const steps = rampSteps(firstConnections(scenario), ramp.add);
  if (steps > MAX_RAMP_STEPS && !ramp.spread) {
    mistakes.push(
      `${where('ramp.add')}: ${ramp.add} makes a ramp of ${formatCount(steps)} steps, more than ` +
        `${formatCount(MAX_RAMP_STEPS)}; give a larger add and a longer every, with ramp.spread to space them evenly`,
    );
  }
  if (backoff.capNs < backoff.baseNs) {
    mistakes.push(
      `${where('backoff.cap')}: ${formatDuration(backoff.capNs)} is less than backoff.base ` +
        `(${formatDuration(backoff.baseNs)})`,
    );
  }
  return mistakes;
}

/**
 * @param {Scenario} scenario
 * @param {Where} where
 * @param {unknown} raw
 * @returns {string[]}
 */
function warmUp(scenario, where, raw) {
  const { warmupNs, warmupTransfers, workload, heartbeatNs, rateProfile, connectionsProfile, transfers } = scenario;
  const asked = warmupTransfers === null ? formatDuration(warmupNs) : formatCount(warmupTransfers);
  const bound = given(raw, 'warmupTimeout');
  const mistakes = [];
  if (bound !== undefined && warmupTransfers === null) {
    mistakes.push(
      `${where('warmupTimeout')}: ${bound} belongs to a warm-up of so many transfers, and warmup is ${asked}; ` +
        'take it away, or give warmup a whole number, such as 10000',
    );
  }
  if (transfers !== null && warmupTransfers !== null && warmupTransfers >= transfers) {
    mistakes.push(
      `${where('warmup')}: ${asked} transfers, and a leg has ${formatCount(transfers)} in all (transfers), the ` +
        "warm-up's included, so that none would be left to measure; give a smaller warmup, or more transfers",
    );
  }
  if (workload === 'once' && warmupNs > 0) {
    mistakes.push(
      `${where('warmup')}: ${asked}, and in workload "once" each connection has one transfer, none before it; ` +
        'leave warmup out',
    );
  } else if (workload === 'hold' && heartbeatNs === 0 && warmupTransfers !== null) {
    mistakes.push(
      `${where('warmup')}: ${asked} transfers, and workload "hold" without a heartbeat has none; give a time, ` +
        'such as 5s, or heartbeat',
    );
  }
  if ((rateProfile ?? connectionsProfile) !== null && warmupTransfers !== null) {
    mistakes.push(
      `${where('warmup')}: ${asked} transfers, and when they are answered nobody knows before: a profile needs to ` +
        'know when the steady state begins; give a time, such as 5s',
    );
  }
  return mistakes;
}

/**
 * @param {Scenario} scenario
 * @param {Where} where
 * @returns {string[]}
 */
function profiles({ rateProfile, connectionsProfile, connections, workload }, where) {
  const all = /** @type {const} */ ([
    ['rate', rateProfile],
    ['connections', connectionsProfile],
  ]);
  const mistakes = all.flatMap(([key, profile]) =>
    (profile ?? []).flatMap(({ forNs }, i) =>
      forNs > 0 ? [] : [`${where(`${key}[${i}].for`)}: must be longer than 0s`],
    ),
  );
  if (connectionsProfile === null) return mistakes;
  if (connections === 0)
    mistakes.push(`${where('connections')}: a profile of no connections; give some of its pieces any`);
  if (workload === 'once') {
    mistakes.push(
      `${where('connections')}: a profile belongs to connections that stay or come back, and the workload is ` +
        '"once"; give a number, or another workload',
    );
  }
  return mistakes;
}

/**
 * @param {Scenario} scenario
 * @param {Where} where
 * @returns {string[]}
 */
function openLoop({ rate, rateProfile, arrivals, workload, pauseNs }, where) {
  if (rate === null) {
    return arrivals === 'constant'
      ? []
      : [`${where('arrivals')}: "${arrivals}" belongs to rate, and there is none; give rate, such as 1000/s`];
  }
  if (!(rate > 0 && rate <= MAX_REQUESTS_PER_SECOND)) {
    return [
      `${where('rate')}: ${rate}/s is not a rate of requests${rateProfile === null ? '' : ' at the peak of a profile'}; ` +
        `more than 0/s, at most ${formatCount(MAX_REQUESTS_PER_SECOND)}/s, or leave it out for a closed loop`,
    ];
  }
  const what = rateProfile === null ? `${rate}/s` : 'a profile';
  if (workload !== 'continuous' && workload !== 'reconnect') {
    return [
      `${where('rate')}: ${what} belongs to workload "continuous" or "reconnect", and the workload is ` +
        `"${workload}"; give one of them up`,
    ];
  }
  return pauseNs === 0
    ? []
    : [
        `${where('rate')}: ${what} says when requests are due, and so does pause ` +
          `(${formatDuration(pauseNs)}); give one of them up`,
      ];
}

/**
 * @param {Scenario} scenario
 * @param {Where} where
 * @returns {string[]}
 */
function numbered({ transfers, rate, workload }, where) {
  if (transfers === null) return [];
  if (rate !== null) {
    return [
      `${where('transfers')}: ${transfers} belongs to a closed loop; with rate (${rate}/s), duration says how many ` +
        'there are; give one of them up',
    ];
  }
  return workload === 'continuous' || workload === 'reconnect'
    ? []
    : [
        `${where('transfers')}: ${transfers} belongs to workload "continuous" or "reconnect", and the workload is ` +
          `"${workload}"; give one of them up`,
      ];
}

/**
 * @param {Scenario} scenario
 * @param {Where} where
 * @param {any} raw
 * @returns {string[]}
 */
function swept({ sweep }, where, raw) {
  return sweep === null || raw?.connections === undefined
    ? []
    : [
        `${where('connections')}: ${Array.isArray(raw.connections) ? 'a profile' : raw.connections}, and sweep.connections says how many there are in each leg; give one of ` +
          'them up',
      ];
}

/**
 * @param {Scenario} scenario
 * @param {Where} where
 * @returns {string[]}
 */
function servers(scenario, where) {
  const mistakes = [];
  const labels = new Map();
  for (const [index, { name, as, options }] of (scenario.servers ?? []).entries()) {
    const path = `servers[${index}]`;
    mistakes.push(...optionMistakes(options).map(([key, why]) => `${where(`${path}.options.${key}`)}: ${why}`));
    const first = labels.get(as);
    if (isPattern(name)) continue; // what it matches gets labels of its own
    if (first === undefined) labels.set(as, index);
    else {
      mistakes.push(
        `${where(path)}: "${as}" is also the label of servers[${first}]; give one of them ` +
          'another label: {"name": ..., "as": ...}',
      );
    }
  }
  if (scenario.serverPid !== null && scenario.target === undefined) {
    mistakes.push(
      `${where('serverPid')}: ${scenario.serverPid} belongs to target; a server that Broadside starts is ` +
        'watched anyway',
    );
  }
  return mistakes;
}

/**
 * Where it listens, and what that leaves out.
 * @param {Scenario} scenario
 * @param {Where} where
 * @param {unknown} raw
 * @returns {string[]}
 */
function places({ target, command, listen, sources: addresses }, where, raw) {
  const mistakes = [];
  if (target !== undefined && given(raw, 'listen') !== undefined) {
    mistakes.push(
      `${where('listen')}: ${given(raw, 'listen')} is for a server that Broadside starts; a target says by itself ` +
        'where it is; take listen away',
    );
  }
  /** @type {Record<string, string[]>} */
  const marks = { ipv4: ['{port}'], ipv6: ['{port}', '{host}'], unix: ['{path}'] };
  const lacking = command === undefined ? [] : marks[listen].filter((mark) => !command.includes(mark));
  if (lacking.length > 0 && !(listen === 'unix' && command?.includes('{host}'))) {
    mistakes.push(
      `${where('command')}: "${command}" is to listen on ${FAMILIES[listen]} (listen), and has no ${lacking.join(
        ' and no ',
      )} in it`,
    );
  }
  if (listen === 'unix' && addresses !== 'auto') {
    mistakes.push(
      `${where('sources')}: ${addresses.join(', ')}, and a connection to a unix socket comes from no address; ` +
        'leave sources out',
    );
  }
  return mistakes;
}

/**
 * @param {Scenario} scenario
 * @param {Where} where
 * @returns {string[]}
 */
function pins({ pin, target }, where) {
  const mistakes = [];
  for (const side of /** @type {const} */ (['client', 'server'])) {
    const list = pin[side];
    if (list === null || parseCpus(list) !== null) continue;
    mistakes.push(`${where(`pin.${side}`)}: "${list}" is not a list of CPUs such as 0, 0-1 or 1,3`);
  }
  if (pin.server !== null && target !== undefined) {
    mistakes.push(
      `${where('pin.server')}: ${pin.server} belongs to a server that Broadside starts; this one runs already`,
    );
  }
  return mistakes;
}

/**
 * @param {Scenario} scenario
 * @param {Where} where
 * @returns {string[]}
 */
function sources({ sources: addresses }, where) {
  const mistake = addresses === 'auto' ? undefined : sourcesMistake(addresses);
  return mistake === undefined ? [] : [`${where('sources')}: ${mistake}`];
}

/**
 * @param {Scenario} scenario completed
 * @param {Where} where
 * @param {unknown} [raw] as it was written
 * @returns {string[]} every mistake
 */
export function checkScenario(scenario, where, raw) {
  return [
    ...times(scenario, where, raw),
    ...load(scenario, where, raw),
    ...servers(scenario, where),
    ...places(scenario, where, raw),
    ...socketMistakes(scenario, where),
    ...lifetimeMistakes(scenario, where, raw),
    ...pins(scenario, where),
    ...sources(scenario, where),
  ];
}
