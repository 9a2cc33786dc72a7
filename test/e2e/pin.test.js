// The CPUs of client and server with `pin`, for every thread.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { readHost } from '../../client/machine/host.js';
import { mistakesOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { skip } from '../hooks.js';

/** @param {number} pid @returns {string[]} the CPU list of each of its threads */
function cpusOf(pid) {
  return readdirSync(`/proc/${pid}/task`).map((tid) => {
    const status = readFileSync(`/proc/${pid}/task/${tid}/status`, 'utf8');
    return /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '';
  });
}

describe('a run with pin', function () {
  this.timeout(120_000);
  const box = sandbox();

  it('binds every thread of the workers and of the server, and reports it', async function () {
    const { cpus } = await readHost({ logs: box.folder });
    if (cpus.length < 2) skip(this, 'this process may run on one CPU only');
    const [client, server] = cpus.map(String);
    const run = box.stress({ servers: ['epoll'], duration: '5s', pin: { client, server } });
    await run.allOpen(100);
    const bound = run.workers().flatMap(cpusOf);
    const served = cpusOf(run.server('epoll'));
    await run.endsWith(0);
    assert.ok(bound.length >= 4, `${bound.length} threads`);
    assert.deepEqual([[...new Set(bound)], served], [[client], [server]]);
    await assertBooks(run);
    assert.deepEqual(JSON.parse(readFileSync(`${run.folder}/plan.json`, 'utf8')).legs[0].pin, { client, server });
    assert.deepEqual(run.summary().legs[0].pin, { client, server });
  });

  it('ends with exit code 3 for a CPU that does not exist, and 2 for an invalid list', async () => {
    const missing = await box.refused({ servers: ['epoll'], pin: { client: '1023' } });
    const [{ code, data }] = missing.data.limits;
    assert.deepEqual([code, data.side, data.list, data.missing], ['cpu-unavailable', 'client', '1023', [1023]]);
    assert.equal(missing.exitCode, 3);
    const invalid = await box.refused({ servers: ['epoll'], pin: { client: '1-0' } });
    assert.deepEqual(mistakesOf(invalid), ['pin.client not-a-cpu-list']);
  });
});
