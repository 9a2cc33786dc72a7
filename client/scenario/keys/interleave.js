// Key `interleave`: whether servers are measured side by side, loaded one at a time for a slice. Pure.

import { parseDuration } from '../../words/units.js';

/** @typedef {'auto' | 'off' | number} Interleave  a number: ns of a slice */

/** @param {import('../scenario.js').Written['interleave']} raw @returns {Interleave} */
export const interleaveOf = (raw) => (raw === 'auto' || raw === 'off' ? raw : parseDuration(raw));
