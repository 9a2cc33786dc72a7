// Runs over ::1 and over unix sockets with a server of this repository, a command and a target; what page and plan
// show, and what is rejected.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { factsOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { startTarget } from '../fixtures/e2e-server.js';
import { requireIPv6 } from '../fixtures/loopback.js';

describe('endpoints', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  /** @param {import('../fixtures/e2e-run.js').Run} run @returns {string} its page */
  const pageOf = (run) => readFileSync(join(run.report, 'index.html'), 'utf8');

  it.slow('can be ::1 for a server of this repository', async function () {
    requireIPv6(this);
    const run = box.stress({ servers: ['epoll'], listen: 'ipv6' });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.match(leg.targets[0], /^\[::1\]:[0-9]+$/);
    assert.deepEqual([leg.connections.openAtEnd, leg.errors.total, leg.rejects.total, leg.warnings], [100, 0, 0, []]);
    assert.match(run.stdout, /^01-epoll +\[::1\]:[0-9]+ /m);
    assert.match(pageOf(run), /over loopback \(IPv6\)/);
  });

  it('can be a unix socket for a server of this repository, with several processes, and nothing is left behind', async () => {
    const several = { name: 'epoll-pool', options: { processes: 2 } };
    const run = box.stress({ servers: ['epoll', several], listen: 'unix' });
    await run.endsWith(0);
    const { legs } = await assertBooks(run);
    assert.equal(legs.length, 2);
    for (const { leg } of legs) {
      assert.match(leg.targets[0], /^unix:\/.*\/server\.sock$/);
      assert.deepEqual([leg.errors.total, leg.rejects.total, leg.connections.lost, leg.warnings], [0, 0, 0, []]);
      assert.deepEqual([leg.connections.openAtEnd, leg.connections.unansweredAtEnd], [100, 0]);
      assert.throws(() => readFileSync(leg.targets[0].slice('unix:'.length)), { code: 'ENOENT' });
    }
    assert.match(pageOf(run), /over unix sockets/);
  });

  it.slow('can be an IPv6 address or a path of a target', async function () {
    requireIPv6(this);
    const target = await startTarget(undefined, { options: ['--host', '::1'] });
    const path = join(box.folder, 'target.sock');
    const atPath = await startTarget(0, { options: ['--host', `unix:${path}`] });
    try {
      const places = [`[::1]:${target.port}`, `unix:${path}`];
      const runs = places.map((place) => box.stress({}, ['--target', place]));
      for (const [i, run] of runs.entries()) {
        await run.endsWith(0);
        const {
          legs: [{ leg }],
        } = await assertBooks(run);
        assert.deepEqual([leg.targets, leg.server, leg.connections.openAtEnd], [[places[i]], places[i], 100]);
      }
    } finally {
      await Promise.all([target.stop(), atPath.stop()]);
    }
  });

  it.slow('that are a missing path give, when forced, a leg full of refused attempts', async () => {
    const run = box.stress({ connections: 10 }, ['--force', '--target', `unix:${join(box.folder, 'nobody.sock')}`]);
    await run.endsWith(1);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.ok(leg.rejects.refused >= 10);
    assert.equal(leg.rejects.total, leg.rejects.refused);
  });

  it('are printed in the plan, and rejected if a server does not support them', async () => {
    const plan = box.start([
      process.execPath,
      CLI,
      'stress',
      '--servers',
      'epoll',
      '--connections',
      '5',
      '--listen',
      'unix',
      '--dry-run',
    ]);
    await plan.endsWith(0);
    assert.match(plan.stdout, /^listen +a Unix socket in a temporary folder$/m);
    const named = await box.refused({ servers: ['node'], listen: 'unix' });
    assert.equal(named.exitCode, 2);
    assert.deepEqual(factsOf(named.data.mistakes), [
      ['listen-unsupported', { server: 'node', label: 'node', listen: 'unix', supported: ['ipv4', 'ipv6'] }],
    ]);
  });
});
