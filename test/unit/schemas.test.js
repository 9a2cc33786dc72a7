// The schemas in config/schema/ are valid themselves. The commands do not check that, because it would take longer than
// the rest of their start.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ANNOTATIONS } from '../../client/scenario/schema.js';

const FOLDER = new URL('../../config/schema/', import.meta.url);

describe('schemas', () => {
  const ajv = new Ajv2020({ allErrors: true, strictRequired: false, strictTypes: false });
  ajv.addVocabulary(ANNOTATIONS);

  for (const file of readdirSync(FOLDER)) {
    it(`${file} is a JSON Schema with known keywords only`, () => {
      const schema = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));
      assert.ok(ajv.validateSchema(schema), JSON.stringify(ajv.errors));
      ajv.compile(schema);
    });
  }

  it('are enforced: a wrong document fails', () => {
    assert.equal(ajv.validateSchema({ type: 'durations' }), false);
    assert.throws(() => ajv.compile({ propertys: {} }), /unknown keyword: "propertys"/);
  });
});
