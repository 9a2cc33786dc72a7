// What can carry the bytes of a leg besides TCP: one line each. The rest of the client asks here what differs from TCP,
// and names no transport. Pure. A stack in user space is always said to be one, because its figures do not compare with
// those of a kernel.

import { sctp } from './sctp/index.js';
import { udp } from './udp.js';

/**
 * @import { LegSummary } from '../../config/types.js'
 * @import { LimitText } from '../plan/limits/texts.js'
 * @import { Rule } from '../scenario/rules/rule.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Facts, Keys } from './sctp/index.js'
 */

/**
 * @typedef {'tcp' | 'sctp' | 'sctp-seqpacket' | 'udp'} Transport
 * @typedef {Facts} Host  what machines have of the transports
 * @typedef {{ transport: Transport } & Keys} Wish
 *
 * @typedef {object} Carrier  what carries the bytes of a leg
 * @property {LegSummary['transport']} [transport]  absent: TCP, or a unix socket
 * @property {LegSummary['stack']} [stack]
 *
 * @typedef {object} Choice  what is not in a summary
 * @property {boolean} [inUserSpace]  a process of the client has one stack, so one engine, and all its connections are
 *   one UDP flow
 *
 * @typedef {object} Fact  of limits/texts.js: code and data; available and needed where there is something to count
 * @property {string} code
 * @property {Record<string, any>} data
 *
 * @typedef {object} Kind
 * @property {readonly Exclude<Transport, 'tcp'>[]} names  of key `transport`
 * @property {(carrier: Carrier) => string} text  in the words of console and page
 * @property {(carrier: Carrier) => string} label  a few words beside a figure
 * @property {string} choice  its names, as a help lists them
 * @property {string} [addresses]  what a server can listen on besides one address
 * @property {boolean} verified  servers/conformance/ has checks of a server over it
 * @property {boolean} usesTcpMemory
 * @property {Rule[]} rules  about a scenario; also of keys that only this transport has
 * @property {(keyof Keys)[]} [keys]  of a scenario, without a rule of their own: the value is the one written
 * @property {string[]} [sysctls]  folders of /proc/sys with its settings, which are there where its module is loaded
 * @property {Record<string, { title: string, text: (name: string, value: number) => string }>} [conditions]  how its
 *   settings that are no sysctls are shown, by what has them
 * @property {(wish: Wish, host: Host) => Carrier & Choice} [carrierOf]  absent: nothing but the transport
 * @property {(wish: Wish, host: Host) => Fact | null} [missing]  what it needs and the machine does not have
 * @property {(wish: Wish, host: Host) => Fact & { available: string, needed: string } | null} [chosen]  what `doctor`
 *   says of it
 * @property {(connections: number, workers: number) => Fact & { available: number, needed: number }} [ports]  of a
 *   choice in user space
 * @property {(host: Host) => { name: string, value: string, data: unknown }} [fact]  of the machine, for `doctor`
 * @property {(hosts: Host[]) => Host} [combined]  what all of them have
 * @property {(carrier: Carrier) => string[]} [serverWords]  arguments of a shipped server
 * @property {(carrier: Carrier, server: { stack?: string | null }) => void} [checkServer]  throws where the two do not
 *   fit
 * @property {Record<string, LimitText>} [limitTexts]
 */

/** @type {readonly Kind[]} */
const KINDS = [sctp, udp];

/** @param {string | undefined} transport @returns {Kind | undefined} undefined: TCP, or a unix socket */
export const kindOf = (transport) => KINDS.find(({ names }) => names.some((name) => name === transport));

/** The values of key `transport`. @type {readonly Transport[]} */
export const transportNames = ['tcp', ...KINDS.flatMap(({ names }) => names)];

/** Those that a server can be checked over. @type {readonly Transport[]} */
export const verifiedTransports = ['tcp', ...KINDS.flatMap(({ names, verified }) => (verified ? names : []))];

/** The names of all, as a help lists them. */
export const transportChoice = ['tcp', ...KINDS.map(({ choice }) => choice)].join(', ');

/** What a server can listen on besides one address, each preceded by "; ". */
export const moreAddresses = KINDS.map(({ addresses }) => (addresses ? `; ${addresses}` : '')).join('');

/** The first of the names of each, with its label. */
export const otherTransports = KINDS.map(({ names: [name], label }) => ({ name, label: label({ transport: name }) }));

export const transportKeys = KINDS.flatMap(({ keys = [] }) => keys);

export const transportSysctls = KINDS.flatMap(({ sysctls = [] }) => sysctls);

/** @param {Wish} wish @param {Host} host @returns {Carrier & Choice} */
export function carrierOf(wish, host) {
  const kind = kindOf(wish.transport);
  if (kind === undefined || wish.transport === 'tcp') return {};
  return { transport: wish.transport, ...kind.carrierOf?.(wish, host) };
}

export const transportRules = KINDS.flatMap(({ rules }) => rules);

/** @param {Host[]} hosts @returns {Host} what all of them have */
export const combinedTransports = (hosts) => Object.assign({}, ...KINDS.map(({ combined }) => combined?.(hosts)));

/** What the machine has of each transport. @param {Host} host */
export const transportFacts = (host) => KINDS.flatMap(({ fact }) => fact?.(host) ?? []);

export const transportLimitTexts = Object.assign({}, ...KINDS.map(({ limitTexts }) => limitTexts));

/**
 * @param {{transport?: string, stack?: string}} leg
 * @returns {string | null} such as: SCTP one-to-one, user-space stack usrsctp over UDP; null over TCP
 */
export const transportText = (leg) => kindOf(leg.transport)?.text(/** @type {Carrier} */ (leg)) ?? null;

/**
 * @param {{transport?: string, stack?: string}} leg
 * @returns {string | null} a few words beside a figure: "UDP", "SCTP", "SCTP in user space"; null over TCP
 */
export const transportLabel = (leg) => kindOf(leg.transport)?.label(/** @type {Carrier} */ (leg)) ?? null;

/**
 * @param {Record<string, Record<string, string | number>>} [conditions] of environment.json
 * @returns {{ title: string, rows: [name: string, text: string][] }[]} settings of transports that are no sysctls
 */
export const transportSettings = (conditions = {}) =>
  KINDS.flatMap(({ conditions: shown = {} }) =>
    Object.entries(shown).flatMap(([key, { title, text }]) => {
      const settings = conditions[key];
      if (settings === undefined) return [];
      const entries = Object.entries(settings);
      const write = (/** @type {string} */ name, /** @type {string | number} */ value) =>
        typeof value === 'string' ? value : text(name, value);
      return [
        { title, rows: entries.map(([name, value]) => /** @type {[string, string]} */ ([name, write(name, value)])) },
      ];
    }),
  );
