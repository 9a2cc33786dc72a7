// The arithmetic of the bench instructions, and what it reads of the tools.

import assert from 'node:assert/strict';
import { CLIENTS, cellsOf, isMeasured, transfersOf } from '../bench/instructions/cells.js';
import { markdownOf } from '../bench/instructions/markdown.js';
import { perTransfer, readCalls, readInstructions, resultsOf } from '../bench/instructions/result.js';
import { conditions } from '../fixtures/bench-conditions.js';

const STRACE = `% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 70.10    0.103000           5     20100           sendto
 29.80    0.043812           2     20116        12 recvfrom
  0.10    0.000147           1       101           epoll_pwait2
------ ----------- ----------- --------- --------- ----------------
100.00    0.146959           3     40317        12 total
`;

const cells = cellsOf({ workloads: ['continuous', 'reconnect'], connections: [10, 1000], payloads: [1, 1024] });

describe('the bench instructions', () => {
  it('measures every payload where connections stay open, and one where they do not', () => {
    assert.deepEqual(
      cells.map(({ workload, connections, payloadBytes }) => [workload, connections, payloadBytes]),
      [
        ['continuous', 10, 1],
        ['continuous', 1000, 1],
        ['continuous', 10, 1024],
        ['continuous', 1000, 1024],
        ['reconnect', 10, 1],
        ['reconnect', 1000, 1],
      ],
    );
    assert.deepEqual(
      cells.map((cell) => CLIENTS.filter((client) => isMeasured(cell, client)).length),
      [3, 3, 3, 3, 2, 2],
    );
  });

  it('makes several transfers on each connection, and takes few ports', () => {
    for (const cell of cells) {
      const [few, many] = transfersOf(cell);
      assert.ok(few >= 2 * cell.connections && many > few);
      assert.ok(cell.workload === 'continuous' || many < 14_000);
    }
  });

  it('reads what valgrind and strace write', () => {
    assert.equal(readInstructions('version: 1\nevents: Ir\nsummary: 10322601\n\ntotals: 10322601\n'), 10_322_601);
    assert.throws(() => readInstructions('version: 1\n'), /no totals/);
    assert.equal(readCalls(STRACE), 40_317);
    assert.throws(() => readCalls(''), /no table/);
  });

  it('divides the difference of two runs by that of their transfers', () => {
    assert.equal(perTransfer([1000, 3000], [500_000, 1_300_000]), 400);
  });

  it('prints medians over the rounds', () => {
    const measurements = [400, 420, 410].map((instructions, i) => {
      return { cell: cells[0], client: CLIENTS[1], round: i + 1, figures: { instructions, calls: 2.1, wakeUps: 0.25 } };
    });
    const raw = /** @type {any} */ ({ conditions, cells, clients: CLIENTS, measurements });
    const text = markdownOf(resultsOf(raw), conditions);
    assert.match(text, /\| 10 \| 1 B \| epoll \| 410 \| 2\.10 \| 0\.250 \|/);
  });
});
