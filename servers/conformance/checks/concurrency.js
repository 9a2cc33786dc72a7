// Servers with a limit of connections served at once serve exactly that many; the others stay open and unanswered until
// a served connection closes. A connection counts as unanswered only while no thread of the server is running.

import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { check } from '../check.js';
import { isAsleep, threadsOf, untilIdle } from '../tree.js';
import { until } from '../wait.js';

/** @import { Check, Subject } from '../check.js' */

const FEW = 3;
const SURPLUS = 4;
/** Observations of the sleeping server, LOOK_MS apart, that show that no other connection is served. */
const LOOKS = 5;
const LOOK_MS = 10;
/** Values of the option, whose difference is compared. */
const THREADS = [2, 5];

/**
 * @param {Subject} subject
 * @returns {Check[]}
 */
export function concurrencyChecks({ manifest, concurrency, has, words, exact }) {
  const concurrent = manifest?.concurrent ?? 'unbounded';
  const option = typeof concurrent === 'object' ? concurrent.option : null;
  const checks = [];
  if (Number.isFinite(concurrency)) checks.push(servesExactly('concurrency-default', concurrency, [], 'by default'));
  if (option) checks.push(servesExactly('concurrency-option', FEW, words(option, FEW), `options.${option}`));
  if (has('maxChildren'))
    checks.push(servesExactly('max-children', FEW, words('maxChildren', FEW), 'options.maxChildren'));
  if (has('threads') && exact) {
    checks.push(
      check('thread-count', 'has as many threads as options.threads says', async ({ start }) => {
        const counts = [];
        for (const count of THREADS) {
          const server = await start({ args: words('threads', count) });
          await untilIdle(server);
          counts.push(threadsOf(server));
        }
        assert.equal(counts[1] - counts[0], THREADS[1] - THREADS[0], `threads: ${counts.join(', ')}`);
      }),
    );
  }
  return checks;
}

/**
 * @param {string} id
 * @param {number} count
 * @param {string[]} args
 * @param {string} by
 */
function servesExactly(id, count, args, by) {
  const name = `serves exactly ${count} at once (${by}); the others wait, open and unanswered`;
  return check(id, name, async ({ start, openMany }) => {
    const server = await start({ args });
    const connections = await openMany(server, count + SURPLUS);
    const requests = connections.map((connection) => ({ connection, transfer: connection.protocol.transfer() }));
    for (const { connection, transfer } of requests) {
      connection.listen();
      connection.send(transfer);
    }
    const isAnswered = (/** @type {typeof requests[0]} */ { connection, transfer }) => connection.hasReply(transfer);
    const answered = () => requests.filter(isAnswered);
    for (let served = count; ; served++) {
      await until(
        () => answered().length >= served,
        () => `${served} replies; ${answered().length} have arrived`,
      );
      for (let observations = 0; observations < LOOKS;) {
        await wait(LOOK_MS);
        observations = isAsleep(server) ? observations + 1 : 0;
        assert.equal(answered().length, served, 'answered');
      }
      const closed = requests.filter((request) => !isAnswered(request) && request.connection.ended);
      assert.equal(closed.length, 0, 'closed without an answer');
      if (served === requests.length) return;
      const [first] = requests.filter((request) => isAnswered(request) && !request.connection.ended);
      first.connection.shutdown(); // closes with a FIN
      await until(() => first.connection.ended, 'the end of the closed connection');
    }
  });
}
