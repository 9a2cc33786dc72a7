// The table of protocols, as the client needs them besides the codecs in engine/core/protocol/: which options each has,
// and what the engine gets of them. Pure. A scenario gives the options under the name of the protocol.

import { pointsOf } from '../measure/settings.js';
import { ace } from './ace.js';
import { echo } from './echo.js';
import { http } from './http.js';
import { memcached } from './memcached.js';
import { nats } from './nats.js';
import { raw } from './raw.js';
import { redis } from './redis.js';
import { stream } from './stream.js';
import { volley } from './volley.js';
import { websocket } from './websocket.js';

/**
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Filling } from './filling.js'
 */

/**
 * @typedef {[key: string, code: string, data: Record<string, unknown>, why: string]} OptionMistake  key: within the
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
 */

/**
 * @template Options in resolved form; {}: it has none
 * @template [Written=Options] valid by the schema
 * @typedef {object} Protocol
 * @property {string} [title] what it is called in sentences; absent: its name
 * @property {{ description: string, properties: Record<string, object> }} [schema] of its options: the block of the
 *   scenario that has its name; absent: it has none
 * @property {Record<string, { port: number, tls?: true }>} [schemes] of URLs that name it; port: where the URL has none
 * @property {true} [hasPath] such a URL has a path, which is the option `path`; its host is the option `host`
 * @property {true} [hasHeaders] it has the option `headers`, and the flag -H
 * @property {string} [login] what to do in place of a login in the URL
 * @property {Options} [probe] options of a request that writes nothing and that only servers of this protocol answer:
 *   with it a protocol is recognised
 * @property {'transfer'} [noun] what an exchange is called; absent: a request
 * @property {false} [hasReplies] absent: each request has one
 * @property {true} [sendsPayloadAlone] a request is the payload, and at most a head of a few bytes
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
 * @property {true} [variesPayload] the requests may carry payloads of varying length
 * @property {(options: Written) => Options} [complete] its options in resolved form
 * @property {(options: Options) => boolean} [hasPayload] absent: always
 * @property {(given: Written) => string[]} [unused] keys without an effect on what these options, as written, ask for
 * @property {(options: Options) => number[] | undefined} [sizes] bytes, where the options say them; payload is the
 *   largest
 * @property {string} [sizedBy] the keys that do
 * @property {(options: Options, scenario: {pipeline: number}, given: Record<string, unknown>) => OptionMistake[]}
 *   [mistakes] that a schema cannot find; given: the options as written
 * @property {(options: Options, leg: LegFacts) => Prepared} [prepare]
 * @property {(options: Options) => string | null} [file] that its options name, and that is read when a leg is prepared
 * @property {(options: Options, payload: Uint8Array) => Filling | null} [fill] the data that the server must have
 *   before a leg
 * @property {(said: string, options: Options) => Denied | null} [denied] whether what the server sent refuses the
 *   request for what a key says or lacks, such as a secret
 * @property {(received: string, options: Options) => TurnedAway | null} [turnedAway] whether the first reply, by its
 *   beginning, says that the request was probably not meant so
 * @property {RegExp} [begins] how a reply begins that is of no other protocol
 * @property {(options: Options) => string} [words] the request, such as "GET /path"; absent: there is nothing to say of
 *   it
 * @property {(options: Options) => string | null} [leaves] what it writes into a server and leaves there, such as
 *   "sets 10 keys value:..."
 */

/** In the order in which they are listed. */
const PROTOCOLS = Object.freeze({ echo, volley, ace, http, redis, memcached, raw, nats, stream, websocket });

/**
 * @typedef {typeof PROTOCOLS} Protocols
 * @typedef {{ [N in keyof Protocols]: Protocols[N] extends Protocol<infer Options, any> ? (options: Options) => void :
 *   never }[keyof Protocols]} TakesOptions of one of them
 * @typedef {TakesOptions extends (options: infer All) => void ? Partial<All> : never} ProtocolOptions in resolved form,
 *   of the protocol that a scenario names: the keys of the others are absent
 */

/** @type {ReadonlyMap<string, Protocol<any>>} */
const byName = new Map(Object.entries(PROTOCOLS));

/** @param {(protocol: Protocol<any>) => unknown} isListed @returns {readonly string[]} */
const namesOf = (isListed) => Object.freeze([...byName].filter(([, row]) => isListed(row)).map(([name]) => name));

/** The names of all. */
export const protocolNames = namesOf(() => true);

/** @param {string} name @returns {Protocol<any>} without anything where there is none of that name */
export const protocolOf = (name) => byName.get(name) ?? {};

/** Those that a probe tells apart, echo last: what it answers may be the reply of another. */
export const recognisedNames = Object.freeze(
  [...namesOf(({ probe }) => probe !== undefined)].sort((a, b) => Number(a === 'echo') - Number(b === 'echo')),
);

/**
 * By the scheme of a URL: its protocol, whether it means TLS, and the port where the URL has none.
 * @type {Readonly<Record<string, { protocol: string, port: number, tls?: true }>>}
 */
export const schemes = Object.freeze(
  Object.fromEntries(
    [...byName].flatMap(([protocol, { schemes: own = {} }]) =>
      Object.entries(own).map(([scheme, means]) => [scheme, { protocol, ...means }]),
    ),
  ),
);

/** @param {string} name @param {boolean} tls @returns {string | undefined} the scheme of a URL that says both */
export const schemeOf = (name, tls) =>
  Object.keys(schemes).find((scheme) => schemes[scheme].protocol === name && (schemes[scheme].tls ?? false) === tls);

/** The protocols that have the option `headers`. */
export const withHeaders = namesOf(({ hasHeaders }) => hasHeaders);

/** @param {string} name @param {unknown} options @returns {string | null} a file that is read when a leg is prepared */
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
export const protocolsThatVary = namesOf(({ variesPayload }) => variesPayload);

/** The protocols that have options. */
export const withOptions = namesOf(({ schema }) => schema !== undefined);

/**
 * @param {string} name
 * @param {unknown} options
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
