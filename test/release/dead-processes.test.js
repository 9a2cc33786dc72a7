// Processes of a run that are killed or stopped during a leg: workers are replaced and their losses counted; a killed
// primary takes all other processes with it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codesOf, dataOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { isAlive } from '../fixtures/e2e-processes.js';
import { codesIn } from '../fixtures/page-elements.js';
import { sandbox } from '../fixtures/e2e-run.js';

/** A second's grace before SIGKILL and the guard's own work, five times. */
const SOON_MS = 10_000;
/** Six workers one after another, each of which is forked, starts and is killed. */
const KILLED_MS = 100_000;

describe('a run whose processes are killed', function () {
  this.timeout(180_000);
  const box = sandbox();

  it('replaces a worker, keeps what it had written, and reports what is missing', async () => {
    const run = box.stress({ servers: ['epoll'], duration: '6s', workers: 2 });
    await run.allOpen(100);
    const [first] = run.workers();
    process.kill(first, 'SIGKILL');
    await run.until('a new fork takes its place', () => run.workers().length === 3);
    await run.endsWith(0);
    const {
      summary,
      legs: [{ leg, rows, samples }],
    } = await assertBooks(run);
    assert.deepEqual([summary.complete, leg.endedBy], [true, 'plan']);
    const [{ code, data, text }] = leg.warnings;
    assert.deepEqual([code, data.how, data.open], ['worker-lost', 'SIGKILL', 50]);
    assert.ok(run.stdout.includes(text.slice(0, 30)), 'the console says so too');
    assert.deepEqual(dataOf(run.events(), 'worker-lost'), data, 'and so does the log of events');
    // what it had in flight, and of its last second what it had not written yet
    const busiest = Math.max(...samples.map(({ counters }) => counters.transfers));
    assert.ok(leg.log.missing <= busiest + leg.transfers.unfinished, `${leg.log.missing} missing`);
    assert.equal(samples.filter(({ phase }) => phase === 'steady').at(-1).gauges.open, 100, 'its slots are open again');
    const { opened, reopened, lostWithWorker, lost } = leg.connections;
    assert.deepEqual([opened, reopened, lostWithWorker, lost], [150, 50, 50, 0], 'fifty of them for the second time');
    assert.match(run.stdout, /lost with a worker +50\n/);
    const page = readFileSync(join(run.report, `${summary.run}.html`), 'utf8');
    assert.ok(codesIn(page).includes('lost with a worker'));
    assert.equal(leg.steady.perConnection, undefined, 'fairness is not known any more');
    const late = Math.max(...(rows ?? []).map(({ start }) => start)) - 1e9;
    const served = new Set(rows?.filter(({ start }) => start > late).map(({ connection }) => connection));
    assert.equal(served.size, 100, 'each connection is served to the end');
    assert.deepEqual(run.events().filter(({ event }) => event === 'lost').length, 1);
  });

  it(
    'counts what is due of a dead worker as unsent, so that all that the rate asks for is in the books',
    async () => {
      const run = box.stress({
        servers: ['epoll'],
        connections: 20,
        pause: '0s',
        rate: '500/s',
        ramp: { add: 20, every: '500ms' },
        duration: '5s',
        warmup: '0s',
        workers: 2,
      });
      await run.until('the rate begins', () => run.samples().some(({ counters }) => counters.transfers > 0));
      process.kill(run.workers()[0], 'SIGKILL');
      await run.endsWith(0);
      const {
        legs: [{ leg, samples }],
      } = await assertBooks(run);
      const { due, unsent } = leg.steady;
      assert.ok(Math.abs(due - 2500) <= 2, `${due} due`); // each worker's last one may be due at the very end
      // a new fork comes after 100 ms at the earliest: 25 are due of it meanwhile, half of those of both
      assert.ok(unsent >= 25, `${unsent} unsent`);
      const whole = samples.filter(({ phase, fromNs, toNs }) => phase === 'steady' && toNs - fromNs === 1e9);
      for (const { second, counters } of whole)
        assert.ok(counters.due >= 200, `${counters.due} due at second=${second}`);
      assert.equal(dataOf(leg.warnings, 'worker-lost')?.openLoop, true);
    },
  );

  it('has consistent counts when a worker is killed before its first report, or while it starts', async () => {
    const run = box.stress({ servers: ['epoll'], duration: '6s', workers: 2 });
    await run.until('the workers are forked', () => run.workers().length === 2);
    process.kill(run.workers()[0], 'SIGKILL');
    await run.until('the leg starts', () => run.events().some(({ msg }) => msg === 'leg starts'));
    process.kill(run.workers()[1], 'SIGKILL');
    await run.endsWith(0);
    const {
      summary,
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.equal(summary.complete, true);
    assert.equal(leg.connections.openAtEnd, 100);
    assert.deepEqual(codesOf(leg.warnings), ['worker-lost', 'worker-lost']);
    for (const { data } of leg.warnings) assert.equal(data.how, 'SIGKILL');
  });

  it(
    'gives up workers that are killed repeatedly: the leg is incomplete, and everything else is there',
    async () => {
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
    },
  );

  it('ends with exit code 1 when all workers are lost', async () => {
    const run = box.stress({ servers: ['epoll'], duration: '150s', workers: 1, transferLog: 'none' });
    let killed = 0;
    await run.until(
      'the command ends',
      () => {
        const forked = run.workers();
        for (const pid of forked.slice(killed)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
        killed = forked.length;
        return run.ending;
      },
      KILLED_MS,
    );
    await run.endsWith(1);
    const { summary } = await assertBooks(run);
    assert.deepEqual([summary.complete, summary.endedBy], [false, 'workers']);
  });

  it('leaves no worker and no server behind after the primary was killed', async () => {
    const run = box.stress({ servers: ['epoll'], duration: '30s' });
    await run.allOpen(100);
    const family = run.processes();
    assert.ok(family.length >= 5, 'the primary, two workers, the guard and the server');
    assert.ok(run.workers().every((pid) => family.some((one) => one.pid === pid)));
    run.kill('SIGKILL');
    await run.until('all are gone', () => run.processes().length === 0, SOON_MS);
    assert.ok(run.samples().length > 0, 'what was measured is there');
  });

  it('leaves nothing behind when the primary is killed while the server of a command starts', async () => {
    const run = box.stress({ command: 'sleep 1000 & : {port}; sleep 1000' });
    await run.until('the command runs', () => run.processes().filter(({ name }) => name === 'sleep').length === 2);
    run.kill('SIGKILL');
    await run.until('all are gone', () => run.processes().length === 0, SOON_MS);
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

  it('handles a worker that neither reports nor ends', async function () {
    const run = box.stress({ servers: ['epoll'], duration: '6s', workers: 2 });
    await run.allOpen(100);
    process.kill(run.workers()[0], 'SIGSTOP');
    await run.endsWith(1);
    const {
      summary,
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([summary.complete, leg.endedBy], [false, 'workers']);
    assert.match(run.stdout, /no figures for \d+ s: waiting for worker [01]/);
    assert.ok(codesOf(leg.warnings).includes('worker-silent'));
  });

  it('continues with a worker that was stopped for a while', async function () {
    const run = box.stress({ servers: ['epoll'], duration: '9s', workers: 2 });
    await run.allOpen(100);
    const [stopped] = run.workers();
    process.kill(stopped, 'SIGSTOP');
    await run.until('it is waited for', () => /no figures for 3 s: waiting for worker [01]/.test(run.stdout));
    process.kill(stopped, 'SIGCONT');
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([leg.endedBy, leg.connections.openAtEnd, leg.log.missing], ['plan', 100, 0]);
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
