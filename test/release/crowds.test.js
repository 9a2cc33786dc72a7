// Crowds of connections, all open and all answered: the scenario 80k-continuous with a faster ramp and only the epoll
// server, and two hundred thousand that are held by two workers with several engines each. In a network namespace:
// other tests, which read the table of all sockets, do not have these in it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { startNamespace } from '../fixtures/e2e-namespace.js';
import { ROOT, sandbox } from '../fixtures/e2e-run.js';
import { skip } from '../skip.js';

/** @import { Namespace } from '../fixtures/e2e-namespace.js' */

const DEADLINE_MS = 150_000;
/** While a neighbour stops the server for seconds, the kernel resets what it has not accepted: 1 in 10,000. */
const MOST_LOST = 1e-4;

describe('a crowd of connections', function () {
  this.timeout(300_000);
  const box = sandbox();
  /** @type {Namespace} */
  let own;
  before(async function () {
    own =
      (await startNamespace()) ?? skip(this, 'no network namespace of our own (needs root, unshare, nsenter and ip)');
  });
  after(() => own?.end());

  /** @param {any} leg @param {any[]} samples @param {number} wanted @param {number} mostBytes of the client's memory */
  function assertHeld({ connections, rejects, errors, log }, samples, wanted, mostBytes) {
    assert.deepEqual([connections.requested, connections.peakOpen, rejects.total], [wanted, wanted, 0]);
    assert.ok(errors.total <= wanted * MOST_LOST, JSON.stringify(errors));
    assert.deepEqual([connections.neverAnswered, connections.lostWithWorker ?? 0, log.missing], [0, 0, 0]);
    const rss = Math.max(...samples.map(({ client }) => client.rssBytes));
    assert.ok(rss < mostBytes, `the client takes ${(rss / 1e6).toFixed(0)} MB`);
  }

  it('of eighty thousand that all transfer is served by a client of 300 MB', async function () {
    const {
      description: _,
      $schema: _schema,
      ...scenario
    } = JSON.parse(readFileSync(join(ROOT, 'config/80k-continuous.json'), 'utf8'));
    const faster = {
      ...{ ...scenario, pause: '0s', workers: 'auto', connectTimeout: '30s', drainTimeout: '20s' },
      ...{ servers: ['epoll'], ramp: { add: 10_000, every: '2s', spread: true }, transferLog: 'arrow' },
    };
    const run = box.stress(faster, [], { wrap: own.enter });
    const { code } = await run.ended(DEADLINE_MS);
    // 3: this machine cannot, whatever the client does, and it says why
    if (code === 3) return skip(this, run.stderr.trim().split('\n')[0]);
    assert.equal(code, 0, run.story());
    const {
      legs: [{ leg, samples }],
    } = await assertBooks(run);
    assertHeld(leg, samples, 80_000, 300e6);
    const { connections, errors, steady } = leg;
    const { total: lost, reset = 0 } = errors;
    assert.deepEqual([reset, connections.lost, connections.reopened], [lost, lost, lost], JSON.stringify(errors));
    assert.deepEqual([connections.openAtEnd, connections.unansweredAtEnd], [80_000, 0]);
    assert.ok(steady.perConnection.min >= 1, `least served: ${steady.perConnection.min} transfers in the steady state`);
    assert.deepEqual([leg.endedBy, leg.warnings], ['plan', []]);
    return undefined;
  });

  it('of two hundred thousand is held by two workers, with 200 bytes for each, which is answered twice', async function () {
    const wanted = 200_000;
    const isHeld = (/** @type {any[]} */ samples) =>
      samples.some(({ gauges }) => gauges.open === wanted) &&
      samples.reduce((sum, { counters }) => sum + counters.transfers, 0) >= 2 * wanted;
    const scenario = {
      ...{ servers: ['epoll'], connections: wanted, workers: 2, workload: 'hold', heartbeat: '15s', pause: '0s' },
      ...{ ramp: { add: 10_000, every: '1s', spread: true }, payload: '1B', duration: '10m' },
      ...{ connectTimeout: '60s', transferTimeout: '60s', drainTimeout: '60s', backoff: { base: '1s', cap: '10s' } },
    };
    const run = box.stress(scenario, [], { wrap: own.enter });
    const refused = run.ended(DEADLINE_MS).catch(() => ({ code: null }));
    const held = run.until('all are open and have been answered twice', () => isHeld(run.samples()), DEADLINE_MS);
    const { code } = await Promise.race([refused, held.then(() => ({ code: null }))]);
    if (code === 3) return skip(this, run.stderr.trim().split('\n')[0]);
    await held;
    run.kill('SIGINT');
    await run.ended(DEADLINE_MS);
    await run.endsWith(130);
    const {
      legs: [{ leg, samples }],
    } = await assertBooks(run);
    assertHeld(leg, samples, wanted, 350e6 + wanted * 200);
    const [planned] = JSON.parse(readFileSync(join(String(run.folder), 'plan.json'), 'utf8')).legs;
    assert.ok(planned.workers === 2 && planned.engines > 1, JSON.stringify(planned.engines));
    assert.ok(leg.transfers.count >= 2 * wanted, `${leg.transfers.count} transfers`);
    return undefined;
  });
});
