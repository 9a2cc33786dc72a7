// What this machine has of each transport: one line each. It asks the engine.

import { sctpError } from './sctp/engine.js';

/** @import { Host } from './index.js' */

/** @returns {Host} */
export const readTransports = () => ({ sctp: sctpError() });
