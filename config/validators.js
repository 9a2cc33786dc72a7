// Loads the validators that set-up has compiled from the schemas into config/build/. Compiling them at each start would
// take longer than the rest of the start.

import { createRequire } from 'node:module';

/** @import { ValidateFunction } from 'ajv' */

const require = createRequire(import.meta.url);

/**
 * Loads a validator on its first use: some are larger than everything else that a command loads.
 * @param {string} name of a kind in compile-validators.js; `scenario` also fills in the schema's defaults
 * @returns {ValidateFunction}
 */
export const validatorOf = (name) => require(`./build/${name}.cjs`);
