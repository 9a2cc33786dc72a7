// Processes of a run that are killed or stopped during a leg: workers are replaced and their losses counted; a killed
// primary takes all other processes with it.

import assert from 'node:assert/strict';
import { dataOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { isAlive } from '../fixtures/e2e-processes.js';
import { sandbox } from '../fixtures/e2e-run.js';

/** A second's grace before SIGKILL and the guard's own work, five times. */
const SOON_MS = 10_000;
/** Six workers one after another, each of which is forked, starts and is killed. */
const KILLED_MS = 100_000;

describe('a run whose processes are killed', function () {
  this.timeout(180_000);
  const box = sandbox();

  it('gives up workers that are killed repeatedly: the leg is incomplete, and everything else is there', async () => {
    const run = box.stress({ servers: ['epoll', 'multi-threaded'], duration: '150s', workers: 2 });
    await run.allOpen(100);
    let killed = 0;
    await run.until(
      'the leg is given up',
      () => {
        const forked = run.events().filter(({ event, leg }) => event === 'forked' && leg === '01-epoll');
        for (const { pid } of forked.slice(killed)) process.kill(pid, 'SIGKILL');
        killed = forked.length;
        return run.events().some(({ msg, leg }) => msg === 'leg ended' && leg === '01-epoll');
      },
      KILLED_MS,
    );
    await run.until('the next leg runs', () => run.samples('02-').length > 0);
    run.kill('SIGINT');
    await run.endsWith(130);
    const {
      summary,
      legs: [{ leg }, { leg: next }],
    } = await assertBooks(run);
    assert.equal(summary.complete, false);
    assert.deepEqual([leg.complete, leg.endedBy, next.endedBy], [false, 'workers', 'interrupted']);
    assert.deepEqual([leg.failure.code, leg.failure.data.times], ['worker-lost-repeatedly', 6]);
  });

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
