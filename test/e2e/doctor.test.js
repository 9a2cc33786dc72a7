// Limits of a run: `doctor` reports them and changes nothing; `stress` refuses the run or, with --force, reduces it.
// ulimit simulates a small machine.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelText } from '../../client/words/figures.js';
import { codesOf, dataOf, mistakesOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { namespace } from '../fixtures/hostile/children.js';
import { requireTool, skip } from '../hooks.js';

/** @param {number} descriptors */
const limited = (descriptors) => ['/bin/sh', '-c', `ulimit -n ${descriptors} && exec "$0" "$@"`];
/** In a network namespace. */
const NO_IPV6 = 'ip link set lo up; echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6';
const doctor = [process.execPath, CLI, 'doctor'];

describe('doctor', function () {
  this.timeout(120_000);
  const box = sandbox();

  it('reports that the run is possible with exit code 0, starts nothing and writes nothing', async () => {
    const run = box.stress({ servers: ['epoll', 'multi-threaded'] }, [], { program: doctor, env: { COLUMNS: '80' } });
    await run.endsWith(0);
    const lines = run.stdout.split('\n');
    assert.match(lines[0], /^test-0: 100 connections, 2 workers$/);
    assert.match(run.stdout, /\n limit +available +needed +verdict\n descriptors of a worker .* 550 +ok\n/);
    assert.match(run.stdout, /\n server epoll +available +available +ok\n/);
    assert.match(run.stdout, /\n logs folder +writable +writable +ok\n/);
    assert.match(run.stdout, /\nThe client can .*\n$/);
    assert.deepEqual(
      lines.filter((line) => line.length > 80),
      [],
    );
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(run.stdout, /\x1b/);
    assert.equal(run.stderr, '');
    assert.deepEqual([existsSync(run.logs), existsSync(run.report)], [false, false]);
  });

  it('reports with exit code 3 that the client cannot run it, and what would help', async () => {
    const scenario = { servers: ['epoll'], connections: 70_000, workers: 8, sources: ['127.0.0.1'] };
    const [text, json] = [[], ['--json']].map((flags) => box.stress(scenario, flags, { program: doctor }));
    await Promise.all([text.endsWith(3), json.endsWith(3)]);
    assert.match(text.stdout, /local ports +[\d,]+ +70,000 +client +What helps: --sources auto/);
    const said = JSON.parse(json.stdout);
    assert.deepEqual([said.can, said.runs, said.requested.connections], [false, null, 70_000]);
    const limit = said.limits.find((/** @type {any} */ { code }) => code === 'local-ports');
    assert.deepEqual([limit.side, limit.exceeded, limit.needed], ['client', true, 70_000]);
    assert.ok(limit.available >= said.possible.connections && said.possible.connections > 0);
    assert.ok(text.stdout.replaceAll(/\D/g, '').endsWith(String(said.possible.connections)), text.stdout);
  });

  it("reports a server's limit with exit code 0, because it is a result", async () => {
    const few = box.stress({ servers: ['multi-threaded', 'epoll'], connections: 700, workers: 8 }, ['--json'], {
      program: doctor,
      wrap: limited(620),
    });
    await few.endsWith(0);
    const said = JSON.parse(few.stdout);
    assert.deepEqual(
      said.limits
        .filter((/** @type {any} */ { exceeded }) => exceeded)
        .map((/** @type {any} */ { code, servers, holds }) => [code, servers, holds]),
      [
        ['server-descriptors', ['multi-threaded'], 600],
        ['server-split', ['epoll'], 600],
      ],
    );
    assert.equal(said.legs[1].server.options.processes, 2);
  });

  it.slow('is what the run says too: in the heading of the leg, in its summary and on its page', async () => {
    const load = { connections: 650, workers: 2, ramp: { add: 650, every: '500ms' }, duration: '500ms' };
    const run = box.stress({ servers: ['epoll'], ...load }, [], { wrap: limited(620) });
    await run.endsWith(0);
    const summary = run.summary();
    const { processes, descriptors } = summary.legs[0].serverModel;
    assert.deepEqual([processes, descriptors], [2, 620]);
    const split = { servers: ['epoll'], side: 'kernel', needed: 670, available: 620 };
    assert.deepEqual(dataOf(summary.warnings, 'server-split'), split);
    const said = modelText(summary.legs[0]) ?? assert.fail('no model');
    const heading = run.stdout.split('\n').find((line) => line.startsWith(summary.legs[0].id));
    assert.ok(heading?.endsWith(`: ${said}`), heading);
    const page = readFileSync(join(run.report, `${summary.run}.html`), 'utf8');
    assert.ok(page.includes(said), 'below the name of the server');
    assert.ok(page.includes('data-code="server-split"'), 'in the warnings');
  });

  /** @type {[string, string, string, string, string][]} */
  const unreachable = [
    ['loopback is down', 'true', '--servers', 'epoll', 'loopback-down'],
    ['loopback of a target is down', 'true', '--target', '127.0.0.1:9', 'loopback-down'],
    ['a target has IPv6, and the machine has none', NO_IPV6, '--target', '[::1]:9', 'ipv6-unavailable'],
    ['servers are to have IPv6, and the machine has none', NO_IPV6, '--listen', 'ipv6', 'ipv6-unavailable'],
  ];
  for (const [what, script, flag, value, code] of unreachable) {
    it(`reports with exit code 3, as the run does, that ${what}`, async function () {
      const way = namespace('--net', script) ?? skip(this, 'no network namespace of our own (needs unshare)');
      if (script === NO_IPV6) requireTool(this, 'ip', 'iproute2');
      const wrap = [...way, 'sh', '-ec', `${script}; exec "$0" "$@"`];
      const flags = [...(flag === '--listen' ? ['--servers', 'epoll'] : []), flag, value, '--json'];
      const [run, said] = [{}, { program: doctor }].map((how) => box.stress({}, flags, { wrap, ...how }));
      const machine = box.start([...doctor, '--json'], { wrap });
      await Promise.all([run.endsWith(3), said.endsWith(3), machine.endsWith(0)]);
      const exceeded = (/** @type {any[]} */ limits) => codesOf(limits.filter((limit) => limit.exceeded));
      const { code: refused, data } = run.failure();
      assert.deepEqual([refused, exceeded(data.limits)], ['ELIMIT', [code]]);
      const { can, limits } = JSON.parse(said.stdout);
      assert.deepEqual([can, exceeded(limits)], [false, [code]]);
      const loopbacks = code === 'loopback-down' ? [] : ['127.0.0.1'];
      assert.deepEqual(JSON.parse(machine.stdout).machine.network, { loopbacks, hasIpv6: false });
    });
  }

  it('reports what is not possible at all', async () => {
    const file = join(box.folder, 'file');
    writeFileSync(file, '');
    const json = ['--json'];
    const closed = box.stress({ servers: ['epoll'] }, json, { program: doctor, logs: join(file, 'logs') });
    const source = box.stress({ servers: ['epoll'] }, [...json, '--sources', '192.0.2.200'], { program: doctor });
    await Promise.all([closed.endsWith(3), source.endsWith(3)]);
    const exceeded = (/** @type {any[]} */ rows) =>
      rows
        .filter((row) => row.exceeded && row.side === 'client')
        .map(({ code, data }) => [code, data.option ?? data.source]);
    assert.deepEqual(exceeded(JSON.parse(closed.stdout).checks), [['folder-writable', 'logs']]);
    assert.deepEqual(exceeded(JSON.parse(source.stdout).limits), [['source-unavailable', '192.0.2.200']]);
    const wrong = await box.refused({ servers: ['epol'] }, [], 'doctor');
    assert.deepEqual(mistakesOf(wrong), ['servers unknown-server -> epoll']);
    const options = { maxChildren: 5 };
    const option = await box.refused({ servers: [{ name: 'epoll', options }] }, [], 'doctor');
    const [{ code, data }] = option.data.mistakes;
    assert.deepEqual([option.exitCode, code, data.option], [2, 'option-unsupported', 'maxChildren']);
  });
});

describe('stress --force', function () {
  this.timeout(120_000);
  const box = sandbox();

  it.slow('runs what the client can do, without a reject of its own', async () => {
    // one transfer is work for one engine, which then has the descriptors of one process
    const load = { connections: 300, workers: 1, start: 'together', transfers: 1 };
    const scenario = { servers: ['epoll'], ...load, ramp: { add: 100, every: '3s' } };
    const run = box.stress(scenario, ['--force'], { wrap: limited(600) });
    await run.endsWith(0);
    await assertBooks(run);
    assert.match(run.stdout, /^! force: .*\b300 connections.*\b100 connections/m);
    const {
      legs: [{ connections, rejects }],
      config,
      warnings,
    } = run.summary();
    assert.deepEqual(
      [config.connections, connections.requested, connections.peakOpen, rejects.total],
      [100, 100, 100, 0],
    );
    assert.deepEqual([warnings[0].code, warnings[0].data.requested.connections], ['load-reduced', 300]);
    const plan = JSON.parse(readFileSync(join(run.folder ?? '', 'plan.json'), 'utf8'));
    assert.deepEqual([plan.connections, plan.legs[0].schedule.at(-1).slots], [100, 100]);
  });

  it.slow('uses several given source addresses in turn', async () => {
    const run = box.stress({ servers: ['epoll'] }, ['--sources', '127.0.0.5,127.0.0.6']);
    await run.endsWith(0);
    await assertBooks(run);
    const plan = JSON.parse(readFileSync(join(run.folder ?? '', 'plan.json'), 'utf8'));
    assert.deepEqual(plan.legs[0].sources, ['127.0.0.5', '127.0.0.6']);
  });
});
