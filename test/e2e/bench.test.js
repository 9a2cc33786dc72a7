// The benches that watch a whole run, on a small scale: that they observe what they are for. Results at full size are
// in test/bench/README.md; growth within a few seconds is not judged here.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../fixtures/e2e-run.js';
import { requireTool } from '../hooks.js';

/** @param {string[]} words @returns {Promise<any>} what it prints as JSON; 99: a must was missed */
function bench(words) {
  return new Promise((resolve, reject) => {
    const all = [join(ROOT, 'test/bench/bench.js'), ...words, '--json'];
    execFile(process.execPath, all, { maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
      if (error && error.code !== 99) reject(new Error(`${error.message}\n${stderr}`));
      else resolve(JSON.parse(stdout));
    });
  });
}

describe('the bench', function () {
  this.timeout(180_000);

  it.slow('soak reads memory and descriptors of every process of a run', async () => {
    const load = ['--connections', '200', '--rate', '1000/s'];
    const { results, leg } = await bench(['soak', '--minutes', '0.05', '--every', '0.5', ...load]);
    const names = results.map((/** @type {any} */ { name }) => name);
    for (const name of ['primary', 'guard', 'epoll', 'worker 0']) assert.ok(names.includes(name), name);
    for (const { name, readings, sockets, missed } of results) {
      assert.ok(readings >= 2, `${name}: ${readings} readings`);
      assert.ok(!missed.includes('descriptors') && sockets > 0, `${name}: descriptors`);
    }
    assert.ok(leg.connections.opened > 300 && leg.rejects.total + leg.errors.total === 0);
  });

  it.slow('agents sees every second of simulated agents, and what that costs', async function () {
    requireTool(this, 'nats-server');
    const { measurements } = await bench([
      'agents',
      '--agents',
      '2,3',
      '--rounds',
      '1',
      '--seconds',
      '2',
      '--workers',
      '2',
    ]);
    assert.equal(measurements.length, 4);
    for (const { cell, client, figures } of measurements) {
      assert.deepEqual([figures.mergeMs.length, figures.delayMs.length], [2, 2]);
      assert.ok(
        figures.sampleBytes > (client === 'busy' ? 1000 : 100) * cell.agents,
        `${figures.sampleBytes} bytes a line`,
      );
      const { messages, bytes, controllerCpu, natsCpu, agentsCpu, findMs, clockErrorMs, readyMs, summaryMs } = figures;
      const measured = { messages, bytes, controllerCpu, natsCpu, agentsCpu, findMs, clockErrorMs, readyMs, summaryMs };
      for (const [name, value] of Object.entries(measured)) {
        assert.ok(value > 0, name);
      }
    }
  });

  it.slow('storm sees all connections return, and measures the cost', async function () {
    const { storms, uses } = await bench(['storm', '--connections', '200', '--cap', '500ms']);
    assert.deepEqual([storms.length, uses.length], [2, 3]);
    for (const { deadMs, backMs, rejects, metThemselves } of storms) {
      assert.ok(deadMs >= 2000 && backMs > 0 && rejects.refused > 200 && metThemselves === 0);
    }
    assert.ok(Object.keys(uses[0]).includes('worker 0'));
  });
});
