// Processes of a run that are killed or stopped during a leg: the guard of a server, and the JavaScript of the workers.

import assert from 'node:assert/strict';
import { dataOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { isAlive } from '../fixtures/e2e-processes.js';
import { sandbox } from '../fixtures/e2e-run.js';

/** A second's grace before SIGKILL and the guard's own work, five times. */
const SOON_MS = 10_000;

describe('a run whose processes are killed or stopped', function () {
  this.timeout(180_000);
  const box = sandbox();

  it('leaves no server behind whose guard was killed, and treats it like any dead server', async () => {
    const run = box.stress({ servers: ['epoll'], duration: '4s' });
    await run.allOpen(100);
    const server = run.server('epoll');
    process.kill(run.server('guard'), 'SIGKILL');
    await run.until('the server has ended', () => !isAlive(server), SOON_MS);
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([leg.errors.total, leg.connections.openAtEnd], [100, 0]);
    assert.equal(dataOf(leg.warnings, 'guard-killed')?.signal, 'SIGKILL');
  });

  it('counts every transfer in its phase while the JavaScript of its workers is blocked', async () => {
    const preload = new URL('../fixtures/stalled-javascript.js', import.meta.url).href;
    const run = box.stress(
      {
        servers: ['epoll'],
        connections: 20,
        ramp: { add: 20, every: '3s' },
        duration: '12s',
        workers: 2,
        pause: '5ms',
      },
      [],
      { env: { NODE_OPTIONS: `--import ${preload}`, BROADSIDE_TEST_STALL_MS: '12000' } },
    );
    await run.endsWith(0);
    const {
      legs: [{ leg, samples }],
    } = await assertBooks(run);
    assert.ok(
      samples.some(({ mergedIntervals }) => mergedIntervals > 0),
      'some intervals hold several seconds',
    );
    const [merged] = leg.warnings.filter((/** @type {any} */ { code }) => code === 'intervals-merged');
    assert.ok(merged.data.intervals > 0);
    assert.ok(leg.steady.transfers > 0 && leg.steady.transfers < leg.transfers.count);
  });
});
