// The pure parts of the bench open: the kernel's memory, slope and total, where its requirements apply, and its tables.

import assert from 'node:assert/strict';
import { judge } from '../bench/must.js';
import { markdownOf } from '../bench/open/markdown.js';
import { parseMeminfo, parseSlabinfo } from '../bench/open/memory.js';
import { scenarioOf } from '../bench/open/openers.js';
import { allKept, MUSTS, resultsOf } from '../bench/open/result.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { conditions } from '../fixtures/bench-conditions.js';

const SLABINFO = `slabinfo - version: 2.1
# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables <limit> <batchcount>
btrfs_inode          900    900    1000   13    1 : tunables    0    0    0 : slabdata      0      0      0
TCP                   10     13    2368   13    8 : tunables    0    0    0 : slabdata     10     10      0
sock_inode_cache      20     38     832   19    4 : tunables    0    0    0 : slabdata     14     14      0
dentry            227131 227220     192   21    1 : tunables    0    0    0 : slabdata  10820  10820      0
`;

/**
 * Three rounds; every process takes 50 MB plus the given number of bytes for each connection.
 * @param {number[]} counts @param {number} bytesEach
 */
function measured(counts, bytesEach) {
  const cells = counts.map((connections) => ({ connections }));
  const clients = /** @type {const} */ (['broadside', 'bare']);
  const measurements = [1, 2, 3].flatMap((round) =>
    cells.flatMap((cell) =>
      clients.map((client) => {
        const clientRssBytes = 50e6 * (client === 'bare' ? 0.1 : 6) + bytesEach * cell.connections + round * 1e6;
        const openSeconds = (cell.connections / 20_000) * (client === 'bare' ? 1 : 1.5) * round;
        const resident = { clientRssBytes, clientRssMostBytes: clientRssBytes + 1e6, serverRssBytes: 4e6 };
        const memory = { ...resident, kernelBytes: 10_000 * cell.connections, clientProcesses: 6 };
        return { cell, round, client, figures: { ...memory, openSeconds, synsAgain: 7, failures: 0 } };
      }),
    ),
  );
  return resultsOf({ conditions, cells, clients, measurements });
}

describe('the bench open', () => {
  it('requests one step of a ramp, in a valid scenario', () => {
    const scenario = resolveScenario({ name: 'open', content: scenarioOf({ connections: 80_000, workers: 'auto' }) });
    assert.deepEqual([scenario.ramp.add, scenario.workload, scenario.heartbeatNs], [80_000, 'hold', 0]);
    assert.equal(scenario.servers?.[0]?.options.processes, 'auto');
  });

  it("separates the kernel's memory for sockets from its other memory", () => {
    assert.equal(parseSlabinfo(SLABINFO), 10 * 2368 + 20 * 832 + 20 * 192);
    assert.equal(parseMeminfo('MemTotal: 1 kB\nSlab:             2048 kB\n'), 2 ** 21);
  });

  it('takes the slope within a round, and the total at the largest number of connections', () => {
    const [result] = measured([80_000, 10_000], 150);
    assert.ok(result?.slope && result.most);
    assert.ok(Math.abs(result.slope.median - 150) < 1e-6 && Math.abs(result.slope.max - 150) < 1e-6);
    assert.equal(result.most.median, 300e6 + 12e6 + 3e6);
    assert.deepEqual(
      result.cells.map(({ cell }) => cell.connections),
      [10_000, 80_000],
    );
    assert.ok(Math.abs((result.cells[1]?.ratio.median ?? 0) - 1.5) < 1e-9);
  });

  it('judges the memory only from 10,000 to 80,000 connections', () => {
    const [good, bad, small] = [measured([10_000, 80_000], 150), measured([10_000, 80_000], 1500), measured([50], 1)];
    assert.ok(good[0] && bad[0] && small[0]);
    assert.deepEqual([judge(MUSTS.slope, good[0]), judge(MUSTS.most, good[0])], ['met', 'met']);
    assert.deepEqual([judge(MUSTS.slope, bad[0]), judge(MUSTS.most, bad[0])], ['missed', 'missed']);
    assert.deepEqual([judge(MUSTS.slope, small[0]), small[0].slope], [null, null]);
    assert.deepEqual([allKept(good), allKept(bad), allKept(small)], [true, false, true]);
  });

  it('prints its results', () => {
    const text = markdownOf(measured([10_000, 80_000], 1500), conditions);
    assert.match(text, /between 10,000 and 80,000 \| 200 B \| 0 of 1 \| 0 \| 1 \| 0 \|/);
    assert.match(text, /each connection more: \*\*1500 B \(1500 B\.\.1500 B\)\*\*\./);
    assert.match(text, /\| 80,000 \| Broadside \| 12\.000 \| 6,667 \| 1\.50 \(1\.50\.\.1\.50\) \| 7 \| 0 \|/);
    assert.match(text, /\| 80,000 \| bare opener \| 6 \| 127 \| 4 \| 800 \| 10,000 \|/);
    assert.match(markdownOf(measured([50], 1), conditions), /at the most connections: 30\d MB/);
  });
});
