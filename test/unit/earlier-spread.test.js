// How much measurements on a machine differ: which earlier runs count, and what of them is compared.

import assert from 'node:assert/strict';
import { earlierSpread } from '../../client/results/earlier-spread.js';

const here = { cpu: 'Example', cores: 2, memoryBytes: 4e9 };
const config = { connections: 100 };

/** @param {string} id @param {Record<string, (number | null)[]>} rates of the rounds of each case @param {any} [environment] */
const runOf = (id, rates, environment = here) => ({
  environment,
  summary: {
    ...{ run: id, scenario: 's', config, legs: [] },
    cases: Object.entries(rates).map(([label, values]) => ({ label, axes: {}, figures: { perSecond: { values } } })),
  },
});

/** @param {any[]} runs */
const spreadIn = (runs) => earlierSpread(runs, here, 'perSecond');

describe('how much measurements on a machine differ', () => {
  it('is the median over what was measured several times', () => {
    const { spread, runs } =
      spreadIn([runOf('1', { a: [100, 150], b: [100, 110], c: [100, 120, null] })]) ?? assert.fail();
    assert.ok(Math.abs(spread - 0.2) < 1e-9, String(spread));
    assert.equal(runs, 1);
  });

  it('is also known from runs of the same load that measured a server once each', () => {
    const { spread, runs } =
      spreadIn(['1', '2', '3'].map((id, i) => runOf(id, { a: [100 + 10 * i] }))) ?? assert.fail();
    assert.ok(Math.abs(spread - 0.2) < 1e-9, String(spread));
    assert.equal(runs, 3);
    const other = runOf('4', { a: [900] });
    other.summary.config = { connections: 5 };
    assert.equal(spreadIn([runOf('1', { a: [100] }), other]), undefined, 'of another load');
  });

  it('is not known from rounds of different runs, of another machine, or of one measurement', () => {
    const far = { ...here, cpu: 'Other' };
    assert.equal(spreadIn([runOf('1', { a: [100, 200] }, far)]), undefined);
    assert.equal(spreadIn([runOf('1', { a: [100] }), runOf('2', { b: [200] })]), undefined);
    const { spread } = spreadIn([runOf('1', { a: [100, 110] }), runOf('2', { a: [200, 220] })]) ?? assert.fail();
    assert.ok(Math.abs(spread - 0.1) < 1e-9, String(spread));
    assert.equal(spreadIn([]), undefined);
  });
});
