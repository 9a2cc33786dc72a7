// The fields that objects of a run's documents must have, by which `npm run reference` recognises that RUN_SCHEMA has
// to be raised: a document that was valid is not, once an object needs another field, or no longer may have one.

import { UsageError } from '../client/errors.js';

/**
 * @typedef {Record<string, any>} Schema
 * @typedef {{ schema: number, objects: Record<string, string> }} RequiredFields  schema: RUN_SCHEMA; objects: the
 *   names of their fields, by the place of the object, such as `summary.json leg.connections`
 */

/** What stands between an object and its parts in the text of a place. @type {Record<string, string>} */
const BETWEEN = { properties: '.', $defs: ' ' };

/**
 * @param {Schema} schema @param {string} place
 * @returns {[place: string, object: Schema][]} the objects in it that need fields
 */
function objectsIn(schema, place) {
  const parts = Object.entries(schema).flatMap(([keyword, part]) => {
    if (part === null || typeof part !== 'object') return [];
    const between = BETWEEN[keyword];
    if (between === undefined) return objectsIn(part, keyword === 'items' ? place : `${place}/${keyword}`);
    return Object.entries(part).flatMap(([name, one]) => objectsIn(one, `${place}${between}${name}`));
  });
  return Array.isArray(schema.required) ? [[place, schema], ...parts] : parts;
}

/**
 * @param {Record<string, Schema>} schemas of the documents of a run, by their files
 * @param {number} version RUN_SCHEMA
 * @param {RequiredFields} before as they are committed
 * @returns {RequiredFields}
 * @throws {UsageError} when documents of this version that were valid no longer are
 */
export function requiredFields(schemas, version, before) {
  const objects = Object.entries(schemas).flatMap(([file, schema]) => objectsIn(schema, file));
  const changes = objects.flatMap(([place, { required, properties = {} }]) => {
    if (!Object.hasOwn(before.objects, place)) return [];
    const known = before.objects[place].split(' ');
    const added = required.filter((/** @type {string} */ name) => !known.includes(name));
    const removed = known.filter((name) => !required.includes(name) && !Object.hasOwn(properties, name));
    return [
      ...added.map((/** @type {string} */ name) => `${place} needs ${name}`),
      ...removed.map((name) => `${place} has no ${name}`),
    ];
  });
  if (changes.length > 0 && version === before.schema) {
    throw new UsageError(
      `earlier runs are no longer valid (${changes.join('; ')}): raise RUN_SCHEMA in client/measure/schema.js, which is ` +
        `${version}, and repeat npm run reference; if this change has raised it already, restore ` +
        'client/measure/required-fields.json before',
      { code: 'EVERSION', data: { version, changes } },
    );
  }
  const fields = objects.map(([place, { required }]) => [place, required.toSorted().join(' ')]);
  return { schema: version, objects: Object.fromEntries(fields) };
}
