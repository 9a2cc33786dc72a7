// The version of the documents of a run, which plan.json, samples.ndjson and summary.json state. Only this version is
// read.

import { UsageError } from '../errors.js';
import { ownValue } from './objects.js';

/**
 * It rises when a document that was valid no longer is, or a field changes its meaning; `npm run reference` says where
 * it has to be raised.
 */
export const RUN_SCHEMA = 9;

/**
 * @param {unknown} document a summary of a run, or a sample
 * @param {string} where such as its path
 * @throws {UsageError} when it was written by a version of Broadside with another schema
 */
export function checkSchema(document, where) {
  const schema = ownValue(document, 'schema') ?? null;
  if (schema === RUN_SCHEMA) return;
  throw new UsageError(
    `${where}: its schema is ${JSON.stringify(schema)}, and this version of Broadside reads schema ${RUN_SCHEMA} only; ` +
      'read the run with the version that made it, or measure again',
    { code: 'ESCHEMA', data: { where, found: schema, expected: RUN_SCHEMA } },
  );
}
