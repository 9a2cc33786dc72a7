// Whether a server takes what a scenario gives it: its options, its protocol, its address family. Pure.

import { FAMILIES } from '../results/endpoint.js';
import { typed } from '../invocation.js';
import { defaultOptions } from './schema.js';
import { protocolOf } from '../protocols/index.js';

/**
 * @typedef {import('./scenario.js').ServerEntry} ServerEntry
 * @typedef {import('../plan/processes.js').KnownServer} KnownServer
 */

/**
 * @param {ServerEntry} entry
 * @param {KnownServer} server
 * @returns {[string, unknown][]} the options that it does not take. It need not take what an entry has by default, nor
 *   `processes` 1, as every server is
 */
function notTaken({ options }, { manifest }) {
  /** @type {Record<string, unknown>} */
  const harmless = defaultOptions;
  const taken = manifest.options ?? {};
  return Object.entries(options).filter(
    ([key, value]) =>
      !Object.hasOwn(taken, key) &&
      value !== undefined &&
      value !== harmless[key] &&
      !(key === 'processes' && value === 1),
  );
}

/**
 * Why a server cannot be measured as a scenario says.
 * @typedef {object} Mismatch
 * @property {string} code
 * @property {Record<string, any>} data
 * @property {string} one   said of one server
 * @property {string} many  said of several, without what differs among them
 *
 * @typedef {{protocol: string, listen: import('../results/endpoint.js').Family, tls: unknown,
 *   transport: import('../results/transport.js').Transport}} Way  how a server is
 *   talked to
 */

/**
 * @param {{servers?: ServerEntry[]}} scenario
 * @param {KnownServer[]} known
 * @returns {import('./mistakes.js').Mistake[]} one for each option that a server does not support
 */
export function unsupportedOptions({ servers = [] }, known) {
  return servers.flatMap((entry) => {
    const server = known.find(({ name }) => name === entry.name);
    if (server === undefined || server.fault) return [];
    return notTaken(entry, server).map((option) => {
      const { code, data, one } = unsupportedOption(option, server);
      return {
        code,
        path: 'servers',
        data: { server: entry.name, label: entry.as, ...data },
        text: `servers: ${entry.as}: ${one}; leave it out`,
      };
    });
  });
}

/**
 * @param {{servers?: ServerEntry[]} & Way} scenario
 * @param {KnownServer[]} known
 * @returns {import('./mistakes.js').Mistake[]} one for each server that does not speak the protocol, or does not listen
 *   on that family
 */
export function protocolMismatches({ servers = [], protocol, listen, tls, transport }, known) {
  return servers.flatMap(({ name, as }) => {
    const server = known.find((one) => one.name === name);
    const way = { protocol, listen, tls, transport };
    const mismatch = server === undefined || server.fault ? null : protocolMismatch(server, way);
    if (mismatch === null) return [];
    const { code, data, one } = mismatch;
    return [{ code, path: 'servers', data: { server: name, label: as, ...data }, text: `servers: ${as}: ${one}` }];
  });
}

/**
 * @param {[string, unknown]} option
 * @param {KnownServer} server
 * @returns {Mismatch}
 */
function unsupportedOption([option, value], { manifest }) {
  const supported = Object.keys(manifest.options ?? {});
  return {
    code: 'option-unsupported',
    data: { option, value, supported },
    one: `the server does not support options.${option} (${value}); supported options: ${supported.join(', ') || 'none'}`,
    many: `these servers do not support options.${option} (${value})`,
  };
}

/**
 * @param {KnownServer} server
 * @param {Way} way
 * @returns {Mismatch | null}
 */
function protocolMismatch(
  { manifest: { protocols = [], listens = ['ipv4'], transports = ['tcp'], tls: secure } },
  { protocol, listen, tls, transport = 'tcp' },
) {
  if (secure && !tls) {
    return {
      code: 'tls-required',
      data: {},
      one: 'the server speaks only TLS; give tls true',
      many: 'these servers speak only TLS (tls)',
    };
  }
  if (tls && !secure) {
    return {
      code: 'tls-unsupported',
      data: {},
      one: `the server does not speak TLS (tls); choose one that does (${typed('servers', 'list')}), a target or a command`,
      many: 'these servers do not speak TLS (tls)',
    };
  }
  if (!protocolOf(protocol).any && !protocols.includes(protocol)) {
    return {
      code: 'protocol-unsupported',
      data: { protocol, supported: protocols },
      one: `the server does not speak ${protocol}, but ${protocols.join(', ')}`,
      many: `these servers do not speak ${protocol}`,
    };
  }
  if (!transports.includes(transport)) {
    return {
      code: 'transport-unsupported',
      data: { transport, supported: transports },
      one: `the server has no transport ${transport}, but ${transports.join(', ')}`,
      many: `these servers have no transport ${transport}`,
    };
  }
  return listens.includes(listen)
    ? null
    : {
        code: 'listen-unsupported',
        data: { listen, supported: listens },
        one: `the server does not listen on ${FAMILIES[listen]} (listen), but on ${listens
          .map((family) => FAMILIES[family])
          .join(', ')}`,
        many: `these servers do not listen on ${FAMILIES[listen]} (listen)`,
      };
}

/**
 * @param {ServerEntry} entry
 * @param {KnownServer} server
 * @param {Way} way
 * @returns {Mismatch | null} why it cannot be measured this way, on any machine
 */
export function unsuitableReason(entry, server, way) {
  const mismatch = protocolMismatch(server, way);
  if (mismatch !== null) return mismatch;
  const [first] = notTaken(entry, server);
  return first === undefined ? null : unsupportedOption(first, server);
}
