// Kills what remains of a server's process tree after its guard was killed. Members are found by the session that the
// guard gave them, or, if they have left it, by the last reading of the tree.

import { setTimeout as wait } from 'node:timers/promises';
import { readAll } from './process-tree.js';

/** A process that outlives SIGKILL this long is stuck in the kernel. */
const KILL_MS = 5000;
const POLL_MS = 10;

/**
 * @param {number} session the pid of the server's first process; 0 when unknown
 * @param {import('./process-tree.js').ProcessFacts[]} known the processes of the last reading
 * @returns {Promise<boolean>} whether there were any
 */
export async function killOrphans(session, known) {
  const knownKeys = new Set(known.map(keyOf));
  const remaining = () =>
    readAll().filter(
      (each) =>
        each.threads > 0 &&
        each.pid !== process.pid &&
        (knownKeys.has(keyOf(each)) || (session > 1 && each.session === session)),
    );
  const deadline = performance.now() + KILL_MS;
  let members = remaining();
  const hadOrphans = members.length > 0;
  for (; members.length > 0 && performance.now() < deadline; members = remaining()) {
    members.forEach(({ pid }) => kill(pid)); // repeatedly, because they may fork before they are killed
    await wait(POLL_MS);
  }
  return hadOrphans;
}

/** @param {import('./process-tree.js').ProcessFacts} process @returns {string} identifies it although pids are reused */
const keyOf = ({ pid, started }) => `${pid} ${started}`;

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended since it was listed.
  }
}
