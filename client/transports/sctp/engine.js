// What the engine says of SCTP: the stacks that are there, the settings of usrsctp, the ends of one association.

import { endpointRecords } from '../../engine/endpoints.js';
import { addonPath, loadAddon } from '../../engine/prebuilt.js';

/**
 * @import { SctpStack } from '../../../config/types.js'
 * @import { Endpoint } from '../../engine/endpoints.js'
 * @import { Facts } from './index.js'
 */

/** @type {any} */
const addon = loadAddon(addonPath());

const WITHOUT_USRSCTP = 'the engine is built without usrsctp (Debian 12: apt-get install libusrsctp-dev)';

/** @returns {Facts['sctp']} */
export function sctpStacks() {
  /** @type {{kernel: string, usrsctp: string}} its version */
  const { kernel, usrsctp } = addon.sctp();
  return {
    kernel: kernel ? `this kernel answers ${kernel}` : null,
    usrsctp: usrsctp ? null : WITHOUT_USRSCTP,
    version: usrsctp,
  };
}

/**
 * What usrsctp's timers (ms) and buffers (bytes) are set to, by the names that Linux gives the same settings.
 * @returns {Record<string, number>}
 * @throws {Error} code EBUSY while an engine uses usrsctp, ENOSYS where the engine is built without it
 */
export const usrsctpSettings = () => addon.usrsctpSettings();

/**
 * Opens one SCTP association, for the addresses of its ends. Blocks, so it is not for a process that measures.
 * @param {{endpoint: Endpoint, transport: 'sctp' | 'sctp-seqpacket',
 *   stack: SctpStack, timeoutNs: number}} options
 * @returns {{local: string[], peer: string[]}} such as 127.0.0.1:80; over usrsctp of its UDP socket
 * @throws {Error} with an errno's name as code
 */
export function inspectAssociation({ endpoint, transport, stack, timeoutNs }) {
  return addon.association({ endpoint: endpointRecords([endpoint]), transport, stack, timeoutNs });
}

/**
 * @param {Set<string | undefined>} stacks that a run uses
 * @param {Facts} host
 * @returns {Record<string, Record<string, string | number>>} of environment.json: usrsctp has no sysctls
 */
export const stackConditions = (stacks, { sctp }) =>
  stacks.has('usrsctp') ? { usrsctp: { version: sctp.version, ...usrsctpSettings() } } : {};
