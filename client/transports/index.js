// The table of transports besides TCP, one line for each. The rest of the client asks here how a transport differs from
// TCP, and does not name transports.

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
 * @typedef {Facts} Host  the transports that a machine has
 *
 * @typedef {object} Fact  code and data of a limit (limits/texts.js)
 * @property {string} code
 * @property {Data} data
 *
 * @typedef {object} Kind
 * @property {readonly Exclude<Transport, 'tcp'>[]} names  values of the key `transport`
 * @property {(transport: string) => string} text  its name on console and page
 * @property {string} label  its name beside a figure
 * @property {string} choice  its values of the key `transport`, for a help text
 * @property {string} [addresses]  the addresses that a server can listen on besides a single one, for a help text
 * @property {boolean} verified  servers/conformance/ checks servers over it
 * @property {boolean} usesTcpMemory
 * @property {Rule[]} rules  for scenarios
 * @property {string[]} [sysctls]  folders of /proc/sys with its settings, which exist if its module is loaded
 * @property {(transport: Transport, host: Host) => Fact | null} [missing]  what the machine lacks for it; null if
 *   nothing
 * @property {(host: Host) => { name: string, value: string, data: unknown }} [fact]  about the machine, for `doctor`
 * @property {(hosts: Host[]) => Host} [combined]  what all the machines have
 * @property {Record<string, LimitText>} [limitTexts]
 */

/** @type {readonly Kind[]} */
const KINDS = [sctp, udp];

/** @param {string | undefined} transport @returns {Kind | undefined} undefined for TCP and unix sockets */
export const kindOf = (transport) => KINDS.find(({ names }) => names.some((name) => name === transport));

/** The values of key `transport`. @type {readonly Transport[]} */
export const transportNames = ['tcp', ...KINDS.flatMap(({ names }) => names)];

/** Transports over which servers are checked. @type {readonly Transport[]} */
export const verifiedTransports = ['tcp', ...KINDS.flatMap(({ names, verified }) => (verified ? names : []))];

/** All values of the key `transport`, for a help text. */
export const transportChoice = ['tcp', ...KINDS.map(({ choice }) => choice)].join(', ');

/** The addresses that a server can listen on besides a single one, each preceded by "; ". */
export const moreAddresses = KINDS.map(({ addresses }) => (addresses ? `; ${addresses}` : '')).join('');

/** The first name of each transport, with its label. */
export const otherTransports = KINDS.map(({ names: [name], label }) => ({ name, label }));

export const transportSysctls = KINDS.flatMap(({ sysctls = [] }) => sysctls);

export const transportRules = KINDS.flatMap(({ rules }) => rules);

/** @param {Host[]} hosts @returns {Host} what all the machines have */
export const combinedTransports = (hosts) => Object.assign({}, ...KINDS.map(({ combined }) => combined?.(hosts)));

/** Facts about the machine for each transport. @param {Host} host */
export const transportFacts = (host) => KINDS.flatMap(({ fact }) => fact?.(host) ?? []);

export const transportLimitTexts = Object.assign({}, ...KINDS.map(({ limitTexts }) => limitTexts));

/** @param {string | undefined} transport @returns {string | null} such as "SCTP one-to-one"; null for TCP */
export const transportText = (transport) => kindOf(transport)?.text(/** @type {string} */ (transport)) ?? null;
