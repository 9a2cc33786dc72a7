// Protocol echo, client side: the reply is the request.

/** @import { Protocol } from './index.js' */

/** @type {Protocol<{}>} */
export const echo = {
  probe: {},
  noun: 'transfer',
  sendsPayloadAlone: true,
  variesPayload: true,
};
