// The arithmetic of the bench live: ratio and difference of neighbours, in the unit of the table.

import assert from 'node:assert/strict';
import { markdownOf, resultsOf, WAYS } from '../bench/live/result.js';
import { conditions } from '../fixtures/bench-conditions.js';

describe('the bench live', () => {
  it('compares within a round', () => {
    const cells = [{ connections: 1000 }];
    const measurements = [
      [0.1, 0.15],
      [0.2, 0.24],
      [0.4, 0.44],
    ].flatMap((pair, i) =>
      WAYS.map((client, k) => ({
        ...{ cell: cells[0], round: i + 1, client },
        figures: { cpuSeconds: pair[k], seconds: 2, events: 2 },
      })),
    );
    const results = resultsOf({ conditions, cells, clients: WAYS, measurements });
    assert.match(
      markdownOf(results, conditions),
      /\| 1,000 \| 100\.0 \| 120\.0 \| 1\.20 \(1\.10\.\.1\.50\) \| 20\.0 \(20\.0\.\.25\.0\) \|/,
    );
  });
});
