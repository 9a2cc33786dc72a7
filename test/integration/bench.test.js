// Each bench at its smallest size, end to end: it measures something and ends in time. Speed is never tested.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backends } from '../../client/engine/index.js';
import { findProgram } from '../../servers/launcher/process/find-program.js';
import { MARKER, processesOf, until } from '../fixtures/e2e-processes.js';
import { requireTool, skip } from '../hooks.js';

const BENCH = fileURLToPath(new URL('../bench/bench.js', import.meta.url));
const ECHO_COMMAND = fileURLToPath(new URL('../fixtures/echo-command.js', import.meta.url));
/** A server for the bench servers. */
const MINE = 'BROADSIDE_BENCH_ECHO_MINE';
const LIMIT_MS = 120_000;

/**
 * @param {string[]} words
 * @returns {Promise<{code: number, stdout: string, stderr: string}>}
 */
function bench(...words) {
  return new Promise((resolve) => {
    execFile(process.execPath, [BENCH, ...words], { timeout: LIMIT_MS }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? (error ? -1 : 0)), stdout, stderr });
    });
  });
}

/** @param {...string} words @returns {Promise<any>} what it prints; its musts may be kept or missed */
async function measured(...words) {
  const folder = mkdtempSync(join(tmpdir(), 'broadside-bench-'));
  try {
    const raw = ['--raw', join(folder, 'raw.json')]; // not over those of a real measurement
    const { code, stdout, stderr } = await bench(...words, '--rounds', '1', '--json', ...raw);
    assert.ok(code === 0 || code === 99, `exit ${code}\n${stderr}`);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {any} value @param {...string} keys those of it that are more than zero */
function assertPositive(value, ...keys) {
  for (const key of keys) assert.ok(value[key] > 0, `${key}: ${value[key]}`);
}

describe('the command npm run bench', () => {
  it('lists the benches', async () => {
    const { code, stdout } = await bench();
    assert.equal(code, 0);
    assert.match(stdout, /^ {2}client-cost +\d+ \w+ {2}\S.*\.$/m);
  });

  it('suggests the bench that was meant', async () => {
    const { code, stderr } = await bench('client-coast');
    assert.deepEqual([code, stderr], [2, stderr]);
    assert.match(stderr, /^"client-coast" is not a bench\. Did you mean "client-cost"\? The benches are .*\n$/);
  });

  it('reports a usage error in one line', async () => {
    const { code, stderr } = await bench('client-cost', '--rounds', 'many');
    assert.deepEqual([code, stderr], [2, 'client-cost: --rounds NaN: expected a whole number of 1 to 1073741824\n']);
  });
});

describe('the bench', function () {
  this.timeout(2 * LIMIT_MS);

  it.slow('client-cost measures all its clients', async function () {
    const tiny = ['--connections', '10', '--payloads', '1B', '--placement', 'shipped'];
    const { results, measurements } = await measured('client-cost', ...tiny);
    assert.deepEqual(measurements.map((/** @type {any} */ { client }) => client).sort(), [
      'bare',
      'engine',
      'engine-no-log',
      'net',
    ]);
    for (const { figures } of measurements) assertPositive(figures, 'roundTrips', 'seconds', 'cpuSeconds');
    assert.equal(results.length, 1);
    assertPositive(results[0].toBare, 'median');
  });

  it.slow('io measures both backends', async function () {
    for (const { available, why } of backends()) if (!available) skip(this, String(why));
    const workloads = process.env.BROADSIDE_SLOW ? ['continuous', 'hold'] : ['continuous'];
    const tiny = ['--connections', '10', '--payloads', '1B', '--workloads', workloads.join(',')];
    const { results, measurements } = await measured('io', ...tiny);
    assert.equal(measurements.length, 2 * workloads.length);
    for (const { figures, cell } of measurements) {
      assertPositive(figures, 'roundTrips', 'seconds', 'cpuSeconds', 'p50Ns', 'p99Ns', 'rssBytes');
      assert.equal(figures.failures, 0);
      if (cell.workload === 'hold') assert.ok(figures.roundTrips <= 20, `${figures.roundTrips} of 10 in a second`);
    }
    assert.deepEqual(
      results.map((/** @type {any} */ { cell }) => cell.workload),
      workloads,
    );
  });

  it.slow('open sees both clients open and hold all connections', async function () {
    const counts = [50, 200];
    const tiny = ['--connections', counts.join(','), '--hold', '1'];
    const { results, measurements } = await measured('open', ...tiny);
    assert.equal(measurements.length, 2 * counts.length);
    for (const { figures, client } of measurements) {
      assertPositive(figures, 'openSeconds', 'clientRssBytes', 'serverRssBytes', 'clientProcesses');
      assert.ok(figures.clientRssMostBytes >= figures.clientRssBytes);
      assert.equal(figures.failures, 0);
      // the primary and its workers; the one that forks and those that open
      assert.ok(figures.clientProcesses >= 2, `${client}: ${figures.clientProcesses} processes`);
    }
    assert.deepEqual(
      results[0].cells.map((/** @type {any} */ { cell }) => cell.connections),
      counts,
    );
  });

  it.slow('churn measures the engine that closes last, first, and by RST', async () => {
    const tiny = ['--connections', '10', '--seconds', '1', '--clients', 'engine,engine-first,engine-reset'];
    const { results, measurements } = await measured('churn', ...tiny);
    assert.equal(measurements.length, 3);
    for (const { figures } of measurements) {
      assertPositive(figures, 'connections', 'seconds', 'cpuSeconds');
      assert.equal(figures.failures, 0);
      assert.ok(figures.answered >= figures.connections, `${figures.answered} by the server's count`);
    }
    assert.equal(results[0].clients.length, 3);
  });

  for (const [tool, from] of [
    ['ab', 'apache2-utils'],
    ['wrk', 'wrk'],
  ]) {
    it.slow(`churn measures ${tool}`, async function () {
      requireTool(this, tool, from);
      const { measurements } = await measured('churn', '--connections', '10', '--seconds', '1', '--clients', tool);
      const [{ client, figures }] = measurements;
      assert.deepEqual([client, figures.failures], [tool, 0]);
      assertPositive(figures, 'connections', 'seconds', 'cpuSeconds');
      assert.ok(figures.answered >= figures.connections && figures.answered <= figures.connections + 30);
    });
  }

  /** @param {any} printed @param {string[]} names each measured once */
  function assertServers({ results, measurements }, names) {
    assert.deepEqual(measurements.map((/** @type {any} */ { client }) => client).sort(), names.toSorted());
    for (const { figures } of measurements) assertPositive(figures, 'roundTrips', 'seconds', 'cpuSeconds');
    assert.equal(results[0].pairs.length, names.length - 1);
  }

  it.slow('servers compares ours with an echo server from the environment', async () => {
    process.env[MINE] = `'${process.execPath}' '${ECHO_COMMAND}' {port}`;
    try {
      const tiny = ['--contests', 'echo', '--servers', 'epoll,mine', '--connections', '10'];
      assertServers(await measured('servers', '--quick', ...tiny), ['epoll', 'mine']);
    } finally {
      delete process.env[MINE];
    }
  });

  it.slow('servers compares ours with sockperf', async function () {
    requireTool(this, 'sockperf');
    const tiny = ['--contests', 'echo', '--servers', 'epoll,sockperf', '--connections', '20'];
    assertServers(await measured('servers', '--quick', ...tiny), ['epoll', 'sockperf']);
  });

  it.slow('servers compares ours with web servers, under wrk', async function () {
    requireTool(this, 'wrk');
    requireTool(this, 'haproxy');
    const nginx = findProgram('nginx', `${process.env.PATH}:/usr/sbin`) === null ? [] : ['nginx'];
    const names = ['epoll', 'haproxy', ...nginx]; // set-up leaves nginx out: installed, it serves the machine's port 80
    const tiny = ['--contests', 'http', '--servers', names.join(','), '--connections', '10'];
    assertServers(await measured('servers', '--quick', ...tiny), names);
  });

  it.slow('accuracy compares the times of both sides, in both loops', async function () {
    const tiny = ['--connections', '10', '--ios', 'epoll', '--seconds', '1'];
    const { results, measurements } = await measured('accuracy', ...tiny);
    assert.deepEqual(measurements.map((/** @type {any} */ { cell }) => cell.loop).sort(), ['closed', 'open']);
    for (const {
      figures: { transfers, delays, serverNs, clientNs },
    } of measurements) {
      assert.ok(transfers > 0 && Math.abs(transfers - delays) <= 10, `${transfers} transfers, ${delays} delays`);
      for (const [i, ns] of clientNs.entries()) assert.ok(ns > serverNs[i] * 0.8, `${ns} and ${serverNs[i]}`);
    }
    assert.deepEqual(results[0].percents, ['50', '75', '90', '95', '99']);
  });

  for (const [contest, tool, from] of [
    ['redis', 'redis-benchmark', 'redis-tools'],
    ['memcached', 'memcaslap', 'libmemcached-tools'],
  ]) {
    it.slow(`tools compares the engine with ${tool}`, async function () {
      requireTool(this, tool, from);
      requireTool(this, contest === 'redis' ? 'redis-server' : contest);
      const pipelines = contest === 'redis' ? '16' : '1';
      const tiny = ['--contests', contest, '--connections', '10', '--pipelines', pipelines, '--seconds', '1'];
      const { results, measurements } = await measured('tools', ...tiny);
      assert.deepEqual([measurements.length, results.length], [3, 1]);
      for (const { figures } of measurements) assertPositive(figures, 'roundTrips', 'seconds', 'cpuSeconds');
      assert.ok(results.every((/** @type {any} */ { cpu }) => cpu.median > 0));
    });
  }
});

describe('a bench that is interrupted', function () {
  this.timeout(LIMIT_MS);

  it('ends at once, with all that it has started', async () => {
    const id = randomUUID();
    const words = [BENCH, 'client-cost', '--connections', '10', '--placement', 'shipped', '--rounds', '60'];
    const child = spawn(process.execPath, words, { env: { ...process.env, [MARKER]: id }, stdio: 'ignore' });
    /** @type {Promise<number | null>} */
    const ended = new Promise((resolve) => child.on('close', resolve));
    await until('a server is measured', () => processesOf(id).some(({ name }) => name === 'epoll'), 60_000);
    child.kill('SIGTERM');
    assert.equal(await ended, 130);
    await until('nothing is left', () => processesOf(id).length === 0, 15_000);
  });
});
