// The validators of the schemas by which documents are read, as set-up has compiled them into config/build/: to compile
// them takes longer than the rest of a start.

import { createRequire } from 'node:module';

/** @import { ValidateFunction } from 'ajv' */

const require = createRequire(import.meta.url);

/**
 * Loads it, when it is first needed: some are larger than all else that a command loads.
 * @param {string} name of a kind in compile-validators.js; `scenario` also fills in the schema's defaults
 * @returns {ValidateFunction}
 */
export const validatorOf = (name) => require(`./build/${name}.cjs`);
