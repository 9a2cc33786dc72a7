// Resources that run out during a run: the client's ports, the server's accept queue. Each is reported
// as what it is, nothing hangs, and the run recovers. Limits that are known beforehand are tested with the plan.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { dataOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { startNamespace } from '../fixtures/e2e-namespace.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { startTarget } from '../fixtures/e2e-server.js';
import { skip } from '../skip.js';

/** @import { Run } from '../fixtures/e2e-run.js' */

/** Half of them at once, the other half five seconds later: time to take something away. Ends by SIGINT. */
const LOAD = {
  ...{ connections: 400, ramp: { add: 200, every: '5s' }, pause: '100ms', duration: '5m' },
  transferTimeout: '30s',
  backoff: { base: '50ms', cap: '200ms' },
};

/** @param {Run} run */
async function ends(run) {
  run.kill('SIGINT');
  await run.endsWith(130);
  const {
    legs: [{ leg }],
  } = await assertBooks(run);
  return leg;
}

/** All are asked, and some cannot be opened. @param {Run} run */
const someAreLocal = (run) =>
  run.until(
    'many have met a limit of the client',
    () => run.samples().some(({ gauges }) => gauges.requested === 400 && gauges.open < 400) && localOf(run) >= 100,
  );

/** @param {Run} run @returns {number} rejects so far */
const localOf = (run) => run.samples().reduce((sum, { rejects }) => sum + rejects.local, 0);

/** @param {any} leg */
function assertLocalOnly(leg) {
  assert.deepEqual([leg.connections.openAtEnd, leg.connections.opened, leg.errors.total], [400, 400, 0]);
  assert.ok(leg.rejects.local >= 100 && leg.rejects.local === leg.rejects.total, `${leg.rejects.local} local`);
  assert.ok(leg.rejects.local < 200 * (leg.phases.endNs / 1e8 + 3), 'tried again with back-off: no hot loop');
}

describe('a run', function () {
  this.timeout(120_000);
  const box = sandbox();

  it('without free ports rejects what it cannot open as local, and opens it when it can', async function () {
    const own = await startNamespace();
    if (!own) return skip(this, 'no network namespace of our own (needs root, unshare, nsenter and ip)');
    const [program, ...words] = own.enter;
    const range = (/** @type {string} */ ports) =>
      void execFileSync(program, [...words, 'sh', '-c', `echo ${ports} > /proc/sys/net/ipv4/ip_local_port_range`]);
    const target = await startTarget(20_000, { wrap: own.enter });
    try {
      const run = box.stress({ ...LOAD, target: '127.0.0.1:20000' }, [], { wrap: own.enter });
      await run.allOpen(200);
      range('30000 30063');
      await someAreLocal(run);
      assert.ok(run.samples().every(({ gauges }) => gauges.open <= 264));
      range('30000 40000');
      await run.allOpen(400);
      assertLocalOnly(await ends(run));
    } finally {
      await target.stop();
      await own.end();
    }
    return undefined;
  });

  it('takes longer to connect to a full accept queue, and is not refused', async () => {
    const target = await startTarget(undefined, { options: ['--backlog', '16'] });
    try {
      const ramp = { add: 200, every: '2s', spread: true };
      const run = box.stress({ ...LOAD, ramp, target: `127.0.0.1:${target.port}` });
      await run.until('some are served', () => run.samples().some(({ gauges }) => gauges.open > 0));
      target.kill('SIGSTOP');
      await run.until('the accept queue is full', () => run.samples().some(({ gauges }) => gauges.connecting >= 50));
      target.kill('SIGCONT');
      await run.allOpen(400);
      const leg = await ends(run);
      assert.deepEqual([leg.rejects.total, leg.errors.total, leg.connections.opened], [0, 0, 400]);
      assert.ok(leg.connectTimeNs.max >= 1e9, 'the SYN that was dropped is sent again after a second');
      assert.ok(leg.kernel.TcpExtListenDrops >= 50, 'and the kernel has counted it');
      const full = dataOf(leg.findings, 'backlog-full');
      assert.ok(full, 'the cause is named');
      assert.deepEqual([full.backlog, full.drops], [16, leg.serverLimits.listen.drops]);
      assert.ok(full.delayed >= 50 && full.drops >= 50, JSON.stringify(full));
    } finally {
      target.kill('SIGCONT');
      await target.stop();
    }
  });
});
