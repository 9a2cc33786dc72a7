// Forks that fail, and listeners that throw: neither may hang a leg or end the process.
import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LegWorkers } from '../../client/run/cluster/primary.js';
import { leg, settings, workerFile } from '../fixtures/scripted-leg.js';

/**
 * @param {import('../../client/words/warnings.js').Warning | undefined} failure
 * @param {RegExp} how  of the system's message
 */
function assertGivenUp(failure, how) {
  assert.equal(failure?.code, 'worker-lost-repeatedly');
  assert.deepEqual([failure.data.started, failure.data.times], [false, 6]);
  assert.match(failure.data.how, how);
}

describe('the primary, when a fork fails', () => {
  const { execPath } = process;
  const { fork } = cluster;
  /** @type {string} */
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'broadside-forks-'));
  });
  afterEach(() => {
    process.execPath = execPath;
    cluster.fork = fork;
    rmSync(folder, { recursive: true, force: true });
  });

  const legOf = (/** @type {string} */ protocol) =>
    new LegWorkers({
      settings: { ...settings, protocol },
      leg,
      instances: [{ endpoints: [{ address: '127.0.0.1', port: 1 }], tls: null }],
      t0Ns: process.hrtime.bigint(),
      folder,
      logging: false,
      workerFile,
      patience: { restartMs: 5 },
    });

  it('by an event without a process ends the leg with the reason', async () => {
    process.execPath = path.join(folder, 'no-such-node');
    const { endedBy, failure, warnings, startNs } = await legOf('echo').run();
    assert.deepEqual([endedBy, startNs], ['workers', null]);
    assertGivenUp(failure, /^spawn .*no-such-node ENOENT$/);
    assert.deepEqual([warnings[0].code, warnings[0].data.started], ['worker-lost', false]);
    assert.match(warnings[0].data.how, /ENOENT$/);
  });

  it('by an exception ends the leg with the reason', async () => {
    cluster.fork = () => {
      throw new Error('spawn ENOMEM');
    };
    const { endedBy, failure } = await legOf('echo').run();
    assert.equal(endedBy, 'workers');
    assertGivenUp(failure, /^spawn ENOMEM$/);
  });

  it('once tries again', async () => {
    let calls = 0;
    cluster.fork = (env) => {
      calls += 1;
      if (calls === 1) throw new Error('spawn ENOMEM');
      if (calls === 2) process.execPath = path.join(folder, 'no-such-node');
      const child = fork.call(cluster, env);
      process.execPath = execPath;
      return child;
    };
    const { endedBy, warnings } = await legOf('echo').run();
    assert.deepEqual([endedBy, calls, warnings.length], ['plan', 4, 2]);
  });

  it('during a leg counts a worker as lost, and the others continue to the end', async () => {
    const workers = legOf('die');
    workers.on('start', () => {
      process.execPath = path.join(folder, 'no-such-node');
    });
    const { endedBy, failure, warnings } = await workers.run();
    assert.equal(endedBy, 'workers');
    assertGivenUp(failure, /ENOENT$/);
    const { code, data } = warnings[0];
    assert.deepEqual([code, data.worker, data.how, data.started], ['worker-lost', 0, 'SIGKILL', true]);
  });

  it('and when a listener throws, ends the leg with its message', async () => {
    const workers = legOf('silent');
    workers.on('merged', () => {
      throw new Error('no room for a sample');
    });
    const { endedBy, failure } = await workers.run();
    assert.deepEqual(
      [endedBy, failure?.code, failure?.data],
      ['error', 'leg-failed', { reason: 'no room for a sample' }],
    );
  });
});
