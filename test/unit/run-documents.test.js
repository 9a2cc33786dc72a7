// What a command says of a document of a run that its schema does not allow.

import assert from 'node:assert/strict';
import { damageOf, parseSummary } from '../../client/measure/run-documents.js';
import { RUN_SCHEMA } from '../../client/measure/schema.js';
import { recorded, recordedSample } from '../fixtures/recorded-run.js';

describe('a document of a run', () => {
  it('that lacks a field, or has one too many, may be of another version', () => {
    const { attempts: _attempts, ...counters } = recordedSample().counters;
    const version = '; it may be of another version of Broadside';
    assert.equal(damageOf('sample', recordedSample({ counters })), `counters has no field attempts${version}`);
    assert.equal(damageOf('sample', recordedSample({ extra: 1 })), `it has an unknown field extra${version}`);
    assert.equal(damageOf('plan', { ...recorded('plan.json'), schema: -1 }), `schema must be ${RUN_SCHEMA}${version}`);
    const { warnings: _warnings, ...summary } = recorded('summary.json');
    const damage = `it has no field warnings${version}`;
    assert.throws(() => parseSummary(JSON.stringify(summary), 'x'), { code: 'EDAMAGED', data: { where: 'x', damage } });
  });

  it('with a value that no version has is damaged', () => {
    assert.equal(damageOf('sample', recordedSample({ second: -1 })), 'second must be >= 0');
  });
});
