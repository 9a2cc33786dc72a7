// The arithmetic of the bench client-share: shares, and ratios taken within a round.

import assert from 'node:assert/strict';
import { WAYS, WAY_NAMES, cellsOf } from '../bench/client-share/cells.js';
import { markdownOf } from '../bench/client-share/markdown.js';
import { resultsOf } from '../bench/client-share/result.js';
import { conditions } from '../fixtures/bench-conditions.js';

const cells = cellsOf({ connections: [10, 1000], payloads: [1024] });

/** @param {number} responseNs @param {number} share */
const part = (responseNs, share) => ({ responseNs, clientNs: responseNs * share, share });

/**
 * Over io_uring the client's part is 0.2 of 50 us, otherwise 0.5 of 100 us; rounds are slower and slower.
 * @param {number} rounds
 */
function measured(rounds) {
  const measurements = Array.from({ length: rounds }, (_, i) => i + 1).flatMap((round) =>
    cells.flatMap((cell) =>
      WAY_NAMES.map((client) => {
        const ring = WAYS[client].io === 'io_uring';
        const p50 = ring ? part(50_000 * round, 0.2) : part(100_000 * round, 0.5);
        const roundTrips = (ring ? 2e6 : 1e6) / round;
        const figures = { roundTrips, seconds: 2, cpuSeconds: 1, clientPart: { p50, p99: part(1e6 * round, 0.1) } };
        return { cell, client, round, figures };
      }),
    ),
  );
  return resultsOf({ conditions, cells, clients: WAY_NAMES, measurements });
}

describe('the bench client-share', () => {
  it('has the same cells for each way', () => {
    assert.deepEqual(
      measured(2).map(({ cell, way }) => [cell.connections, way]),
      [10, 1000].flatMap((connections) => WAY_NAMES.map((way) => [connections, way])),
    );
  });

  it('compares each way with the baseline of the same round', () => {
    const ring = measured(3).find(({ way }) => way === 'io_uring');
    assert.ok(ring);
    assert.deepEqual([ring.p50Share.median, ring.p50Ns], [0.2, 100_000]);
    assert.deepEqual([ring.clientTime.low, ring.clientTime.high], [0.2, 0.2]);
    assert.deepEqual([ring.speed.median, ring.cost.median], [2, 0.5]);
  });

  it('prints its results', () => {
    const text = markdownOf(measured(3), conditions);
    assert.match(
      text,
      /\| 1,000 \| 1 KiB \| epoll \| 50 % \(50 %\.\.50 %\) \| 10 % \(10 %\.\.10 %\) \| 200 µs \| 1 \| 1 \| 1 \|/,
    );
    assert.match(text, /\| io_uring, both pinned \| 20 % .*\| 100 µs \| 0\.20 \(0\.20\.\.0\.20\) \| 2\.00 .*\| 0\.50 /);
  });
});
