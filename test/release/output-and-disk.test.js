// The output of a run: a reader of stdout that ends, a full disk, and two runs in the same folders.

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codesOf, dataOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { asRootOnly, mountTmpfs } from '../fixtures/e2e-tmpfs.js';

/**
 * An echo server that fills a disk before it is ready, and frees it when the load has begun: at its fiftieth
 * connection.
 */
const FILLING_SERVER = `
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
const [, , port, filler] = process.argv;
const file = openSync(filler, 'w');
try {
  for (const block = Buffer.alloc(4096);;) writeSync(file, block);
} catch {
  closeSync(file);
}
let connections = 0;
createServer((socket) => {
  connections += 1;
  if (connections === 50) rmSync(filler);
  socket.on('error', () => {}).pipe(socket);
}).listen(Number(port), '127.0.0.1');
`;

describe('the output of a run', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  it('may be a pipe whose reader ends: the run continues to its end', async () => {
    const pipeline = '{ "$@"; echo "code $?" >&2; } | head -n 1';
    const program = ['/bin/sh', '-c', pipeline, 'sh', process.execPath, CLI, 'stress'];
    const run = box.stress({ servers: ['epoll'] }, [], { program });
    await run.endsWith(0);
    assert.equal(run.stdout.trim().split('\n').length, 1);
    assert.equal(run.stderr, 'code 0\n');
    const { summary } = await assertBooks(run);
    assert.equal(summary.complete, true);
  });

  it('may be a disk that is full when a leg begins: the leg runs without a transfer log', async function () {
    asRootOnly(this);
    const disk = join(box.folder, 'disk');
    mkdirSync(disk);
    const unmount = mountTmpfs(this, disk, 'size=16m');
    try {
      const script = join(box.folder, 'filling-server.mjs');
      writeFileSync(script, FILLING_SERVER);
      const command = `${process.execPath} ${script} {port} ${join(disk, 'zz-filler')}`;
      // with its protocol, so that it is not started before the run, to see what it speaks
      const run = box.stress({ command, protocol: 'echo', transfers: 500 }, [], { logs: disk });
      await run.endsWith(0);
      const {
        summary,
        legs: [{ leg }],
      } = await assertBooks(run);
      assert.deepEqual([summary.complete, leg.endedBy, leg.transfers.count], [true, 'done', 500]);
      assert.deepEqual(leg.log, { rows: 0, missing: 500, kind: 'none' });
      const { workers, spans, ...stopped } = dataOf(leg.warnings, 'log-incomplete') ?? assert.fail('no warning');
      assert.equal(spans.length, 1);
      assert.deepEqual([workers, stopped], [[0], { reason: 'ENOSPC', missing: 500 }]);
      assert.deepEqual(readdirSync(join(run.folder ?? '', leg.id)).sort(), ['samples.ndjson', 'summary.json']);
    } finally {
      unmount();
    }
  });

  it('may be a disk that other programs fill and empty: no sample is lost', async function () {
    asRootOnly(this);
    const disk = join(box.folder, 'disk');
    mkdirSync(disk);
    const unmount = mountTmpfs(this, disk, 'size=16m');
    try {
      const run = box.stress({ servers: ['epoll'], duration: '6s' }, [], { logs: disk });
      await run.allOpen(100);
      const filler = join(disk, 'zz-filler');
      assert.throws(() => writeFileSync(filler, Buffer.alloc(2 ** 24)), { code: 'ENOSPC' });
      await run.until('a failed write is reported', () => run.stderr.includes('samples.ndjson'));
      rmSync(filler);
      await run.endsWith(0);
      const {
        summary,
        legs: [{ leg, samples, rows }],
      } = await assertBooks(run);
      assert.equal(rows?.length, leg.log.rows, 'what was logged is in the Parquet file');
      assert.equal(dataOf(leg.warnings, 'log-incomplete')?.reason, 'ENOSPC');
      const keys = samples.map(({ second, phase }) => `${second} ${phase}`);
      assert.deepEqual(keys.slice(0, 4), ['1 ramp', '1 steady', '2 steady', '3 steady']);
      assert.match(dataOf(summary.warnings, 'file-not-written')?.file, /samples\.ndjson$/);
    } finally {
      unmount();
    }
  });

  it('may be a full disk: reported before anything starts', async function () {
    asRootOnly(this);
    const disk = join(box.folder, 'disk');
    mkdirSync(disk);
    const unmount = mountTmpfs(this, disk, 'size=4k,nr_inodes=3');
    try {
      const run = box.stress({ servers: ['epoll'] }, ['--json'], { logs: disk });
      await run.endsWith(3);
      const { code, data } = run.failure();
      assert.deepEqual([code, data.option], ['EFOLDER', 'logs']);
      assert.ok(data.files.length > 0);
      for (const line of run.stderr.trimEnd().split('\n')) assert.ok(JSON.parse(line).error.code, line);
    } finally {
      unmount();
    }
  });

  it('may be a disk without room for the plan: the run does not start, and its summary says so', async function () {
    asRootOnly(this);
    const disk = join(box.folder, 'disk');
    mkdirSync(disk);
    const unmount = mountTmpfs(this, disk, 'size=12k'); // three pages: the plan alone takes as many
    try {
      const run = box.stress({ servers: ['epoll'], ramp: { add: 1, every: '1ms' } }, [], { logs: disk });
      await run.endsWith(3);
      const { complete, endedBy, warnings, legs } = run.summary();
      assert.deepEqual([complete, endedBy, legs], [false, 'error', []]);
      assert.deepEqual(codesOf(warnings).slice(-1), ['run-failed']);
      assert.deepEqual(dataOf(warnings, 'file-not-written'), { file: 'plan.json', reason: 'ENOSPC' });
    } finally {
      unmount();
    }
  });

  it('may be a page that cannot be written: the run folder is complete, and the exit code is 1', async () => {
    const report = join(box.folder, 'pages');
    mkdirSync(join(report, 'index.html'), { recursive: true });
    const run = box.stress({ servers: ['epoll'], duration: '300ms' }, ['--json', '--report', report]);
    await run.endsWith(1);
    const { complete, run: id } = run.summary();
    assert.equal(complete, true);
    const { code, data } = run.failure();
    assert.deepEqual([code, data.run, data.errorCode], ['report-not-built', id, 'EISDIR']);
    assert.deepEqual(dataOf(run.events(), 'report-not-built'), data);
  });

  it('may be shared by two runs with the same name at the same time', async () => {
    const logs = join(box.folder, 'shared');
    const report = join(box.folder, 'pages');
    const runs = [0, 1].map(() =>
      box.start([
        process.execPath,
        CLI,
        'stress',
        '--servers',
        'epoll',
        '--name',
        'twin',
        '--connections',
        '50',
        '--ramp.every',
        '200ms',
        '--duration',
        '1s',
        '--pause',
        '5ms',
        '--logs',
        logs,
        '--report',
        report,
      ]),
    );
    await Promise.all(runs.map((run) => run.endsWith(0)));
    const ids = readdirSync(logs);
    assert.equal(ids.length, 2);
    for (const id of ids) {
      assert.match(id, /^\d{8}-\d{6}-twin(-2)?$/);
      const summary = JSON.parse(readFileSync(join(logs, id, 'summary.json'), 'utf8'));
      assert.deepEqual([summary.complete, summary.run, summary.legs[0].connections.openAtEnd], [true, id, 50]);
      assert.ok(statSync(join(report, `${id}.html`)).size > 1e5);
    }
    const index = readFileSync(join(report, 'index.html'), 'utf8');
    for (const id of ids) assert.ok(index.includes(id), `${id} is in the index`);
  });
});
