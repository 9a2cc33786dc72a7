// Two hundred thousand connections, held and answered by two workers with several engines each. Ends by a count: all are
// open, and two transfers for each have been answered. In a network namespace, so that other tests, which read the table of
// all sockets, do not have these in it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { startNamespace } from '../fixtures/e2e-namespace.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { skip } from '../skip.js';

const CONNECTIONS = 200_000;
/** Of the client: each connection, and everything else. */
const CONNECTION_BYTES = 200;
const FIXED_BYTES = 350e6;
/** While a neighbour stops the server for seconds, the kernel resets what it has not accepted: 1 in 10,000. */
const MOST_LOST = 20;

const DEADLINE_MS = 150_000;

/** @param {any[]} samples */
const isHeld = (samples) =>
  samples.some(({ gauges }) => gauges.open === CONNECTIONS) &&
  samples.reduce((sum, { counters }) => sum + counters.transfers, 0) >= 2 * CONNECTIONS;

describe('two hundred thousand connections', function () {
  this.timeout(300_000);
  const box = sandbox();
  /** @type {import('../fixtures/e2e-namespace.js').Namespace} */
  let own;
  before(async function () {
    own =
      (await startNamespace()) ?? skip(this, 'no network namespace of our own (needs root, unshare, nsenter and ip)');
  });
  after(() => own?.end());

  it('are held by two workers, and each is answered twice', async function () {
    const scenario = {
      ...{ servers: ['epoll'], connections: CONNECTIONS, workers: 2, workload: 'hold', heartbeat: '15s', pause: '0s' },
      ...{ ramp: { add: 10_000, every: '1s', spread: true }, payload: '1B', duration: '10m' },
      ...{ connectTimeout: '60s', transferTimeout: '60s', drainTimeout: '60s', backoff: { base: '1s', cap: '10s' } },
    };
    const run = box.stress(scenario, [], { wrap: own.enter });
    const refused = run.ended(DEADLINE_MS).catch(() => ({ code: null }));
    const held = run.until('all are open and have been answered twice', () => isHeld(run.samples()), DEADLINE_MS);
    const { code } = await Promise.race([refused, held.then(() => ({ code: null }))]);
    // 3: this machine cannot, whatever the client does, and it says why
    if (code === 3) return skip(this, run.stderr.trim().split('\n')[0]);
    await held;
    run.kill('SIGINT');
    await run.ended(DEADLINE_MS);
    await run.endsWith(130);
    const {
      legs: [{ leg, samples }],
    } = await assertBooks(run);
    const [planned] = JSON.parse(readFileSync(join(String(run.folder), 'plan.json'), 'utf8')).legs;
    assert.ok(planned.workers === 2 && planned.engines > 1, JSON.stringify(planned.engines));
    const { connections, rejects, errors, transfers, log } = leg;
    assert.deepEqual([connections.requested, connections.peakOpen], [CONNECTIONS, CONNECTIONS]);
    assert.equal(rejects.total, 0);
    assert.ok(errors.total <= MOST_LOST, JSON.stringify(errors));
    assert.deepEqual([connections.neverAnswered, connections.lostWithWorker ?? 0, log.missing], [0, 0, 0]);
    assert.ok(transfers.count >= 2 * CONNECTIONS, `${transfers.count} transfers`);
    const rss = Math.max(...samples.map(({ client }) => client.rssBytes));
    assert.ok(rss < FIXED_BYTES + CONNECTIONS * CONNECTION_BYTES, `the client takes ${(rss / 1e6).toFixed(0)} MB`);
    return undefined;
  });
});
