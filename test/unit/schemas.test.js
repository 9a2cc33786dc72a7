// The schemas in config/schema/ are valid, which set-up does not check, and compiled validators give the same results.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import ucs2length from 'ajv/dist/runtime/ucs2length.js';
import fc from 'fast-check';
import { buildValidators, compile, isSame, lengthOf } from '../../config/compile-validators.js';
import { ajv, schemas } from '../fixtures/schemas.js';

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
  connections: [{}, { connections: 0, each: 1, levelsPerDoubling: 2, spans: [{ toNs: -1, cells: '3' }] }],
  density: [{}, { columnNs: 0, rowsPerDoubling: 10, columns: [{ at: -1, answered: [200] }] }],
  environment: [{}, { cores: 1, t0: { monotonicNs: '1', epochMs: -1e308 } }],
  plan: [{}, { schema: 3, legs: [{}], warnings: [{ code: 'a' }] }],
  sample: [{}, { schema: 5, second: -1, counters: { attempts: 'x' } }],
  manifest: [
    {},
    { name: 'a b', protocols: [], run: 'x', ready: 'soon', concurrent: 0 },
    { name: 'a', protocols: ['echo', 'echo'], requires: [{ command: 'x' }, { command: 'x' }] },
  ],
};

describe('validators', () => {
  /** @type {string} */
  let folder;
  /** @type {string[]} */
  let files;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-validators-'));
    files = buildValidators(folder).map((file) => file.replace('build/', ''));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('find what the schemas find, fill in the same, and need no package', () => {
    const names = Object.keys(DOCUMENTS).map((name) => `${name}.cjs`);
    for (const actual of [files, readdirSync(folder)]) assert.deepEqual(actual.toSorted(), names.toSorted());
    for (const [name, documents] of Object.entries(DOCUMENTS)) {
      const path = join(folder, `${name}.cjs`);
      assert.doesNotMatch(readFileSync(path, 'utf8'), /\brequire\(/);
      const results = [compile(name).validate, createRequire(path)(path)].map((validate) =>
        documents.map((document) => {
          const copy = structuredClone(document);
          return { isValid: validate(copy), copy, errors: structuredClone(validate.errors) };
        }),
      );
      assert.deepEqual(results[1], results[0], name);
      assert.ok(results[0].some(({ isValid }) => !isValid));
    }
  });

  it('compare as Node does, and count as their compiler', () => {
    const value = fc.jsonValue().map((each) => JSON.stringify(each));
    const pair = fc.oneof(
      fc.tuple(value, value),
      value.map((text) => [text, text]),
    );
    fc.assert(
      fc.property(pair, (texts) => {
        const [left, right] = texts.map((text) => JSON.parse(text));
        assert.equal(isSame(left, right), isDeepStrictEqual(left, right));
      }),
    );
    const text = fc.string({ unit: fc.constantFrom('a', '\ud83d', '\ude00', '\u{1f600}') });
    fc.assert(fc.property(text, (each) => lengthOf(each) === ucs2length.default(each)));
  });
});

describe('schemas', () => {
  it('are JSON Schemas with known keywords only', () => {
    for (const [file, schema] of schemas) {
      assert.ok(ajv.validateSchema(schema), `${file}: ${JSON.stringify(ajv.errors)}`);
      assert.ok(ajv.getSchema(schema.$id), file);
    }
  });

  it('have the names of their files in their identifiers', () => {
    for (const [name, { $id }] of schemas) assert.equal($id, `urn:broadside:schema:${name.replace('.json', '')}`);
  });
});
