// What a resolved scenario says of each of its keys: rows of the plan and of the page.

import assert from 'node:assert/strict';
import { describe as describeScenario, describedAmong } from '../../client/scenario/describe.js';
import { scenarioKeys } from '../../client/scenario/schema.js';

/** @param {Record<string, object>} more of keys */
const keysWith = (more) =>
  describedAmong(
    Object.entries(more).map(([key, added]) => [key, { ...scenarioKeys.get(key), 'x-words': key, ...added }]),
  );

describe('the description of a scenario', () => {
  const keys = keysWith({ 'ramp.every': {}, 'ramp.spread': {}, 'socket.nodelay': {}, workload: { 'x-row': false } });

  it('has a row for each key with words, also below another, in its unit or as yes or no', () => {
    const scenario = { ramp: { everyNs: 5e9, spread: true }, socket: { nodelay: false }, workload: 'hold' };
    const rows = describeScenario(scenario, keys).map(({ words, text }) => [words, text]);
    assert.deepEqual(rows, [
      ['ramp.every', '5 s'],
      ['ramp.spread', 'yes'],
      ['socket.nodelay', 'no'],
      ['workload', 'hold'],
    ]);
  });

  it('has none for defaults of yes and no, and for what is missing', () => {
    const scenario = { ramp: { spread: false }, socket: { nodelay: true } };
    assert.deepEqual(describeScenario(scenario, keys), []);
    assert.deepEqual(describeScenario({ socket: null }, keys), []);
  });

  it('has no row in the plan where the key says so', () => {
    const rows = describeScenario({ ramp: { spread: true }, workload: 'once' }, keys);
    assert.deepEqual(
      rows.map(({ hasRow }) => hasRow),
      [true, false],
    );
  });
});
