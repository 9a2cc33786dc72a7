// Protocol volley, client side: its option `verify`, which checks each connection before it counts as open.

/**
 * @import { WrittenScenario } from '../../config/types.js'
 * @import { Prepared, Protocol } from './index.js'
 */

/** @typedef {WrittenScenario['volley']} VolleyOptions */

/**
 * @param {VolleyOptions} options
 * @returns {Prepared}
 */
function prepareVolley({ verify }) {
  return { bytes: Buffer.alloc(0), parameters: { verify } };
}

/** @type {Protocol<VolleyOptions>} */
export const volley = {
  schema: {
    description: 'Options of protocol volley',
    properties: {
      verify: {
        type: 'boolean',
        default: false,
        description:
          'Send the word 1 first on each connection; the connection counts as open when the reply is 2, otherwise as rejected (cause greeting)',
      },
    },
  },
  payload: '4B',
  wordBytes: 4,
  prepare: prepareVolley,
};
