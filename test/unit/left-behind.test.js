// The data that a run writes into a server that it did not start, and leaves there.

import assert from 'node:assert/strict';
import { leftBehind } from '../../client/protocols/index.js';
import { resolveScenario } from '../../client/scenario/scenario.js';

const target = '127.0.0.1:6379';

describe('the warning about processes left behind', () => {
  for (const [what, content, said] of /** @type {[string, object, string | null][]} */ ([
    ['the keys that GET finds', { protocol: 'redis' }, 'sets 10,000 keys value:... before each leg'],
    ['nothing, where GET is not to find any', { protocol: 'redis', redis: { prefill: false } }, null],
    ['the keys of SET', { protocol: 'redis', redis: { command: 'SET', keys: 1 } }, 'sets up to 1 key value:...'],
    ['counters', { protocol: 'redis', redis: { command: 'INCR' } }, 'increments up to 10,000 keys counter:...'],
    ['lists', { protocol: 'redis', redis: { command: 'LPUSH' } }, 'pushes onto mylist'],
    [
      'what is pushed and taken away',
      { protocol: 'redis', redis: { mix: { RPUSH: 1, LPOP: 1 } } },
      'replaces mylist before each leg, pushes onto mylist',
    ],
    [
      'what each test writes',
      {
        protocol: 'redis',
        tests: ['GET', 'SADD', 'SPOP', 'MSET'].map((command) => ({ as: command, redis: { command } })),
      },
      'sets 10,000 keys value:... before each leg, adds to myset, replaces myset before each leg, ' +
        'sets up to 10,000 keys value:...',
    ],
    ['nothing of a ping', { protocol: 'redis', redis: { command: 'PING' } }, null],
    [
      'what memcached is filled with',
      { protocol: 'memcached', memcached: { keys: 7 } },
      'sets 7 keys value:... before each leg',
    ],
    [
      'the reported value when it is not full',
      { protocol: 'memcached', memcached: { ratio: '0:1', keys: 7 } },
      'sets up to 7 keys value:...',
    ],
    ['nothing, when it is only asked', { protocol: 'memcached', memcached: { ratio: '1:0', prefill: false } }, null],
    ['nothing of other protocols', { protocol: 'echo' }, null],
  ])) {
    it(what, () => {
      const left = leftBehind(resolveScenario({ content: { connections: 1, target, ...content } }));
      assert.equal(left, said === null ? null : `the target keeps what this run writes into it: ${said}`);
    });
  }

  it('is not given for a server that ends with its data', () => {
    const content = { connections: 1, command: 'redis-server --port {port}', protocol: 'redis' };
    assert.equal(leftBehind(resolveScenario({ content })), null);
  });
});
