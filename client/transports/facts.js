// Asks the engine which transports this machine has: one line for each transport.

import { sctpError } from './sctp/engine.js';

/** @import { Host } from './index.js' */

/** @returns {Host} */
export const readTransports = () => ({ sctp: sctpError() });
