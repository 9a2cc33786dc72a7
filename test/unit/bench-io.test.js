// The arithmetic of the bench io: what it measures, and when it prefers io_uring.

import assert from 'node:assert/strict';
import { cellsOf } from '../bench/io/cells.js';
import { markdownOf } from '../bench/io/markdown.js';
import { cheaperOf, resultsOf } from '../bench/io/result.js';
import { conditions } from '../fixtures/bench-conditions.js';

const clients = /** @type {const} */ (['epoll', 'io_uring']);
const cells = cellsOf({ workloads: ['continuous', 'hold'], connections: [100, 1000], payloads: [1, 65536] });

/** At 100 connections io_uring costs 0.8 of epoll or less; at 1,000 once more than epoll. @param {number} rounds */
function measured(rounds) {
  const measurements = Array.from({ length: rounds }, (_, i) => i + 1).flatMap((round) =>
    cells.flatMap((cell) =>
      clients.map((client) => {
        const ring = cell.connections === 100 ? 0.8 - round / 100 : round === 1 ? 1.1 : 0.7;
        const cpuSeconds = (client === 'epoll' ? 1 : ring) * round;
        const roundTrips = client === 'epoll' ? 1e6 : 2e6;
        const figures = { roundTrips, seconds: 2, cpuSeconds: cpuSeconds * (roundTrips / 1e6), rssBytes: 2 ** 26 };
        return { cell, client, round, figures: { ...figures, p50Ns: 1500, p99Ns: 2_000_000 } };
      }),
    ),
  );
  return resultsOf({ conditions, cells, clients, measurements });
}

describe('the bench io', () => {
  it('measures every payload where connections transfer, and one payload where they are idle', () => {
    assert.deepEqual(
      cells.map(({ workload, connections, payloadBytes }) => [workload, connections, payloadBytes]),
      [
        ['continuous', 100, 1],
        ['continuous', 1000, 1],
        ['continuous', 100, 65536],
        ['continuous', 1000, 65536],
        ['hold', 100, 1024],
        ['hold', 1000, 1024],
      ],
    );
  });

  it('prefers io_uring only where the whole interval is below epoll', () => {
    const [few, many] = measured(3);
    assert.ok(few && many);
    assert.ok(Math.abs(few.ratio.median - 0.78) < 1e-9 && Math.abs(few.speed.median - 2) < 1e-9);
    assert.equal(cheaperOf(few), 'io_uring');
    assert.ok(many.ratio.median < 1 && many.ratio.high > 1);
    assert.equal(cheaperOf(many), 'epoll');
  });

  it('decides nothing from one round', () => {
    const [few] = measured(1);
    assert.ok(few && few.ratio.high < 1);
    assert.equal(cheaperOf(few), 'epoll');
  });

  it('prints its results', () => {
    const text = markdownOf(measured(3), conditions);
    const cost = /\| continuous \| 100 \| 1 B \| 2\.00 \| 1\.56 \| 0\.78 \(0\.77\.\.0\.79\) \| 64 \| 64 \| io_uring \|/;
    assert.match(text, cost);
    assert.match(text, /\| hold \| 1,000 \| 1 KiB \| 500\.0 \| 1000\.0 \| 2\.00 /);
    const time = String.raw`1\.00 \(1\.00\.\.1\.00\)`;
    assert.match(
      text,
      new RegExp(String.raw`\| hold \| 1,000 \| 1 KiB \| 1\.5 µs \| 1\.5 µs \| ${time} \| 2 ms \| 2 ms \| ${time} \|`),
    );
  });
});
