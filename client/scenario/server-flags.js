// The options of a server as flags of the command line: named and validated as servers[].options of a scenario.

import { validatorOf } from '../../config/validators.js';
import { convert, flagOption, refuseTwice } from './flags.js';
import { explain, mistake, mistakesError } from './mistakes.js';
import { serverOptionsSchema } from './schema.js';
import { optionMistakes } from './server-checks.js';

const GROUP = 'Server options, where the server supports them:';
const where = (/** @type {string} */ path) => `--${path}`;
const validate = validatorOf('server-options');

/** @type {[string, import('./schema.js').KeySchema][]} */
const keys = Object.entries(serverOptionsSchema.properties);

/** @returns {Record<string, import('yargs').Options>} for `yargs.options()` */
export function serverFlags() {
  return Object.fromEntries(
    keys.map(([key, schema]) => {
      const byDefault =
        schema.type === 'boolean'
          ? 'off'
          : (schema['x-default'] ?? (schema.default === undefined ? undefined : String(schema.default)));
      return [key, flagOption(schema, GROUP, byDefault)];
    }),
  );
}

/**
 * @param {Record<string, unknown>} argv as yargs returns it
 * @returns {Record<string, unknown>} the options that were given, and no others
 * @throws {import('../errors.js').UsageError}
 */
export function serverOptionsOf(argv) {
  /** @type {Record<string, unknown>} */
  const options = {};
  for (const [key, schema] of keys) {
    const value = argv[key];
    if (value === undefined) continue;
    refuseTwice(key, value);
    options[key] = typeof value === 'string' ? convert(value, schema) : value;
  }
  const mistakes = validate(options)
    ? optionMistakes(/** @type {any} */ (options)).map(([key, code, data, why]) => mistake(where, code, key, data, why))
    : explain(validate.errors ?? [], where);
  if (mistakes.length > 0) throw mistakesError(mistakes, 'EOPTION');
  return options;
}
