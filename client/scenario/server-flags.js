// The options of a server as flags of the command line: named and validated as servers[].options of a scenario.

import { validatorOf } from '../../config/validators.js';
import { convert, flagOption, refuseTwice } from './flags.js';
import { explain, mistakesError } from './mistakes.js';
import { brokenRules } from './rules/rule.js';
import { optionRules } from './rules/servers.js';
import { serverOptionsSchema } from './schema.js';

const GROUP = 'Server options, where the server supports them:';
const PLACE = 'servers[0].options.';
const where = (/** @type {string} */ path) => `--${path.replace(PLACE, '')}`;
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
    ? brokenRules(optionRules, /** @type {any} */ ({ servers: [{ options }] }), where).map((mistake) => ({
        ...mistake,
        path: mistake.path.replace(PLACE, ''),
      }))
    : explain(validate.errors ?? [], where);
  if (mistakes.length > 0) throw mistakesError(mistakes, 'EOPTION');
  return options;
}
