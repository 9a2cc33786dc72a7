// Names of the causes of rejects and errors.

import { CAUSES } from '../measure/causes.js';

/**
 * @param {string} name of a cause
 * @returns {string} its name for people: the cause itself, or a longer text
 */
export const causeName = (name) => CAUSES.find((cause) => cause.name === name)?.called ?? name;
