// Protocol volley, client side: whether a connection is verified before it counts as open. Pure.

/** @typedef {{ verify: boolean }} VolleyOptions */

/**
 * @param {VolleyOptions} options
 * @returns {import('./index.js').Prepared}
 */
export function prepareVolley({ verify }) {
  return { bytes: Buffer.alloc(0), parameters: { verify } };
}
