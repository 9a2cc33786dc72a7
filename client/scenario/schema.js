// The schema of scenarios: the keys of config/schema/keys.json, and below them the options of each protocol
// (protocols/). Flattened, it is the list of keys from which flags, help and defaults come.

import { readFileSync } from 'node:fs';
import { protocolNames, protocolOf } from '../protocols/index.js';

/** @import { ServerEntry } from './scenario.js' */

/**
 * @typedef {object} KeySchema
 * @property {string | string[]} [type]
 * @property {string} [description]
 * @property {unknown} [default]
 * @property {string} [pattern]
 * @property {number} [maxLength]
 * @property {string[]} [enum]
 * @property {KeySchema} [items]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {Record<string, KeySchema>} [properties]
 * @property {'duration' | 'size' | 'rate'} [x-unit]
 * @property {string} [x-most]        the longest duration
 * @property {string} [x-least]       the shortest duration; absent: any above 0s
 * @property {string} [x-expects]       the valid values, where the type does not say it
 * @property {string} [x-flag-expects]  the same for the flag
 * @property {string} [x-default]       a default that is computed, in words
 * @property {string} [x-words]         its name in descriptions of a run: connect timeout
 * @property {false} [x-row]            no row in the plan, in spite of x-words
 * @property {string} [x-group]         its section of the reference
 * @property {string} [x-heading]       its heading in the help, where it differs from that of the group
 * @property {false} [x-flag]           not a flag
 * @property {{ code: string, data?: string, why?: string }} [x-mistake]  for keys that do not go together (not,
 *   dependentRequired): the code, the name of the value in the data, and the reason
 * @property {true} [x-engine]         the engine is given the value as it is (engine-keys.js)
 * @property {string} [x-alias]         another name of the flag, used in messages
 */

const KEYS = new URL('../../config/schema/keys.json', import.meta.url);

/** @param {string} name of a protocol @returns {[string, object][]} the schema of its options; empty without options */
function blockOf(name) {
  const { schema } = protocolOf(name);
  if (schema === undefined) return [];
  const { description, properties } = schema;
  return [
    [
      name,
      {
        ...{ type: 'object', default: {}, additionalProperties: false },
        ...{ description, 'x-group': 'protocols', properties },
      },
    ],
  ];
}

/** @typedef {KeySchema & { properties: Record<string, KeySchema> }} ObjectSchema */

/** @returns {ObjectSchema} the schema; `npm run reference` writes it into config/schema/scenario.json */
function composed() {
  const { properties, ...schema } = JSON.parse(readFileSync(KEYS, 'utf8'));
  const protocol = { ...properties.protocol, enum: protocolNames };
  return {
    ...schema,
    properties: { ...properties, protocol, ...Object.fromEntries(protocolNames.flatMap(blockOf)) },
  };
}

export const scenarioSchema = composed();

/** The options that a scenario may set for a server. */
export const serverOptionsSchema = /** @type {ObjectSchema} */ (
  scenarioSchema.properties.servers.items?.properties?.options
);
/** The options of a server for which none are given. */
export const defaultOptions = /** @type {ServerEntry['options']} */ (
  Object.fromEntries(
    Object.entries(serverOptionsSchema.properties).flatMap(([key, { default: value }]) =>
      value === undefined ? [] : [[key, value]],
    ),
  )
);

/**
 * @param {Record<string, KeySchema>} properties
 * @param {string} prefix
 * @param {{ 'x-group': string, 'x-heading'?: string }} parent
 * @returns {[string, KeySchema & {'x-group': string}][]}
 */
function flatten(properties, prefix, parent) {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const { 'x-group': group = parent['x-group'], 'x-heading': heading = parent['x-heading'] } = schema;
    const place = { 'x-group': group, ...(heading !== undefined && { 'x-heading': heading }) };
    if (schema.properties !== undefined) {
      const { properties, ...switched } = schema; // an object that may also be true is a flag itself
      const switchKey = [schema.type].flat().includes('boolean') ? { [key]: { ...switched, type: 'boolean' } } : {};
      return [...flatten(switchKey, prefix, place), ...flatten(properties, `${prefix}${key}.`, place)];
    }
    return [[prefix + key, { ...schema, ...place }]];
  });
}

/** Every key of a scenario that holds a value, by its dotted name (`ramp.add`), in the schema's order. */
export const scenarioKeys = new Map(flatten(scenarioSchema.properties ?? {}, '', { 'x-group': 'scenario' }));

/**
 * Describes the valid values of a key, for messages and for help.
 * @param {KeySchema} schema
 * @param {boolean} [flag] whether it is for a flag
 * @returns {string}
 */
export function expected(schema, flag = false) {
  if (flag && schema['x-flag-expects'] !== undefined) return schema['x-flag-expects'];
  if (schema['x-expects'] !== undefined) return schema['x-expects'];
  if (schema['x-unit'] === 'duration') return 'a duration such as 500ms, 5s or 1m';
  if (schema['x-unit'] === 'size') return 'a size such as 1B, 1KiB or 1MiB';
  if (schema['x-unit'] === 'rate') return 'a rate such as 50000/s';
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  switch (schema.type) {
    case 'integer':
    case 'number': {
      const kind = schema.type === 'integer' ? 'a whole number' : 'a number';
      if (schema.minimum === undefined) return kind;
      return `${kind} from ${schema.minimum}${schema.maximum === undefined ? '' : ` to ${schema.maximum}`}`;
    }
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'a list';
    case 'object':
      return `an object with ${Object.keys(schema.properties ?? {}).join(', ') || 'names and texts'}`;
    default:
      return 'a text that is not empty';
  }
}
