// The arithmetic of the bench accuracy: the server's delays within a window, and the allowed deviation.

import assert from 'node:assert/strict';
import { cellsOf, rateOf } from '../bench/accuracy/cells.js';
import { delaysIn } from '../bench/accuracy/delays.js';
import { markdownOf } from '../bench/accuracy/markdown.js';
import { TRUE, resultsOf } from '../bench/accuracy/result.js';
import { judge, keeps } from '../bench/must.js';
import { conditions } from '../fixtures/bench-conditions.js';

/** @param {[number, number][]} rows when it was sent, and after which delay @returns {Buffer} */
function logOf(rows) {
  return Buffer.concat(
    rows.map(([sentNs, delayNs]) => {
      const row = Buffer.alloc(16);
      row.writeBigUInt64LE(BigInt(sentNs));
      row.writeBigUInt64LE(BigInt(delayNs), 8);
      return row;
    }),
  );
}

const cells = cellsOf({ loops: ['closed', 'open'], ios: ['epoll'], connections: [100] });

/** @param {number[]} errorsNs of p50 and p99, a round each */
function resultOf(errorsNs) {
  const [cell] = cells;
  const measurements = errorsNs.map((errorNs, i) => ({
    cell,
    round: i + 1,
    client: 'engine',
    figures: {
      transfers: 1000,
      delays: 1000,
      cpuShare: 0.05,
      percents: ['50', '99'],
      serverNs: [14e6, 90e6],
      clientNs: [14e6 + errorNs, 90e6 + errorNs],
    },
  }));
  return resultsOf({ conditions, cells, clients: ['engine'], measurements });
}

describe('the bench accuracy', () => {
  it('reads only the delays of the window, and their percentiles by nearest rank', () => {
    const log = logOf([
      [5, 100],
      [10, 4],
      [11, 1],
      [12, 3],
      [19, 2],
      [20, 100],
    ]);
    assert.deepEqual(delaysIn(log, { fromNs: 10, toNs: 20 }, [50, 75, 100]), {
      count: 4,
      percentilesNs: { 50: 2, 75: 3, 100: 4 },
    });
  });

  it('uses a quarter of what the connections could do as the open-loop rate', () => {
    assert.deepEqual(cells.map(rateOf), [undefined, 1250]);
  });

  it('allows a deviation of 1 % and 200 us at each percentile', () => {
    const [within] = resultOf([150_000, 200_000, 250_000]);
    assert.ok(Math.abs(within.taken.median - 200 / 340) < 1e-9, `${within.taken.median}`);
    assert.deepEqual([judge(TRUE, within), keeps(TRUE, within)], ['met', true]);
    const [beyond] = resultOf([400_000, 400_000, -400_000]);
    assert.deepEqual([judge(TRUE, beyond), keeps(TRUE, beyond)], ['missed', false]);
    const text = markdownOf([beyond], conditions);
    assert.match(
      text,
      /\| closed \| epoll \| 100 \| 1,000 \| 5 % \| 14\.00 \+ 0\.400 \| 90\.00 \+ 0\.400 \| \*\*1\.18/,
    );
  });
});
