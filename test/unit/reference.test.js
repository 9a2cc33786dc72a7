// What is made from lists and committed is the current output of `npm run reference`: config/REFERENCE.md, with every
// key of the schema and every figure, the tables of findings and of servers in their documents, the schemas, and the
// version of the messages of agents. The version of a run's documents is raised when they need other fields.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ERRORS, REJECTS } from '../../client/measure/causes.js';
import { COUNTERS, GAUGES, HISTOGRAMS } from '../../client/measure/fields.js';
import { scenarioSchema } from '../../client/scenario/schema.js';
import { engineKeys } from '../../client/scenario/engine-keys.js';
import { runSchemas } from '../../config/compile-validators.js';
import { protocolVersion, shapes } from '../../config/message-shapes.js';
import { MADE, schemaText } from '../../config/reference.js';
import { requiredFields } from '../../config/required-fields.js';

describe('what is made from lists', () => {
  for (const [name, text] of Object.entries(MADE))
    it(`is up to date: ${name}: npm run reference`, () => {
      const committed = readFileSync(new URL(`../../config/${name}`, import.meta.url), 'utf8');
      assert.equal(committed, text());
    });
});

describe('the schema of scenarios', () => {
  it('has words for descriptions of a run only where they have an effect', () => {
    const words = { 'x-words': 'word' };
    const { ramp, tls, servers, http } = structuredClone(scenarioSchema).properties;
    Object.assign(ramp.properties?.spread ?? {}, words);
    assert.match(schemaText({ properties: { ramp } }), /"x-words": "word"/);
    for (const part of [tls.properties?.verify, servers.items?.properties?.wrap, http.properties?.method, ramp])
      Object.assign(part ?? {}, words);
    const keys = ['ramp', 'tls.verify', 'servers.wrap', 'http.method'];
    const error = { code: 'EWORDS', data: { keys } };
    assert.throws(() => schemaText({ properties: { ramp, tls, servers, http } }), error);
  });
});

describe('the version of the documents of a run', () => {
  const VERSION = 3;
  const before = requiredFields(runSchemas(), VERSION, { schema: 0, objects: {} });

  /** @param {(counters: { required: string[], properties: Record<string, object> }) => void} change */
  function changed(change) {
    const schemas = runSchemas();
    change(schemas['fields.json'].$defs.counters);
    return schemas;
  }

  it('is to be raised when an object needs another field, or may no longer have one that it needed', () => {
    const added = changed(({ required }) => required.push('addedByTest'));
    const removed = changed((counters) => {
      counters.required = counters.required.filter((name) => name !== 'unsent');
      delete counters.properties.unsent;
    });
    for (const [schemas, change] of /** @type {const} */ ([
      [added, 'fields.json counters needs addedByTest'],
      [removed, 'fields.json counters has no unsent'],
    ])) {
      const data = { version: VERSION, changes: [change] };
      assert.throws(() => requiredFields(schemas, VERSION, before), { code: 'EVERSION', data, message: /RUN_SCHEMA/ });
      assert.notDeepEqual(requiredFields(schemas, VERSION + 1, before).objects, before.objects);
    }
  });

  it('stays where documents may have another field, or need one no longer', () => {
    const same = [
      changed(({ properties }) => void (properties.more = { type: 'object', required: ['a'], properties: { a: {} } })),
      changed(({ required }) => void required.pop()),
    ];
    for (const schemas of same) assert.equal(requiredFields(schemas, VERSION, before).schema, VERSION);
  });
});

describe('the version of the messages of agents', () => {
  it('depends on their types, on the fields and causes, and on the settings and keys of the engine', () => {
    const texts = shapes();
    const names = [
      ...['startNs: bigint', 'lateNs: number', 'readyTimeoutMs', '$hdr', 'http.method'],
      ...[...COUNTERS, ...GAUGES, ...HISTOGRAMS, ...REJECTS, ...ERRORS].map(({ name }) => `"${name}"`),
      ...engineKeys.map(({ name }) => name),
    ];
    for (const name of names) {
      const without = texts.map((text) => text.replaceAll(name, ''));
      assert.notEqual(protocolVersion(without), protocolVersion(texts), name);
    }
  });

  it('does not depend on words that only people read', () => {
    const about = COUNTERS[0].about;
    assert.ok(!shapes().some((text) => text.includes(about)));
  });
});
