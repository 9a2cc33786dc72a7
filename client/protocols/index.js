// The table of protocols, as the client needs them besides the codecs in engine/core/protocol/: which options each has,
// and what the engine gets of them. Pure. A scenario gives the options under the name of the protocol.

import { pointsOf } from '../measure/settings.js';
import { prepareAce } from './ace.js';
import {
  completeRedis,
  deniedByRedis,
  fillRedis,
  hasValue,
  leftInRedis,
  prepareRedis,
  redisMistakes,
  unusedInRedis,
} from './redis.js';
import { fillMemcached, leftInMemcached, memcachedMistakes, prepareMemcached } from './memcached.js';
import { memcachedSizes } from './memcached-keys.js';
import { completeRaw, prepareRaw, rawMistakes, rawSizes } from './raw.js';
import { completeHttp, hasHttpPayload, httpMistakes, httpSizes, prepareHttp, turnedAwayByHttp } from './http.js';
import { deniedByNats, natsMistakes, natsSecretFile, prepareNats } from './nats.js';
import { prepareVolley } from './volley.js';
import { deniedByWebsocket, prepareWebsocket, websocketMistakes } from './websocket.js';

/**
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Filling } from './filling.js'
 */

/**
 * @typedef {[key: string, code: string, data: Record<string, any>, why: string]} OptionMistake  key: within the
 *   options; code and data: for programs; why: for people
 * @typedef {{bytes: Uint8Array, parameters: Record<string, number | boolean>, codec?: string}} Prepared read-only for
 *   all connections of a leg; the codec's C file describes both. codec: its name, where it is not the protocol's
 * @typedef {{payloadBytes: number, payloadMinBytes?: number | null, payload: Uint8Array,
 *   endpoint: {address: string, port: number}, transfersPerConnection?: number | null}} LegFacts
 *   payloadMinBytes: null or absent where each request carries the whole payload
 *   transfersPerConnection: null or absent where it is not known before the connection opens
 *
 * @typedef {{key: string, remedy: string}} Denied  key: of the scenario, to give or to correct
 *
 * @typedef {{status: number, said: string, remedy: string | null}} TurnedAway  said: what the server says of it
 *
 * @typedef {object} Protocol
 * @property {string} [title] what it is called in sentences; absent: its name
 * @property {boolean} [any] its requests go to servers of any protocol, which are started with the first protocol of
 *   their manifest
 * @property {boolean} [kinds] its codec tells kinds of replies apart: they are counted (statuses) and have a live
 *   column
 * @property {boolean} [pipelined] false: a connection has one request in flight at most
 * @property {number} [toleratedIdleNs] for which its servers keep an idle connection open at least, as a rule; absent:
 *   for good
 * @property {string} [payload] of each request, where none is given
 * @property {number} [wordBytes] each request is a word of this size, which the client draws
 * @property {boolean} [emptyPayload] a payload may have no bytes
 * @property {number} [variedPayloadMost] bytes: the requests may carry payloads of varying length, up to this one;
 *   absent: they may not
 * @property {(options: any) => any} [complete] its options, valid by the schema, in resolved form
 * @property {(options: any) => boolean} [hasPayload] absent: always
 * @property {(given: any) => string[]} [unused] keys without an effect on what these options, as written, ask for
 * @property {(options: any) => number[] | undefined} [sizes] bytes, where the options say them; payload is the largest
 * @property {string} [sizedBy] the keys that do
 * @property {(options: any, scenario: {pipeline: number}, given: Record<string, unknown>) => OptionMistake[]}
 *   [mistakes] that a schema cannot find; given: the options as written
 * @property {(options: any, leg: LegFacts) => Prepared} [prepare]
 * @property {(options: any) => string | null} [file] that its options name, and that is read when a leg is prepared
 * @property {(options: any, payload: Uint8Array) => Filling | null} [fill] the data that the server must have before a
 *   leg
 * @property {(said: string, options: any) => Denied | null} [denied] whether what the server sent refuses the request
 *   for what a key says or lacks, such as a secret
 * @property {(received: string, options: any) => TurnedAway | null} [turnedAway] whether the first reply, by its
 *   beginning, says that the request was probably not meant so
 * @property {RegExp} [begins] how a reply begins that is of no other protocol
 * @property {(options: any) => string | null} [leaves] what it writes into a server and leaves there, such as "sets 10
 *   keys value:..."
 */

const GIB = 1024 ** 3;

/** @type {Readonly<Record<string, Protocol>>} */
const PROTOCOLS = Object.freeze({
  echo: { variedPayloadMost: GIB },
  volley: { payload: '4B', wordBytes: 4, prepare: prepareVolley },
  ace: { emptyPayload: true, variedPayloadMost: GIB, prepare: prepareAce },
  http: {
    title: 'HTTP/1.1',
    kinds: true,
    toleratedIdleNs: 2e9,
    complete: completeHttp,
    hasPayload: hasHttpPayload,
    sizes: httpSizes,
    sizedBy: 'http.body',
    variedPayloadMost: GIB,
    mistakes: httpMistakes,
    prepare: prepareHttp,
    begins: /^HTTP\/1\.[01] /,
    turnedAway: turnedAwayByHttp,
  },
  redis: {
    kinds: true,
    complete: completeRedis,
    hasPayload: hasValue,
    unused: unusedInRedis,
    mistakes: redisMistakes,
    prepare: prepareRedis,
    fill: fillRedis,
    leaves: leftInRedis,
    denied: deniedByRedis,
  },
  memcached: {
    kinds: true,
    sizes: memcachedSizes,
    sizedBy: 'memcached.sizes',
    mistakes: memcachedMistakes,
    prepare: prepareMemcached,
    fill: fillMemcached,
    leaves: leftInMemcached,
  },
  nats: {
    kinds: true,
    mistakes: natsMistakes,
    prepare: prepareNats,
    file: natsSecretFile,
    denied: deniedByNats,
  },
  websocket: {
    variedPayloadMost: GIB,
    mistakes: websocketMistakes,
    prepare: prepareWebsocket,
    denied: deniedByWebsocket,
  },
  raw: {
    any: true,
    complete: completeRaw,
    sizes: rawSizes,
    sizedBy: 'raw.send or raw.file',
    mistakes: rawMistakes,
    prepare: prepareRaw,
  },
  stream: { any: true, pipelined: false, payload: '64KiB' },
});

/** The names of all. */
export const protocolNames = Object.freeze(Object.keys(PROTOCOLS));

const byName = new Map(Object.entries(PROTOCOLS));

/** @param {string} name @returns {Protocol} without anything where there is none of that name */
export const protocolOf = (name) => byName.get(name) ?? {};

/** @param {string} name @param {any} options @returns {string | null} a file that is read when a leg is prepared */
export const fileOf = (name, options) => protocolOf(name).file?.(options) ?? null;

/**
 * A server that Broadside starts ends with its data; a target keeps what is written into it.
 * @param {Scenario} scenario
 * @returns {string | null} a sentence; null: nothing is written, or only into a server of Broadside's
 */
export function leftBehind(scenario) {
  const { protocol, target } = scenario;
  if (target === undefined) return null;
  const all = pointsOf(scenario).map(({ settings }) => settings.protocolOptions);
  const left = [...new Set(all.flatMap((options) => protocolOf(protocol).leaves?.(options) ?? []))];
  return left.length === 0 ? null : `the target keeps what this run writes into it: ${left.join(', ')}`;
}

/** The protocols whose requests may carry payloads of varying length. */
export const protocolsThatVary = Object.freeze(
  Object.keys(PROTOCOLS).filter((name) => PROTOCOLS[name].variedPayloadMost !== undefined),
);

/** The protocols that have options. */
export const withOptions = Object.freeze(
  Object.keys(PROTOCOLS).filter((name) => PROTOCOLS[name].prepare !== undefined),
);

/**
 * @param {string} name
 * @param {any} options
 * @param {LegFacts} leg
 * @returns {{protocol: string, protocolBytes: Uint8Array, protocolParameters: Prepared['parameters']}} as the engine
 *   takes them; protocol: its codec
 */
export function prepareProtocol(name, options, leg) {
  const prepared = protocolOf(name).prepare?.(options, leg);
  return {
    protocol: prepared?.codec ?? name,
    protocolBytes: new Uint8Array(prepared?.bytes ?? []),
    protocolParameters: prepared?.parameters ?? {},
  };
}
