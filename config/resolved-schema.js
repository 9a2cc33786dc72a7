// Makes config/schema/resolved.json, the schema of a run's scenario.json. Most keys are derived from the schema of
// scenarios; the others are listed here. `npm run reference` writes it.

import { derivedKeys, resolvedName } from '../client/scenario/resolve.js';

/** @import { KeySchema } from '../client/scenario/schema.js' */

const ref = (/** @type {string} */ name) => ({ $ref: `#/$defs/${name}` });
const AMOUNT = ref('amount');
const AMOUNT_OR_NULL = ref('amountOrNull');
const TEXT = { type: 'string' };
const TEXT_OR_NULL = { type: ['string', 'null'] };
const TEXTS = { type: 'array', items: TEXT };

/** @param {Record<string, object>} properties @param {string[]} [required] @param {string | string[]} [type] */
const objectOf = (properties, required, type = 'object') => ({
  type,
  ...(required && { required }),
  properties,
});
const OBJECT_OR_NULL = ['object', 'null'];

/** @param {KeySchema} schema @returns {object} schema of the resolved value */
function typeOf({ type, enum: values, properties, pattern, default: usual, 'x-unit': unit }) {
  if (properties !== undefined) {
    const entries = Object.entries(properties).map(([key, schema]) => [resolvedName(key, schema), typeOf(schema)]);
    const resolved = Object.fromEntries(entries);
    return { ...objectOf(resolved, Object.keys(resolved)), additionalProperties: false };
  }
  if (type === 'array') return TEXTS;
  if (values !== undefined) return { enum: usual === undefined ? [...values, null] : values };
  const types = unit === undefined ? [type].flat().map((name) => (name === 'integer' ? 'number' : name)) : ['number'];
  const orNull = usual === undefined ? [...types, 'null'] : types;
  return {
    type: orNull.length === 1 ? orNull[0] : orNull,
    ...(types.length > 1 && { pattern }), // the strings allowed instead of the other type
    ...(types.includes('array') && { items: TEXT }),
    ...(types.includes('number') && { minimum: 0, maximum: 1e18 }),
  };
}

const derived = Object.fromEntries(derivedKeys.map(([key, schema]) => [resolvedName(key, schema), typeOf(schema)]));

const PROFILE = {
  type: ['array', 'null'],
  minItems: 1,
  items: objectOf({ from: AMOUNT, to: AMOUNT, forNs: AMOUNT }, ['from', 'to', 'forNs']),
};
const REQUEST = { name: TEXT, weight: AMOUNT, method: TEXT, path: TEXT };
const TLS = {
  ...Object.fromEntries(['ca', 'serverName', 'certificate', 'key'].map((key) => [key, TEXT_OR_NULL])),
  ...{ verify: { type: 'boolean' }, resume: { type: 'boolean' } },
};

/** Keys that client/scenario/complete.js resolves, and keys that the run adds. */
const OTHERS = {
  name: TEXT,
  servers: {
    type: 'array',
    items: objectOf(
      {
        ...{ name: TEXT, as: TEXT, instances: AMOUNT, wrap: ref('wrap') },
        options: { type: 'object', additionalProperties: ref('scalar') },
        env: { type: 'object', additionalProperties: TEXT },
      },
      ['name', 'as'],
    ),
  },
  target: ref('endpoint'),
  targets: { type: 'array', minItems: 1, items: ref('endpoint') },
  command: TEXT,
  commands: { type: 'array', items: { type: 'object' } },
  instances: AMOUNT,
  wrap: ref('wrap'),
  listen: TEXT,
  interleave: { type: ['string', 'number'], minimum: 0, maximum: 1e18 },
  margin: AMOUNT,
  compareAt: objectOf({ share: AMOUNT, rate: AMOUNT }, undefined, OBJECT_OR_NULL),
  find: objectOf(
    { maximise: TEXT, goals: TEXTS, to: AMOUNT_OR_NULL, tolerance: AMOUNT, longestNs: AMOUNT },
    ['maximise', 'goals'],
    OBJECT_OR_NULL,
  ),
  connections: AMOUNT,
  connectionsProfile: PROFILE,
  sweep: { type: OBJECT_OR_NULL, additionalProperties: { type: 'array', minItems: 1, items: ref('scalar') } },
  tests: {
    type: ['array', 'null'],
    minItems: 1,
    items: objectOf({ as: TEXT, given: { type: 'object' } }, ['as', 'given']),
  },
  points: {
    type: ['array', 'null'],
    minItems: 1,
    items: objectOf(
      {
        axes: { type: 'object', additionalProperties: ref('scalar') },
        ...{ given: { type: 'object' }, settings: ref('settings') },
      },
      ['axes', 'given', 'settings'],
    ),
  },
  rate: AMOUNT_OR_NULL,
  rateProfile: PROFILE,
  protocolAssumed: { const: true },
  protocolOptions: objectOf({
    ...{ method: TEXT, path: TEXT, body: TEXT, keepAlive: { type: 'boolean' }, command: TEXT },
    mix: { type: 'object', additionalProperties: AMOUNT },
    headers: { type: 'object' },
    requests: { type: 'array', minItems: 1, items: objectOf(REQUEST) },
  }),
  tls: objectOf(TLS, Object.keys(TLS), OBJECT_OR_NULL),
  payloadBytes: AMOUNT,
  payloadMinBytes: AMOUNT_OR_NULL,
  payloadFile: objectOf({ path: TEXT, sha256: TEXT }, ['path'], OBJECT_OR_NULL),
  warmupNs: AMOUNT,
  warmupTransfers: AMOUNT_OR_NULL,
  budget: objectOf({ minNs: AMOUNT, looksNs: { type: 'array', items: AMOUNT } }, ['minNs'], OBJECT_OR_NULL),
  durationNs: AMOUNT,
  lifetime: objectOf(
    { transfers: AMOUNT_OR_NULL, timeNs: AMOUNT_OR_NULL, reopen: { type: 'boolean' } },
    ['transfers', 'timeNs'],
    OBJECT_OR_NULL,
  ),
  pin: objectOf({ client: TEXT_OR_NULL, server: TEXT_OR_NULL, cores: { type: OBJECT_OR_NULL } }),
  requestsFrom: {
    type: 'array',
    items: objectOf(
      {
        ...{ file: TEXT, taken: AMOUNT },
        leftOut: { type: 'array', items: objectOf({ reason: TEXT, count: AMOUNT }, ['reason', 'count']) },
      },
      ['file', 'taken', 'leftOut'],
    ),
  },
  named: { type: 'array', items: { type: 'object' } },
};

/** @returns {object} the schema */
export const resolvedSchema = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:broadside:schema:resolved',
  title: 'scenario.json of a run. Made from config/schema/scenario.json by npm run reference',
  description:
    'A scenario with all defaults filled in. What reads a run folder takes it only so. Durations are in ns, sizes in ' +
    'bytes; null: none. Of a point, settings are the keys that differ.',
  ...ref('settings'),
  $defs: {
    amount: { type: 'number', minimum: 0, maximum: 1e18 },
    amountOrNull: { type: ['number', 'null'], minimum: 0, maximum: 1e18 },
    scalar: { type: ['string', 'number', 'boolean', 'null'] },
    wrap: objectOf({ server: TEXT, client: TEXT }),
    endpoint: objectOf({ host: TEXT, port: AMOUNT }, ['host', 'port']),
    derived: {
      title: 'DerivedKeys',
      ...objectOf(derived, Object.keys(derived)),
      additionalProperties: false,
    },
    settings: objectOf({ ...derived, ...OTHERS }),
  },
});
