// SCTP: what a scenario cannot ask of it, whose SCTP carries a leg, what machine and server must have, and its words.
// Pure. Here it is a stream of bytes in one association. There are two stacks, the kernel's and usrsctp, which is in
// user space, over UDP.

import { EnvironmentError } from '../../errors.js';
import { typed } from '../../invocation.js';
import { bytes, count, counted, duration } from '../../words/format.js';
import { ONLY_TCP, rulesOver, TLS_NEEDS_TCP } from '../rules.js';

/**
 * @import { SctpStack, WrittenScenario } from '../../../config/types.js'
 * @import { Carrier, Kind } from '../index.js'
 */

/**
 * @typedef {Record<SctpStack, string | null>} Stacks  null, or why the machine does not have it
 * @typedef {{ sctp: Stacks & { version: string } }} Facts  of a machine; version: of usrsctp, '' where it is not built
 *   in
 * @typedef {Pick<WrittenScenario, 'sctpStack'>} Keys
 * @typedef {{ transport: string } & Keys} SctpWish
 */

/** They are filled before a leg, over TCP. */
const FILLED = ['redis', 'memcached'];

/** @type {Record<string, string>} */
const STYLES = { sctp: 'SCTP one-to-one', 'sctp-seqpacket': 'SCTP one-to-many' };

/** @type {Record<string, string>} */
const STACKS = { kernel: 'kernel stack', usrsctp: 'user-space stack usrsctp over UDP' };

/** Of a process: usrsctp gives each connection one of 49,152 to 65,535. */
const USRSCTP_PORTS = 16_384;

/** @param {string | undefined} transport @returns {boolean} */
const isSctp = (transport) => transport === 'sctp' || transport === 'sctp-seqpacket';

/** @param {SctpWish} scenario @param {Stacks} stacks @returns {SctpStack | null} null: not over SCTP */
export function chooseStack({ transport, sctpStack }, { kernel, usrsctp }) {
  if (!isSctp(transport)) return null;
  if (sctpStack !== 'auto') return sctpStack;
  return kernel === null || usrsctp !== null ? 'kernel' : 'usrsctp';
}

/**
 * @param {SctpWish} scenario
 * @param {Stacks} stacks
 * @returns {{stack: string, why: string}[]} each stack that could be used and is not there; empty: there is one
 */
export function unavailableStacks(scenario, stacks) {
  const chosen = chooseStack(scenario, stacks);
  if (chosen === null || stacks[chosen] === null) return [];
  const candidates = scenario.sctpStack === 'auto' ? /** @type {const} */ (['kernel', 'usrsctp']) : [chosen];
  return candidates.map((stack) => ({ stack, why: stacks[stack] ?? 'unknown reason' }));
}

/** @type {Kind['rules']} */
const rules = [
  {
    path: 'sctpStack',
    code: 'stack-without-sctp',
    when: ({ sctpStack, transport }) => sctpStack !== 'auto' && !isSctp(transport) && { sctpStack, transport },
    why: ({ sctpStack, transport }) =>
      `${sctpStack}, but the transport is ${transport}; leave it out, or give transport "sctp"`,
  },
  ...rulesOver(
    ({ transport }) => isSctp(transport),
    [
      ['tls', 'sctp-with-tls', ({ tls }) => tls !== null, TLS_NEEDS_TCP],
      [
        'transport',
        'sctp-with-unix-socket',
        ({ listen }) => listen === 'unix',
        'there are no unix sockets over SCTP; give an address, or leave transport out',
      ],
      [
        'transport',
        'sctp-with-protocol',
        ({ protocol }) => FILLED.includes(protocol) && { protocol },
        `the keys of ${FILLED.join(' and ')} are stored over TCP before a leg; leave it out`,
      ],
      ['socket.keepAlive', 'tcp-option-of-sctp', ({ socket }) => socket.keepAliveNs !== null, ONLY_TCP],
      ['socket.congestion', 'tcp-option-of-sctp', ({ socket }) => socket.congestion !== null, ONLY_TCP],
    ],
  ),
];

/**
 * Two stacks do not understand each other: usrsctp's packets are in UDP.
 * @param {Carrier} carrier
 * @param {{ stack?: string | null }} server
 * @throws {EnvironmentError}
 */
function checkServer({ stack }, server) {
  if (!server.stack || server.stack === stack) return;
  throw new EnvironmentError(
    `the client uses SCTP's stack ${stack}, but the server uses ${server.stack}; give --sctpStack ${server.stack}`,
    { code: 'ESCTPSTACK', data: { client: stack, server: server.stack } },
  );
}

/** @type {Kind['limitTexts']} */
const limitTexts = {
  'sctp-unavailable': {
    name: 'transport',
    text: ({ transport, missing }) =>
      `transport: ${transport} is not available on this machine: ${missing
        .map((/** @type {{stack: string, why: string}} */ { stack, why }) => `${stack}: ${why}`)
        .join('; ')}.`,
    remedy: ({ missing }) =>
      `What helps: ${missing
        .map((/** @type {{stack: string}} */ { stack }) =>
          stack === 'kernel'
            ? "the kernel's module (modprobe sctp)"
            : `usrsctp (apt-get install libusrsctp-dev), then ${typed('setup')}`,
        )
        .join('; ')}.`,
  },
  'usrsctp-ports': {
    name: 'ports of usrsctp',
    text: ({ connections, workers, available }) =>
      `${counted(connections, 'connection')} in ${counted(workers, 'worker')}, but usrsctp has ${count(available)} ` +
      'ports in a process to connect from.',
    remedy: ({ connections, available }) => `Give --workers ${Math.ceil(connections / available)} or more.`,
  },
  'sctp-stack': {
    name: 'transport',
    text: ({ transport, stack, why }) =>
      stack === 'kernel'
        ? `${transport} is carried by the kernel's SCTP.`
        : `${transport} is carried by usrsctp, a stack in user space over UDP${why === null ? '' : `; of the kernel's SCTP: ${why}`}.`,
  },
};

/**
 * Of usrsctp, under the names that Linux gives its own of SCTP.
 * @param {string} name
 * @param {number} value
 * @returns {string}
 */
function settingText(name, value) {
  if (name.endsWith('space')) return bytes(value);
  return name.includes('retrans') ? count(value) : duration(value * 1e6);
}

/** @type {Kind} */
export const sctp = {
  names: ['sctp', 'sctp-seqpacket'],
  text: ({ transport = 'sctp', stack }) =>
    stack === undefined ? STYLES[transport] : `${STYLES[transport]}, ${STACKS[stack]}`,
  label: ({ transport, stack }) =>
    `SCTP${transport === 'sctp-seqpacket' ? ' seqpacket' : ''}${stack === 'usrsctp' ? ' in user space' : ''}`,
  choice: 'sctp (one-to-one), sctp-seqpacket (one-to-many)',
  addresses: 'with SCTP of the kernel also several: A,B',
  verified: true,
  usesTcpMemory: false,
  rules,
  keys: ['sctpStack'],
  sysctls: ['net/sctp'],
  conditions: { usrsctp: { title: 'SCTP in user space: usrsctp', text: settingText } },
  carrierOf: (wish, host) => {
    const stack = chooseStack(wish, host.sctp) ?? 'kernel';
    return { stack, inUserSpace: stack === 'usrsctp' };
  },
  missing: ({ transport, sctpStack }, host) => {
    const missing = unavailableStacks({ transport, sctpStack }, host.sctp);
    return missing.length === 0 ? null : { code: 'sctp-unavailable', data: { transport, sctpStack, missing } };
  },
  chosen: ({ transport, sctpStack }, host) => {
    const stack = chooseStack({ transport, sctpStack }, host.sctp) ?? 'kernel';
    if (host.sctp[stack] !== null) return null; // a limit of the plan says so
    const data = { transport, stack, why: stack === 'usrsctp' ? host.sctp.kernel : null };
    return { code: 'sctp-stack', available: stack, needed: sctpStack, data };
  },
  ports: (connections, workers) => ({
    code: 'usrsctp-ports',
    available: USRSCTP_PORTS,
    needed: Math.ceil(connections / workers),
    data: { connections, workers },
  }),
  fact: ({ sctp: { kernel, usrsctp } }) => {
    const stack = kernel === null ? 'kernel' : usrsctp === null ? 'usrsctp' : null;
    return { name: 'SCTP', value: stack ?? `none: ${kernel}`, data: { stack } };
  },
  combined: (hosts) => {
    const lacking = (/** @type {SctpStack} */ stack) =>
      hosts.map((host) => host.sctp[stack]).find((why) => why !== null) ?? null;
    return { sctp: { ...hosts[0].sctp, kernel: lacking('kernel'), usrsctp: lacking('usrsctp') } };
  },
  serverWords: ({ stack }) => (stack === undefined ? [] : ['--sctp-stack', stack]),
  checkServer,
  limitTexts,
};
