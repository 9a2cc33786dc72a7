// volley's ping-pong test in full, and ACE's test over SCTP.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CLI, ROOT, sandbox } from '../fixtures/e2e-run.js';
import { startTarget } from '../fixtures/e2e-server.js';
import { itOverSctp } from '../fixtures/sctp.js';

describe("volley's ping-pong test", function () {
  this.timeout(240_000);
  const box = sandbox();

  it('has the same round trips for each connection, and ends the server', async () => {
    const program = join(ROOT, 'servers/c/build/epoll');
    const server = spawn(program, ['-p', '0', '--protocol', 'volley', '--volley-stop']);
    try {
      const [line] = await once(server.stdout, 'data');
      const { port } = JSON.parse(String(line));
      const ended = once(server, 'exit');
      const run = box.start([process.execPath, CLI, 'volley', '-c', '20', '-p', String(port), ...box.folders()]);
      const { code } = await run.ended(220_000);
      assert.equal(code, 0, run.story());
      const [, count] = /^\d+us \d+\.\d\dus (\d+)\n$/.exec(run.stdout) ?? [];
      const [{ connections, transfers, steady }] = run.summary().legs;
      assert.deepEqual([steady.perConnection.min, steady.perConnection.max], [50_000, 50_000]);
      assert.deepEqual([connections.opened, connections.reopened, transfers.count], [20, 0, 1_000_000]);
      assert.ok(Number(count) >= 1_000_000, run.stdout);
      assert.deepEqual(await ended, [0, null]);
    } finally {
      server.kill('SIGKILL');
    }
  });
});

describe("ACE's test over SCTP", function () {
  this.timeout(120_000);
  const box = sandbox();

  itOverSctp('measures a server, and its association', async () => {
    const server = await startTarget(undefined, {
      options: ['--host', '127.0.0.1', '--protocol', 'ace', '--transport', 'sctp'],
    });
    try {
      const port = String(server.port);
      const ace = (/** @type {string[]} */ ...words) =>
        box.start([process.execPath, CLI, 'ace', '-p', port, '-H', '127.0.0.1', ...words]);
      const association = ace('--association');
      await association.endsWith(0);
      assert.match(
        association.stdout,
        new RegExp(`^local +127\\.0\\.0\\.1:\\d+\\npeer +127\\.0\\.0\\.1:${port}$`, 'm'),
      );
      const folders = ['--logs', join(box.folder, 'ace'), '--report', join(box.folder, 'report')];
      const measured = ace('-s', '7', '-c', '200', '-b', '4', '-M', '500000', ...folders);
      await measured.endsWith(0);
      assert.match(measured.stdout, /^num_points: 200$/m);
    } finally {
      await server.stop();
    }
  });
});
