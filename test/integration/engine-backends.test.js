// The io backend of a leg is the one that its settings name, as its descriptors in the kernel show: epoll's own for that
// one, which sends through a ring of io_uring's, too, where there is one. The suites that use overEachBackend test what
// the backends do.

import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { overEachBackend } from '../fixtures/hostile/each-backend.js';
import { startHostile } from '../fixtures/hostile/server.js';

/** What Linux calls a backend's descriptor. @type {Record<string, string>} */
const KINDS = { epoll: 'anon_inode:[eventpoll]', io_uring: 'anon_inode:[io_uring]' };

/** @returns {Record<string, number>} how many this process has now, by backend */
function descriptors() {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ''; // the one that lists them
    }
  });
  return Object.fromEntries(
    Object.entries(KINDS).map(([name, kind]) => [name, links.filter((link) => link === kind).length]),
  );
}

overEachBackend('a leg', function (run, io) {
  it('uses the requested backend, and no other', async () => {
    const server = await startHostile('echo');
    const before = descriptors();
    let during = before;
    await run({ port: server.port, started: () => void (during = descriptors()) });
    await server.close();
    const more = Object.keys(KINDS).filter((name) => during[name] > before[name]);
    assert.deepEqual([more.includes(io), more.includes('epoll')], [true, io === 'epoll']);
  });
});
