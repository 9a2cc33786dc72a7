// Rules about how connections are made: protocol, transport, TLS, sockets and kernel timestamps. Those of a transport
// are in its file in transports/.

import { protocolOf, withOptions } from '../../protocols/index.js';
import { writeSize } from '../../words/units.js';
import { transportRules } from '../../transports/index.js';
import { isSilent } from './load.js';
import { provided } from './rule.js';

/**
 * @import { Scenario } from '../scenario.js'
 * @import { Rule } from './rule.js'
 */

const NS_PER_SECOND = 1e9;
const MAX_KEEP_ALIVE_S = 32_767;
const MAX_PORT = 65_535;
/** As REQUEST_BYTES_MOST of the engine (core/connection/stamps.c). */
const LARGEST_STAMPED_BYTES = 65_536;

/** @type {Rule} */
const foreignOptions = {
  path: '[]',
  code: 'key-not-for-protocol',
  each: ({ protocol }, given) =>
    withOptions
      .filter((name) => name !== protocol && Object.hasOwn(given, name))
      .map((name) => [[name, ...Object.keys(Object(given[name])).slice(0, 1)].join('.'), name]),
  when: ({ protocol }, _, needed) => ({ needed, protocol }),
  why: ({ needed, protocol }) =>
    `belongs to protocol "${needed}", but the protocol is "${protocol}"; leave it out, or give protocol "${needed}"`,
};

/** @type {Rule[]} */
const tlsRules = [
  {
    path: 'tls.ca',
    code: 'ca-not-verified',
    when: ({ tls }) => tls && !tls.verify && tls.ca !== null && { ca: tls.ca },
    why: ({ ca }) => `${ca} is for verifying the server's certificate, but tls.verify is false; leave one of them out`,
  },
  {
    path: 'tls.serverName',
    code: 'no-name-to-verify',
    when: ({ tls, listen }) => tls && tls.verify && tls.serverName === null && listen === 'unix' && { listen },
    why: () =>
      'a unix socket has no name to verify the certificate of its server against; give tls.serverName, or tls.verify false',
  },
];

/** Why no transfer can be split by the kernel's timestamps. @type {Rule[]} */
const UNSTAMPED = [
  {
    path: 'timestamps',
    code: 'timestamps-without-tcp',
    when: ({ transport }) => transport !== 'tcp' && { transport },
    why: ({ transport }) => `kernel timestamps need transport "tcp", not ${transport}`,
  },
  {
    path: 'timestamps',
    code: 'timestamps-of-unix-socket',
    when: ({ listen }) => listen === 'unix' && {},
    why: () => 'the kernel does not stamp unix sockets',
  },
  {
    path: 'timestamps',
    code: 'timestamps-without-replies',
    when: ({ protocol }) => protocolOf(protocol).hasReplies === false && { protocol },
    why: ({ protocol }) => `protocol ${protocol} has no replies to time`,
  },
  {
    path: 'timestamps',
    code: 'timestamps-without-transfers',
    when: (scenario) => isSilent(scenario) && { workload: scenario.workload },
    why: () => 'workload hold without heartbeat has no transfers',
  },
  {
    path: 'timestamps',
    code: 'timestamps-of-large-requests',
    when: ({ protocol, payloadBytes, payloadMinBytes }) => {
      const leastBytes = payloadMinBytes ?? payloadBytes;
      const isLarge = protocolOf(protocol).sendsPayloadAlone && leastBytes > LARGEST_STAMPED_BYTES;
      return isLarge && { payloadBytes: leastBytes, max: LARGEST_STAMPED_BYTES };
    },
    why: ({ max }) => `requests of more than ${writeSize(max)} do not leave at one moment`,
  },
];

/**
 * @param {Omit<Scenario, 'timestamps'>} scenario
 * @returns {boolean} whether its transfers can be split by timestamps
 */
export const canBeStamped = (scenario) => UNSTAMPED.every(({ when }) => !when(/** @type {Scenario} */ (scenario), {}));

/** @type {Rule[]} */
const timestampRules = provided(
  ({ timestamps }) => timestamps !== 'off' && { timestamps },
  UNSTAMPED.map(({ why, ...rule }) => ({
    ...rule,
    why: (data, written, isOfFile) => `${written}, but ${why(data, written, isOfFile)}; leave it out`,
  })),
);

/** @param {string} key @param {(socket: Scenario['socket']) => boolean} isGiven @returns {Rule} */
const unixOption = (key, isGiven) => ({
  path: `socket.${key}`,
  code: 'tcp-option-of-unix-socket',
  when: ({ listen, socket }) => listen === 'unix' && isGiven(socket) && {},
  why: () => 'is an option of TCP, which a connection to a unix socket does not use; leave it out',
});

/** @type {Rule[]} */
const socketRules = [
  {
    path: 'socket.keepAlive',
    code: 'out-of-range',
    when: ({ socket: { keepAliveNs: value } }) => {
      const fits =
        value !== null && value % NS_PER_SECOND === 0 && value > 0 && value <= MAX_KEEP_ALIVE_S * NS_PER_SECOND;
      return value !== null && !fits && { value, min: 1, max: MAX_KEEP_ALIVE_S };
    },
    why: ({ min, max }, written) => `${written} is not whole seconds from ${min}s to ${max}s`,
  },
  {
    // Linux sends what is left and the FIN either way. A linger time only blocks close(2), and with it the thread that
    // serves all other connections of the worker.
    path: 'socket.linger',
    code: 'linger-blocks',
    when: ({ socket: { lingerNs: value } }) => value !== null && value > 0 && { value },
    why: (_, written) =>
      `${written} would block every other connection of the worker at each close; give 0s (a close sends RST), or leave it ` +
      'out (a close sends FIN)',
  },
  {
    path: 'socket.sourcePort',
    code: 'source-port-too-high',
    when: ({ socket: { sourcePort }, connections, sources }) => {
      const last = Number(sourcePort) + Math.ceil(connections / (sources === 'auto' ? 1 : sources.length)) - 1;
      return sourcePort !== null && last > MAX_PORT && { connections, sourcePort, last, max: MAX_PORT };
    },
    why: ({ connections, sourcePort, last, max }) =>
      `${connections} connections from port ${sourcePort} on go up to ${last}, and the last port is ${max}; give a lower ` +
      'one, or more sources',
  },
  {
    path: 'socket.sourcePort',
    code: 'source-port-in-time-wait',
    when: ({ socket: { sourcePort, lingerNs }, workload, lifetime }) =>
      sourcePort !== null && lingerNs !== 0 && (workload === 'reconnect' || lifetime !== null) && { sourcePort },
    why: ({ sourcePort }) =>
      `${sourcePort} cannot be used again at once by the next connection (workload "reconnect", or lifetime): it stays in ` +
      'TIME_WAIT; give socket.linger 0s (a close sends RST), or leave it out',
  },
  unixOption('nodelay', ({ nodelay }) => !nodelay),
  unixOption('keepAlive', ({ keepAliveNs }) => keepAliveNs !== null),
  unixOption('linger', ({ lingerNs }) => lingerNs !== null),
  unixOption('sourcePort', ({ sourcePort }) => sourcePort !== null),
];

/** @type {readonly Rule[]} */
export const connectionRules = [foreignOptions, ...tlsRules, ...transportRules, ...timestampRules, ...socketRules];
