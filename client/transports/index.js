// What can carry the bytes of a leg besides TCP: one line each. The rest of the client asks here what differs from TCP,
// and names no transport. Pure.

import { sctp } from './sctp/index.js';
import { udp } from './udp.js';

/**
 * @import { Data } from '../errors.js'
 * @import { LimitText } from '../plan/limits/texts.js'
 * @import { Rule } from '../scenario/rules/rule.js'
 * @import { Facts } from './sctp/index.js'
 */

/**
 * @typedef {'tcp' | 'sctp' | 'sctp-seqpacket' | 'udp'} Transport
 * @typedef {Facts} Host  what machines have of the transports
 *
 * @typedef {object} Fact  of limits/texts.js: code and data
 * @property {string} code
 * @property {Data} data
 *
 * @typedef {object} Kind
 * @property {readonly Exclude<Transport, 'tcp'>[]} names  of key `transport`
 * @property {(transport: string) => string} text  in the words of console and page
 * @property {string} label  a word beside a figure
 * @property {string} choice  its names, as a help lists them
 * @property {string} [addresses]  what a server can listen on besides one address
 * @property {boolean} verified  servers/conformance/ has checks of a server over it
 * @property {boolean} usesTcpMemory
 * @property {Rule[]} rules  about a scenario
 * @property {string[]} [sysctls]  folders of /proc/sys with its settings, which are there where its module is loaded
 * @property {(transport: Transport, host: Host) => Fact | null} [missing]  what it needs and the machine does not have
 * @property {(host: Host) => { name: string, value: string, data: unknown }} [fact]  of the machine, for `doctor`
 * @property {(hosts: Host[]) => Host} [combined]  what all of them have
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
export const otherTransports = KINDS.map(({ names: [name], label }) => ({ name, label }));

export const transportSysctls = KINDS.flatMap(({ sysctls = [] }) => sysctls);

export const transportRules = KINDS.flatMap(({ rules }) => rules);

/** @param {Host[]} hosts @returns {Host} what all of them have */
export const combinedTransports = (hosts) => Object.assign({}, ...KINDS.map(({ combined }) => combined?.(hosts)));

/** What the machine has of each transport. @param {Host} host */
export const transportFacts = (host) => KINDS.flatMap(({ fact }) => fact?.(host) ?? []);

export const transportLimitTexts = Object.assign({}, ...KINDS.map(({ limitTexts }) => limitTexts));

/** @param {string | undefined} transport @returns {string | null} such as: SCTP one-to-one; null over TCP */
export const transportText = (transport) => kindOf(transport)?.text(/** @type {string} */ (transport)) ?? null;
