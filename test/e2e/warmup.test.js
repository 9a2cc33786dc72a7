// The warm-up against real servers: a separate phase in samples, log and page, excluded from the steady state; by time,
// and by a count that ends it at the same instant for all workers.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pageText } from '../fixtures/page-text.js';
import { assertBooks, modelOf } from '../fixtures/e2e-books.js';
import { attributesOf } from '../fixtures/page-elements.js';
import { sandbox } from '../fixtures/e2e-run.js';

const few = { connections: 20, ramp: { add: 20, every: '500ms' }, servers: ['epoll'], duration: '2s' };
const second = 1e9;

/** @returns {Promise<number>} a port on which nothing listens */
async function closedPort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

describe('a run with a warm-up', function () {
  this.timeout(120_000);
  const box = sandbox();

  it.slow('by time: between ramp and steady state, counted and logged, but not in the figures', async () => {
    const run = box.stress({ ...few, warmup: '1500ms' });
    await run.endsWith(0);
    const {
      legs: [{ leg, samples, rows }],
    } = await assertBooks(run);
    const { warmupFromNs, steadyFromNs, steadyToNs } = leg.phases;
    assert.deepEqual([warmupFromNs, steadyFromNs, steadyToNs], [0.5 * second, 2 * second, 4 * second]);
    assert.deepEqual([...new Set(samples.map(({ phase }) => phase))], ['ramp', 'warmup', 'steady', 'drain']);
    assert.ok(leg.warmup.transfers > 100 && rows !== null && rows.length > leg.steady.transfers + leg.warmup.transfers);
    const page = join(run.report, `${run.summary().run}.html`);
    const [{ ramp, warm, steady }] = modelOf(page).legs;
    assert.deepEqual([ramp, warm, steady], [0.5, 2, 4]);
    const html = pageText(run.report, run.summary().run);
    assert.ok(html.includes('ramp, warm-up and drain are shaded'));
    assert.ok(/up<\/dt><dd>1\.5 s<\/dd>/.test(html), 'a condition of the run');
    assert.match(run.stdout, / warmup /);
    assert.ok(run.events().some(({ phase }) => phase === 'warmup'));
  });

  it('by count: ends at the same whole second for all workers, and the leg that much earlier', async () => {
    const run = box.stress({ ...few, warmup: 1000 });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual(leg.warnings, []);
    assert.ok(leg.warmup.transfers >= 1000, `${leg.warmup.transfers} transfers`);
    const { steadyFromNs, steadyToNs } = leg.phases;
    assert.equal(steadyFromNs % second, 0);
    assert.equal(steadyToNs - steadyFromNs, 2 * second);
    assert.ok(steadyFromNs < 30 * second, 'long before warmupTimeout');
    assert.equal(leg.complete, true);
    const page = pageText(run.report, run.summary().run);
    assert.ok(page.includes('until 1,000 transfers, up to 60 s'));
    assert.ok(!/the last \d+ s of the steady state/.test(page), 'nothing is missing: it was as long as planned');
  });

  it.slow('by count against a dead target: ends long before warmupTimeout, and reports why', async () => {
    const run = box.stress({
      ...few,
      servers: undefined,
      target: `127.0.0.1:${await closedPort()}`,
      warmup: 1000,
      force: true,
      connectTimeout: '1s',
      backoff: { cap: '1s' },
    });
    await run.endsWith(1);
    const {
      legs: [{ leg, samples }],
    } = await assertBooks(run);
    assert.deepEqual([leg.complete, leg.endedBy, leg.transfers.count], [false, 'target-lost', 0]);
    assert.equal(leg.failure.code, 'target-lost');
    assert.ok(leg.rejects.refused > 0);
    assert.ok(leg.phases.endNs < 30 * second, `${leg.phases.endNs / second} s`);
    assert.ok(samples.every(({ phase }) => phase !== 'steady'));
  });

  it.slow('by a count that is not reached in time: reports it and measures anyway', async () => {
    const run = box.stress({ ...few, warmup: 1_000_000_000, warmupTimeout: '1s' });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    const { transfers } = leg.warmup;
    const [{ code, data, text }] = leg.warnings;
    assert.deepEqual([code, data], ['warmup-short', { elapsedNs: 1e9, transfers, wanted: 1e9 }]);
    assert.ok(run.stdout.replace(/\n +/g, ' ').includes(text));
    assert.deepEqual([leg.phases.steadyFromNs, leg.phases.steadyToNs], [1.5 * second, 3.5 * second]);
  });

  it.slow('in open loop: the rate starts with it', async () => {
    const run = box.stress({ ...few, pause: '0s', warmup: '2s', rate: '500/s' });
    await run.endsWith(0);
    const {
      legs: [{ leg, samples }],
    } = await assertBooks(run);
    const dueIn = (/** @type {string} */ wanted) =>
      samples.reduce((sum, { phase, counters }) => sum + (phase === wanted ? counters.due : 0), 0);
    assert.equal(dueIn('ramp'), 0);
    assert.equal(leg.transfers.due, dueIn('warmup') + dueIn('steady'));
    assert.ok(Math.abs(leg.transfers.due - 2000) <= 2, `${leg.transfers.due} due`);
    // what became due while the client waited for a core is counted when it is seen
    assert.ok(Math.abs(dueIn('warmup') - 1000) <= 200, `${dueIn('warmup')} in the warm-up`);
  });

  it.slow('that is interrupted: the figures state what they cover', async () => {
    const run = box.stress({ ...few, warmup: '50s' });
    await run.until('a second of the warm-up', () => / warmup /.test(run.stdout));
    run.child.kill('SIGINT');
    await run.endsWith(130);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([leg.steady, leg.complete, leg.endedBy], [undefined, false, 'interrupted']);
    const page = pageText(run.report, run.summary().run);
    assert.ok(attributesOf(page, 'data-missing').join(' ').split(' ').includes('steady-state'));
  });
});
