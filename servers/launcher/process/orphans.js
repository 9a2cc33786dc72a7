// Ends what a guard that was killed has left of its tree. The one thing to know: the guard gave them a session, and the
// last reading of the tree found those who left it; a pid and its start together name one process.

import { setTimeout as wait } from 'node:timers/promises';
import { readAll } from './process-tree.js';

/** What outlives SIGKILL this long is stuck in the kernel. */
const KILL_MS = 5000;
const POLL_MS = 10;

/**
 * @param {number} session the command's pid; 0 when it is not known
 * @param {import('./process-tree.js').ProcessFacts[]} known whom the last reading found
 * @returns {Promise<boolean>} whether there were any
 */
export async function endOrphans(session, known) {
  const names = new Set(known.map(nameOf));
  const left = () =>
    readAll().filter(
      (each) =>
        each.threads > 0 &&
        each.pid !== process.pid &&
        (names.has(nameOf(each)) || (session > 1 && each.session === session)),
    );
  const giveUp = performance.now() + KILL_MS;
  let members = left();
  const some = members.length > 0;
  for (; members.length > 0 && performance.now() < giveUp; members = left()) {
    members.forEach(({ pid }) => kill(pid)); // again and again: what was killed may have forked meanwhile
    await wait(POLL_MS);
  }
  return some;
}

/** @param {import('./process-tree.js').ProcessFacts} process */
const nameOf = ({ pid, started }) => `${pid} ${started}`;

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended between the look and now
  }
}
