// Protocol volley, client side: whether a connection is verified before it counts as open. Pure.

/**
 * @import { WrittenScenario } from '../../config/types.js'
 * @import { Prepared } from './index.js'
 */

/** @typedef {WrittenScenario['volley']} VolleyOptions */

/**
 * @param {VolleyOptions} options
 * @returns {Prepared}
 */
export function prepareVolley({ verify }) {
  return { bytes: Buffer.alloc(0), parameters: { verify } };
}
