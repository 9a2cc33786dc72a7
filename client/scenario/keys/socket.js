// Key `socket`: options of the client's sockets, from texts to numbers, and their mistakes. Pure. null leaves an option
// to the kernel.

import { parseDuration, parseSize, writeDuration, writeSize } from '../../results/units.js';
import { mistake } from '../mistakes.js';

/** @typedef {import('../../protocols/index.js').OptionMistake} OptionMistake */

/**
 * @typedef {object} SocketOptions
 * @property {boolean} nodelay
 * @property {number | null} keepAliveNs
 * @property {number | null} lingerNs        0: a close sends RST; nothing else is allowed
 * @property {number | null} sendBufferBytes as requested; the kernel doubles it
 * @property {number | null} receiveBufferBytes
 * @property {number | null} sourcePort      of the first connection
 * @property {number | null} tos
 * @property {string | null} congestion
 */

const NS_PER_SECOND = 1e9;
const MAX_KEEP_ALIVE_S = 32_767;
const MIN_BUFFER_BYTES = 4096;
const MAX_BUFFER_BYTES = 2 ** 30 - 1;
const MAX_PORT = 65_535;

/** @param {any} raw valid by the schema @returns {SocketOptions} */
export function socketOf({ nodelay, keepAlive, linger, sendBuffer, receiveBuffer, sourcePort, tos, congestion }) {
  const given = (/** @type {string | undefined} */ text, /** @type {(text: string) => number} */ parse) =>
    text === undefined ? null : parse(text);
  return {
    nodelay,
    keepAliveNs: given(keepAlive, parseDuration),
    lingerNs: given(linger, parseDuration),
    sendBufferBytes: given(sendBuffer, parseSize),
    receiveBufferBytes: given(receiveBuffer, parseSize),
    sourcePort: sourcePort ?? null,
    tos: tos ?? null,
    congestion: congestion ?? null,
  };
}

/**
 * @param {string} text @param {number | null} ns @param {number} least @param {number} most whole seconds
 * @returns {OptionMistake[]}
 */
function secondsMistake(text, ns, least, most) {
  if (ns === null || (ns % NS_PER_SECOND === 0 && ns >= least * NS_PER_SECOND && ns <= most * NS_PER_SECOND)) return [];
  return [
    [
      text,
      'out-of-range',
      { value: ns, min: least, max: most },
      `${writeDuration(ns)} is not whole seconds from ${least}s to ${most}s`,
    ],
  ];
}

/**
 * A linger time changes nothing on the wire: Linux sends what is left and the FIN either way. It only blocks close(2),
 * and with it the thread that serves all other connections of the worker.
 * @param {number | null} ns
 * @returns {OptionMistake[]}
 */
function lingerMistake(ns) {
  if (ns === null || ns === 0) return [];
  return [
    [
      'linger',
      'linger-blocks',
      { value: ns },
      `${writeDuration(ns)} would block every other connection of the worker at each close; give 0s (a close sends RST), ` +
        'or leave it out (a close sends FIN)',
    ],
  ];
}

/** @param {string} text @param {number | null} bytes @returns {OptionMistake[]} */
function bufferMistake(text, bytes) {
  if (bytes === null) return [];
  if (Number.isInteger(bytes) && bytes >= MIN_BUFFER_BYTES && bytes <= MAX_BUFFER_BYTES) return [];
  return [
    [
      text,
      'out-of-range',
      { value: bytes, min: MIN_BUFFER_BYTES, max: MAX_BUFFER_BYTES },
      `${writeSize(bytes)} is not a buffer of whole bytes, from ${writeSize(MIN_BUFFER_BYTES)} to 1GiB`,
    ],
  ];
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @returns {OptionMistake[]}
 */
function portMistakes({ socket: { sourcePort, lingerNs }, connections, sources, workload, lifetime }) {
  if (sourcePort === null) return [];
  const last = sourcePort + Math.ceil(connections / (sources === 'auto' ? 1 : sources.length)) - 1;
  if (last > MAX_PORT) {
    return [
      [
        'sourcePort',
        'source-port-too-high',
        { connections, sourcePort, last, max: MAX_PORT },
        `${connections} connections from port ${sourcePort} on go up to ${last}, and the last port ` +
          `is ${MAX_PORT}; give a lower one, or more sources`,
      ],
    ];
  }
  const ends = workload === 'reconnect' || lifetime?.close === 'fin';
  return !ends || lingerNs === 0
    ? []
    : [
        [
          'sourcePort',
          'source-port-in-time-wait',
          { sourcePort },
          `${sourcePort} cannot be used again at once by ` +
            `${lifetime === null ? 'workload "reconnect"' : 'a connection after another (lifetime)'}: ` +
            'it stays in TIME_WAIT; give socket.linger 0s (a close sends RST), or leave it out',
        ],
      ];
}

/** @param {import('../scenario.js').Scenario} scenario @returns {OptionMistake[]} */
function unixMistakes({ listen, socket }) {
  if (listen !== 'unix') return [];
  const { nodelay, keepAliveNs, lingerNs, sourcePort, tos, congestion } = socket;
  const given = {
    ...(nodelay ? {} : { nodelay }),
    keepAlive: keepAliveNs,
    linger: lingerNs,
    sourcePort,
    tos,
    congestion,
  };
  return Object.entries(given)
    .filter(([, value]) => value !== null)
    .map(([key]) => [
      key,
      'tcp-option-of-unix-socket',
      {},
      'is an option of TCP, which a connection to a unix socket does not use; leave it out',
    ]);
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function socketMistakes(scenario, where) {
  const { socket } = scenario;
  return [
    ...secondsMistake('keepAlive', socket.keepAliveNs, 1, MAX_KEEP_ALIVE_S),
    ...lingerMistake(socket.lingerNs),
    ...bufferMistake('sendBuffer', socket.sendBufferBytes),
    ...bufferMistake('receiveBuffer', socket.receiveBufferBytes),
    ...portMistakes(scenario),
    ...unixMistakes(scenario),
  ].map(([key, code, data, why]) => mistake(where, code, `socket.${key}`, data, why));
}

/** @param {SocketOptions} [socket] absent: the usual @returns {Partial<import('../../engine/socket.js').SocketOptions>} */
export function forEngine(socket) {
  if (socket === undefined) return {};
  const { keepAliveNs, lingerNs, ...rest } = socket;
  return { ...rest, keepAliveSeconds: keepAliveNs && keepAliveNs / NS_PER_SECOND, resetOnClose: lingerNs === 0 };
}
