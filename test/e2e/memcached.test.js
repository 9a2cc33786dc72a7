// Protocol memcached of the client, against memcached.

import assert from 'node:assert/strict';
import { requireTool } from '../hooks.js';
import { assertAllReplies } from '../fixtures/e2e-exchanges.js';
import { sandbox } from '../fixtures/e2e-run.js';

const COMMAND = 'exec memcached -l 127.0.0.1 -p {port} -u nobody -t 2';
const SMALL = `${COMMAND} -I 16k -o slab_chunk_max=8`;
const MEMCACHED = { protocol: 'memcached', command: COMMAND, connections: 20, duration: '500ms' };
const SIZES = ['0B', '100B', '100B', '30KiB'];

describe('a run with protocol memcached', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  for (const [what, scenario, status] of /** @type {const} */ ([
    ['finds every key that was filled before', { memcached: { keys: 500 } }, 'ok'],
    ['misses keys that are not there', { memcached: { prefill: false } }, 'miss'],
    ['sets keys, several at once on each connection', { pause: '0s', pipeline: 8, memcached: { ratio: '0:1' } }, 'ok'],
    [
      'gets and sets values of several sizes',
      { payload: undefined, memcached: { ratio: '3:1', keys: 500, sizes: SIZES } },
      'ok',
    ],
    [
      'gets several keys at once',
      { payload: undefined, memcached: { keys: 500, keysPerGet: 128, sizes: SIZES } },
      'ok',
    ],
    [
      'does all of it at once',
      { pause: '0s', pipeline: 5, memcached: { ratio: '2:1', keysPerGet: 7, keys: 10, keyBytes: 16 } },
      'ok',
    ],
    ['counts what is refused', { memcached: { ratio: '0:1' }, payload: '20KiB', command: SMALL }, 'error'],
  ])) {
    for (const format of /** @type {const} */ (['text', 'binary'])) {
      const add = what === 'does all of it at once' ? it : it.slow;
      add(`${what}, in ${format}`, async function () {
        requireTool(this, 'memcached');
        const run = box.stress({ ...MEMCACHED, ...scenario, memcached: { ...scenario.memcached, format } });
        await assertAllReplies(run, status);
      });
    }
  }

  for (const [format, refusal] of Object.entries({ text: 'SERVER_ERROR object too', binary: 'Too large' })) {
    it.slow(`reports why keys could not be set, in ${format}`, async function () {
      requireTool(this, 'memcached');
      const run = box.stress({ ...MEMCACHED, payload: '20KiB', command: SMALL, memcached: { format } });
      await run.endsWith(1);
      const { errorCode, errorData } = run.summary().legs[0].failure.data;
      assert.deepEqual([errorCode, errorData.problem], ['EFILL', 'answer']);
      assert.ok(errorData.reason.includes(refusal), errorData.reason);
    });
  }

  it('gets and sets over UDP', async function () {
    requireTool(this, 'memcached');
    const memcached = { ratio: '1:1', keys: 100 };
    const run = box.stress({ ...MEMCACHED, transport: 'udp', command: `${COMMAND} -U {port}`, memcached });
    const leg = await assertAllReplies(run, 'ok');
    assert.deepEqual([leg.transport, leg.transfers.strays], ['udp', 0]);
  });

  it.slow('starts memcached with UDP, in whose replies are several datagrams', async function () {
    requireTool(this, 'memcached');
    const { command: _, ...scenario } = MEMCACHED;
    const memcached = { format: 'binary', keys: 100 };
    const run = box.stress({ ...scenario, servers: ['memcached'], transport: 'udp', payload: '20KiB', memcached });
    await assertAllReplies(run, 'ok');
  });

  it.slow('does not measure a server without UDP', async function () {
    requireTool(this, 'memcached');
    const run = box.stress({ ...MEMCACHED, transport: 'udp' });
    await run.endsWith(1);
    const { errorCode, errorData } = run.summary().legs[0].failure.data;
    assert.deepEqual([errorCode, errorData.reason], ['EEXCHANGE', 'not-listening']);
  });

  it.slow('measures a server that speaks the binary protocol only', async function () {
    requireTool(this, 'memcached');
    const run = box.stress({ ...MEMCACHED, command: `${COMMAND} -B binary`, memcached: { format: 'binary' } });
    await assertAllReplies(run, 'ok');
  });
});
