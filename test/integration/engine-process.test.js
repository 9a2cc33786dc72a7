// The engine as part of a process: several in one, its threads, its memory, and the end of the process while it runs.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { causes, tally } from '../fixtures/hostile/books.js';
import { LEG_CHILD, runChildLeg } from '../fixtures/hostile/children.js';
import { overEachBackend } from '../fixtures/hostile/each-backend.js';
import { readLog, runLeg } from '../fixtures/hostile/leg.js';
import { startHostile } from '../fixtures/hostile/server.js';
import { within } from '../fixtures/hostile/until.js';

const MB = 1e6;

describe('engine: several in one process', function () {
  it('share the slots and nothing else', async () => {
    const server = await startHostile('echo');
    const times = { pauseMs: 20, steadyToMs: 600, drainMs: 10_000 };
    const wish = { slots: 25, port: server.port, workload: 'continuous', ...times };
    const legs = await Promise.all([0, 1, 2, 3].map((first) => runLeg({ ...wish, share: { first, stride: 4 } })));
    await server.close();
    const ids = legs.map(({ rows }) => new Set(rows?.connection));
    assert.equal(new Set(ids.flatMap((own) => [...own])).size, 100, 'no slot is lost, none is served twice');
    assert.deepEqual(
      ids.map(({ size }) => size),
      [25, 25, 25, 25],
    );
    assert.equal(
      legs.reduce((sum, { counters }) => sum + counters.transfers, 0),
      server.did.replies,
    );
    assert.equal(server.did.accepted, 100);
  });

  it('have their own threads, which end', async () => {
    const server = await startHostile('echo');
    /** @type {{engine: number, writer: number | null}[]} */
    const threads = [];
    await Promise.all(
      [true, false].map((log) =>
        runLeg({
          ...{ port: server.port, log, workload: 'hold', steadyToMs: 300, cutEveryMs: 100 },
          onInterval: ({ phase }, engine) => void (phase === 'steady' && threads.push(engine.threads())),
        }),
      ),
    );
    await server.close();
    const running = new Set(threads.flatMap(({ engine, writer }) => (writer === null ? [engine] : [engine, writer])));
    assert.equal(running.size, 3, 'two engines, one writer');
    for (const tid of running) {
      assert.notEqual(tid, process.pid);
      assert.ok(!existsSync(`/proc/self/task/${tid}`), `thread ${tid} has ended`);
    }
  });
});

overEachBackend('the end of its process', function (_run, io) {
  /** @type {import('../fixtures/hostile/server.js').Hostile} */
  let server;
  /** @type {string} */
  let path;
  beforeEach(async () => {
    server = await startHostile('echo');
    path = join(mkdtempSync(join(tmpdir(), 'broadside-exit-')), 'log.arrows');
  });
  afterEach(async () => {
    await server.close();
    rmSync(dirname(path), { recursive: true, force: true });
  });

  const wish = { io, slots: 50, workload: 'continuous', steadyToMs: 60_000, drainMs: 60_000, cutEveryMs: 200 };

  it('by process.exit is immediate and clean while a leg runs', async () => {
    const { code, signal, stderr, tookMs } = await runChildLeg({ ...wish, port: server.port, exit: 7 });
    assert.deepEqual([code, signal, stderr], [7, null, '']);
    assert.ok(tookMs < 20_000, `${tookMs} ms`);
  });

  it('by process.exit leaves a log that can be read to the last interval', async () => {
    const ended = await runChildLeg({
      ...wish,
      port: server.port,
      log: { path, reserveBytes: 0 },
      exit: 0,
      answered: true,
    });
    assert.deepEqual([ended.code, ended.signal, ended.stderr], [0, null, '']);
    const { status } = readLog(path);
    assert.ok(status.length > 0 && status.length <= server.did.replies, `${status.length} of ${server.did.replies}`);
    assert.deepEqual([...new Set(status)], ['ok']);
  });

  it('or of its thread, if Node lets the engine end, leaves the complete log', async () => {
    const mute = await startHostile('never-answer');
    const own = { ...wish, port: mute.port, log: { path, reserveBytes: 0 }, transferMs: 60_000, exit: 0 };
    const env = { ...process.env, TMPDIR: dirname(path) };
    const thread = new Worker(LEG_CHILD, { argv: [JSON.stringify(own)], env, stdout: true, stderr: true });
    const [code] = await within('the end of the thread', once(thread, 'exit'));
    await mute.close();
    assert.equal(code, 0);
    assert.deepEqual(tally(readLog(path).status), { unfinished: wish.slots });
  });

  it('by an uncaught error has that error', async () => {
    const { code, signal, stderr } = await runChildLeg({ ...wish, port: server.port, throws: true });
    assert.deepEqual([code, signal], [1, null]);
    assert.match(stderr, /on purpose/);
  });

  it('happens without process.exit after the leg', async () => {
    const { code, leg } = await runChildLeg({ ...wish, port: server.port, steadyToMs: 300, drainMs: 10_000 });
    assert.equal(code, 0);
    assert.equal(leg.counters.transfers, server.did.replies);
  });
});

/**
 * Of a process that outlives what it throws: the first intervals wait while JavaScript stands still, and the first two
 * that are handed over throw.
 */
const THROWS = `
  import { createEngine } from ${JSON.stringify(new URL('../fixtures/hostile/engine.js', import.meta.url))};
  import { configOf } from ${JSON.stringify(new URL('../fixtures/hostile/leg.js', import.meta.url))};
  const thrown = [], spans = [];
  process.on('uncaughtException', (error) => thrown.push(error.message));
  const [port] = process.argv.slice(1).map(Number);
  const config = configOf({ port, slots: 1, workload: 'hold', steadyToMs: 500, cutEveryMs: 50, drainMs: 100 });
  const engine = createEngine(config, ({ fromNs, toNs }) => {
    spans.push([fromNs, toNs]);
    if (spans.length <= 2) throw new Error('on purpose ' + spans.length);
  });
  engine.start(process.hrtime.bigint());
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  await engine.done;
  console.log(JSON.stringify({ thrown, spans }));`;

describe('engine: an interval whose callback throws', function () {
  it('is one error, and later intervals still arrive', async () => {
    const server = await startHostile('echo');
    const command = ['--input-type=module', '-e', THROWS, String(server.port)];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { timeout: 15_000 });
    await server.close();
    const { thrown, spans } = JSON.parse(stdout);
    assert.deepEqual([thrown, stderr], [['on purpose 1', 'on purpose 2'], '']);
    assert.ok(spans.length >= 4, `${spans.length} intervals`);
    for (let i = 1; i < spans.length; i++) assert.equal(spans[i][0], spans[i - 1][1], 'none is missing');
  });
});

describe('engine: memory', function () {
  this.timeout(300_000);

  /** @param {import('../fixtures/hostile/children.js').ChildLeg} leg */
  const growth = ({ memory }) => Math.max(...memory.map(({ rss }) => rss)) - memory[0].rss;

  it('does not hold the payload for each connection: 200 of 1 MiB', async () => {
    const server = await startHostile('echo', { payloadBytes: 2 ** 20 });
    const { code, stderr, leg } = await runChildLeg({
      ...{ port: server.port, slots: 200, payloadBytes: 2 ** 20, workload: 'continuous', cutEveryMs: 100 },
      ...{ steadyToMs: 10_000, drainMs: 200, transferMs: 30_000, drainAfterBytes: 100 * MB },
    }).finally(() => server.close());
    assert.equal(code, 0, stderr);
    assert.ok(leg.counters.opened === 200 && leg.counters.bytesReceived > 50 * MB, 'there was something to hold');
    assert.deepEqual(causes(leg.counters, 'errors'), {});
    assert.ok(growth(leg) < 100 * MB, `grew by ${growth(leg) / MB} MB`);
  });

  /** @param {number} slots opened, answered once, then left alone */
  async function idle(slots) {
    const server = await startHostile('echo');
    const wish = { port: server.port, slots, workload: 'hold', heartbeatMs: 60_000, drainWhenOpen: true };
    const patience = { steadyToMs: 60_000, transferMs: 60_000, connectMs: 60_000 };
    const { code, stderr, leg } = await runChildLeg(
      { ...wish, ...patience, cutEveryMs: 250 },
      { deadlineMs: 100_000 },
    ).finally(() => server.close());
    assert.equal(code, 0, stderr);
    // The kernel resets a connection that a stalled server has not accepted for seconds; it is opened again.
    const { opened, lost, transfers } = leg.counters;
    assert.deepEqual([opened - lost, transfers], [slots, slots], JSON.stringify(causes(leg.counters, 'errors')));
    return growth(leg);
  }

  it('of an idle connection is less than a page: 1,000 of them', async () => {
    const [few, many] = [await idle(10), await idle(1010)];
    assert.ok(many - few < 1000 * 4096, `1,000 more connections cost ${(many - few) / MB} MB`);
  });

  it.slow('of an idle connection is less than 512 bytes: 8,000 of them', async function () {
    const [few, many] = [await idle(10), await idle(8010)];
    assert.ok(many - few < 8000 * 512, `8,000 more connections cost ${(many - few) / MB} MB`);
  });
});
