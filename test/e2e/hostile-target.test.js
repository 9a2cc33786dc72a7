// A run against a target that misbehaves: its counts equal those of the client, cause by cause, in all output including
// the report. test/integration tests what each behaviour does to the engine.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';
import { codesOf, dataOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { startHostile } from '../fixtures/hostile/server.js';

const NEVER_ACCEPTS = fileURLToPath(new URL('../fixtures/hostile/never-accepts.js', import.meta.url));

/** The one exchange before the leg meets a good server; after that every second connection is bad. */
const everySecond = (/** @type {number} */ index) => index > 0 && index % 2 === 0;

/** @type {[Parameters<typeof startHostile>[0], string][]} */
const SPOILERS = [
  ['reset-in-reply', 'reset'],
  ['end-in-reply', 'closed'],
  ['flip-bits', 'corrupt'],
  ['surplus', 'protocol'],
  ['never-answer', 'timeout'],
  ['half-answer', 'timeout'],
];

/** One that ends a transfer, one that comes after it, and one that only the clock shows. */
const IN_DEFAULT_TIER = new Set(['reset-in-reply', 'surplus', 'never-answer']);

describe('a run against a hostile target', function () {
  this.timeout(120_000);
  const box = sandbox();
  const load = { connections: 40, pause: '20ms', backoff: { base: '50ms', cap: '200ms' } };

  for (const [behaviour, cause] of SPOILERS) {
    const add = IN_DEFAULT_TIER.has(behaviour) ? it : it.slow;
    add(`counts ${behaviour} as ${cause}, as often as the server caused it`, async () => {
      const server = await startHostile(behaviour, { bad: everySecond, after: 2 });
      try {
        // A number of transfers is a least time, because of the pauses, however slow the machine is: enough for some
        // connections to be lost and to come back.
        const enough =
          cause === 'timeout'
            ? { transfers: 1300, pause: '200ms', transferTimeout: '6s' }
            : { transfers: 1000, transferTimeout: '60s' };
        const run = box.stress({ ...load, ...enough, target: `127.0.0.1:${server.port}`, duration: '60s', workers: 1 });
        await run.endsWith(0);
        const {
          legs: [{ leg, rows }],
        } = await assertBooks(run);
        const { did } = server;
        const { total, ...errors } = leg.errors;
        assert.equal(leg.endedBy, 'done');
        assert.ok(did.bad > 0, 'none');
        assert.equal(errors[cause], total, `${cause} and nothing else`);
        assert.equal(errors[cause] + leg.transfers.unfinished, did.bad);
        assert.equal(leg.transfers.failed, cause === 'protocol' ? 0 : total);
        assert.equal(leg.transfers.count + 1, did.replies, 'good replies, except the first exchange');
        const unseen = did.accepted - 1 - leg.connections.opened; // accepted as the leg's end cut the attempt
        assert.ok(unseen >= 0 && unseen <= leg.attempts.abandoned, `${unseen} accepted, but not open`);
        const warnings = codesOf(leg.warnings).filter((code) => code !== 'intervals-merged'); // of a machine without time
        assert.deepEqual([leg.rejects.total, leg.log.missing, warnings], [0, 0, []]);
        assert.ok(leg.connections.reopened > 0 && leg.recoveryTimeNs.min >= 25e6, 'after back-off');
        const status = ['ok', 'timeout', 'reset', 'closed', 'corrupt'].indexOf(cause);
        if (status > 0) assert.equal(rows?.filter((row) => row.status === status).length, total);
      } finally {
        await server.close();
      }
    });
  }

  it.slow('counts resets at accept as rejects or as errors, without a busy loop', async () => {
    const server = await startHostile('reset-at-accept');
    try {
      const target = `127.0.0.1:${server.port}`;
      const run = box.stress({ ...load, target, backoff: { base: '100ms' }, force: true });
      await run.endsWith(1);
      const {
        legs: [{ leg }],
      } = await assertBooks(run);
      assert.equal(leg.rejects.reset + leg.errors.reset, leg.rejects.total + leg.errors.total);
      const unseen = server.did.bad - 1 - leg.rejects.total - leg.errors.total; // cut by the end of the leg
      const cut = leg.attempts.abandoned + leg.connections.openAtEnd;
      assert.ok(unseen >= 0 && unseen <= cut, `${unseen} resets that the client has not met`);
      assert.deepEqual([leg.transfers.count, leg.endedBy], [0, 'no-transfers']);
      assert.ok(leg.attempts.total <= 40 * 6, `${leg.attempts.total} attempts in 1.2 s`);
      assert.equal(dataOf(leg.warnings, 'target-unverified')?.errorCode, 'EEXCHANGE');
    } finally {
      await server.close();
    }
  });

  it('shows a server that never accepts as timeouts and as unanswered, never as refused', async () => {
    const child = spawn(process.execPath, [NEVER_ACCEPTS], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line] = await once(child.stdout, 'data');
      const short = { connectTimeout: '300ms', drainTimeout: '300ms', duration: '1500ms' };
      const run = box.stress({ ...load, ...short, target: `127.0.0.1:${Number(line)}`, force: true });
      await run.endsWith(1);
      const {
        legs: [{ leg }],
      } = await assertBooks(run);
      assert.ok(leg.rejects.timeout > 40, `${leg.rejects.timeout} timeouts`);
      assert.deepEqual([leg.rejects.total, leg.transfers.count], [leg.rejects.timeout, 0]);
      assert.ok(leg.connections.neverAnswered <= 2, 'only what the accept queue holds was open');
      const full = dataOf(leg.findings, 'backlog-full');
      assert.deepEqual([full?.backlog, full?.timedOut], [1, leg.rejects.timeout], 'and it is named as the cause');
    } finally {
      child.kill('SIGKILL');
    }
  });
});
