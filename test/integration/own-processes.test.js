// The lock of set-up and of server builds, and the meter of a process, in processes of their own.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

/** @import { ChildProcess } from 'node:child_process' */

const MODULE = new URL('../../servers/launcher/builder/lock.js', import.meta.url).href;

describe('the lock', () => {
  /** @type {string} */
  let folder;
  /** @type {string} */
  let path;
  /** @type {ChildProcess[]} */
  const children = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-lock-'));
    path = join(folder, 'lock');
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it('has one owner at a time when many processes find a dead owner at once', async () => {
    writeFileSync(path, JSON.stringify({ pid: process.pid, started: '1', host: hostname() }));
    const inside = join(folder, 'inside');
    const code = `import { acquireLock } from '${MODULE}'; import { mkdirSync, rmdirSync } from 'node:fs';
      for (let round = 0; round < 3; round++) {
        const release = await acquireLock(process.argv[1], () => {});
        mkdirSync(process.argv[2]);                     // fails when another one is inside
        await new Promise((resolve) => setImmediate(resolve));
        rmdirSync(process.argv[2]);
        release();
      }`;
    const statuses = Array.from({ length: 5 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', code, path, inside], { stdio: 'inherit' });
      children.push(child);
      return (await once(child, 'exit'))[0];
    });
    assert.deepEqual(await Promise.all(statuses), [0, 0, 0, 0, 0]);
    assert.equal(existsSync(path), false);
  });
});

describe('the use of a process', () => {
  it('measures this process even without free descriptors', () => {
    const script = `
      import { openSync } from 'node:fs';
      import { WorkerMeter } from ${JSON.stringify(new URL('../../client/machine/usage.js', import.meta.url).href)};
      const meter = new WorkerMeter(() => process.pid);
      meter.read();
      try { for (;;) openSync('/dev/null'); } catch (error) { if (error.code !== 'EMFILE') throw error; }
      const held = Buffer.alloc(64 << 20, 1);
      const end = process.cpuUsage().user + 20_000;
      while (process.cpuUsage().user < end) held.fill(2);
      const usage = meter.read();
      process.stdout.write(JSON.stringify(usage));`;
    const words = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script];
    const usage = JSON.parse(execFileSync('sh', words, { encoding: 'utf8' }));
    assert.ok(usage.rssBytes > 64 << 20 && usage.engineCpuSeconds > 0.01, JSON.stringify(usage));
  });
});
