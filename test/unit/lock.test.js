// The lock of set-up and of builds, and its marks of use, without other processes: a dead owner blocks no process.
// test/integration/own-processes.test.js has many at once.

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { readProcess } from '../../servers/launcher/process/process-tree.js';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireLock, markUse, tryLock, untilUnused, usersOf } from '../../servers/launcher/builder/lock.js';

const mustNotWait = () => assert.fail('the lock is free');

describe('the lock', () => {
  /** @type {string} */
  let folder;
  /** @type {string} */
  let path;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-lock-'));
    path = join(folder, 'lock');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('is acquired immediately if free, and leaves no files behind', async () => {
    const release = await acquireLock(path, mustNotWait);
    assert.equal(JSON.parse(readFileSync(path, 'utf8')).pid, process.pid);
    release();
    assert.deepEqual(readdirSync(folder), []);
  });

  it('waits for a living owner, reports that once, and takes over when it is released', async () => {
    const { started } = readProcess(process.pid) ?? {};
    writeFileSync(path, JSON.stringify({ pid: process.pid, started, host: hostname() }));
    /** @type {number[]} */
    const said = [];
    let mine = false;
    const waiting = acquireLock(path, (pid) => void said.push(pid)).finally(() => (mine = true));
    await setImmediate();
    assert.deepEqual([said, mine], [[process.pid], false]);
    rmSync(path);
    (await waiting)();
    assert.equal(said.length, 1);
  });

  it("is taken over if it cannot be read, or its owner's pid now belongs to another process", async () => {
    for (const text of ['{"pid":', JSON.stringify({ pid: process.pid, started: '1', host: hostname() })]) {
      writeFileSync(path, text);
      (await acquireLock(path, mustNotWait))();
    }
  });

  it('is not waited for by whoever only tries', async () => {
    const release = tryLock(path) ?? assert.fail('the lock is free');
    assert.equal(tryLock(path), null);
    release();
    writeFileSync(path, JSON.stringify({ pid: process.pid, started: '1', host: hostname() }));
    (tryLock(path) ?? assert.fail('its owner has ended'))();
    assert.deepEqual(readdirSync(folder), []);
  });

  it('has marks of use beside it, of which those of the dead do not count', async () => {
    const [first, second] = [markUse(path), markUse(path)];
    markUse(`${path}.other`);
    const mark = `${path}.use.1.a`;
    writeFileSync(mark, JSON.stringify({ pid: process.pid, started: '1', host: hostname() }));
    assert.deepEqual(
      usersOf(path).map(({ pid }) => pid),
      [process.pid, process.pid],
    );
    assert.equal(existsSync(mark), false);
    first();
    await untilUnused(path, mustNotWait);
    second();
    assert.deepEqual(usersOf(path), []);

    writeFileSync(mark, JSON.stringify({ pid: process.pid, started: '1', host: 'another' }));
    let mine = false;
    /** @type {number[]} */
    const said = [];
    const waiting = untilUnused(path, (pid) => void said.push(pid)).finally(() => (mine = true));
    await setImmediate();
    assert.deepEqual([said, mine], [[process.pid], false]);
    rmSync(mark);
    await waiting;
  });
});
