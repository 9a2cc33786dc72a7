// Set-up for developers makes config/types.d.ts from this: the types of the documents that config/schema/ describes,
// for JSDoc.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript';

/**
 * Of each schema: the name of the type of its documents; null: it has parts of others.
 * @type {Record<string, string | null>}
 */
const ROOTS = {
  'scenario.json': 'WrittenScenario',
  'plan.json': 'Plan',
  'summary.json': 'RunSummary',
  'sample.json': 'Sample',
  'density.json': 'Density',
  'connections.json': 'ConnectionField',
  'fields.json': null,
  'resolved.json': null,
};

const OUTPUT = fileURLToPath(new URL('./types.d.ts', import.meta.url));

/** @typedef {Record<string, any>} Schema */

/** @param {string} name of a definition @param {Schema} definition @returns {string} of its type */
const typeName = (name, { title }) => title ?? name[0].toUpperCase() + name.slice(1);

/** @param {Schema} definition @returns {boolean} whether it is a number, which needs no name */
const isNumber = ({ type }) => type === 'number' || type === 'integer';

/**
 * A part of the scenario as validation leaves it: what has a default is there. Which keys go together is left out.
 * @param {Schema} part
 * @returns {Schema}
 */
function withDefaults(part) {
  if (part.properties === undefined) return part;
  const { if: _if, then: _then, else: _else, required = [], ...rest } = part;
  if (rest.oneOf?.every((/** @type {Schema} */ one) => one.required ?? one.anyOf)) delete rest.oneOf;
  const filled = Object.keys(rest.properties).filter((key) => rest.properties[key].default !== undefined);
  return { ...rest, required: [...required, ...filled] };
}

/**
 * A part of a schema in which each reference is the name of a type, so that every definition is generated once. Lengths
 * of lists are left out where they are not fixed: nothing that makes a list in a loop fits the tuples that they would
 * become. What an object holds of which the schema says nothing, such as `data` of a warning, depends on its code: any.
 * @param {any} part
 * @param {Record<string, Schema>} schemas that references name, by identifier; its own has none
 * @returns {any}
 */
function withNames(part, schemas) {
  if (Array.isArray(part)) return part.map((one) => withNames(one, schemas));
  if (part === null || typeof part !== 'object') return part;
  const { $ref, minItems, maxItems, ...rest } = withDefaults(part);
  const comment = typeof rest.description === 'string' ? { description: rest.description } : {};
  if ($ref !== undefined) {
    const [id, name] = $ref.split('#/$defs/');
    const definition = schemas[id].$defs[name];
    const type = isNumber(definition) ? { type: 'number' } : { tsType: typeName(name, definition) };
    return { ...type, ...comment };
  }
  const isOpen = rest.type === 'object' && rest.properties === undefined && rest.additionalProperties === undefined;
  if (isOpen) return { tsType: 'Record<string, any>', ...comment };
  // one word, or a value of another type
  const [, word] = /^\^(\w+)\$$/.exec(rest.pattern) ?? [];
  if (word !== undefined) {
    const { pattern: _pattern, default: _default, type, ...others } = rest;
    const alternatives = [
      { const: word },
      { ...others, type: type.filter((/** @type {string} */ one) => one !== 'string') },
    ];
    return { anyOf: alternatives.map((one) => withNames(one, schemas)), ...comment };
  }
  const copied = Object.entries(rest).map(([key, value]) => [key, withNames(value, schemas)]);
  return {
    ...Object.fromEntries(copied),
    ...(minItems !== undefined && minItems === maxItems ? { minItems, maxItems } : {}),
  };
}

/** Writes the types of the schemas in the checkout. @returns {Promise<string>} the file, relative to `config/` */
export async function writeTypes() {
  const parts = ['// Made by set-up from config/schema/: edit the schema.'];
  const schemas = Object.entries(ROOTS).map(([file, root]) => {
    return { root, schema: JSON.parse(readFileSync(new URL(`./schema/${file}`, import.meta.url), 'utf8')) };
  });
  const byId = Object.fromEntries(schemas.map(({ schema }) => [schema.$id, schema]));
  for (const { root, schema } of schemas) {
    const { $defs = {}, $schema: _schema, $id: _id, ...document } = schema;
    const definitions = Object.entries(/** @type {Schema} */ ($defs)).filter(([, definition]) => !isNumber(definition));
    const named = definitions.map(([name, one]) => /** @type {const} */ ([typeName(name, one), one]));
    const whole = root === null ? [] : [/** @type {const} */ ([root, document])];
    for (const [name, { title: _title, ...definition }] of [...whole, ...named]) {
      parts.push(await compile(withNames(definition, { ...byId, '': schema }), name, { bannerComment: '' }));
    }
  }
  const text = parts.join('\n');
  // TypeScript takes no interface for a record of numbers, even where it is one
  writeFileSync(OUTPUT, text.replace(/^export interface (\w+) \{\n([^]*?)^\}/gm, 'export type $1 = {\n$2};'));
  return 'types.d.ts';
}
