// The run folder: its name, its files, failed writes, and the event log.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseSamples, SampleLines } from '../../client/measure/sample-lines.js';
import { LinesFile } from '../../client/store/lines-file.js';
import { LineLimit, createLogger } from '../../client/store/event-log.js';
import { createRunFolder, makeOutputFolder, writeInto } from '../../client/store/run-folder.js';
import { asRootOnly, mountTmpfs } from '../fixtures/e2e-tmpfs.js';
import { recordedSample } from '../fixtures/recorded-run.js';

/** @import { Context } from 'mocha' */

/** @param {Context} context @param {string} folder becomes a file system of 64 KiB @param {() => void} use */
function onSmallDisk(context, folder, use) {
  asRootOnly(context);
  const unmount = mountTmpfs(context, folder, 'size=64k');
  try {
    use();
  } finally {
    unmount();
  }
}

describe('run folder', () => {
  /** @type {string} */
  let logs;
  beforeEach(() => {
    logs = mkdtempSync(path.join(os.tmpdir(), 'broadside-run-'));
  });
  afterEach(() => rmSync(logs, { recursive: true, force: true }));

  it('gets a number when the name is taken', () => {
    const ids = [1, 2, 3].map(() => createRunFolder(path.join(logs, 'deep', 'er'), 'x').id);
    assert.deepEqual(ids, ['x', 'x-2', 'x-3']);
  });

  it('explains what to do when it cannot be created', () => {
    writeFileSync(path.join(logs, 'file'), '');
    const folder = path.join(logs, 'file');
    const data = { option: 'logs', folder, errno: 'EEXIST' };
    assert.throws(() => createRunFolder(folder, 'x'), { exitCode: 3, code: 'EFOLDER', data });
  });

  it('of pages is refused before the run where it is there and cannot be written to', function () {
    asRootOnly(this);
    const unmount = mountTmpfs(this, logs, 'ro');
    try {
      const data = { option: 'report', folder: logs, errno: 'EROFS' };
      assert.throws(() => makeOutputFolder('report', logs), { exitCode: 3, code: 'EFOLDER', data });
    } finally {
      unmount();
    }
  });

  it('that is full is a fault of the machine, a defect is none', async () => {
    const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' });
    const data = { option: 'report', folder: logs, errno: 'ENOSPC' };
    await assert.rejects(
      writeInto('report', logs, () => Promise.reject(full)),
      { exitCode: 3, code: 'EFOLDER', data },
    );
    await assert.rejects(
      writeInto('report', logs, () => Promise.reject(new TypeError('x'))),
      TypeError,
    );
  });

  it('appends lines immediately and writes files as a whole', () => {
    const folder = createRunFolder(logs, 'x');
    const leg = folder.legFolder('01-epoll');
    const lines = new LinesFile(folder, '01-epoll/samples.ndjson');
    lines.add({ k: 1 });
    lines.add({ k: 2 });
    assert.equal(readFileSync(path.join(leg, 'samples.ndjson'), 'utf8'), '{"k":1}\n{"k":2}\n');
    assert.equal(lines.count, 2);
    folder.writeJson('summary.json', { a: 1 });
    folder.writeJson('summary.json', { a: 2 });
    assert.deepEqual(JSON.parse(readFileSync(path.join(folder.folder, 'summary.json'), 'utf8')), { a: 2 });
    assert.deepEqual(readdirSync(folder.folder).sort(), ['01-epoll', 'summary.json']);
  });

  it('are read part by part: a file may be longer than the memory', () => {
    const sampleAt = (/** @type {number} */ second) =>
      recordedSample({ second, fromNs: (second - 1) * 1e9, toNs: second * 1e9, statuses: { 'é\u2028': 1 } });
    const text = [1, 2, 4, 3, 5].map((second) => JSON.stringify(sampleAt(second))).join('\n');
    const bytes = Buffer.from(`${text}\n\n{"k":2}\n{"k":`);
    for (const length of [1, 7, 100, bytes.length]) {
      const lines = new SampleLines();
      const samples = [];
      for (let at = 0; at < bytes.length; at += length) samples.push(...lines.add(bytes.subarray(at, at + length)));
      samples.push(...lines.end());
      assert.deepEqual(samples, [1, 2, 3, 4, 5].map(sampleAt), `${length} bytes at a time`);
      assert.equal(lines.cutLines, 2);
    }
    assert.deepEqual(parseSamples(bytes), { samples: [1, 2, 3, 4, 5].map(sampleAt), cutLines: 2 });
    assert.deepEqual(parseSamples(''), { samples: [], cutLines: 0 });
  });

  it('reports a failed write once, continues, and writes lines again that are missing, when it can', () => {
    const folder = createRunFolder(logs, 'x');
    /** @type {string[]} */
    const told = [];
    folder.onFailure = (name) => told.push(name);
    const file = path.join(folder.folder, 'samples.ndjson');
    const lines = new LinesFile(folder, 'samples.ndjson');
    mkdirSync(file);
    assert.deepEqual([lines.add({ k: 1 }), lines.add({ k: 2 }), lines.settle()], [false, false, false]);
    assert.deepEqual(told, ['samples.ndjson']);
    for (const expected of ['{"k":1}\n{"k":2}\n', '{"k":1}\n{"k":2}\n{"k":3}\n']) {
      rmSync(file, { recursive: true }); // at last by another process
      if (expected.includes('3')) lines.add({ k: 3 });
      assert.equal(lines.settle(), true);
      assert.equal(readFileSync(file, 'utf8'), expected);
    }
    assert.deepEqual([...folder.failed], []);
    assert.deepEqual(readdirSync(folder.folder), ['samples.ndjson']);
  });

  it('leaves no incomplete line, and keeps what a full disk did not accept until there is room', function () {
    onSmallDisk(this, logs, () => {
      const folder = createRunFolder(logs, 'x');
      const lines = new LinesFile(folder, 'samples.ndjson');
      const filler = path.join(logs, 'filler');
      assert.equal(lines.add({ k: 1 }), true);
      const { bsize, bavail } = statfsSync(logs);
      writeFileSync(filler, Buffer.alloc(bsize * (bavail - 1)));
      const long = { k: 2, text: 'x'.repeat(3 * bsize) };
      assert.deepEqual([lines.add(long), lines.settle()], [false, false]);
      const file = path.join(folder.folder, 'samples.ndjson');
      assert.equal(readFileSync(file, 'utf8'), '{"k":1}\n');
      rmSync(filler);
      assert.equal(lines.add({ k: 3 }), true);
      assert.equal(readFileSync(file, 'utf8'), `{"k":1}\n${JSON.stringify(long)}\n{"k":3}\n`);
    });
  });

  it('keeps the old file when the disk has room for only a part of the new one', function () {
    onSmallDisk(this, logs, () => {
      const folder = createRunFolder(logs, 'x');
      assert.equal(folder.writeJson('summary.json', { good: true }), true);
      const { bsize, bavail } = statfsSync(logs);
      /** @type {unknown[]} */
      const told = [];
      folder.onFailure = (file, error) => told.push([file, /** @type {any} */ (error).code]);
      assert.equal(folder.writeJson('summary.json', 'x'.repeat(bsize * bavail + 1)), false);
      assert.deepEqual(told, [['summary.json', 'ENOSPC']]);
      assert.deepEqual(JSON.parse(readFileSync(path.join(folder.folder, 'summary.json'), 'utf8')), { good: true });
      assert.deepEqual(readdirSync(folder.folder), ['summary.json']);
    });
  });
});

describe('logger', () => {
  it('reports once that the disk is full, holds the events, and writes them when there is room', function () {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'broadside-events-'));
    onSmallDisk(this, folder, () => {
      const filler = path.join(folder, 'filler');
      /** @type {any[]} */
      const failures = [];
      const { log, isWhole, close } = createLogger(path.join(folder, 'events.ndjson'), (error) => failures.push(error));
      assert.throws(() => writeFileSync(filler, Buffer.alloc(2 ** 17)), { code: 'ENOSPC' });
      log.child({ leg: '01' }).warn({ worker: 3 }, 'first');
      log.info('second');
      assert.deepEqual([failures.map(({ code }) => code), isWhole()], [['ENOSPC'], false]);
      rmSync(filler);
      log.info('third');
      assert.equal(isWhole(), true);
      close();
      const lines = readFileSync(path.join(folder, 'events.ndjson'), 'utf8').trimEnd().split('\n');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).msg),
        ['first', 'second', 'third'],
      );
      const { time, ...event } = JSON.parse(lines[0]);
      assert.deepEqual(event, { level: 'warn', leg: '01', worker: 3, msg: 'first' });
      assert.ok(!Number.isNaN(Date.parse(time)));
    });
    rmSync(folder, { recursive: true });
  });

  it('counts a flood of lines instead of writing it', () => {
    /** @type {string[]} */
    const written = [];
    const lines = new LineLimit((line) => written.push(line), 3);
    for (let i = 0; i < 10_000; i += 1) lines.add(`line ${i}`);
    lines.flush();
    lines.flush();
    lines.add('x'.repeat(5000));
    assert.deepEqual(written.slice(0, 4), ['line 0', 'line 1', 'line 2', '... 9997 more lines']);
    assert.equal(written.length, 5);
    assert.ok(written[4].length < 600);
  });
});
