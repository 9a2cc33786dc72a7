// Mistakes in scenarios: each is reported with file, path, value, reason and a suggestion.

import assert from 'node:assert/strict';
import { flagsOf } from '../../client/scenario/flags.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { mistakesOf, refusalOf } from '../fixtures/codes.js';

const good = { servers: ['epoll'], connections: 10 };

/**
 * @param {() => unknown} action
 * @param {string[]} expected  `path code`, and ` -> meant` where it guesses
 */
const refused = async (action, expected) => assert.deepEqual(await refusalOf(action), expected);

/** @type {[string, unknown, string[]][]} */
const mistakes = [
  ['an unknown key', { ...good, connectons: 5 }, ['connectons unknown-key -> connections']],
  ['an ESC in the description', { ...good, description: 'a\u001b[2J' }, ['description wrong-value']],
  ['a long description', { ...good, description: 'x'.repeat(1001) }, ['description wrong-value']],
  ['an ESC in a label', { ...good, servers: [{ name: 'epoll', as: '\u001b' }] }, ['servers[0].as wrong-value']],
  [
    'what no variable is called',
    { ...good, servers: [{ name: 'epoll', env: { 'A=B': '', 'C D': '' } }] },
    ['servers[0].env wrong-value', 'servers[0].env wrong-value'],
  ],
  [
    'a NUL in a variable',
    { ...good, servers: [{ name: 'epoll', env: { A: 'a\0b' } }] },
    ['servers[0].env.A wrong-value'],
  ],
  ['a duration of many nines', { ...good, duration: `${'9'.repeat(400)}s` }, ['duration out-of-range']],
  [
    'very many mistakes',
    { ...good, servers: Array(1000).fill(5) },
    Array.from({ length: 1000 }, (_, i) => `servers[${i}] wrong-value`),
  ],
  ['an unknown nested key', { ...good, ramp: { ad: 3 } }, ['ramp.ad unknown-key -> add']],
  ['a key of no likeness', { ...good, zzzzzz: 1 }, ['zzzzzz unknown-key']],
  ['a key of a later version', { ...good, repeat: 3 }, ['repeat unknown-key']],
  [
    '__proto__',
    JSON.parse('{"servers":["epoll"],"connections":1,"__proto__":{"a":1}}'),
    ['__proto__ unknown-key -> protocol'],
  ],
  ['a number for a duration', { ...good, duration: 5 }, ['duration wrong-value -> 5s']],
  ['a sum for a duration', { ...good, duration: '2m30s' }, ['duration wrong-value -> 150s']],
  ['a short number', { ...good, connections: '10k' }, ['connections wrong-value -> 10000']],
  ['a wrong size', { ...good, payload: '100kb' }, ['payload wrong-value -> 100KiB']],
  ['a wrong word', { ...good, workload: 'holdd' }, ['workload wrong-value -> hold']],
  ['too few connections', { ...good, connections: 0 }, ['connections wrong-value']],
  ['a fraction', { ...good, connections: 1.5 }, ['connections wrong-value']],
  ['no server', { connections: 1 }, ['server-missing']],
  ['two choices', { ...good, target: '127.0.0.1:1' }, ['exclusive-keys']],
  ['an empty list', { ...good, servers: [] }, ['servers wrong-value']],
  ['a server of a wrong type', { ...good, servers: [5] }, ['servers[0] wrong-value']],
  ['a server without a name', { ...good, servers: [{ as: 'x' }] }, ['servers[0].name missing']],
  [
    'a server option misspelt',
    { ...good, servers: [{ name: 'epoll', options: { backlogg: 1 } }] },
    ['servers[0].options.backlogg unknown-key -> backlog'],
  ],
  ['a label twice', { ...good, servers: ['epoll', { name: 'epoll' }] }, ['servers[1] label-taken']],
  ['a command without a port', { connections: 1, command: './mine' }, ['command wrong-value']],
  ['workers of a wrong word', { ...good, workers: 'many' }, ['workers wrong-value']],
  ['a name that is a path', { ...good, name: '../x' }, ['name wrong-value']],
  ['heartbeat without hold', { ...good, heartbeat: '5s' }, ['heartbeat key-not-for-workload']],
  ['rate with hold', { ...good, workload: 'hold', rate: '10/s' }, ['rate key-not-for-workload']],
  ['rate with pause', { ...good, rate: '10/s', pause: '5s' }, ['rate rate-and-pause']],
  ['rate of nothing', { ...good, rate: '0/s' }, ['rate out-of-range']],
  ['arrivals without rate', { ...good, arrivals: 'poisson' }, ['arrivals key-needs-rate']],
  ['pipeline with once', { ...good, workload: 'once', pipeline: 4 }, ['pipeline key-not-for-workload']],
  ['pipeline with pause', { ...good, pipeline: 4, pause: '5s' }, ['pipeline pipeline-and-pause']],
  ['pipeline of none', { ...good, pipeline: 0 }, ['pipeline wrong-value']],
  ['a warm-up of no kind', { ...good, warmup: 'long' }, ['warmup wrong-value']],
  ['a number in quotes', { ...good, warmup: '5000' }, ['warmup wrong-value -> 5000']],
  ['a warm-up of no transfers', { ...good, warmup: 0 }, ['warmup wrong-value']],
  ['too long a warm-up', { ...good, warmup: '2h' }, ['warmup out-of-range']],
  ['too long a time for one', { ...good, warmup: 5, warmupTimeout: '2h' }, ['warmupTimeout out-of-range']],
  ['no time for one', { ...good, warmup: 5, warmupTimeout: '0s' }, ['warmupTimeout out-of-range']],
  [
    'warmupTimeout with a time',
    { ...good, warmup: '5s', warmupTimeout: '9s' },
    ['warmupTimeout timeout-without-count'],
  ],
  ['warmupTimeout alone', { ...good, warmupTimeout: '9s' }, ['warmupTimeout timeout-without-count']],
  ['warmup with once', { ...good, workload: 'once', warmup: '5s' }, ['warmup key-not-for-workload']],
  [
    'a warm-up of transfers before a profile',
    { ...good, warmup: 100, rate: [{ rate: '10/s', for: '5s' }] },
    ['warmup warmup-count-with-profile'],
  ],
  ['transfers of a hold that has none', { ...good, workload: 'hold', warmup: 100 }, ['warmup hold-without-heartbeat']],
  [
    'a common start without transfers',
    { ...good, workload: 'hold', start: 'together' },
    ['start hold-without-heartbeat'],
  ],
  [
    'a profile of connections that close for good',
    { ...good, connections: [{ connections: 5, for: '1s' }], lifetime: { transfers: 9, reopen: false } },
    ['connections profile-without-reopen'],
  ],
  [
    'a warm-up of all that connections have which close for good',
    { ...good, connections: 10, warmup: 90, lifetime: { transfers: 9, reopen: false } },
    ['warmup warmup-takes-all'],
  ],
  ['pause with hold', { ...good, workload: 'hold', pause: '5s' }, ['pause key-not-for-workload']],
  ['pause with once', { ...good, workload: 'once', pause: '5s' }, ['pause key-not-for-workload']],
  ['no payload', { ...good, payload: '0B' }, ['payload out-of-range']],
  ['half a byte', { ...good, payload: '1.5B' }, ['payload not-whole-bytes']],
  ['too large a payload', { ...good, payload: '2GiB' }, ['payload out-of-range']],
  ['no duration', { ...good, duration: '0s' }, ['duration out-of-range']],
  ['a deadline beyond the histogram', { ...good, transferTimeout: '2h' }, ['transferTimeout out-of-range']],
  ['a cap below the base', { ...good, backoff: { base: '1s', cap: '500ms' } }, ['backoff.cap cap-below-base']],
  ['a ramp of too many steps', { ...good, connections: 200_000, ramp: { add: 1 } }, ['ramp.add too-many-steps']],
  ['serverPid without target', { ...good, serverPid: 5 }, ['serverPid pid-without-target']],
  ['a list', [], ['not-an-object']],
  ['null', null, ['not-an-object']],
];

/** Keys and values of earlier versions. @type {[Record<string, unknown>, string][]} with their paths */
const removed = [
  [{ busyPoll: '1ms' }, 'busyPoll'],
  [{ lifetime: { transfers: 5, close: 'fin' } }, 'lifetime.close'],
  [{ lifetime: { time: '10s-20s' } }, 'lifetime.time'],
];

describe('scenario: mistakes', () => {
  for (const [content, path] of removed) {
    it(`says that ${JSON.stringify(content)} was removed`, () =>
      refused(() => resolveScenario({ content: { ...good, ...content } }), [`${path} removed`]));
  }

  for (const [what, content, expected] of mistakes) {
    it(`rejects ${what}`, () => refused(() => resolveScenario({ file: 'bad.json', content }), expected));
  }

  it('reports every mistake with its line, but of very many only the first', () => {
    const messageOf = (/** @type {unknown} */ content) => {
      try {
        resolveScenario({ file: 'bad.json', content });
      } catch (error) {
        return /** @type {Error} */ (error).message.split('\n');
      }
      return [];
    };
    const lines = messageOf({ ...good, ad: 1, payload: 'x', workload: 'y' });
    assert.deepEqual(lines.map((line) => line.split(': ').slice(0, 2).join(' ')).sort(), [
      'bad.json ad',
      'bad.json payload',
      'bad.json workload',
    ]);
    const many = messageOf({ ...good, servers: Array(1000).fill(5) });
    assert.equal(many.length, 21);
    assert.match(many[20], /\b980\b/);
  });

  it('names the flag if the value came from a flag', async () => {
    const flags = flagsOf({ 'ramp.add': 'x', payload: '1kb', servers: ' , ' });
    assert.throws(
      () => resolveScenario({ file: 'good.json', content: good }, flags),
      (/** @type {any} */ error) => {
        assert.deepEqual(mistakesOf(error).sort(), [
          'payload wrong-value -> 1KiB',
          'ramp.add wrong-value',
          'servers wrong-value',
        ]);
        return error.data.mistakes.every((/** @type {any} */ { path, text }) => text.startsWith(`--${path}: `));
      },
    );
    await refused(() => resolveScenario({}, flagsOf({ connections: '5', target: '::1' })), ['ETARGET no-port']);
    await refused(() => flagsOf({ duration: ['5s', '6s'] }), ['ETWICE duration']);
  });
});

describe('scenario: what was removed', () => {
  for (const [key, value] of Object.entries({ untilConfident: { p99: '5%' }, timestamps: 'all' })) {
    it(`names ${key}`, () =>
      refused(() => resolveScenario({ content: { ...good, [key]: value } }), [`${key} removed`]));
  }
});
