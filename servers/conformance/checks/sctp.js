// Checks of a server over SCTP. Node has no SCTP, so the checks make no association.

import assert from 'node:assert/strict';
import { check } from '../check.js';
import { remainingProcesses } from '../tree.js';
import { endMs, until, within } from '../wait.js';

/** @import { Check } from '../check.js' */

/** @returns {Check[]} */
export const sctpChecks = () => [
  check('sctp-end-idle', 'ends with 0 on SIGTERM, idle', async ({ start }) => {
    const server = await start();
    const ending = await within(server.end(), 'its end on SIGTERM', endMs());
    assert.deepEqual(ending, { code: 0, signal: null });
    await until(() => remainingProcesses(server).length === 0, 'the end of its processes', endMs());
  }),
  check('sctp-restart', 'can be restarted on its port immediately', async ({ start }) => {
    const first = await start();
    await within(first.end(), 'its end', endMs());
    const second = await start({ port: first.port });
    assert.equal(second.port, first.port);
  }),
  check('sctp-port-taken', 'ends with a nonzero exit status if the port is taken', async ({ start }) => {
    const { port } = await start();
    await assert.rejects(start({ port }), { code: 'ended-early' });
  }),
];
