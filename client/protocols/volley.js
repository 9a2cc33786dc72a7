// Protocol volley, client side: whether a connection is verified before it counts as open. Pure.

/** @typedef {import('../../config/types.js').WrittenScenario['volley']} VolleyOptions */

/**
 * @param {VolleyOptions} options
 * @returns {import('./index.js').Prepared}
 */
export function prepareVolley({ verify }) {
  return { bytes: Buffer.alloc(0), parameters: { verify } };
}
