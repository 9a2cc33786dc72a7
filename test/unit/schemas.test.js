// The schemas in config/schema/ are valid themselves. The commands do not check that, because it would take longer than
// the rest of their start.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildValidators, validatorOf } from '../../config/validators.js';
import { ajv, schemas } from '../fixtures/schemas.js';

/** @import { ValidateFunction } from 'ajv' */

/** Within the checkout, because what is compiled needs node_modules. */
const BUILD = fileURLToPath(new URL('../../build/test/', import.meta.url));

/** Documents, of which some are wrong in more than one way. @type {Record<string, object[]>} */
const DOCUMENTS = {
  scenario: [
    { servers: ['epoll'], connections: 10 },
    { connections: 0, ramp: { add: 'ten', evry: '1s' }, duration: 'long', servers: [{ options: { backlog: -1 } }] },
    { target: '127.0.0.1:1', command: 'x', payload: 5, tls: 1, http: { path: 'x' } },
  ],
  'server-options': [{ backlog: 16 }, { backlog: 'x', threads: 0, surplus: 1 }],
  har: [{}, { request: { method: 'GET', url: 5, headers: [{}] } }],
  'agent-hello': [{}, { name: '../a', version: 2 }],
  summary: [{}, { schema: 5, run: 5, legs: [{ id: '01-a', round: 0 }] }],
  'leg-summary': [{}, { id: '01-a', round: 0 }],
  resolved: [{ connections: '5', tests: [[]] }],
  environment: [{}, { cores: 1, t0: { monotonicNs: '1', epochMs: -1e308 } }],
  plan: [{}, { schema: 3, legs: [{}], warnings: [{ code: 'a' }] }],
  sample: [{}, { schema: 5, second: -1, counters: { attempts: 'x' } }],
  manifest: [{}, { name: 'a b', protocols: [], run: 'x', ready: 'soon', concurrent: 0 }],
};

describe('validators', () => {
  /** @type {string} */
  let folder;
  /** @type {Record<string, ValidateFunction>} */
  let onTheSpot;
  before(() => {
    mkdirSync(BUILD, { recursive: true });
    folder = mkdtempSync(join(BUILD, 'validators-'));
    onTheSpot = Object.fromEntries(Object.keys(DOCUMENTS).map((name) => [name, validatorOf(name, folder)]));
    const files = buildValidators(folder);
    assert.deepEqual(files.map((file) => file.replace('build/', '')).sort(), readdirSync(folder).sort());
  });
  after(() => rmSync(folder, { recursive: true }));

  it('that are compiled find what the schema finds, and fill in the same', () => {
    for (const [name, documents] of Object.entries(DOCUMENTS)) {
      const compiled = validatorOf(name, folder);
      assert.match(String(compiled), /^function validate/);
      const found = [onTheSpot[name], compiled].map((validate) =>
        documents.map((document) => {
          const copy = structuredClone(document);
          return { isValid: validate(copy), copy, errors: structuredClone(validate.errors) };
        }),
      );
      assert.deepEqual(found[1], found[0], name);
      assert.ok(found[0].some(({ isValid }) => !isValid));
    }
  });
});

describe('schemas', () => {
  it('are JSON Schemas with known keywords only', () => {
    for (const [file, schema] of schemas) {
      assert.ok(ajv.validateSchema(schema), `${file}: ${JSON.stringify(ajv.errors)}`);
      assert.ok(ajv.getSchema(schema.$id), file);
    }
  });

  it('have their versions in their identifiers, and in the files that state one', () => {
    for (const [name, { $id, properties = {} }] of schemas) {
      const [, kind, version] =
        /^urn:broadside:schema:([a-z]+):([1-9]\d*)$/.exec($id) ?? assert.fail(`${name}: ${$id}`);
      assert.equal(`${kind}.json`, name);
      if (properties.schema !== undefined) assert.equal(String(properties.schema.const), version, name);
    }
  });
});
