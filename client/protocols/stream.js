// Protocol stream, client side: bytes go to the server as fast as it takes them, and nothing comes back.

/** @import { Protocol } from './index.js' */

/** @type {Protocol<{}>} */
export const stream = { any: true, noun: 'transfer', hasReplies: false, pipelined: false, payload: '64KiB' };
