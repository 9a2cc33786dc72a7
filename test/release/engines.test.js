// Workers with several engines, because a process may not have descriptors for their connections: the books are those
// of one engine for each worker.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

const DESCRIPTORS = 600;
const CONNECTIONS = 1300;

describe('a worker with several engines', function () {
  this.timeout(120_000);
  const box = sandbox();
  const limited = ['/bin/sh', '-c', `ulimit -n ${DESCRIPTORS} && exec "$0" "$@"`];

  it('has more connections than a process may have descriptors, and all are answered', async () => {
    const run = box.stress(
      {
        ...{ servers: ['epoll'], connections: CONNECTIONS, workers: 2, payload: '1B', timestamps: 'sample' },
        ...{ ramp: { add: CONNECTIONS, every: '1s', spread: true }, transfers: 3 * CONNECTIONS, duration: '60s' },
        ...{ pause: '500ms', connectTimeout: '30s', transferTimeout: '60s' },
      },
      [],
      { wrap: limited },
    );
    await run.endsWith(0);
    const {
      legs: [{ leg, samples }],
    } = await assertBooks(run);
    const plan = JSON.parse(readFileSync(join(String(run.folder), 'plan.json'), 'utf8'));
    assert.deepEqual([plan.legs[0].workers, plan.legs[0].engines], [2, 2]);
    const { connections, rejects, errors, transfers, log } = leg;
    assert.deepEqual([connections.opened, connections.peakOpen, rejects.total], [CONNECTIONS, CONNECTIONS, 0]);
    assert.deepEqual([errors.total, connections.neverAnswered], [0, 0]);
    assert.deepEqual([transfers.count, log.rows, log.missing], [3 * CONNECTIONS, 3 * CONNECTIONS, 0]);
    const reported = samples.flatMap(({ client }) =>
      client.engines.map((/** @type {any} */ { worker, engine }) => `${worker}.${engine}`),
    );
    assert.deepEqual([...new Set(reported)].sort(), ['0.0', '0.1', '1.0', '1.1']);
    assert.equal(Math.max(...samples.map(({ client }) => client.workers)), 2);
  });
});
