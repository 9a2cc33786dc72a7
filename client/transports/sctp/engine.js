// What the engine says of SCTP: whether the kernel has it, and the ends of one association.

import { endpointRecords } from '../../engine/endpoints.js';
import { addonPath, loadAddon } from '../../engine/prebuilt.js';

/** @import { Endpoint } from '../../engine/endpoints.js' */

/**
 * @type {{ sctp: () => string, association: (wanted: object) => { local: string[], peer: string[] } }}  sctp: the name
 *   of an errno, or empty
 */
const addon = loadAddon(addonPath());

/** @returns {string | null} why this kernel has no SCTP, as an errno's name; null: it has */
export const sctpError = () => addon.sctp() || null;

/**
 * Opens one SCTP association, for the addresses of its ends. Blocks, so it is not for a process that measures.
 * @param {{endpoint: Endpoint, transport: 'sctp' | 'sctp-seqpacket', timeoutNs: number}} options
 * @returns {{local: string[], peer: string[]}} such as 127.0.0.1:80
 * @throws {Error} with an errno's name as code
 */
export function inspectAssociation({ endpoint, transport, timeoutNs }) {
  return addon.association({ endpoint: endpointRecords([endpoint]), transport, timeoutNs });
}
