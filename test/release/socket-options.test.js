// Key `socket`: each option as the kernel reports it for the sockets of a run (ss), the ports as the server sees them,
// and what is recorded.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pickPort } from '../../servers/launcher/start/ports.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { startCountingTarget } from '../fixtures/e2e-server.js';
import { requireTool } from '../skip.js';

describe('socket options', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  const targetOf = (/** @type {number} */ port) => ['--target', `127.0.0.1:${port}`];

  it('are set as requested, and recorded', async function () {
    requireTool(this, 'ss', 'iproute2');
    const socket = { keepAlive: '50s' };
    const target = await startCountingTarget();
    const run = box.stress({ connections: 5, duration: '4s', socket }, targetOf(target.port));
    const rows = await run.until('the kernel shows five connections', () => {
      const shown = execFileSync('ss', ['-Htno', 'state', 'established', 'dst', `127.0.0.1:${target.port}`], {
        encoding: 'utf8',
      });
      const those = shown.trim().split('\n');
      return those.length === 5 ? those : null;
    });
    await run.endsWith(0);
    await target.account();
    for (const row of rows) assert.match(row, /timer:\((keepalive|on)/);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([leg.connections.openAtEnd, leg.warnings], [5, []]);
    const recorded = JSON.parse(readFileSync(join(run.folder ?? '', 'scenario.json'), 'utf8')).socket;
    assert.deepEqual(recorded, {
      nodelay: true,
      keepAliveNs: 50e9,
      lingerNs: null,
      sourcePort: null,
    });
  });

  it('count source ports up from the first, also if a close by RST frees them', async () => {
    const target = await startCountingTarget();
    const first = await pickPort('127.0.0.1');
    const socket = { sourcePort: first, linger: '0s' };
    const run = box.stress(
      { connections: 10, duration: '500ms', workload: 'reconnect', pause: '0s', connectRate: '500/s', socket },
      targetOf(target.port),
    );
    await run.endsWith(0);
    const ports = new Set((await target.account()).connections.map((one) => one.port));
    const {
      legs: [leg],
    } = run.summary();
    assert.ok(leg.connections.reopened > 10 && leg.rejects.total === leg.rejects.local, 'no other rejects');
    const expected = Array.from({ length: 10 }, (_, i) => first + i);
    assert.deepEqual(
      expected.filter((one) => !ports.has(one)),
      [],
      `${first}: ${[...ports].join(' ')}`,
    );
  });
});
