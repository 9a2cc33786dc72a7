// Makes config/types.d.ts, the types of the documents that config/schema/ describes, for JSDoc. Set-up for developers
// calls it.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript';

/**
 * The type of each schema's documents; null if the schema only has parts for other schemas.
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

/** @param {string} name of a definition @param {Schema} definition @returns {string} name of its type */
const typeName = (name, { title }) => title ?? name[0].toUpperCase() + name.slice(1);

/** @param {Schema} definition @returns {boolean} whether it is a number, and thus needs no name */
const isNumber = ({ type }) => type === 'number' || type === 'integer';

/**
 * @param {Schema} part of the scenario
 * @returns {Schema} the part after validation, where keys with a default are present; without its rules about
 *   combinations of keys
 */
function withDefaults(part) {
  if (part.properties === undefined) return part;
  const { if: _if, then: _then, else: _else, required = [], ...kept } = part;
  if (kept.oneOf?.every((/** @type {Schema} */ rule) => rule.required ?? rule.anyOf)) delete kept.oneOf;
  const filled = Object.keys(kept.properties).filter((key) => kept.properties[key].default !== undefined);
  return { ...kept, required: [...required, ...filled] };
}

/**
 * Replaces each reference by the name of a type, so that every definition is generated once. Removes the minimum and
 * maximum length of lists, because they would become tuples, to which a list made in a loop cannot be assigned. Objects
 * without properties in the schema, such as `data` of a warning, have values of type any.
 * @param {any} part
 * @param {Record<string, Schema>} schemas by the identifiers in references; '' for the schema of the part
 * @returns {any} the part with names
 */
function withNames(part, schemas) {
  if (Array.isArray(part)) return part.map((item) => withNames(item, schemas));
  if (part === null || typeof part !== 'object') return part;
  const { $ref, minItems, maxItems, ...schema } = withDefaults(part);
  const comment = typeof schema.description === 'string' ? { description: schema.description } : {};
  if ($ref !== undefined) {
    const [id, name] = $ref.split('#/$defs/');
    const definition = schemas[id].$defs[name];
    const type = isNumber(definition) ? { type: 'number' } : { tsType: typeName(name, definition) };
    return { ...type, ...comment };
  }
  const isOpen =
    schema.type === 'object' && schema.properties === undefined && schema.additionalProperties === undefined;
  if (isOpen) return { tsType: 'Record<string, any>', ...comment };
  // a fixed word, or a value of another type
  const [, word] = /^\^(\w+)\$$/.exec(schema.pattern) ?? [];
  if (word !== undefined) {
    const { pattern: _pattern, default: _default, type: types, ...common } = schema;
    const alternatives = [
      { const: word },
      { ...common, type: types.filter((/** @type {string} */ type) => type !== 'string') },
    ];
    return { anyOf: alternatives.map((alternative) => withNames(alternative, schemas)), ...comment };
  }
  const copied = Object.entries(schema).map(([key, value]) => [key, withNames(value, schemas)]);
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
    const named = definitions.map(([name, definition]) => {
      return /** @type {const} */ ([typeName(name, definition), definition]);
    });
    const whole = root === null ? [] : [/** @type {const} */ ([root, document])];
    for (const [name, { title: _title, ...definition }] of [...whole, ...named]) {
      parts.push(await compile(withNames(definition, { ...byId, '': schema }), name, { bannerComment: '' }));
    }
  }
  const text = parts.join('\n');
  // TypeScript does not accept an interface as a record of numbers, so interfaces become type aliases
  writeFileSync(OUTPUT, text.replace(/^export interface (\w+) \{\n([^]*?)^\}/gm, 'export type $1 = {\n$2};'));
  return 'types.d.ts';
}
