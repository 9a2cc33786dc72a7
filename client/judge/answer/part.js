// What the answer of a run is made of. Pure.

/**
 * answer: to the question that the run asks; problem: a server failed at something; caution: what the answer depends on.
 * @typedef {{ code: string, severity: 'answer' | 'problem' | 'caution', data: Record<string, any>, text: string }} Part  text: a
 *   sentence
 */

/** @param {string} text @returns {string} with a full stop, where it has none */
export const sentence = (text) => (/[.!?…]$/.test(text) ? text : `${text}.`);

/**
 * @param {string} code @param {Record<string, any>} data @param {string} text
 * @returns {Part}
 */
export const answerPart = (code, data, text) => ({ code, severity: 'answer', data, text: sentence(text) });

/**
 * @param {string} code @param {Record<string, any>} data @param {string} text
 * @returns {Part}
 */
export const problemPart = (code, data, text) => ({ code, severity: 'problem', data, text: sentence(text) });

/**
 * @param {string} code @param {Record<string, any>} data @param {string} text
 * @returns {Part}
 */
export const cautionPart = (code, data, text) => ({ code, severity: 'caution', data, text: sentence(text) });
