// The arithmetic of the bench client-cost: ratios within a round, and where its requirements apply.

import assert from 'node:assert/strict';
import { CLIENTS, cellsOf } from '../bench/client-cost/cells.js';
import { markdownOf } from '../bench/client-cost/markdown.js';
import { MUSTS, resultsOf } from '../bench/client-cost/result.js';
import { judge, keeps } from '../bench/must.js';
import { conditions } from '../fixtures/bench-conditions.js';

const cells = cellsOf({ placements: ['shipped', 'one-core'], connections: [1, 100], payloads: [1, 1024] });
const [cell] = cells.filter(({ connections }) => connections === 100);

/** Two whole rounds and one without the net client; the second twice as slow, for all alike. */
function measured() {
  assert.ok(cell);
  const costs = { bare: 2, net: 8, engine: 2.2, 'engine-no-log': 2.1 };
  const speeds = { bare: 100, net: 50, engine: 97, 'engine-no-log': 100 };
  const measurements = [1, 2, 3].flatMap((round) =>
    CLIENTS.filter((client) => round < 3 || client !== 'net').map((client) => {
      const roundTrips = speeds[client] * 2;
      const cpuSeconds = (costs[client] * round * roundTrips) / 1e6;
      const figures = { seconds: 2, roundTrips, cpuSeconds, engineCpuSeconds: cpuSeconds / 2, io: 'epoll' };
      return { cell, round, client, figures };
    }),
  );
  return resultsOf({ conditions, cells, clients: CLIENTS, measurements });
}

describe('client cost', () => {
  it('measures every payload and number of connections in both placements', () => {
    assert.equal(cells.length, 8);
    assert.deepEqual(cells[0], { placement: 'shipped', connections: 1, payloadBytes: 1 });
  });

  it('takes ratios within a round', () => {
    const [result, ...others] = measured();
    assert.ok(result && others.length === 0);
    assert.equal(result.rounds, 2);
    assert.ok(Math.abs(result.toBare.max - 1.1) < 1e-9 && Math.abs(result.toNet.min - 0.275) < 1e-9);
    assert.ok(Math.abs(result.logLoss.median - 0.03) < 1e-9);
    assert.ok(Math.abs(result.engineThreadCost - 1.65) < 1e-9);
  });

  it('judges only from 100 connections up', () => {
    const [result] = measured();
    assert.ok(result);
    assert.equal(judge(MUSTS.toBare, result), 'met');
    const slower = { ...result, toBare: { ...result.toBare, median: 1.2, low: 1.16, high: 1.3 } };
    assert.deepEqual([judge(MUSTS.toBare, slower), keeps(MUSTS.toBare, slower)], ['missed', false]);
    const one = { ...slower, cell: { ...result.cell, connections: 1 } };
    assert.deepEqual([judge(MUSTS.toBare, one), keeps(MUSTS.toBare, one)], [null, true]);
  });

  it('prints its results', () => {
    const text = markdownOf(measured(), conditions);
    assert.match(text, /\| engine \/ net \| 0\.60 \| 1 of 1 \| 1 \| 0 \| 0 \|/);
    assert.match(
      text,
      /\| 100 \| 1 B \| 3\.00 \| 12\.00 \| 3\.30 \| 1\.65 \| 3\.15 \| 1\.10 \(1\.10\.\.1\.10\) \| .* \| epoll \|/,
    );
    assert.match(text, /\| 100 \| 1 B \| 0\.1 \| 0\.1 \| 0\.1 \| 0\.1 \| 3\.0 % \(3\.0 %\.\.3\.0 %\) \|/);
  });
});
