// config/REFERENCE.md is the current output of `npm run reference`; it has every key of the schema and every figure.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { currentReference } from '../../config/reference.js';

const committed = readFileSync(new URL('../../config/REFERENCE.md', import.meta.url), 'utf8');

describe('reference of the scenario', () => {
  it('is up to date: npm run reference', () => {
    assert.equal(committed, currentReference());
  });
});
