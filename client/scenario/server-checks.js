// Whether a server takes what a scenario gives it: its options, its protocol; and which options go together. Pure;
// every mistake is one sentence, or the part of one that says why.

import { FAMILIES } from '../results/endpoint.js';
import { defaultOptions } from './schema.js';
import { protocolOf } from '../protocols/index.js';

/**
 * @typedef {import('./scenario.js').ServerEntry} ServerEntry
 * @typedef {import('../plan/processes.js').KnownServer} KnownServer
 */

/** @type {Record<string, number>} */
const NANOSECONDS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
const HOUR_NS = 3600e9;

/**
 * @param {ServerEntry['options']} options each valid by the schema
 * @returns {[string, string][]} the key and why it is a mistake
 */
export function optionMistakes({ work, workKind }) {
  if (work === undefined) {
    return workKind === undefined
      ? []
      : [
          [
            'workKind',
            `"${workKind}" says what the work is, and there is none; give work, ` +
              'such as "30ms-50ms", or leave it out',
          ],
        ];
  }
  const [least, most = least] = work
    .split('-')
    .map((text) => parseFloat(text) * NANOSECONDS[text.replace(/[0-9.]/g, '')]);
  if (least > most) return [['work', `${work} begins with the longer time; give the shorter one first`]];
  return most > HOUR_NS ? [['work', `${work} is too long; at most 3600s`]] : [];
}

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

/** @param {KnownServer} server */
const takenBy = ({ manifest }) => Object.keys(manifest.options ?? {}).join(', ') || 'none';

/**
 * @param {{servers?: ServerEntry[]}} scenario
 * @param {KnownServer[]} known
 * @returns {string[]} one sentence each option that a server does not take
 */
export function unsupportedOptions({ servers = [] }, known) {
  return servers.flatMap((entry) => {
    const server = known.find(({ name }) => name === entry.name);
    if (server === undefined || server.fault) return [];
    return notTaken(entry, server).map(
      ([key, value]) =>
        `servers: ${entry.as}: options.${key}: ${value}: the server ${entry.name} does not take ${
          key === 'processes' ? 'a number of processes' : key
        }; leave it out. Options it takes: ${takenBy(server)}`,
    );
  });
}

/** @typedef {{protocol: string, listen: import('../results/endpoint.js').Family, tls: unknown}} Way  how a server is talked to */

/**
 * @param {{servers?: ServerEntry[]} & Way} scenario
 * @param {KnownServer[]} known
 * @returns {string[]} one sentence each server that does not speak the protocol, or does not listen there
 */
export function protocolMismatches({ servers = [], protocol, listen, tls }, known) {
  return servers.flatMap(({ name, as }) => {
    const server = known.find((one) => one.name === name);
    const why = server === undefined || server.fault ? null : protocolMismatch(server, { protocol, listen, tls });
    return why === null ? [] : [`servers: ${as}: ${why.one}`];
  });
}

/** @typedef {{one: string, many: string}} Why  said of one server; of several, without what differs among them */

/**
 * @param {KnownServer} server
 * @param {Way} way
 * @returns {Why | null}
 */
function protocolMismatch(
  { manifest: { protocols = [], listens = ['ipv4'], tls: secure } },
  { protocol, listen, tls },
) {
  if (secure && !tls) return { one: 'it speaks only over TLS; give tls true', many: 'they speak only over TLS (tls)' };
  if (tls && !secure) {
    return {
      one: 'it does not speak TLS (tls); take one that does (npm run servers -- list), a target or a command',
      many: 'they do not speak TLS (tls)',
    };
  }
  if (!protocolOf(protocol).any && !protocols.includes(protocol)) {
    return {
      one: `it does not speak ${protocol}; it speaks: ${protocols.join(', ')}`,
      many: `they do not speak ${protocol}`,
    };
  }
  return listens.includes(listen)
    ? null
    : {
        one: `it does not listen on ${FAMILIES[listen]} (listen); it listens on: ${listens
          .map((family) => FAMILIES[family])
          .join(', ')}`,
        many: `they do not listen on ${FAMILIES[listen]} (listen)`,
      };
}

/**
 * @param {ServerEntry} entry
 * @param {KnownServer} server
 * @param {Way} way
 * @returns {Why | null} why it cannot be measured so, wherever it runs
 */
export function unsuitableReason(entry, server, way) {
  const mute = protocolMismatch(server, way);
  if (mute !== null) return mute;
  const [first] = notTaken(entry, server);
  if (first === undefined) return null;
  const what = `options.${first[0]} (${first[1]})`;
  return { one: `it does not take ${what}; options it takes: ${takenBy(server)}`, many: `they do not take ${what}` };
}
