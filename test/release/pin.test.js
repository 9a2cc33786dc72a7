// The CPUs of client and server with `pin`, for every thread.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { readHost } from '../../client/machine/host.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { skip } from '../skip.js';

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
});
