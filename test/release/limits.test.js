// Limits of a run that `doctor` reports, and to which `stress --force` reduces the load, on a machine without loopback
// or IPv6 and with few descriptors (network namespaces, ulimit).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codesOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { namespace } from '../fixtures/hostile/children.js';
import { requireTool, skip } from '../skip.js';

/** @param {number} descriptors */
const limited = (descriptors) => ['/bin/sh', '-c', `ulimit -n ${descriptors} && exec "$0" "$@"`];
/** In a network namespace. */
const NO_IPV6 = 'ip link set lo up; echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6';
const doctor = [process.execPath, CLI, 'doctor'];

describe('doctor', function () {
  this.timeout(120_000);
  const box = sandbox();

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
});

describe('stress --force', function () {
  this.timeout(120_000);
  const box = sandbox();

  it('runs what the client can do, without a reject of its own', async () => {
    // one transfer is work for one engine, which then has the descriptors of one process
    const load = { connections: 300, workers: 1, start: 'together', transfers: 1 };
    const scenario = { servers: ['epoll'], ...load, ramp: { add: 100, every: '3s' } };
    const run = box.stress(scenario, ['--force'], { wrap: limited(600) });
    await run.endsWith(0);
    await assertBooks(run);
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
});
