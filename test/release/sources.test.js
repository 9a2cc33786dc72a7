// Connections to a server that is not on loopback, with few ports: two network namespaces joined by a virtual
// interface, with a hundred local ports per address. The plan's numbers of ports must be those of the kernel.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { inside, startNamespace } from '../fixtures/e2e-namespace.js';
import { startTarget } from '../fixtures/e2e-server.js';
import { skip } from '../skip.js';

/**
 * @import { Namespace } from '../fixtures/e2e-namespace.js'
 * @import { Run } from '../fixtures/e2e-run.js'
 * @import { Target } from '../fixtures/e2e-server.js'
 */

const SERVER = '10.77.0.1';
/**
 * Free, because the namespace has no other users; a new one for each test, because ports stay in TIME_WAIT for a
 * minute.
 */
const FIRST_PORT = 7000;

describe('a target beyond a network interface, with a hundred ports per address', function () {
  this.timeout(120_000);
  const box = sandbox();
  /** @type {Namespace[]} */
  let namespaces = [];
  /** @type {Target | undefined} */
  let target;
  let port = FIRST_PORT;

  before(async function () {
    for (let i = 0; i < 2; i += 1) {
      const made =
        (await startNamespace()) ?? skip(this, 'no network namespace of our own (needs root, unshare and ip)');
      namespaces.push(made);
    }
    const [here, there] = namespaces;
    try {
      inside(here, `ip link add cable type veth peer name cable netns ${there.pid}`);
    } catch {
      skip(this, 'no veth devices here');
    }
    inside(
      here,
      'ip address add 10.77.0.2/24 dev cable; ip address add 192.168.77.2/24 dev cable; ' +
        'ip link set cable up; echo "41000 41099" > /proc/sys/net/ipv4/ip_local_port_range',
    );
    inside(there, `ip address add ${SERVER}/24 dev cable; ip link set cable up`);
  });
  beforeEach(async () => {
    port += 1;
    target = await startTarget(port, { wrap: namespaces[1].enter, options: ['--host', SERVER] });
  });
  afterEach(async () => {
    await target?.stop();
  });
  after(async () => {
    for (const namespace of namespaces) await namespace.end();
    namespaces = [];
  });

  /** @param {number} connections @param {string[]} flags @param {string[]} [program] */
  const stress = (connections, flags, program = [process.execPath, CLI, 'stress']) =>
    box.stress({ target: `${SERVER}:${port}`, connections, ramp: { add: 50, every: '200ms' } }, flags, {
      program: [...namespaces[0].enter, ...program],
    });
  /** @param {Run} run @returns {any} the limit it was refused for */
  const portsOf = (run) =>
    run.failure().data.limits.find((/** @type {any} */ { code }) => code === 'local-ports') ?? assert.fail(run.stderr);
  /** @param {Run} run */
  const planOf = (run) => JSON.parse(readFileSync(join(run.folder ?? '', 'plan.json'), 'utf8'));

  it('is refused more connections than ports, and forced to the possible number without a reject', async () => {
    const [refused, doctor] = [stress(150, ['--json']), stress(150, [], [process.execPath, CLI, 'doctor'])];
    await Promise.all([refused.endsWith(3), doctor.endsWith(3)]);
    const limit = portsOf(refused);
    assert.deepEqual(
      [limit.needed, limit.available, limit.data.addresses, limit.data.sources.own],
      [150, 100, 1, ['192.168.77.2']],
    );
    const forced = stress(150, ['--force']);
    await forced.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(forced);
    assert.deepEqual([leg.connections.requested, leg.connections.openAtEnd, leg.rejects.total], [95, 95, 0]);
    const again = stress(50, ['--json']);
    await again.endsWith(3);
    const { ports, taken } = portsOf(again).data;
    assert.ok(ports === 100 && taken >= 90 && taken < 100, `${taken} of ${ports} taken`);
  });

  it("is reached from all addresses in the network of the kernel's choice, in turn", async () => {
    inside(namespaces[0], 'ip address add 10.77.0.3/24 dev cable; ip address add 10.77.0.4/24 dev cable');
    const run = stress(250, []);
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual(planOf(run).legs[0].sources, ['10.77.0.2', '10.77.0.3', '10.77.0.4']);
    assert.deepEqual([leg.connections.openAtEnd, leg.rejects.total], [250, 0]);
  });

  it('is reached from the given source addresses', async () => {
    const run = stress(60, ['--sources', '10.77.0.2']);
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual(planOf(run).legs[0].sources, ['10.77.0.2']);
    assert.deepEqual([leg.connections.openAtEnd, leg.rejects.total], [60, 0]);
  });

  it('gets no more reconnects than ports leave TIME_WAIT', async () => {
    const scenario = ['--workload', 'reconnect', '--pause', '0s', '--connectRate', '1000/s', '--sources', '10.77.0.2'];
    const [refused, forced] = [stress(20, [...scenario, '--json']), stress(20, [...scenario, '--force'])];
    await refused.endsWith(3);
    assert.deepEqual(portsOf(refused).data.slower, { rate: null });
    await forced.endsWith(0);
    const {
      legs: [leg],
    } = forced.summary();
    const { connectRate } = planOf(forced);
    assert.ok(connectRate >= 30 && connectRate < 100, String(connectRate));
    assert.deepEqual([leg.connections.requested, leg.rejects.total], [20, 0]);
    assert.ok(leg.transfers.count > 20, 'closed ones come back');
  });
});
