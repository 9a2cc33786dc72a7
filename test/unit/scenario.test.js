// Scenarios: every mistake is answered by file, path, value, reason and what was meant; defaults and flags.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { flagsOf, scenarioOptions } from '../../client/scenario/flags.js';
import { loadScenario, resolveScenario } from '../../client/scenario/scenario.js';
import { scenarioNames } from '../../client/scenario/file.js';
import { scenarioKeys } from '../../client/scenario/schema.js';
import { listServers } from '../../servers/launcher/index.js';

const good = { servers: ['epoll'], connections: 10 };

/**
 * @param {() => unknown} action
 * @param {string[]} fragments
 * @param {number} [exitCode]
 */
async function refused(action, fragments, exitCode = 2) {
  await assert.rejects(
    async () => action(),
    (/** @type {any} */ error) => {
      assert.equal(error.exitCode, exitCode, error.stack);
      for (const fragment of fragments) {
        assert.ok(error.message.includes(fragment), `no ${fragment} in: ${error.message}`);
      }
      return true;
    },
  );
}

/** @type {[string, unknown, string[]][]} */
const mistakes = [
  [
    'an unknown key',
    { ...good, connectons: 5 },
    ['bad.json: connectons: unknown key (value 5)', 'did you mean "connections"?'],
  ],
  [
    'an ESC in the description',
    { ...good, description: 'a\u001b[2J' },
    ['description: "a\\u001b[2J" is not a text of'],
  ],
  ['a long description', { ...good, description: 'x'.repeat(1001) }, ['description: "xxx', 'at most 1,000 characters']],
  ['an ESC in a label', { ...good, servers: [{ name: 'epoll', as: '\u001b' }] }, ['servers[0].as: "\\u001b" is not']],
  [
    'what no variable is called',
    { ...good, servers: [{ name: 'epoll', env: { 'A=B': '', 'C D': '' } }] },
    ['servers[0].env: "A=B" is not a name', 'servers[0].env: "C D" is not a name'],
  ],
  [
    'a NUL in a variable',
    { ...good, servers: [{ name: 'epoll', env: { A: 'a\0b' } }] },
    ['servers[0].env.A: "a\\u0000b"'],
  ],
  ['a duration of many nines', { ...good, duration: `${'9'.repeat(400)}s` }, ['duration: 9999', '9... is too long']],
  ['very many mistakes', { ...good, servers: Array(1000).fill(5) }, ['servers[19]: 5', '\nand 980 more']],
  [
    'an unknown nested key',
    { ...good, ramp: { ad: 3 } },
    ['bad.json: ramp.ad: unknown key', 'did you mean "ramp.add"?'],
  ],
  ['a key of no likeness', { ...good, zzzzzz: 1 }, ['zzzzzz: unknown key', 'the keys here are name, description']],
  ['a key of a later version', { ...good, repeat: 3 }, ['repeat: unknown key']],
  ['__proto__', JSON.parse('{"servers":["epoll"],"connections":1,"__proto__":{"a":1}}'), ['__proto__: unknown key']],
  [
    'a number for a duration',
    { ...good, duration: 5 },
    ['bad.json: duration: 5 is not a duration', 'did you mean 5s?'],
  ],
  ['a wrong size', { ...good, payload: '100kb' }, ['payload: "100kb" is not a size', 'did you mean 100KiB?']],
  ['a wrong word', { ...good, workload: 'holdd' }, ['workload: "holdd" is not one of', 'did you mean hold?']],
  ['too few connections', { ...good, connections: 0 }, ['connections: 0 is not a whole number from 1']],
  ['a fraction', { ...good, connections: 1.5 }, ['connections: 1.5 is not a whole number']],
  ['no connections', { servers: ['epoll'] }, ['connections: missing']],
  ['no server', { connections: 1 }, ['bad.json: no server to measure', 'servers, target or command']],
  ['two choices', { ...good, target: '127.0.0.1:1' }, ['servers and bad.json: target exclude each other']],
  ['an empty list', { ...good, servers: [] }, ['servers: [] is not a list of server names']],
  ['a server of a wrong type', { ...good, servers: [5] }, ["servers[0]: 5 is not a server's name"]],
  ['a server without a name', { ...good, servers: [{ as: 'x' }] }, ['servers[0].name: missing']],
  [
    'a server option misspelt',
    { ...good, servers: [{ name: 'epoll', options: { backlogg: 1 } }] },
    ['servers[0].options.backlogg: unknown key', 'did you mean "servers[0].options.backlog"?'],
  ],
  ['a label twice', { ...good, servers: ['epoll', { name: 'epoll' }] }, ['servers[1]', '"as"']],
  [
    'a command without a port',
    { connections: 1, command: './mine' },
    ['command: "./mine" is not a command with {port}'],
  ],
  ['workers of a wrong word', { ...good, workers: 'many' }, ['workers: "many" is not auto or a whole number']],
  ['a name that is a path', { ...good, name: '../x' }, ['name: "../x" is not letters']],
  ['heartbeat without hold', { ...good, heartbeat: '5s' }, ['heartbeat: 5s belongs to workload "hold"']],
  [
    'rate with hold',
    { ...good, workload: 'hold', rate: '10/s' },
    ['rate: 10/s belongs to workload "continuous" or "reconnect", and the workload is "hold"'],
  ],
  [
    'rate with pause',
    { ...good, rate: '10/s', pause: '5s' },
    ['rate: 10/s says when', 'pause (5s); give one of them up'],
  ],
  ['rate of nothing', { ...good, rate: '0/s' }, ['rate: 0/s is not a rate of requests']],
  ['arrivals without rate', { ...good, arrivals: 'poisson' }, ['arrivals: "poisson" belongs to rate']],
  [
    'pipeline with once',
    { ...good, workload: 'once', pipeline: 4 },
    ['pipeline: 4 belongs to workload "continuous" without a pause, and the workload is "once"'],
  ],
  [
    'pipeline with pause',
    { ...good, pipeline: 4, pause: '5s' },
    ['pipeline: 4 belongs', 'and pause is 5s; give one of them up'],
  ],
  ['pipeline of none', { ...good, pipeline: 0 }, ['pipeline']],
  [
    'a warm-up of no kind',
    { ...good, warmup: 'long' },
    ['warmup: "long" is not a duration such as 5s, or a whole number'],
  ],
  ['a number in quotes', { ...good, warmup: '5000' }, ['warmup: "5000" is not', 'did you mean 5000?']],
  ['a warm-up of no transfers', { ...good, warmup: 0 }, ['warmup: 0 is not a duration such as 5s, or a whole number']],
  ['too long a warm-up', { ...good, warmup: '2h' }, ['warmup: 2h is too long; at most 1h']],
  [
    'too long a time for one',
    { ...good, warmup: 5, warmupTimeout: '2h' },
    ['warmupTimeout: 2h is too long; at most 1h'],
  ],
  ['no time for one', { ...good, warmup: 5, warmupTimeout: '0s' }, ['warmupTimeout: must be longer than 0s']],
  [
    'warmupTimeout with a time',
    { ...good, warmup: '5s', warmupTimeout: '9s' },
    ['warmupTimeout: 9s belongs to a warm-up of so many transfers, and warmup is 5s'],
  ],
  ['warmupTimeout alone', { ...good, warmupTimeout: '9s' }, ['warmupTimeout: 9s belongs', 'and warmup is 0s']],
  ['warmup with once', { ...good, workload: 'once', warmup: '5s' }, ['warmup: 5s, and in workload "once"']],
  [
    'a warm-up of transfers before a profile',
    { ...good, warmup: 100, rate: [{ rate: '10/s', for: '5s' }] },
    ['warmup: 100 transfers, and when they are answered', 'give a time, such as 5s'],
  ],
  [
    'transfers of a hold that has none',
    { ...good, workload: 'hold', warmup: 100 },
    ['warmup: 100 transfers, and workload "hold" without a heartbeat has none'],
  ],
  ['pause with hold', { ...good, workload: 'hold', pause: '5s' }, ['pause: 5s belongs to workload "continuous"']],
  ['pause with once', { ...good, workload: 'once', pause: '5s' }, ['pause: 5s belongs to workload "continuous"']],
  ['no payload', { ...good, payload: '0B' }, ['payload: a payload has at least 1B']],
  ['half a byte', { ...good, payload: '1.5B' }, ['payload: 1.5 bytes are not whole']],
  ['too large a payload', { ...good, payload: '2GiB' }, ['payload: 2GiB is too large']],
  ['no duration', { ...good, duration: '0s' }, ['duration: must be longer than 0s']],
  ['a deadline beyond the histogram', { ...good, transferTimeout: '2h' }, ['transferTimeout: 2h is too long']],
  [
    'a cap below the base',
    { ...good, backoff: { base: '1s', cap: '500ms' } },
    ['backoff.cap: 500ms is less than backoff.base'],
  ],
  ['a ramp of too many steps', { ...good, connections: 200_000, ramp: { add: 1 } }, ['ramp.add', '200,000 steps']],
  ['serverPid without target', { ...good, serverPid: 5 }, ['serverPid: 5 belongs to target']],
  ['a list', [], ['bad.json: holds a list, not an object']],
  ['null', null, ['bad.json: holds null, not an object']],
];

describe('scenario: mistakes', () => {
  for (const [what, content, fragments] of mistakes) {
    it(`answers ${what}`, () => refused(() => resolveScenario({ file: 'bad.json', content }), fragments));
  }

  it('says every mistake, each on its line', () =>
    refused(
      () => resolveScenario({ file: 'bad.json', content: { ...good, ad: 1, payload: 'x', workload: 'y' } }),
      ['bad.json: ad', '\nbad.json: payload', '\nbad.json: workload'],
    ));

  it('names the flag when the value came by a flag', async () => {
    const flags = flagsOf({ 'ramp.add': 'x', payload: '1kb', servers: ' , ' });
    await refused(
      () => resolveScenario({ file: 'good.json', content: good }, flags),
      [
        '--ramp.add: "x" is not a whole number',
        '--payload: "1kb"',
        'did you mean 1KiB?',
        '--servers: [] is not names or patterns separated',
      ],
    );
    await refused(
      () => resolveScenario({}, flagsOf({ connections: '5', target: '::1' })),
      ['--target: "::1" has no port'],
    );
    await refused(() => flagsOf({ duration: ['5s', '6s'] }), ['--duration: given 2 times']);
  });
});

describe('scenario: files', () => {
  /** @type {string} */
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'broadside-scenario-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('finds every scenario shipped, by name, and resolves it', async () => {
    const names = await scenarioNames();
    assert.deepEqual(names, [
      '10k-1b',
      '10k-1kb',
      '10k-1mb',
      '10k-idle',
      '1k-reconnect',
      '80k-continuous',
      'memcached-get',
      'models-echo',
      'models-http',
      'models-work',
      'nats-pubsub',
      'nginx-http',
      'nginx-https',
      'profile-peak',
      'redis-get',
      'redis-pipeline',
      'redis-set',
      'smoke',
      'websocket-echo',
    ]);
    for (const name of names) assert.equal((await loadScenario({ config: name })).name, name);
    assert.equal((await loadScenario({ config: '10k-1kb.json' })).connections, 10_000);
  });

  it('lists near names for one that is not there', () =>
    refused(() => loadScenario({ config: '10k-1k' }), ['"10k-1k"', 'Did you mean', '"10k-1kb"', 'smoke']));

  it('says where JSON is broken', async () => {
    const rows = {
      '{\n  "a": 1,\n  "b": bad\n}': ':3:8: not JSON',
      '{"a":1,}': ':1:8: not JSON',
      '': ':1:1: not JSON',
    };
    for (const [index, [text, fragment]] of Object.entries(rows).entries()) {
      const file = join(folder, `${index}.json`);
      await writeFile(file, text);
      await refused(() => loadScenario({ config: file }), [`${file}${fragment}`]);
    }
  });

  it('refuses what is nested more deeply than any scenario', async () => {
    const file = join(folder, 'deep.json');
    for (const deep of [100_000, 40]) {
      await writeFile(file, `{"servers":${'['.repeat(deep)}${']'.repeat(deep)}}`);
      await refused(() => loadScenario({ config: file }), [`${file}: nested too deeply`]);
    }
  });

  it('does not wait for a pipe that nobody writes into', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await refused(() => loadScenario({ config: pipe }), [`${pipe} is not a regular file`]);
  });

  it('takes a path, and its name from the file', async () => {
    const file = join(folder, 'my own.json');
    await writeFile(file, JSON.stringify(good));
    assert.equal((await loadScenario({ config: file })).name, 'my-own');
    assert.equal((await loadScenario({ config: join(folder, 'my own') })).connections, 10);
  });
});

describe('scenario: defaults and flags', () => {
  it('fills in every default', () => {
    assert.deepEqual(resolveScenario({ name: 'x', content: good }), {
      name: 'x',
      description: '',
      servers: [{ name: 'epoll', as: 'epoll', options: { backlog: 4096, processes: 'auto' }, env: {} }],
      serverPid: null,
      connections: 10,
      ramp: { add: 1000, everyNs: 5e9, spread: false },
      workload: 'continuous',
      heartbeatNs: 0,
      connectRate: null,
      pipeline: 1,
      busyPollNs: 0,
      rate: null,
      rateProfile: null,
      connectionsProfile: null,
      arrivals: 'constant',
      sweep: null,
      transfers: null,
      lifetime: null,
      socket: {
        nodelay: true,
        keepAliveNs: null,
        lingerNs: null,
        sendBufferBytes: null,
        receiveBufferBytes: null,
        sourcePort: null,
        tos: null,
        congestion: null,
      },
      listen: 'ipv4',
      io: 'auto',
      pin: { client: null, server: null },
      pauseNs: 0,
      protocol: 'echo',
      protocolOptions: {},
      payloadBytes: 1024,
      warmupNs: 0,
      warmupTransfers: null,
      durationNs: 30e9,
      backoff: { baseNs: 1e8, factor: 2, capNs: 10e9 },
      connectTimeoutNs: 10e9,
      transferTimeoutNs: 30e9,
      drainTimeoutNs: 10e9,
      workers: 'auto',
      sources: 'auto',
      tls: null,
      force: false,
      transferLog: 'parquet',
      seed: 1,
      allowPublicTarget: false,
    });
    assert.equal(resolveScenario({ content: { ...good, transferTimeout: '3s' } }).drainTimeoutNs, 3e9);
    for (const [given, resolved] of /** @type {const} */ ([
      [{ warmup: '5s' }, [5e9, null]],
      [{ warmup: 5000 }, [60e9, 5000]],
      [{ warmup: 5, warmupTimeout: '9s' }, [9e9, 5]],
    ])) {
      const { warmupNs, warmupTransfers } = resolveScenario({ content: { ...good, ...given } });
      assert.deepEqual([warmupNs, warmupTransfers], resolved);
    }
  });

  it('lets flags override the file, and nothing else', () => {
    const content = { ...good, ramp: { add: 5, every: '1s' }, duration: '20s' };
    const flags = flagsOf({
      connections: '500',
      duration: '10s',
      servers: 'epoll,libuv',
      payload: '1MiB',
      'ramp.add': '50',
      'ramp.spread': true,
      workers: '3',
      'backoff.factor': '1.5',
    });
    const scenario = resolveScenario({ content }, flags);
    assert.deepEqual(
      scenario.servers?.map(({ name }) => name),
      ['epoll', 'libuv'],
    );
    assert.deepEqual(scenario.ramp, { add: 50, everyNs: 1e9, spread: true });
    assert.deepEqual(
      [scenario.connections, scenario.durationNs, scenario.payloadBytes, scenario.workers, scenario.backoff.factor],
      [500, 10e9, 2 ** 20, 3, 1.5],
    );
    assert.deepEqual(content.ramp, { add: 5, every: '1s' }, "the file's content is not touched");
  });

  it("replaces the file's choice of servers by a target or a command", () => {
    assert.deepEqual(resolveScenario({ content: good }, { target: 'localhost:80' }).target, {
      host: 'localhost',
      port: 80,
    });
    const { command, servers } = resolveScenario({ content: good }, { command: './mine {port}' });
    assert.deepEqual([command, servers], ['./mine {port}', undefined]);
  });

  it('makes one option of every key of the schema', () => {
    const options = scenarioOptions();
    for (const [key, schema] of scenarioKeys) {
      if (schema['x-flag'] === false) continue;
      assert.ok(options[key]?.description?.startsWith(schema.description ?? '?'), key);
      if (schema.default !== undefined && schema.type !== 'boolean' && schema.default !== '') {
        assert.equal(options[key]?.defaultDescription, String(schema.default), key);
      }
    }
  });

  it('hands on the options that servers take, by the same names', async () => {
    const taken = new Set(listServers().flatMap(({ manifest }) => Object.keys(manifest.options ?? {})));
    const all = {
      backlog: 16,
      maxChildren: 5,
      processes: 3,
      threads: 8,
      work: '30ms-50ms',
      workKind: 'spin',
      workSeed: 7,
      volleyStop: true,
      nodelay: 'off',
      idleTimeout: '30s',
    };
    const { servers } = resolveScenario({ content: { connections: 1, servers: [{ name: 'any', options: all }] } });
    assert.deepEqual(servers?.[0].options, all);
    assert.deepEqual(
      [...taken].filter((key) => !(key in all)),
      [],
    );
    const beyond = { connections: 1, servers: [{ name: 'any', options: { backlog: 2 ** 30 + 1 } }] };
    await refused(() => resolveScenario({ content: beyond }), ['backlog', '1073741824']);
    for (const processes of [0, 1025, 1.5, 'many', '2']) {
      const content = { connections: 1, servers: [{ name: 'any', options: { processes } }] };
      const says = ['servers[0].options.processes', 'auto or a whole number from 1 to 1024'];
      await refused(() => resolveScenario({ content }), says);
    }
  });

  /** @type {[string, Record<string, unknown>, string][]} */
  const wrongOptions = [
    ['work without a unit', { work: '30' }, 'options.work: "30" is not one time or two in ns, us, ms or s'],
    ['work of negative time', { work: '-1ms' }, 'is not one time or two in ns, us, ms or s'],
    ['work from more to less', { work: '5ms-1ms' }, 'options.work: 5ms-1ms begins with the longer time'],
    ['work from more to less in other units', { work: '2s-3ms' }, 'begins with the longer time'],
    ['work for more than an hour', { work: '3601s' }, 'options.work: 3601s is too long; at most 3600s'],
    ['a kind of no work', { workKind: 'spin' }, 'options.workKind: "spin" says what the work is, and there is none'],
    ['an unknown kind', { work: '1ms', workKind: 'nap' }, 'options.workKind: "nap" is not one of wait, block, spin'],
    ['no threads', { threads: 0 }, 'options.threads: 0 is not a whole number from 1 to 1024'],
    ['nodelay as a boolean', { nodelay: true }, 'options.nodelay: true is not one of on, off'],
    ['idleTimeout in minutes', { idleTimeout: '1m' }, 'options.idleTimeout: "1m" is not a time in ms or s'],
  ];
  for (const [what, options, says] of wrongOptions) {
    it(`refuses ${what} of a server`, async () => {
      const content = { connections: 1, servers: [{ name: 'any', options }] };
      await refused(() => resolveScenario({ content }), [says]);
    });
  }

  it('takes a time without a range, and one that begins and ends alike', () => {
    for (const work of ['0ms', '1.5ms', '1000us-1ms']) {
      resolveScenario({ content: { connections: 1, servers: [{ name: 'any', options: { work } }] } });
    }
  });

  it('reads what raw sends from a file beside the scenario, or near as a flag says', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'broadside-request-'));
    try {
      const file = (/** @type {string} */ name) => join(folder, name);
      const raw = { length: '1B', file: 'request.bin' };
      await writeFile(file('scenario.json'), JSON.stringify({ ...good, protocol: 'raw', raw }));
      const load = (/** @type {any} */ flags = {}) => loadScenario({ config: file('scenario.json'), flags });
      await refused(load, ['raw.file: ', 'request.bin does not exist']);
      await writeFile(file('request.bin'), '');
      await refused(load, ['request.bin is empty']);
      await writeFile(file('request.bin'), 'PING\\n');
      const scenario = await load();
      assert.equal(scenario.payloadBytes, 6, 'a file has no escapes');
      assert.equal(Buffer.from(scenario.protocolOptions.content, 'base64').toString(), 'PING\\n');
      await refused(() => load({ 'raw.file': '/' }), ['--raw.file: / is not a regular file']);
      await refused(
        () => load({ 'raw.file': 'request.bin' }),
        [`--raw.file: ${resolve('request.bin')} does not exist`],
      );
      await writeFile(file('request.bin'), Buffer.alloc(2 ** 20 + 1));
      await refused(load, ['request.bin has 1,048,577 bytes; what raw sends has at most 1MiB']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('asks words of volley, and nothing else', async () => {
    const content = { connections: 1, servers: ['any'], protocol: 'volley' };
    assert.equal(resolveScenario({ content }).payloadBytes, 4);
    await refused(
      () => resolveScenario({ content: { ...content, payload: '1KiB' } }),
      ['payload: 1KiB, and a request of volley is always 4 bytes; leave payload out'],
    );
  });

  it('takes the options of its protocol, as they are or as flags with dots', () => {
    const content = { connections: 1, servers: ['any'], protocol: 'http' };
    const usual = { method: 'GET', path: '/', headers: {}, keepAlive: true };
    assert.deepEqual(resolveScenario({ content }).protocolOptions, usual);
    assert.equal(resolveScenario({ content }).payloadBytes, 0);
    assert.deepEqual(resolveScenario({ content: good }).protocolOptions, {});
    const flags = flagsOf({ 'http.method': 'POST', 'http.path': '/a?b', 'http.keepAlive': false, payload: '5B' });
    const inFile = { host: 'a.b', headers: { A: 'b c' } };
    const { protocolOptions, payloadBytes } = resolveScenario({ content: { ...content, http: inFile } }, flags);
    assert.deepEqual(protocolOptions, {
      method: 'POST',
      path: '/a?b',
      host: 'a.b',
      headers: { A: 'b c' },
      keepAlive: false,
    });
    assert.equal(payloadBytes, 5);
  });

  /** @type {[string, Record<string, unknown>, string][]} */
  const wrongProtocols = [
    [
      'options of another protocol',
      { http: { path: '/' } },
      'http.path: belongs to protocol "http", and the protocol is "echo"',
    ],
    [
      'a payload of GET',
      { protocol: 'http', payload: '1KiB' },
      'payload: 1KiB, and such a request of http carries none',
    ],
    [
      'http that closes in a pipeline',
      { protocol: 'http', http: { keepAlive: false }, pipeline: 4 },
      'http.keepAlive: false asks the server to close after each reply, and pipeline is 4',
    ],
    [
      'stream in a pipeline',
      { protocol: 'stream', pipeline: 4 },
      'pipeline: 4, and a connection of stream has one request',
    ],
    [
      'a command of redis that is none',
      { protocol: 'redis', redis: { command: 'get' } },
      'redis.command: "get" is not one',
    ],
    [
      'too many keys to fill',
      { protocol: 'redis', redis: { keys: 1e8 } },
      'redis.keys: 100000000 are too many to be filled',
    ],
    ['a payload of PING', { protocol: 'redis', redis: { command: 'PING' }, payload: '1B' }, 'payload: 1B, and such'],
    [
      'a ratio of nothing',
      { protocol: 'memcached', memcached: { ratio: '0:0' } },
      'memcached.ratio: 0:0 asks for nothing',
    ],
    [
      'a ratio that is none',
      { protocol: 'memcached', memcached: { ratio: '9' } },
      'memcached.ratio: "9" is not two whole numbers, such as 9:1',
    ],
    [
      'gets of more keys than there are',
      { protocol: 'memcached', memcached: { keys: 9, keysPerGet: 10 } },
      'memcached.keysPerGet: 10 are more than there are keys (9)',
    ],
    [
      'too many keys for gets of several',
      { protocol: 'memcached', memcached: { keys: 1e7, keysPerGet: 2 } },
      'memcached.keys: 10000000 are too many for gets of several keys',
    ],
    [
      'too many keys to fill memcached',
      { protocol: 'memcached', memcached: { keys: 1e8 } },
      'memcached.keys: 100000000 are too many to be filled',
    ],
    [
      'a payload beside sizes',
      { protocol: 'memcached', memcached: { sizes: ['1B'] }, payload: '1KiB' },
      'payload: 1KiB, and the options of memcached say how large it is',
    ],
    [
      'a size that is none',
      { protocol: 'memcached', memcached: { sizes: ['1B', '1.5B'] } },
      'memcached.sizes[1]: 1.5B are not whole bytes',
    ],
    [
      'nothing to send',
      { protocol: 'raw', raw: { length: '1B' } },
      'raw.send: there is nothing to send; give raw.send',
    ],
    [
      'two things to send',
      { protocol: 'raw', raw: { send: 'a', file: 'b', length: '1B' } },
      'raw.file: b, and raw.send says what to send',
    ],
    ['a reply that never ends', { protocol: 'raw', raw: { send: 'a' } }, 'raw.length: nothing says where a reply ends'],
    [
      'a reply that ends twice',
      { protocol: 'raw', raw: { send: 'a', length: '1B', delimiter: 'x' } },
      'raw.delimiter: raw.length says where a reply ends',
    ],
    [
      'an escape that is none',
      { protocol: 'raw', raw: { send: '\\q', length: '1B' } },
      'raw.send: a backslash begins one of',
    ],
    [
      'half an escape',
      { protocol: 'raw', raw: { send: 'a', delimiter: '\\x1' } },
      'raw.delimiter: a backslash begins one of',
    ],
    [
      'a delimiter that is too long',
      { protocol: 'raw', raw: { send: 'a', delimiter: 'x'.repeat(256) } },
      'raw.delimiter: 256B are too many; at most 255B',
    ],
    [
      'a reply of no bytes',
      { protocol: 'raw', raw: { send: 'a', length: '0B' } },
      'raw.length: a reply has whole bytes',
    ],
    [
      'silence beside a length',
      { protocol: 'raw', raw: { send: 'a', length: '1B', silence: '1ms' } },
      'raw.silence: raw.length says where a reply ends',
    ],
    ['no silence', { protocol: 'raw', raw: { send: 'a', silence: '0ms' } }, 'raw.silence: must be longer than 0s'],
    [
      'silence in a pipeline',
      { protocol: 'raw', raw: { send: 'a', silence: '1ms' }, pipeline: 2 },
      'raw.silence: replies under way at once cannot be told apart by it, and pipeline is 2',
    ],
    [
      'a payload of raw',
      { protocol: 'raw', raw: { send: 'a', length: '1B' }, payload: '1B' },
      'payload: 1B, and the options of raw say how large it is',
    ],
    [
      'an unknown method',
      { protocol: 'http', http: { method: 'BREW' } },
      'http.method: "BREW" is not one of GET, HEAD',
    ],
    [
      'a path with a line end',
      { protocol: 'http', http: { path: '/\r\nX: y' } },
      'http.path: "/\\r\\nX: y" is not an absolute path',
    ],
    ['a relative path', { protocol: 'http', http: { path: 'a' } }, 'http.path: "a" is not an absolute path'],
    ['a header with a line end', { protocol: 'http', http: { headers: { A: 'b\r\nC: d' } } }, 'http.headers.A: '],
    ["no header's name", { protocol: 'http', http: { headers: { 'A B': 'c' } } }, '"A B" is not the name of a header'],
    [
      'a header that is ours',
      { protocol: 'http', http: { headers: { 'content-LENGTH': '3' } } },
      'http.headers.content-LENGTH: content-LENGTH follows from other keys',
    ],
  ];
  for (const [what, keys, says] of wrongProtocols) {
    const content = { connections: 1, servers: ['any'], ...keys };
    it(`refuses ${what}`, () => refused(() => resolveScenario({ content }), [says]));
  }

  it('splits names at commas, but not within the brackets of a pattern', () => {
    const split = (/** @type {string} */ servers) => flagsOf({ servers }).servers;
    assert.deepEqual(split('c/*,epoll'), ['c/*', 'epoll']);
    assert.deepEqual(split('{c,go}/*, *-pool'), ['{c,go}/*', '*-pool']);
    assert.deepEqual(split('c/!(libuv|{a,b}),x'), ['c/!(libuv|{a,b})', 'x']);
  });
});
