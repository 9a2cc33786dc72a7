// Protocol ace against a server that counts as ACE's own does: each connection ends with the message that its header
// announced.

import assert from 'node:assert/strict';
import { startAceServer } from '../fixtures/ace-server.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('a run with protocol ace', function () {
  this.timeout(120_000);
  const box = sandbox({ protocol: 'ace', connections: 10, workers: 1, duration: '60s' });

  for (const [what, scenario, announced] of /** @type {const} */ ([
    ['with one transfer per connection', { workload: 'once', pause: undefined }, 1],
    ['that reconnects for each transfer', { workload: 'reconnect', pause: undefined, transfers: 500 }, 1],
    ['with a lifetime in transfers', { pause: '0s', lifetime: { transfers: 7 }, transfers: 210 }, 7],
  ])) {
    it(`${what} lets ACE's server close in peace`, async () => {
      const server = await startAceServer();
      try {
        const run = box.stress({ target: `127.0.0.1:${server.port}`, ...scenario });
        await run.endsWith(0);
        const [leg] = run.summary().legs;
        assert.deepEqual([leg.rejects.total, leg.errors.total], [0, 0]);
        const [, ...served] = server.served;
        assert.ok(served.length >= 10, `${served.length} connections`);
        assert.deepEqual(new Set(served.map((one) => one.announced)), new Set([announced]));
        // those that the end of the leg found in the middle are as short as they were
        const cut = served.filter(({ messages }) => messages !== announced);
        assert.ok(cut.length <= 10 && (announced > 1 || cut.length === 0), JSON.stringify(cut));
      } finally {
        await server.close();
      }
    });
  }
});
