// Which seconds of which legs have a line in the console.
import assert from 'node:assert/strict';
import { RunDisplay } from '../../client/console/run-display.js';

/** @param {any[]} seconds leg and sample of each @returns {unknown[][]} leg and second of each line */
function linesOf(seconds) {
  const stream = /** @type {any} */ ({ on() {}, write() {} });
  const scenario = /** @type {any} */ ({ protocol: 'echo', workload: 'continuous' });
  const plan = /** @type {any} */ ({ legs: seconds.map(({ leg }) => leg) });
  const display = new RunDisplay(stream, { scenario, plan, only: null });
  /** @type {unknown[][]} */
  const lines = [];
  display.progress.row = ({ leg, seconds: at }) => lines.push([leg, at]);
  for (const { leg, sample } of seconds) display.sample(leg, sample, { last: false });
  return lines;
}

/** @param {any} leg @param {number} second @param {Record<string, any>} [over] of the sample */
const secondOf = (leg, second, over) => ({
  leg,
  sample: {
    ...{ fromNs: (second - 1) * 1e9, toNs: second * 1e9, phase: 'steady', counters: {}, rejects: {}, errors: {} },
    ...{ gauges: { requested: 1, unanswered: 0, openedLastSecond: 0 } },
    ...over,
  },
});

describe('the lines of a run', () => {
  it('are one for each second of a leg', () => {
    const leg = { id: '01-a', label: 'a' };
    assert.deepEqual(linesOf([secondOf(leg, 1), secondOf(leg, 2), secondOf(leg, 2.1, { fromNs: 2e9 })]), [
      ['a', 1],
      ['a', 2],
    ]);
  });

  it('of servers that take turns are those of the seconds in which they were loaded, or something failed', () => {
    const [a, b] = ['a', 'b'].map((label) => ({ id: label, label }));
    const waiting = { slices: { turnNs: 0 } };
    const lines = linesOf([
      secondOf(a, 1, { slices: { turnNs: 5e8 } }),
      secondOf(b, 1, waiting),
      secondOf(b, 2, { ...waiting, errors: { reset: 1 } }),
      secondOf(b, 3, { ...waiting, phase: 'ramp' }),
    ]);
    assert.deepEqual(lines, [
      ['a', 1],
      ['b', 2],
      ['b', 3],
    ]);
  });

  it('of several starts of a server are those of the first, and where something failed', () => {
    const [first, second] = [1, 2].map((start) => ({ id: `${start}`, label: 'a', start }));
    const lines = linesOf([secondOf(first, 1), secondOf(second, 1), secondOf(second, 2, { rejects: { refused: 1 } })]);
    assert.deepEqual(lines, [
      ['a', 1],
      ['a', 2],
    ]);
  });
});
