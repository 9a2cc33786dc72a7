// The causes of rejects and errors, as people read them. Pure.

import { CAUSES } from '../measure/causes.js';

/**
 * @param {string} name of the cause of a reject or an error
 * @returns {string} its word, or more where that says too little
 */
export const causeName = (name) => CAUSES.find((cause) => cause.name === name)?.called ?? name;
