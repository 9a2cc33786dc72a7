// The table of protocols: the options of each, and what the client makes of them for the codecs in
// engine/core/protocol/. A scenario gives the options under the name of the protocol.

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
 * @typedef {{bytes: Uint8Array, parameters: Record<string, number | boolean>, codec?: string}} Prepared  shared by all
 *   connections of a leg; the codec's C file describes bytes and parameters. codec: absent if named like the protocol
 * @typedef {{payloadBytes: number, payloadMinBytes?: number | null, payload: Uint8Array,
 *   endpoint: {address: string, port: number}, transfersPerConnection?: number | null}} LegFacts
 *   payloadMinBytes: null or absent if each request carries the whole payload
 *   transfersPerConnection: null or absent if it is not known before the connection opens
 *
 * @typedef {{key: string, remedy: string}} Denied  key: of the scenario, to give or to correct
 *
 * @typedef {{status: number, said: string, remedy: string | null}} TurnedAway  said: status line and beginning of the
 *   reply's body
 */

/**
 * @template Options in resolved form; {} if the protocol has none
 * @template [Written=Options] valid by the schema
 * @typedef {object} Protocol
 * @property {string} [title] its name in sentences; absent if the same as its name
 * @property {{ description: string, properties: Record<string, object> }} [schema] of its options; absent without
 *   options
 * @property {Record<string, { port: number, tls?: true }>} [schemes] of its URLs; port: the default port of a scheme
 * @property {true} [hasPath] the path of such a URL is the option `path`, its host the option `host`
 * @property {true} [hasHeaders] it has the option `headers`, and the flag -H
 * @property {string} [login] what to do instead of giving a login in the URL
 * @property {Options} [probe] options of a request that recognises the protocol: it writes nothing, and only servers of
 *   this protocol answer it
 * @property {'transfer'} [noun] the name of an exchange; absent: a request
 * @property {false} [hasReplies] false: the server sends no replies
 * @property {true} [sendsPayloadAlone] a request is the payload, and at most a head of a few bytes
 * @property {boolean} [any] it works with servers of any protocol; they are started with the first protocol of their
 *   manifest
 * @property {boolean} [kinds] its codec distinguishes kinds of replies, which are counted (statuses) and have a live
 *   column
 * @property {boolean} [pipelined] false: a connection has at most one request in flight
 * @property {number} [toleratedIdleNs] time for which its servers usually keep an idle connection open; absent: forever
 * @property {string} [payload] default of the key `payload`
 * @property {number} [wordBytes] size of the random word that each request is; absent for other requests
 * @property {boolean} [emptyPayload] a payload may have no bytes
 * @property {true} [variesPayload] the requests may carry payloads of varying length
 * @property {(options: Written) => Options} [complete] returns its options in resolved form
 * @property {(options: Options) => boolean} [hasPayload] absent: always
 * @property {(given: Written) => string[]} [unused] keys without an effect if the options are as written
 * @property {(options: Options) => number[] | undefined} [sizes] bytes of the payloads; undefined if the options do not
 *   determine them. The key `payload` is the largest size
 * @property {string} [sizedBy] the keys that determine the sizes
 * @property {(options: Options, scenario: {pipeline: number}, given: Record<string, unknown>) => OptionMistake[]}
 *   [mistakes] that a schema cannot detect; given: the options as written
 * @property {(options: Options, leg: LegFacts) => Prepared} [prepare]
 * @property {(options: Options) => string | null} [file] path of a file that is read when a leg is prepared; null
 *   without one
 * @property {(options: Options, payload: Uint8Array) => Filling | null} [fill] stores data in the server before a leg;
 *   null if the requests need none
 * @property {(said: string, options: Options) => Denied | null} [denied] recognises a reply that refuses the request
 *   because of a key, such as a missing or wrong password
 * @property {(received: string, options: Options) => TurnedAway | null} [turnedAway] recognises, by the beginning of
 *   the first reply, that the request is probably wrong, such as a wrong path
 * @property {RegExp} [begins] matches the beginning of replies of this protocol, and of no other
 * @property {(options: Options) => string} [words] the request for people, such as "GET /path"; absent if the name of
 *   the protocol says it
 * @property {(options: Options) => string | null} [leaves] the data that its requests leave in a server, such as "sets
 *   10 keys value:..."; null if none
 */

/** Protocols in the order of lists. */
const PROTOCOLS = Object.freeze({ echo, volley, ace, http, redis, memcached, raw, nats, stream, websocket });

/**
 * @typedef {typeof PROTOCOLS} Protocols
 * @typedef {{ [N in keyof Protocols]: Protocols[N] extends Protocol<infer Options, any> ? (options: Options) => void :
 *   never }[keyof Protocols]} TakesOptions  of any protocol
 * @typedef {TakesOptions extends (options: infer All) => void ? Partial<All> : never} ProtocolOptions  resolved, of
 *   the protocol that a scenario names: the keys of other protocols are absent
 */

/** @type {ReadonlyMap<string, Protocol<any>>} */
const byName = new Map(Object.entries(PROTOCOLS));

/** @param {(protocol: Protocol<any>) => unknown} isListed @returns {readonly string[]} */
const namesOf = (isListed) => Object.freeze([...byName].filter(([, row]) => isListed(row)).map(([name]) => name));

export const protocolNames = namesOf(() => true);

/** @param {string} name @returns {Protocol<any>} an empty object if no protocol has this name */
export const protocolOf = (name) => byName.get(name) ?? {};

/** Protocols that have a probe. echo is last, because its reply to a probe may be a valid reply of another protocol. */
export const recognisedNames = Object.freeze(
  [...namesOf(({ probe }) => probe !== undefined)].sort((a, b) => Number(a === 'echo') - Number(b === 'echo')),
);

/**
 * By the scheme of a URL: the protocol, whether the scheme means TLS, and its default port.
 * @type {Readonly<Record<string, { protocol: string, port: number, tls?: true }>>}
 */
export const schemes = Object.freeze(
  Object.fromEntries(
    [...byName].flatMap(([protocol, { schemes: ofProtocol = {} }]) =>
      Object.entries(ofProtocol).map(([scheme, meaning]) => [scheme, { protocol, ...meaning }]),
    ),
  ),
);

/** @param {string} name @param {boolean} tls @returns {string | undefined} its scheme of URLs */
export const schemeOf = (name, tls) =>
  Object.keys(schemes).find((scheme) => schemes[scheme].protocol === name && (schemes[scheme].tls ?? false) === tls);

/** The protocols that have the option `headers`. */
export const withHeaders = namesOf(({ hasHeaders }) => hasHeaders);

/**
 * @param {string} name
 * @param {unknown} options
 * @returns {string | null} path of a file that is read when a leg is prepared
 */
export const fileOf = (name, options) => protocolOf(name).file?.(options) ?? null;

/**
 * Data of a server that Broadside starts is lost when the server ends; a target keeps what is written into it.
 * @param {Scenario} scenario
 * @returns {string | null} a sentence; null if nothing is written, or if Broadside starts the server
 */
export function leftBehind(scenario) {
  const { protocol, target } = scenario;
  if (target === undefined) return null;
  const optionsOfPoints = pointsOf(scenario).map(({ settings }) => settings.protocolOptions);
  const left = [...new Set(optionsOfPoints.flatMap((options) => protocolOf(protocol).leaves?.(options) ?? []))];
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
 * @returns {{protocol: string, protocolBytes: Uint8Array, protocolParameters: Prepared['parameters']}} settings of the
 *   engine; protocol: the name of the codec
 */
export function prepareProtocol(name, options, leg) {
  const prepared = protocolOf(name).prepare?.(options, leg);
  return {
    protocol: prepared?.codec ?? name,
    protocolBytes: new Uint8Array(prepared?.bytes ?? []),
    protocolParameters: prepared?.parameters ?? {},
  };
}
