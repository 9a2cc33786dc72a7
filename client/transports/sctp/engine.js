// Asks the engine whether the kernel has SCTP, and for the addresses of an association.

import { endpointRecords } from '../../engine/endpoints.js';
import { addonPath, loadAddon } from '../../engine/prebuilt.js';

/** @import { Endpoint } from '../../engine/endpoints.js' */

/**
 * @type {{ sctp: () => string, association: (wanted: object) => { local: string[], peer: string[] } }}  sctp: why the
 *   kernel has no SCTP, as the name of an errno; empty if it has SCTP
 */
const addon = loadAddon(addonPath());

/** @returns {string | null} why this kernel has no SCTP, as the name of an errno; null if it has SCTP */
export const sctpError = () => addon.sctp() || null;

/**
 * Opens an SCTP association to learn the addresses of its ends. Blocks: do not call it while measuring.
 * @param {{endpoint: Endpoint, transport: 'sctp' | 'sctp-seqpacket', timeoutNs: number}} options
 * @returns {{local: string[], peer: string[]}} endpoints such as 127.0.0.1:80
 * @throws {Error} with the name of an errno as code
 */
export function inspectAssociation({ endpoint, transport, timeoutNs }) {
  return addon.association({ endpoint: endpointRecords([endpoint]), transport, timeoutNs });
}
