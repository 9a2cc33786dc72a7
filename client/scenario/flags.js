// The scenario's flags, derived from its schema: one flag for each key, nested keys with dots. Values stay as typed
// until the schema validates them, so that flags and files get the same messages.

import { UsageError } from '../errors.js';
import { headingOf, inHelpOrder } from './help-groups.js';
import { isTooDeep } from './json.js';
import { commandOfFlags } from './keys/commands.js';
import { headersOfFlags } from './keys/headers.js';
import { splitTargets } from './keys/url.js';
import { axisKeys } from './keys/sweep.js';
import { expected, scenarioKeys } from './schema.js';
import { sayable } from '../words/secrets.js';
import { guessUnit } from '../words/units.js';

/**
 * @import { Options } from 'yargs'
 * @import { KeySchema } from './schema.js'
 */

/** @typedef {Record<string, unknown>} Flags  dotted key -> value as the schema wants it; only flags that were given */

/** The last line of the help of a command that takes these flags. */
export const unitsHelp = 'Durations: 500ms, 5s, 1m. Sizes: 1B, 1KiB, 1MiB. Rates: 50000/s. Guides: config/README.md';

/** Keys in the order of the help. */
const sortedKeys = inHelpOrder(scenarioKeys);

/**
 * The flags of a sweep's axes, with the schema of one value. The help lists only those that the schema names itself.
 * @type {[string, KeySchema][]}
 */
const axisFlags = axisKeys
  .filter((key) => !scenarioKeys.has(`sweep.${key}`))
  .map((key) => [`sweep.${key}`, /** @type {KeySchema} */ (scenarioKeys.get(key))]);

/**
 * @returns {Record<string, Options>} for `yargs.options()`; none has a default, so that only what was
 *   typed overrides the file
 */
export function scenarioOptions() {
  /** @type {Record<string, Options>} */
  const options = {
    config: {
      alias: 'scenario',
      type: 'string',
      requiresArg: true,
      group: headingOf('config', { 'x-group': 'scenario' }),
      description:
        'Scenario to run: a file, or the name of one that comes with Broadside (default: broadside.json, if there)',
    },
  };
  for (const [key, schema] of sortedKeys) {
    if (schema['x-flag'] === false) continue;
    const alias = schema['x-alias'];
    options[key] = {
      ...flagOption(schema, headingOf(key, schema), defaultText(key, schema)),
      ...(alias === undefined ? {} : { alias }),
    };
  }
  for (const [key] of axisFlags) options[key] = { type: 'string', requiresArg: true, hidden: true };
  return options;
}

/**
 * @param {KeySchema} schema
 * @param {string} group heading of the help
 * @param {string | undefined} byDefault
 * @returns {Options} whose description ends with the valid values and the default
 */
export function flagOption(schema, group, byDefault) {
  const flag = schema.type === 'boolean';
  const remarks = [
    ...(isPlain(schema) ? [] : [expected(schema, true)]),
    ...(byDefault === undefined ? [] : [`default: ${byDefault}`]),
  ];
  const description = schema.description + (remarks.length === 0 ? '' : ` (${remarks.join('; ')})`);
  return { type: flag ? 'boolean' : 'string', requiresArg: !flag, group, description };
}

/**
 * The default of a key as the help states it. That of a switch that is on names the flag that turns it off.
 * @param {string} key
 * @param {KeySchema} schema
 * @returns {string | undefined}
 */
function defaultText(key, schema) {
  if (schema.type === 'boolean') return schema.default === true ? `on; --no-${key} turns it off` : 'off';
  const { default: usual } = schema;
  const isScalar = usual !== '' && Object(usual) !== usual;
  const value = schema['x-default'] ?? (isScalar ? usual : undefined);
  return value === undefined ? undefined : String(value);
}

/**
 * @param {KeySchema} schema
 * @returns {boolean} whether its help need not describe valid values: a switch, any text, or clear from its default
 */
function isPlain(schema) {
  return (
    schema.type === 'boolean' ||
    (schema['x-unit'] !== undefined && schema.items === undefined) ||
    (schema.type === 'string' && schema.enum === undefined)
  );
}

/** Commas, except those inside the brackets of a pattern such as {c,go}/*. */
const BETWEEN = /,(?![^{(]*[})])/;

/**
 * @param {string} text
 * @param {KeySchema} schema
 * @returns {unknown} the text as the type of that key, or unchanged when it cannot be
 */
export function convert(text, schema) {
  const types = [schema.type].flat();
  if (types.includes('string') && schema.pattern !== undefined && new RegExp(schema.pattern).test(text)) return text;
  if (schema.items?.type === 'object' && text.trimStart().startsWith('[')) return listOf(text);
  if (isList(schema)) {
    const list = text
      .split(BETWEEN)
      .map((name) => name.trim())
      .filter((name) => name !== '');
    if (list.length === 0) return text;
    return schema.items?.type === 'integer'
      ? list.map((entry) => convert(entry, /** @type {KeySchema} */ (schema.items)))
      : list;
  }
  if (types.includes('integer') || types.includes('number')) return numberOf(text) ?? text;
  const unit = schema['x-unit'];
  return unit === 'duration' || unit === 'rate' ? (guessUnit(text, unit) ?? text) : text;
}

/** Suffixes of numbers: 10k, 2M. @type {Record<string, number>} */
const FACTORS = { k: 1e3, K: 1e3, M: 1e6 };

/** @param {string} text @returns {number | undefined} from 500, 1e6, 10k; undefined: not a number */
function numberOf(text) {
  const [, digits, exponent = '', factor = ''] = /^(-?[0-9]+(?:\.[0-9]+)?)(e[0-9]{1,2}|)([kKM]?)$/.exec(text) ?? [];
  if (digits === undefined || (exponent !== '' && factor !== '')) return undefined;
  return Number(`${digits}${exponent}`) * (FACTORS[factor] ?? 1);
}

/**
 * @param {string} text @param {KeySchema} schema of one value
 * @returns {unknown[]}
 */
function axisValues(text, schema) {
  const values = text.split(',').map((value) => value.trim());
  if (schema.type === 'boolean')
    return values.map((value) => (['true', 'false'].includes(value) ? value === 'true' : value));
  const { items: _, ...single } = schema;
  return values
    .filter((value) => value !== '')
    .map((value) => convert(value, { ...single, type: scalarTypes(schema) }));
}

/** @param {KeySchema} schema @returns {string[]} its types except a list */
const scalarTypes = ({ type = [] }) => [type].flat().filter((type) => type !== 'array');

/** @param {KeySchema} schema @returns {boolean} whether its flag takes a list separated by commas */
function isList(schema) {
  return [schema.type].flat().includes('array') && schema.items?.type !== 'object';
}

/** @param {string} text @returns {unknown} the parsed list; the text itself when it is not JSON */
function listOf(text) {
  if (isTooDeep(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * @param {string} key
 * @param {unknown} value of the flag: a list when it was given more than once
 * @throws {UsageError}
 */
export function refuseTwice(key, value) {
  if (!Array.isArray(value)) return;
  const values = value.map((entry) => sayable(entry, key.replace(/^.*\./, '')));
  throw new UsageError(`--${key}: given ${value.length} times (${values.join(', ')}); give it once`, {
    code: 'ETWICE',
    data: { key, values },
  });
}

/**
 * The scenario keys among parsed arguments.
 * @param {Record<string, unknown>} argv as yargs returns it (with `dot-notation` off)
 * @returns {Flags}
 * @throws {UsageError} when a flag was given twice
 */
export function flagsOf(argv) {
  /** @type {Flags} */
  const flags = {};
  refuseTwice('config', argv.config);
  for (const [key, schema] of scenarioKeys) {
    const value = argv[key];
    if (value === undefined || schema['x-flag'] === false) continue;
    if (key === 'command') {
      flags[key] = commandOfFlags([value].flat().map(String));
      continue;
    }
    if (key === 'target') {
      flags[key] = [value].flat().flatMap((text) => splitTargets(String(text)));
      continue;
    }
    if (key === 'http.headers') {
      const { headers, hosts } = headersOfFlags([value].flat().map(String));
      const allHosts = [argv['http.host'] ?? [], hosts].flat();
      if (allHosts.length > 1) refuseTwice('http.host', allHosts);
      if (Object.keys(headers).length > 0) flags[key] = headers;
      if (hosts.length > 0) [flags['http.host']] = hosts;
      continue;
    }
    if (!isList(schema)) refuseTwice(key, value);
    flags[key] = typeof value === 'boolean' ? value : convert([value].flat().join(','), schema);
  }
  for (const [key, schema] of axisFlags) {
    if (argv[key] !== undefined) flags[key] = axisValues([argv[key]].flat().join(','), schema);
  }
  return flags;
}
