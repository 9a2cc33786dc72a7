// What is made from lists and committed is the current output of `npm run reference`: config/REFERENCE.md, with every
// key of the schema and every figure, the tables of findings and of servers in their documents, and the schemas.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { MADE } from '../../config/reference.js';

describe('what is made from lists', () => {
  for (const [name, text] of Object.entries(MADE))
    it(`is up to date: ${name}: npm run reference`, () => {
      const committed = readFileSync(new URL(`../../config/${name}`, import.meta.url), 'utf8');
      assert.equal(committed, text());
    });
});
