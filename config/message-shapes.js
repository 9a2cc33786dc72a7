// Makes client/agents/protocol-version.js from what the messages between controller and agents consist of, so that it
// changes with every change of them. `npm run reference` writes it.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { encode } from '../client/agents/codec.js';
import * as causes from '../client/measure/causes.js';
import * as fields from '../client/measure/fields.js';
import { scenarioKeys } from '../client/scenario/schema.js';

/** Where the types of the messages are, and of what they carry. */
const TYPES = ['agents/messages.js', 'agents/server-messages.js', 'run/cluster/messages.js', 'engine/index.js'];
const DIGITS = 12;

/** @param {string} path @returns {string} */
const textOf = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** @param {string} code @returns {string[]} each type and property of its comments, without what only people read */
function typesIn(code) {
  const text = code.replace(/^ *\*/gm, '').replace(/\s+/g, ' ');
  return [...text.matchAll(/@(typedef|property) \{/g)].map(({ index, 0: tag }) => {
    let end = index + tag.length;
    for (let depth = 1; depth > 0 && end < text.length; end += 1) depth += { '{': 1, '}': -1 }[text[end]] ?? 0;
    return text.slice(index, text.indexOf(' ', end + 1));
  });
}

/** @param {string} code of C @returns {string[]} the names of the settings that it reads, and their kinds */
const settingsIn = (code) => [...code.matchAll(/\{"(\w+)", (\w+)/g)].map(([row]) => row);

/** @param {unknown} rows of lists by their names @returns {string} the lists without what only people read */
const namesOf = (rows) =>
  JSON.stringify(rows, (key, value) => (['about', 'called', 'light', 'dark'].includes(key) ? undefined : value));

/** Every kind of value that JSON has no word for. */
const ENCODED = {
  ...{ integer: 1n, number: NaN, array: new Float64Array([1, 2]) },
  histogram: { values: new Float64Array([1, 2000]), counts: new Float64Array([3, 4]), min: 1, max: 2000, sum: 8003 },
};

/** Keys whose values the messages carry. */
const keys = [...scenarioKeys].flatMap(([name, { type, enum: values, ...schema }]) =>
  schema['x-engine'] || schema['x-group'] === 'protocols' ? [{ name, type, values, unit: schema['x-unit'] }] : [],
);

/** @returns {string[]} texts that differ when the messages do */
export const shapes = () => [
  ...TYPES.flatMap((path) => typesIn(textOf(`../client/${path}`))),
  ...settingsIn(textOf('../client/engine/node/settings.c')),
  ...[fields, causes].map((lists) => namesOf({ ...lists })),
  JSON.stringify(keys),
  JSON.stringify(JSON.parse(textOf('schema/agent.json')).$defs),
  String(encode(ENCODED)),
];

/** @param {string[]} [texts] @returns {string} a module */
export const protocolVersion = (
  texts = shapes(),
) => `// Made by npm run reference from the messages between controller and agents: config/message-shapes.js.

/** An agent and a controller whose messages differ would misunderstand each other. */
export const PROTOCOL_VERSION = '${createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, DIGITS)}';
`;
