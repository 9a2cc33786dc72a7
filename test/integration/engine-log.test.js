// The transfer log when it can be written, when it cannot, and when it is not requested. A log that stops early ends at
// its last complete batch and reports why, and the leg continues.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namespace, runChildLeg } from '../fixtures/hostile/children.js';
import { overEachBackend } from '../fixtures/hostile/each-backend.js';
import { readLog, runLeg } from '../fixtures/hostile/leg.js';
import { startHostile } from '../fixtures/hostile/server.js';
import { skip } from '../hooks.js';

const wish = { slots: 20, workload: 'continuous', cutEveryMs: 50, steadyToMs: 600 };

/**
 * A leg that waits for a number of transfers, over some intervals.
 * @type {Omit<import('../fixtures/hostile/leg.js').Wish, 'port'>}
 */
const enough = { ...wish, pauseMs: 20, steadyToMs: 12_000, drainWhen: ({ transfers }) => transfers > 200 };

overEachBackend('the transfer log', function (run) {
  it('has every transfer, none from before or after the leg', async () => {
    const server = await startHostile('echo');
    const leg = await run({ ...enough, port: server.port });
    await server.close();
    assert.equal(leg.log?.error, null);
    assert.equal(leg.rows?.status.length, server.did.replies);
    const starts = leg.rows?.start ?? [];
    assert.ok(starts.every((ns, i) => ns >= 0 && ns + (leg.rows?.response[i] ?? 0) <= leg.tookMs * 1e6 + 1e9));
  });

  it('is not written unless requested', async () => {
    const server = await startHostile('echo');
    const leg = await run({ ...enough, port: server.port, log: false });
    await server.close();
    assert.equal(leg.log, null);
    assert.equal(leg.counters.logRows, 0);
    assert.equal(leg.counters.transfers, server.did.replies);
  });
});

describe('engine: the transfer log', function () {
  /** @type {import('../fixtures/hostile/server.js').Hostile} */
  let server;
  /** @type {string} */
  let folder;
  beforeEach(async () => {
    server = await startHostile('echo');
    folder = mkdtempSync(join(tmpdir(), 'broadside-log-'));
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('stops before it fills the disk', async () => {
    await isGivenUp('log.arrows', 2 ** 52, 'ENOSPC');
    assert.deepEqual(readdirSync(folder), [], 'no file takes the room that is left');
  });

  it('on a full disk ends at its last complete batch', async function () {
    const mount = `mount -t tmpfs -o size=64k tmpfs ${folder}`;
    const own = namespace('--mount', mount);
    if (!own) return skip(this, 'no mount namespace of our own (needs root and unshare)');
    const path = join(folder, 'log.arrows');
    const kept = `${folder}.kept`;
    const script = `${mount}; "$@"; code=$?; cp ${path} ${kept}; exit $code`;
    // slow enough for many batches before the disk is full, on a machine however fast; until it is, however slow
    const paced = {
      ...wish,
      port: server.port,
      pauseMs: 1,
      steadyToMs: 20_000,
      cutEveryMs: 20,
      drainAfterUnlogged: 200,
    };
    try {
      const log = { path, reserveBytes: 0 };
      const child = await runChildLeg({ ...paced, log }, { under: own, script });
      assert.equal(child.code, 0, child.stderr);
      const { leg } = child;
      const rows = readLog(kept);
      assert.equal(leg.log?.error, 'ENOSPC');
      assert.ok(leg.log.rows > 100, `${leg.log.rows} rows`);
      assert.equal(rows.status.length, leg.log.rows);
      assert.ok(readFileSync(kept).length <= 65536);
      assert.ok(rows.status.every((status) => status === 'ok'));
      assert.ok(leg.counters.transfers >= leg.log.rows + 200, 'the leg went on');
      assert.equal(leg.counters.transfers, server.did.replies);
    } finally {
      rmSync(kept, { force: true });
    }
    return undefined;
  });

  for (const [code, path] of [
    ['ENOENT', 'no/such/folder/log.arrows'],
    ['EISDIR', '.'],
  ]) {
    it(`that cannot be opened does not keep the leg from running: ${code}`, () => isGivenUp(path, 0, code));
  }

  /**
   * Runs a leg whose log is given up before it begins.
   * @param {string} name @param {number} reserveBytes @param {string} code
   */
  async function isGivenUp(name, reserveBytes, code) {
    const leg = await runLeg({ ...wish, port: server.port, log: { path: join(folder, name), reserveBytes } });
    assert.deepEqual([leg.log?.error, leg.log?.rows], [code, 0]);
    assert.equal(leg.counters.transfers, server.did.replies);
    assert.ok(leg.counters.transfers > 0 && leg.tookMs >= 600, 'the leg went on to its end');
    assert.equal(leg.counters.logRows, 0, 'all rows are counted as missing');
  }
});
