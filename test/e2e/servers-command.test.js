// `broadside servers start` as a user types it.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { verifyExchange } from '../fixtures/one-exchange.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';

describe('the command servers', function () {
  this.timeout(120_000);
  const box = sandbox();

  it('starts a server in the foreground, with its options, until SIGTERM', async () => {
    const run = box.start([
      process.execPath,
      CLI,
      'servers',
      'start',
      'prethreaded',
      '--json',
      '--threads',
      '3',
      '--protocol',
      'volley',
      '--',
      '--backlog=7',
    ]);
    const said = await run.until('it listens', () => run.stdout.includes('}') && JSON.parse(run.stdout));
    assert.deepEqual(
      [said.name, said.protocol, said.host, said.pids.length],
      ['prethreaded', 'volley', '127.0.0.1', 1],
    );
    const words = readFileSync(`/proc/${said.pids[0]}/cmdline`, 'utf8').split('\0');
    assert.deepEqual(words.slice(-4, -1), ['--threads', '3', '--backlog=7']);
    await verifyExchange({ host: said.host, port: said.port, protocol: said.protocol });
    run.kill('SIGTERM');
    await run.endsWith(0);
    assert.equal(existsSync(`/proc/${said.pids[0]}`), false);
  });
});
