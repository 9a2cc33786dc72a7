// The arithmetic of the bench: order, median, interval, ratios and the place in README. Speed itself is never tested.

import assert from 'node:assert/strict';
import { CLIENTS, cellsOf, sameCell, stepsOf } from '../bench/cells.js';
import { placeIn } from '../bench/markdown.js';
import { MUSTS, judge, keeps, resultsOf } from '../bench/result.js';
import { levelOf, spreadOf } from '../bench/spread.js';

const cells = cellsOf({ placements: ['shipped', 'one-core'], connections: [1, 100], payloads: [1, 1024] });

describe('client cost', () => {
  it('measures every client in every cell once a round, side by side', () => {
    const steps = stepsOf(cells, 3, 7);
    assert.equal(steps.length, 3 * cells.length * CLIENTS.length);
    assert.equal(new Set(steps.map((step) => JSON.stringify(step))).size, steps.length);
    for (let i = 0; i < steps.length; i += CLIENTS.length) {
      const group = steps.slice(i, i + CLIENTS.length);
      assert.ok(group.every((step) => group[0] && sameCell(step, group[0]) && step.round === group[0].round));
    }
    assert.deepEqual(stepsOf(cells, 3, 7), steps);
    assert.notDeepEqual(stepsOf(cells, 3, 8), steps);
  });

  it('takes the median and the interval of the sign test', () => {
    assert.deepEqual(spreadOf([3, 1, 2]), { median: 2, min: 1, max: 3, low: 1, high: 3, level: 0.75 });
    assert.equal(spreadOf([4, 1, 2, 3]).median, 2.5);
    assert.equal(levelOf(6, 0), 1 - 2 / 64);
    const nine = spreadOf([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    assert.deepEqual([nine.low, nine.median, nine.high], [2, 5, 8]);
    assert.equal(nine.level, 1 - (2 * (1 + 9)) / 512);
    assert.throws(() => spreadOf([]), RangeError);
  });

  it('takes ratios within a round and leaves out a round that is not whole', () => {
    const [cell] = cells.filter(({ connections }) => connections === 100);
    assert.ok(cell);
    const costs = { bare: 2, net: 8, engine: 2.2, 'engine-no-log': 2.1 };
    const speeds = { bare: 100, net: 50, engine: 97, 'engine-no-log': 100 };
    const measurements = [1, 2, 3].flatMap((round) =>
      CLIENTS.filter((client) => round < 3 || client !== 'net').map((client) => {
        const roundTrips = speeds[client] * 2;
        const cpuSeconds = (costs[client] * round * roundTrips) / 1e6; // round 2: twice as slow, for all alike
        return { ...cell, round, client, seconds: 2, roundTrips, cpuSeconds, engineCpuSeconds: cpuSeconds / 2 };
      }),
    );
    const [result, ...others] = resultsOf(measurements, cells);
    assert.ok(result && others.length === 0);
    assert.equal(result.rounds, 2);
    assert.ok(Math.abs(result.toBare.max - 1.1) < 1e-9 && Math.abs(result.toNet.min - 0.275) < 1e-9);
    assert.ok(Math.abs(result.logLoss.median - 0.03) < 1e-9);
    assert.ok(Math.abs(result.engineThreadCost - 1.65) < 1e-9);
    assert.equal(judge(MUSTS.toBare, result), 'met');
    const spread = { ...result.toBare, median: 1.2, low: 1.1, high: 1.3 };
    assert.equal(judge(MUSTS.toBare, { ...result, toBare: spread }), 'open');
    assert.equal(keeps(MUSTS.toBare, { ...result, toBare: spread }), false);
    assert.equal(judge(MUSTS.toBare, { ...result, toBare: { ...spread, low: 1.16 } }), 'missed');
    assert.equal(judge(MUSTS.toBare, { ...result, cell: { ...cell, connections: 1 } }), null);
  });

  it('puts the results at the end of README, then always in the same place', () => {
    const once = placeIn('# Title\n', 'one');
    assert.match(once, /^# Title\n\n<!-- .* -->\none\n<!-- .* -->\n$/);
    const twice = placeIn(`${once}\n## After\n`, 'two');
    assert.equal(twice, `${once.replace('\none\n', '\ntwo\n')}\n## After\n`);
  });
});
