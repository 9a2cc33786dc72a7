// How many connections are served at once, where that is a number: exactly so many, and the surplus stays connected,
// unanswered, until a place is free. The one thing to know: "unanswered" is judged when no thread of the server runs.

import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { check } from '../check.js';
import { isAsleep, threadsOf, untilAtRest } from '../tree.js';
import { until } from '../wait.js';

const FEW = 3;
const SURPLUS = 4;
/** How it is seen that nobody else is served: this many looks at a server that sleeps, so far apart. */
const LOOKS = 5;
const LOOK_MS = 10;
/** Two numbers of threads, to see that the option is kept. */
const THREADS = [2, 5];

/**
 * @param {import('../check.js').About} about
 * @returns {import('../check.js').Check[]}
 */
export function concurrencyChecks({ manifest, places, has, words, exact }) {
  const concurrent = manifest?.concurrent ?? 'unbounded';
  const option = typeof concurrent === 'object' ? concurrent.option : null;
  const checks = [];
  if (Number.isFinite(places)) checks.push(servesExactly(places, [], 'when nobody says how many'));
  if (option) checks.push(servesExactly(FEW, words(option, FEW), `told so by options.${option}`));
  if (has('maxChildren')) checks.push(servesExactly(FEW, words('maxChildren', FEW), 'told so by options.maxChildren'));
  if (has('threads') && exact) {
    checks.push(
      check('has as many threads more as options.threads says', async ({ start }) => {
        const counts = [];
        for (const count of THREADS) {
          const server = await start({ args: words('threads', count) });
          await untilAtRest(server);
          counts.push(threadsOf(server));
        }
        assert.equal(counts[1] - counts[0], THREADS[1] - THREADS[0], `threads: ${counts.join(', ')}`);
      }),
    );
  }
  return checks;
}

/**
 * @param {number} count
 * @param {string[]} args
 * @param {string} by
 */
function servesExactly(count, args, by) {
  const name = `serves exactly ${count} at once (${by}); the others wait, open and unanswered, until a place is free`;
  return check(name, async ({ start, openMany }) => {
    const server = await start({ args });
    const connections = await openMany(server, count + SURPLUS);
    const asked = connections.map((connection) => ({ connection, transfer: connection.protocol.transfer() }));
    for (const { connection, transfer } of asked) {
      connection.listen();
      connection.send(transfer);
    }
    const isAnswered = (/** @type {typeof asked[0]} */ { connection, transfer }) => connection.hasReply(transfer);
    const answered = () => asked.filter(isAnswered);
    for (let served = count; ; served++) {
      await until(
        () => answered().length >= served,
        () => `${served} are answered, not ${answered().length}`,
      );
      for (let looks = 0; looks < LOOKS;) {
        await wait(LOOK_MS);
        looks = isAsleep(server) ? looks + 1 : 0;
        assert.equal(answered().length, served, 'answered');
      }
      const closed = asked.filter((each) => !isAnswered(each) && each.connection.ended);
      assert.equal(closed.length, 0, 'closed without an answer');
      if (served === asked.length) return;
      const [first] = asked.filter((each) => isAnswered(each) && !each.connection.ended);
      first.connection.shutdown(); // leaves as one does: by a FIN
      await until(() => first.connection.ended, 'the end of the one that leaves');
    }
  });
}
