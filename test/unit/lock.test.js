// The lock of set-up and of server builds, with real processes as owners: one at a time, and a dead owner blocks no
// process.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireLock } from '../../servers/launcher/builder/lock.js';

const mustNotWait = () => assert.fail('the lock is free');
const MODULE = new URL('../../servers/launcher/builder/lock.js', import.meta.url).href;

describe('the lock', () => {
  /** @type {string} */
  let folder;
  /** @type {string} */
  let path;
  /** @type {import('node:child_process').ChildProcess[]} */
  let children;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-lock-'));
    path = join(folder, 'lock');
    children = [];
  });
  afterEach(async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });

  /** @returns {Promise<import('node:child_process').ChildProcess>} a process that has the lock and keeps it */
  async function owner() {
    const code = `import { acquireLock } from '${MODULE}';
      await acquireLock(process.argv[1], () => {}); console.log('mine'); process.stdin.resume();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code, path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.push(child);
    await once(/** @type {import('node:stream').Readable} */ (child.stdout), 'data');
    return child;
  }

  it('is acquired immediately if free, and leaves no files behind', async () => {
    const release = await acquireLock(path, mustNotWait);
    assert.equal(JSON.parse(readFileSync(path, 'utf8')).pid, process.pid);
    release();
    assert.deepEqual(readdirSync(folder), []);
  });

  it('waits for a living owner, reports that once, and takes over when the owner dies', async () => {
    const child = await owner();
    /** @type {number[]} */
    const said = [];
    let mine = false;
    /** @type {Promise<() => void>} */
    let waiting = Promise.resolve(() => {});
    await new Promise((resolve) => {
      waiting = acquireLock(path, (pid) => resolve(said.push(pid))).finally(() => (mine = true));
    });
    assert.equal(mine, false);
    child.kill('SIGKILL');
    const release = await waiting;
    release();
    assert.deepEqual(said, [child.pid]);
  });

  it("is taken over if the owner's pid now belongs to another process", async () => {
    writeFileSync(path, JSON.stringify({ pid: process.pid, started: '1', host: hostname() }));
    (await acquireLock(path, mustNotWait))();
  });

  it('is taken over if it cannot be read', async () => {
    writeFileSync(path, '{"pid":');
    (await acquireLock(path, mustNotWait))();
  });

  it('has one owner at a time when many processes find a dead owner at once', async function () {
    this.timeout(60_000);
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
