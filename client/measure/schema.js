// The version of the documents of a run (samples.ndjson, summary.json). Until the first release only this version is
// read.

import { UsageError } from '../errors.js';
import { ownValue } from './objects.js';

export const RUN_SCHEMA = 7;

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
