// The io backends from the command line: a whole run over io_uring, and the error when the kernel refuses it.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { backends } from '../../client/engine/index.js';
import { discover } from '../../servers/launcher/index.js';
import { codesOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, ROOT, sandbox } from '../fixtures/e2e-run.js';
import { requireTool, skip } from '../hooks.js';

const WITHOUT = join(ROOT, 'test/fixtures/e2e-without-io-uring.c');
/**
 * @param {import('mocha').Context} context
 * @param {string} folder to put it in
 * @returns {Promise<string>} a program that runs a command without io_uring
 */
async function withoutRing(context, folder) {
  requireTool(context, 'cc', 'gcc');
  const program = join(folder, 'without-io-uring');
  await promisify(execFile)('cc', ['-o', program, WITHOUT]);
  return program;
}

const why = backends().find(({ name }) => name === 'io_uring')?.why;

/** @param {number} pid @returns {string[]} what its descriptors are */
function linksOf(pid) {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return []; // it has just been closed
    }
  });
}

describe('a run over io_uring', function () {
  this.timeout(120_000);
  const box = sandbox();

  it('transfers what it reports, and loses nothing', async function () {
    if (why) skip(this, why);
    const load = { servers: ['epoll', 'multi-threaded'], connections: 101, payload: '1KiB' };
    const run = box.stress(load, ['--io', 'io_uring']);
    await run.endsWith(0);
    const { summary, legs } = await assertBooks(run);
    assert.deepEqual([summary.complete, summary.warnings, legs.length], [true, [], 2]);
    assert.equal(JSON.parse(readFileSync(join(run.folder ?? '', 'scenario.json'), 'utf8')).io, 'io_uring');
    for (const { leg, rows } of legs) {
      const { connections, attempts, rejects, errors, transfers, log } = leg;
      assert.deepEqual(connections, {
        requested: 101,
        peakOpen: 101,
        openAtEnd: 101,
        opened: 101,
        reopened: 0,
        lost: 0,
        unansweredAtEnd: 0,
        neverAnswered: 0,
      });
      assert.deepEqual([attempts.total, rejects.total, errors.total, transfers.failed, log.missing], [101, 0, 0, 0, 0]);
      assert.equal(new Set(rows?.map(({ connection }) => connection)).size, 101, 'each was served');
      assert.equal(transfers.bytesReceived, transfers.count * 1024);
      assert.equal(transfers.bytesSent, transfers.bytesReceived);
    }
  });

  // over epoll there is a ring, too, for small sends
  it.slow('has a ring in every worker, in place of epoll', async function () {
    if (why) skip(this, why);
    const kinds = ['anon_inode:[io_uring]', 'anon_inode:[eventpoll]'];
    const [ring, plain] = await Promise.all(
      ['io_uring', 'epoll'].map(async (io) => {
        const run = box.stress({ servers: ['epoll'], io, duration: '5s' });
        await run.allOpen(100);
        const seen = run.workers().map((pid) => {
          const links = linksOf(pid);
          return kinds.map((kind) => links.filter((link) => link === kind).length);
        });
        await run.endsWith(0);
        return seen;
      }),
    );
    assert.deepEqual([ring.length, plain.length], [2, 2]);
    assert.deepEqual(
      ring,
      plain.map(([rings, epolls]) => [rings, epolls - 1]),
    );
  });

  it('ends with exit code 3 before anything starts if the kernel refuses it', async function () {
    const program = await withoutRing(this, box.folder);
    const runs = ['io_uring', 'epoll'].map((io) =>
      box.stress({ servers: ['epoll'], io, duration: '300ms' }, ['--json'], { wrap: [program] }),
    );
    await Promise.all([runs[0].endsWith(3), runs[1].endsWith(0)]);
    assert.deepEqual(codesOf(runs[0].failure().data.limits), ['io-unavailable']);
    assert.deepEqual([existsSync(runs[0].logs), existsSync(runs[0].report)], [false, false]);
    await assertBooks(runs[1]);
  });

  it('and the server io_uring is unavailable there, with the reason, in every command', async function () {
    const [server] = (await discover()).filter(({ name }) => name === 'io_uring');
    if (!server.available) skip(this, `${server.why} (${server.remedy})`);
    const how = { wrap: [await withoutRing(this, box.folder)] };
    const [listed, doctor, alone, both] = [
      box.start([process.execPath, CLI, 'servers', 'list', '--json', 'io_uring', 'epoll'], how),
      box.stress({ servers: ['io_uring', 'epoll'] }, ['--json'], {
        ...how,
        program: [process.execPath, CLI, 'doctor'],
      }),
      box.stress({ servers: ['io_uring'] }, ['--json'], how),
      box.stress({ servers: ['io_uring', 'epoll'], duration: '300ms' }, ['--json'], how),
    ];
    await Promise.all([listed.endsWith(0), doctor.endsWith(0), alone.endsWith(3), both.endsWith(1)]);
    const isReason = (/** @type {any} */ { code, data }) =>
      code === 'failed-command' && data.exitCode === 1 && data.lastLine.endsWith(': Operation not permitted');
    const [epoll, ring] = JSON.parse(listed.stdout);
    assert.deepEqual([ring.available, isReason(ring.problem), epoll.available], [false, true, true]);
    const { checks, missing } = JSON.parse(doctor.stdout);
    const row = checks.find((/** @type {any} */ { data }) => data.server === 'io_uring');
    assert.deepEqual([row.exceeded, isReason(row.data.problem), missing], [true, true, ['io_uring']]);
    const [{ names }] = alone.failure().data.unavailable;
    assert.deepEqual([alone.failure().code, names, existsSync(alone.logs)], ['ESERVER', ['io_uring'], false]);
    const { warnings, legs } = both.summary();
    assert.deepEqual(
      warnings.map((/** @type {any} */ { code, data }) => [code, data.servers]),
      [['server-unavailable', ['io_uring']]],
    );
    assert.deepEqual(
      legs.map((/** @type {any} */ { server, complete }) => [server, complete]),
      [
        ['io_uring', false],
        ['epoll', true],
      ],
    );
  });
});
