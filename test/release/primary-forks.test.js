// Forks that the system refuses must neither hang a leg nor end the process. ../unit/simulation.test.js has what
// follows from them.
import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LegWorkers } from '../../client/run/cluster/primary.js';
import { leg, settings } from '../fixtures/planned-leg.js';

/** @import { Warning } from '../../config/types.js' */

/**
 * @param {Warning | undefined} failure
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

  const run = () =>
    new LegWorkers({
      ...{ settings, leg },
      instances: [{ endpoints: [{ address: '127.0.0.1', port: 1 }], tls: null }],
      t0Ns: process.hrtime.bigint(),
      folder,
      logging: false,
      patience: { restartMs: 5 },
    }).run();

  it('by an event without a process ends the leg with the reason', async () => {
    process.execPath = path.join(folder, 'no-such-node');
    const { endedBy, failure, warnings, startNs } = await run();
    assert.deepEqual([endedBy, startNs], ['workers', null]);
    assertGivenUp(failure, /^spawn .*no-such-node ENOENT$/);
    assert.deepEqual([warnings[0].code, warnings[0].data.started], ['worker-lost', false]);
    assert.match(warnings[0].data.how, /ENOENT$/);
  });

  it('by an exception ends the leg with the reason', async () => {
    cluster.fork = () => {
      throw new Error('spawn ENOMEM');
    };
    const { endedBy, failure } = await run();
    assert.equal(endedBy, 'workers');
    assertGivenUp(failure, /^spawn ENOMEM$/);
  });
});
