// The effect of a change, as ratios on one axis: the data that the page draws.
import assert from 'node:assert/strict';
import { changeOf } from '../../client/judge/change.js';
import { FAST, rounds, runOf, SLOW } from '../fixtures/made-up-answers.js';

/** @param {object} [over] @param {object} [config] @returns {any} a run of a base and of a head that is half as fast */
const changed = (over = {}, config = {}) =>
  runOf([...rounds('base', FAST), ...rounds('head', SLOW)], {
    ...over,
    config: { versions: ['base', 'head'], ...config },
  });

describe('what a change does', () => {
  it('is the ratio of head to base by each figure, with its interval, on an axis with no change in the middle', () => {
    const { base, head, figures, ticks, band } = changeOf(changed()) ?? assert.fail();
    assert.deepEqual([base, head], ['base', 'head']);
    const [rate] = figures;
    assert.deepEqual([rate.key, rate.title, rate.code], ['perSecond', 'requests/s', 'worse']);
    assert.match(rate.text, /^−50 % \(−5\d to −\d\d\)$/);
    const { at, interval } = rate.drawn ?? assert.fail();
    assert.ok(interval[0] < at && at < interval[1] && at < 0.5, `${interval} ${at}`);
    assert.equal(ticks.find(({ text }) => text === 'no change')?.at, 0.5);
    assert.ok(Math.abs(Number(ticks.find(({ text }) => text === '−50 %')?.at) - at) < 0.01);
    assert.ok(band[0] < 0.5 && 0.5 < band[1]);
  });

  it('has the limits of conditions about a figure', () => {
    const row = { kind: 'failIf', label: 'head', passed: false, text: '' };
    const thresholds = ['throughput worse by 20%', 'p99 > 5ms'].map((condition) => ({ ...row, condition }));
    const { figures } = changeOf(changed({ verdict: { passed: false, thresholds } })) ?? assert.fail();
    assert.deepEqual(
      figures.map(({ limits }) => limits.map(({ text }) => text)),
      figures.map(({ key }) => (key === 'perSecond' ? ['worse by 20%'] : [])),
    );
    const [{ drawn, limits }] = figures;
    assert.ok(Number(drawn?.at) < limits[0].at && limits[0].at < 0.5);
  });

  it('is of two versions of one program alone', () => {
    assert.equal(changeOf(changed({}, { versions: undefined })), null);
    assert.equal(changeOf(changed({ endedBy: 'running' })), null);
    assert.equal(changeOf(runOf(rounds('base', FAST), { config: { versions: ['base', 'head'] } })), null);
  });
});
