// Eighty thousand connections, all open and all transferring: the scenario 80k-continuous with a faster ramp and only
// the epoll server, in a network namespace: other tests, which read the table of all sockets, do not have these in it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { startNamespace } from '../fixtures/e2e-namespace.js';
import { ROOT, sandbox } from '../fixtures/e2e-run.js';
import { skip } from '../skip.js';

const CONNECTIONS = 80_000;
const MOST_RSS_BYTES = 300e6;
/** While a neighbour stops the server for seconds, the kernel resets what it has not accepted: 1 in 10,000. */
const MOST_LOST = 8;

describe('eighty thousand connections', function () {
  this.timeout(180_000);
  const box = sandbox();
  /** @type {import('../fixtures/e2e-namespace.js').Namespace} */
  let own;
  before(async function () {
    own =
      (await startNamespace()) ?? skip(this, 'no network namespace of our own (needs root, unshare, nsenter and ip)');
  });
  after(() => own?.end());

  it('are held and served, all of them, with no reject, by a client of 300 MB', async function () {
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
    const { code } = await run.ended(150_000);
    // 3: this machine cannot, whatever the client does, and it says why
    if (code === 3) return skip(this, run.stderr.trim().split('\n')[0]);
    assert.equal(code, 0, run.story());
    const {
      legs: [{ leg, samples }],
    } = await assertBooks(run);
    const { connections, steady } = leg;
    assert.deepEqual(
      [connections.requested, connections.peakOpen, connections.openAtEnd],
      [CONNECTIONS, CONNECTIONS, CONNECTIONS],
    );
    assert.equal(leg.rejects.total, 0);
    const { total: lost, reset = 0 } = leg.errors;
    assert.deepEqual([reset, connections.lost, connections.reopened], [lost, lost, lost], JSON.stringify(leg.errors));
    assert.ok(lost <= MOST_LOST, `${lost} connections were lost`);
    assert.deepEqual([connections.neverAnswered, connections.unansweredAtEnd], [0, 0]);
    assert.ok(steady.perConnection.min >= 1, `least served: ${steady.perConnection.min} transfers in the steady state`);
    const rss = Math.max(...samples.map(({ client }) => client.rssBytes));
    assert.ok(rss < MOST_RSS_BYTES, `the client takes ${(rss / 1e6).toFixed(0)} MB`);
    assert.deepEqual([leg.endedBy, leg.log.missing, leg.warnings], ['plan', 0, []]);
    return undefined;
  });
});
