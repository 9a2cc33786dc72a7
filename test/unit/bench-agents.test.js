// The pure parts of the bench agents: its cells, what its simulated workers report, and the line through its figures.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { counterNames, gaugeNames } from '../../client/measure/counters.js';
import { SampleMerge } from '../../client/measure/sample-merge.js';
import { AGENTS_PER_PROCESS, batchesOf, cellsOf, LOADS, nameOf } from '../bench/agents/cells.js';
import { intervalMaker } from '../bench/agents/made-up-intervals.js';
import { markdownOf } from '../bench/agents/markdown.js';
import { fitOf, limitsOf, LISTS, NUMBERS, resultsOf, timesOf } from '../bench/agents/result.js';
import { lineOf } from '../bench/slope.js';
import { conditions } from '../fixtures/bench-conditions.js';
import { usage } from '../fixtures/intervals.js';

/**
 * Figures that grow by the number of agents alone.
 * @param {number} agents @param {number} factor
 * @returns {any}
 */
const figuresOf = (agents, factor) => ({
  ...Object.fromEntries(NUMBERS.map((name) => [name, 10 + agents * factor])),
  ...Object.fromEntries(LISTS.map((name) => [name, [agents, agents, agents * 3]])),
});

/** @param {string} agents */
function resultsOfMadeUp(agents) {
  const cells = cellsOf(agents, 1);
  const measurements = [1, 2].flatMap((round) =>
    cells.flatMap((cell) =>
      LOADS.map((client) => ({ cell, round, client, figures: figuresOf(cell.agents, client === 'busy' ? 2 : 0.5) })),
    ),
  );
  return resultsOf({ conditions, cells, clients: LOADS, measurements });
}

describe('the bench agents', () => {
  it('starts each agent in one process, in the order of the names', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), (agents) => {
        const batches = batchesOf(agents);
        const all = batches.flatMap(({ from, count }) => Array.from({ length: count }, (_, i) => from + i));
        assert.deepEqual(
          all,
          Array.from({ length: agents }, (_, i) => i),
        );
        assert.ok(batches.every(({ count }) => count >= 1 && count <= AGENTS_PER_PROCESS));
        const names = all.map(nameOf);
        assert.deepEqual(names.toSorted(), names);
      }),
    );
    assert.deepEqual(cellsOf('20, 50', 2), [
      { agents: 20, workers: 2 },
      { agents: 50, workers: 2 },
    ]);
    for (const wrong of ['0', '20,', '20,20', '1001', 'many']) assert.throws(() => cellsOf(wrong, 1), { exitCode: 2 });
  });

  it('reports seconds that a merge adds up: busy ones with every transfer, idle ones with none', () => {
    for (const transfers of [0, 1000]) {
      const make = intervalMaker({ names: { counters: counterNames, gauges: gaugeNames }, transfers, seed: 1 });
      const merge = new SampleMerge(1);
      const seconds = [1, 2, 3].map((second) => ({
        second,
        fromNs: (second - 1) * 1e9,
        toNs: second * 1e9,
        last: false,
      }));
      for (const when of seconds) merge.add(0, make({ ...when, phase: 'steady' }, 50), usage);
      const [first, ...others] = merge.take();
      assert.deepEqual([first.counters.opened, first.gauges.open], [50, 50]);
      for (const { counters, histograms, random, slowest } of [first, ...others]) {
        assert.deepEqual([counters.transfers, histograms.responseTime.count], [transfers, transfers]);
        assert.equal(histograms.rtt.count, 64);
        assert.deepEqual([random.length, slowest.length], transfers === 0 ? [0, 0] : [50, 5]);
      }
      merge.add(0, make({ second: 4, fromNs: 3e9, toNs: 3.05e9, phase: 'drain', last: true }, 50), usage);
      merge.end(0);
      const [last] = merge.finish();
      assert.deepEqual([last.counters.transfers, last.gauges.open, last.perConnection?.count], [0, 0, 50]);
    }
  });

  it('extrapolates by a line through all rounds, each load by itself', () => {
    const results = resultsOfMadeUp('20,50,200');
    const [busy, idle] = LOADS.map((load) => results.filter((result) => result.load === load));
    assert.deepEqual([busy.length, idle.length], [3, 3]);
    const fit = fitOf(busy, 'messages');
    assert.ok(fit !== null && Math.abs(fit.atMany - 2010) < 1e-6 && fit.error < 1e-6);
    assert.ok(Math.abs((fitOf(idle, 'messages')?.atMany ?? 0) - 510) < 1e-6);
    assert.ok(Math.abs((fitOf(busy, 'delayMs')?.each ?? 0) - 1) < 1e-9, 'of the median of the samples');
    const [first, ...others] = limitsOf(busy);
    assert.deepEqual([first.agents, first.atMany.toFixed(2)], [495, '2.01']);
    assert.ok(others.every(({ agents }) => agents >= first.agents));
    assert.equal(fitOf(busy.slice(0, 1), 'messages'), null);
    assert.deepEqual(timesOf([3, 1, 2]), { median: 2, p99: 3 });
  });

  it('knows how far a line may be off', () => {
    const line = lineOf([
      [1, 1],
      [2, 3],
      [3, 2],
    ]);
    assert.deepEqual([line.slope, line.at(2), line.at(4)], [0.5, 2, 3]);
    assert.ok(Math.abs(line.errorAt(2) - Math.sqrt(1.5 / 3)) < 1e-9);
    assert.ok(Math.abs(line.errorAt(4) - Math.sqrt(1.5 * (1 / 3 + 4 / 2))) < 1e-9);
  });

  it('prints a row for each number of agents, and what fills first', () => {
    const text = markdownOf(resultsOfMadeUp('20,50'), conditions);
    assert.match(text, /\| busy \| 20 \| 50 \(50\.\.50\) \|/);
    assert.match(text, /\| idle \| 50 \| 50\.0 \/ 150\.0 \|/);
    assert.match(text, /\| messages\/s \| 10 \| 2\.00 \| 2,010 ± 0 \|/);
    assert.match(text, /\| controller: one core \| 201 % \| 495 \|/);
    assert.doesNotMatch(markdownOf(resultsOfMadeUp('20'), conditions), /A line through/);
  });
});
