// Protocol redis of the client, against redis-server.

import assert from 'node:assert/strict';
import { COMMANDS } from '../../client/protocols/redis-commands.js';
import { deadPort } from '../fixtures/e2e-server.js';
import { requireTool } from '../hooks.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { assertAllReplies } from '../fixtures/e2e-exchanges.js';
import { sandbox } from '../fixtures/e2e-run.js';

const COMMAND = 'exec redis-server --port {port} --bind 127.0.0.1 --save "" --appendonly no --dir /tmp';
const REDIS = { protocol: 'redis', command: COMMAND, connections: 20, duration: '500ms' };

const EVERY_COMMAND = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, 1]));

describe('a run with protocol redis', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  for (const [what, scenario, status] of /** @type {const} */ ([
    ['finds what all commands need, in one mix', { redis: { mix: EVERY_COMMAND, keys: 500, elements: 10_000 } }, 'ok'],
    ['finds every key that was filled before', { redis: { keys: 500 } }, 'ok'],
    ['finds none of the elements that are used up', { redis: { command: 'LPOP', prefill: false } }, 'miss'],
    ['misses keys that are not there', { redis: { prefill: false } }, 'miss'],
    ['sets keys, several at once on each connection', { redis: { command: 'SET' }, pause: '0s', pipeline: 8 }, 'ok'],
    ['counts', { redis: { command: 'INCR' }, payload: undefined }, 'ok'],
    ['pushes', { redis: { command: 'LPUSH' } }, 'ok'],
    ['pings', { redis: { command: 'PING' }, payload: undefined }, 'ok'],
    ['counts what is refused', { redis: { command: 'SET' }, command: `${COMMAND} --maxmemory 1` }, 'error'],
  ])) {
    const add = what.startsWith('finds what all') ? it : it.slow;
    add(what, async function () {
      requireTool(this, 'redis-server');
      const run = box.stress({ ...REDIS, ...scenario });
      await assertAllReplies(run, status);
    });
  }

  it.slow('reports why keys could not be set', async function () {
    requireTool(this, 'redis-server');
    const run = box.stress({ ...REDIS, command: `${COMMAND} --maxmemory 1` });
    await run.endsWith(1);
    const { errorCode, errorData } = run.summary().legs[0].failure.data;
    assert.deepEqual([errorCode, errorData.problem], ['EFILL', 'answer']);
    assert.ok(errorData.reason.includes('-OOM'), errorData.reason);
  });

  it.slow(
    'reports the keys that it leaves in a target, and measures a target that does not exist when forced',
    async () => {
      const target = `127.0.0.1:${await deadPort()}`;
      const run = box.stress({ ...REDIS, command: undefined, target }, ['--force']);
      await run.endsWith(1);
      const {
        legs: [{ leg }],
      } = await assertBooks(run);
      assert.deepEqual([leg.endedBy, leg.warnings.length], ['no-transfers', 1]);
      assert.match(
        run.stdout,
        /^the target keeps what this run writes into it: sets 10,000 keys value:\.\.\. before each leg$/m,
      );
    },
  );
});
