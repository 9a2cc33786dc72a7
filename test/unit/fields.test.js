// An engine reports exactly the values in the table of fields, and each has its place in a sample and its schema.
import assert from 'node:assert/strict';
import { names } from '../../client/engine/index.js';
import { COUNTERS, counterNames, GAUGES, gaugeNames, HISTOGRAMS, histogramNames } from '../../client/measure/fields.js';
import { errorCauses, leftOutCauses, rejectCauses, statusNames } from '../../client/measure/fields.js';
import { interval, play, recorded, samplesOf } from '../fixtures/intervals.js';
import { validatorOf } from '../fixtures/schemas.js';

/** @param {string} part @param {readonly string[]} of @returns {string[]} names of counters */
const by = (part, of) => of.map((name) => `${part}.${name}`);

describe('the fields of a sample', () => {
  it('are those that an engine reports, in the same order', () => {
    const counted = COUNTERS.filter((row) => !('byPrimary' in row)).map(({ name }) => name);
    assert.deepEqual(names.counters, [
      ...counted,
      ...by('rejects', rejectCauses),
      ...by('errors', errorCauses),
      ...by('statuses', ['none', ...statusNames]),
      ...by('timestampsLeftOut', leftOutCauses),
    ]);
    assert.deepEqual(names.gauges, [...gaugeNames]);
    assert.deepEqual(
      names.histograms,
      HISTOGRAMS.filter((row) => !('isRead' in row)).map(({ name }) => name),
    );
  });

  it('have each its place, and no other', () => {
    const reported = interval({
      second: 1,
      last: true,
      counters: Object.fromEntries(names.counters.map((name, i) => [name, 100 - i])),
      gauges: Object.fromEntries(names.gauges.map((name, i) => [name, i + 1])),
      histograms: Object.fromEntries([...histogramNames, 'perConnection'].map((name, i) => [name, recorded([i + 1])])),
    });
    const turn = { turnNs: 1e9, measuredNs: 1e9 };
    const [sample] = samplesOf(play([{ diesAfter: null, intervals: [reported] }]).merged, { turn });
    const valueAt = (/** @type {string} */ path) =>
      path.split('.').reduce((/** @type {any} */ part, name) => part?.[name], sample);
    for (const [i, name] of names.counters.entries()) {
      const row = COUNTERS.find((counter) => counter.name === name);
      const path = row && 'at' in row ? row.at : row && `counters.${name}`;
      if (path === null || name === 'statuses.none') continue;
      assert.equal(valueAt(path ?? name), 100 - i, name);
    }
    for (const [i, name] of names.gauges.entries()) assert.equal(valueAt(`gauges.${name}`), i + 1, name);
    for (const { name } of HISTOGRAMS) assert.equal(sample.histograms[name]?.count, 1, name);
    assert.deepEqual(Object.keys(sample.counters), [...counterNames]);
    const isValid = validatorOf('sample');
    assert.ok(isValid(sample), JSON.stringify(isValid.errors));
    const unknown = { ...sample, counters: { ...sample.counters, unheardOf: 1 } };
    assert.ok(!isValid(unknown), 'what the table does not have');
    assert.equal(new Set([...COUNTERS, ...GAUGES].map(({ name }) => name)).size, COUNTERS.length + GAUGES.length);
  });
});
