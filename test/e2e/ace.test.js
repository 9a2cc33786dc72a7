// ACE's round-trip test: its command, against a server that counts as ACE's own does.

import assert from 'node:assert/strict';
import { startAceServer } from '../fixtures/ace-server.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';

const PRIMERS = 100;

describe("ACE's round-trip test", function () {
  this.timeout(120_000);
  const box = sandbox();

  it('announces exactly what it sends, and counts all but the primers', async () => {
    const server = await startAceServer();
    try {
      const options = ['-t', 'tcp', '-s', '7', '--test_iterations', '200', '-b', '4', '-M', '500000'];
      const words = [...options, '-p', String(server.port)];
      const run = box.start([process.execPath, CLI, 'ace', ...box.folders(), ...words]);
      await run.endsWith(0);
      const all = 200 + PRIMERS;
      const served = server.served.filter(({ announced }) => announced !== 1);
      assert.deepEqual(served, [{ announced: all, messages: all, bytes: all * 128 }]);
      const line = (/** @type {string} */ name) => new RegExp(`^${name}: (.*)$`, 'm').exec(run.stdout)?.[1];
      assert.deepEqual([line('num_points'), line('num_bins')], ['200', '4 0 500000']);
      const bins = [...run.stdout.matchAll(/ {2}: +(\d+) {4}\d\.\d{3} {4}\d\.\d{3}$/gm)].map(([, n]) => Number(n));
      assert.equal(bins.length, 4 + 2);
      assert.equal(
        bins.reduce((sum, n) => sum + n),
        200,
      );
    } finally {
      await server.close();
    }
  });
});
