// Profiles against real servers: what is due, and how many connections are open, follows them; console and page say so.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('a run along a profile', function () {
  this.timeout(60_000);
  const box = sandbox();
  const few = { servers: ['epoll'], connections: 20, ramp: { add: 20, every: '1s' }, pause: '0s', duration: undefined };

  for (const arrivals of ['constant', 'poisson']) {
    it(`asks for requests along its steps and lines, ${arrivals}`, async () => {
      const rate = [{ rate: '200/s', for: '1s' }, { rate: '200/s', to: '1000/s', for: '2s' },
        { rate: '0/s', for: '1s' }, { rate: '400/s', for: '1s' }];
      const run = box.stress({ ...few, rate, arrivals });
      await run.endsWith(0);
      const { legs: [{ leg, samples }] } = await assertBooks(run);
      assert.equal(leg.phases.steadyToNs - leg.phases.steadyFromNs, 5e9, 'the steady state is as long as the profile');
      const steady = samples.filter(({ phase }) => phase === 'steady');
      assert.deepEqual(steady.map(({ k }) => k), [2, 3, 4, 5, 6]);
      for (const [i, right] of [200, 400, 800, 0, 400].entries()) {
        // of Poisson arrivals six standard deviations; counted when they are seen, which on a busy machine is later
        const slack = 20 + (arrivals === 'constant' ? 0 : 6 * Math.sqrt(right));
        const { due } = steady[i].counters;
        assert.ok(Math.abs(due - right) <= slack, `second ${i}: ${due} of ${right}`);
      }
      assert.equal(leg.errors.total, 0);
      assert.equal(leg.transfers.count + leg.transfers.unsent, leg.transfers.due);
      const page = readFileSync(join(run.report, `${run.summary().run}.html`), 'utf8');
      assert.match(page.replaceAll('<wbr>', ''), /200\/s for 1 s, 200\/s to 1,000\/s in 2 s, 0\/s for 1 s, 400\/s for 1 s/);
    });
  }
});
