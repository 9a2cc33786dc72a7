// Several instances of a server: each a process of its own with its own CPU, workers and share of the connections.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { readHost } from '../../client/machine/host.js';
import { dataOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

/** @param {number} pid @returns {string} the CPU list of its threads, each once */
function cpusOf(pid) {
  const lists = readdirSync(`/proc/${pid}/task`).map((tid) => {
    const status = readFileSync(`/proc/${pid}/task/${tid}/status`, 'utf8');
    return /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '';
  });
  return [...new Set(lists)].join(' ');
}

describe('a run with several instances of a server', function () {
  this.timeout(120_000);
  const box = sandbox();

  it('binds workers to instances; one that dies loses its own connections and no others', async () => {
    const { cpus } = await readHost({ logs: box.folder });
    const each = cpus.length > 1 ? { pin: { server: 'each', client: 'each' } } : {};
    const load = { pause: '50ms', duration: '10m', backoff: { base: '50ms', cap: '200ms' } };
    const run = box.stress({ servers: ['epoll'], instances: 2, ...load, ...each });
    await run.allOpen(100);
    const servers = run.processes().filter(({ name }) => name === 'epoll');
    assert.equal(servers.length, 2);
    if (cpus.length > 1) {
      const [bound, workers] = [servers.map(({ pid }) => cpusOf(pid)), run.workers().map(cpusOf)];
      assert.ok(new Set(bound).size === 2 && bound.every((cpu) => cpus.includes(Number(cpu))), String(bound));
      assert.ok(
        workers.every((cpu) => cpus.includes(Number(cpu))),
        String(workers),
      );
    }
    process.kill(servers[0].pid, 'SIGKILL');
    await run.until('its connections are lost and refused', () =>
      run.samples().some(({ gauges, rejects }) => gauges.open === 50 && rejects.refused > 0),
    );
    run.kill('SIGINT');
    await run.endsWith(130);

    const [{ leg, rows }] = (await assertBooks(run)).legs;
    const dead = dataOf(leg.warnings, 'server-ended')?.instance;
    assert.ok(dead === 0 || dead === 1, `${dead}`);
    const [lost, kept] = [leg.instances[dead], leg.instances[1 - dead]];
    assert.deepEqual([lost.opened, lost.lost, lost.errors, lost.openAtEnd], [50, 50, 50, 0]);
    assert.deepEqual([kept.opened, kept.lost, kept.errors, kept.rejects, kept.openAtEnd], [50, 0, 0, 0, 50]);
    assert.deepEqual([lost.rejects, lost.workers, kept.workers], [leg.rejects.total, [dead], [1 - dead]]);
    assert.equal(lost.transfers.count + kept.transfers.count, leg.transfers.count);
    assert.deepEqual(
      leg.targets,
      [0, 1].map((i) => `127.0.0.1:${leg.instances[0].port + i}`),
    );
    const failed = (rows ?? []).filter(({ status }) => status !== 0 && status !== 6);
    assert.ok(failed.every(({ connection }) => connection % 2 === dead));
  });
});
