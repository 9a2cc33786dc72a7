// Scenarios: files, defaults and flags.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { flagsOf, scenarioOptions } from '../../client/scenario/flags.js';
import { loadScenario, resolveScenario } from '../../client/scenario/scenario.js';
import { scenarioNames } from '../../client/scenario/file.js';
import { scenarioKeys } from '../../client/scenario/schema.js';
import { refusalOf } from '../fixtures/codes.js';
import { listServers } from '../../servers/launcher/index.js';

const good = { servers: ['epoll'], connections: 10 };

/**
 * @param {() => unknown} action
 * @param {string[]} expected  `path code`, and ` -> meant` where it guesses
 */
const refused = async (action, expected) => assert.deepEqual(await refusalOf(action), expected);

describe('scenario: files', () => {
  /** @type {string} */
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'broadside-scenario-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('finds and resolves every shipped scenario by name', async () => {
    const names = scenarioNames();
    assert.deepEqual(names, [
      '10k-1b',
      '10k-1kb',
      '10k-1mb',
      '10k-idle',
      '10k-once',
      '1k-reconnect',
      '1m-hold',
      '80k-continuous',
      'ace-spectrum',
      'choose-100-busy',
      'choose-10k-idle',
      'find-rate',
      'memcached-get',
      'models-connections',
      'models-echo',
      'models-http',
      'models-work',
      'nats-pubsub',
      'nginx-http',
      'nginx-https',
      'profile-peak',
      'redis-commands',
      'redis-get',
      'redis-instances',
      'redis-pipeline',
      'redis-pipeline-sizes',
      'redis-set',
      'seed',
      'smoke',
      'volley-curves',
      'websocket-echo',
    ]);
    for (const name of names) assert.equal((await loadScenario({ config: name })).name, name);
    assert.equal((await loadScenario({ config: '10k-1kb.json' })).connections, 10_000);
  });

  it('suggests similar names for a scenario that does not exist', () =>
    assert.rejects(loadScenario({ config: '10k-1k' }), (/** @type {any} */ { exitCode, code, data, message }) => {
      assert.deepEqual([exitCode, code, data.config, data.problem], [2, 'ECONFIG', '10k-1k', 'unknown']);
      assert.ok(data.known.includes('smoke') && message.includes('"10k-1kb"'), message);
      return true;
    }));

  it('reports where JSON is malformed', async () => {
    /** @type {[string, number, number, string][]} */
    const rows = [
      ['{\n  "a": 1,\n  "b": bad\n}', 3, 8, 'InvalidSymbol'],
      ['{"a":1,}', 1, 7, 'trailing-comma'],
      ['{"a":[1,\n2,\n]}', 2, 2, 'trailing-comma'],
      ["{'a':1}", 1, 2, 'single-quotes'],
      ['{"a":True}', 1, 6, 'word'],
      ['{"a":1 "b":2}', 1, 8, 'CommaExpected'],
      ['{"a":1', 1, 7, 'CloseBraceExpected'],
      ['{"a":1 // x\n}', 1, 8, 'InvalidCommentToken'],
      ['{"a":"b}', 1, 6, 'UnexpectedEndOfString'],
      ['', 1, 1, 'empty'],
    ];
    for (const [index, [text, line, column, problem]] of rows.entries()) {
      const file = join(folder, `${index}.json`);
      await writeFile(file, text);
      await assert.rejects(loadScenario({ config: file }), (/** @type {any} */ { exitCode, code, data, message }) => {
        assert.deepEqual([exitCode, code, data], [2, 'EJSON', { file, line, column, problem }]);
        return message.startsWith(`${file}:${line}:${column}: `);
      });
    }
  });

  it('rejects JSON that is nested more deeply than any scenario', async () => {
    const file = join(folder, 'deep.json');
    for (const deep of [100_000, 40]) {
      await writeFile(file, `{"servers":${'['.repeat(deep)}${']'.repeat(deep)}}`);
      await refused(() => loadScenario({ config: file }), ['EDEPTH']);
    }
  });

  it('does not wait for a pipe without a writer', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await refused(() => loadScenario({ config: pipe }), ['ECONFIG not-a-file']);
  });

  it('accepts a path, and takes the name from the file', async () => {
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
      transport: 'tcp',
      budget: null,
      sctpStack: 'auto',
      connections: 10,
      ramp: { add: 1000, everyNs: 1e9, spread: false }, // one step
      start: 'open',
      workload: 'continuous',
      heartbeatNs: 0,
      interleave: 'auto',
      compareAt: null,
      rounds: 1,
      legGapNs: 0,
      thresholds: [],
      failIf: [],
      allowUndecided: false,
      stopOn: [],
      find: null,
      connectRate: null,
      pipeline: 1,
      timestamps: 'sample',
      rate: null,
      rateProfile: null,
      connectionsProfile: null,
      arrivals: 'constant',
      sweep: null,
      tests: null,
      points: null,
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
      margin: 0.05,
      io: 'auto',
      pin: { client: null, server: null, cores: null },
      pauseNs: 0,
      protocol: 'echo',
      protocolOptions: {},
      payloadBytes: 1024,
      payloadMinBytes: null,
      payloadFile: null,
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

  it('warms up by default where a constant rate begins after the ramp, as long as the steady state, at most 5 s', () => {
    const warmup = (/** @type {Record<string, any>} */ keys) => {
      const { warmupNs, warmupTransfers } = resolveScenario({ content: { ...good, ...keys } });
      assert.equal(warmupTransfers, null);
      return warmupNs / 1e9;
    };
    assert.equal(warmup({ rate: '100/s' }), 5);
    assert.equal(warmup({ rate: '100/s', duration: '2s' }), 2);
    assert.equal(warmup({ rate: '100/s', duration: '2s', warmup: '0s' }), 0);
    assert.equal(warmup({ rate: '100/s', workload: 'reconnect' }), 5);
    assert.equal(
      warmup({ rate: '100/s', connections: [{ connections: 5, for: '5s' }] }),
      0,
      'a profile has its own beginning',
    );
    assert.equal(warmup({ rate: [{ rate: '100/s', for: '5s' }] }), 0);
    assert.equal(warmup({}), 0, 'requests are sent in the ramp');
  });

  it('opens 100 connections by default', () => {
    assert.equal(resolveScenario({ content: { servers: ['epoll'] } }).connections, 100);
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

  it("replaces the file's servers by a target or a command", () => {
    assert.deepEqual(resolveScenario({ content: good }, { target: 'localhost:80' }).target, {
      host: 'localhost',
      port: 80,
    });
    const { command, servers } = resolveScenario({ content: good }, { command: './mine {port}' });
    assert.deepEqual([command, servers], ['./mine {port}', undefined]);
  });

  it('makes every key of the schema an option', () => {
    const options = scenarioOptions();
    for (const [key, schema] of scenarioKeys) {
      if (schema['x-flag'] === false) continue;
      assert.ok(options[key]?.description?.startsWith(schema.description ?? '?'), key);
      const isSwitch = schema.type === 'boolean';
      const byDefault = isSwitch ? (schema.default ? 'on; --no-' : 'off)') : `${schema.default})`;
      if (isSwitch || (schema.default !== undefined && schema.default !== '')) {
        assert.ok(options[key]?.description?.includes(`default: ${byDefault}`), options[key]?.description);
      }
    }
  });

  it('passes on the options of servers under the same names', async () => {
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
    await refused(() => resolveScenario({ content: beyond }), ['servers[0].options.backlog wrong-value']);
    for (const processes of [0, 1025, 1.5, 'many', '2']) {
      const content = { connections: 1, servers: [{ name: 'any', options: { processes } }] };
      const [first] = await refusalOf(() => resolveScenario({ content }));
      assert.match(first, /^servers\[0\]\.options\.processes wrong-value/);
    }
  });

  /** @type {[string, Record<string, unknown>, string[]][]} */
  const wrongOptions = [
    ['work without a unit', { work: '30' }, ['servers[0].options.work wrong-value']],
    ['work of negative time', { work: '-1ms' }, ['servers[0].options.work wrong-value']],
    ['work from more to less', { work: '5ms-1ms' }, ['servers[0].options.work range-reversed']],
    ['work from more to less in other units', { work: '2s-3ms' }, ['servers[0].options.work range-reversed']],
    ['work for more than an hour', { work: '3601s' }, ['servers[0].options.work out-of-range']],
    ['a kind of no work', { workKind: 'spin' }, ['servers[0].options.workKind work-kind-without-work']],
    ['an unknown kind', { work: '1ms', workKind: 'nap' }, ['servers[0].options.workKind wrong-value']],
    ['no threads', { threads: 0 }, ['servers[0].options.threads wrong-value']],
    ['nodelay as a boolean', { nodelay: true }, ['servers[0].options.nodelay wrong-value']],
    ['idleTimeout in minutes', { idleTimeout: '1m' }, ['servers[0].options.idleTimeout wrong-value']],
  ];
  for (const [what, options, says] of wrongOptions) {
    it(`rejects ${what} of a server`, async () => {
      const content = { connections: 1, servers: [{ name: 'any', options }] };
      await refused(() => resolveScenario({ content }), says);
    });
  }

  it('accepts a single time as a range', () => {
    for (const work of ['0ms', '1.5ms', '1000us-1ms']) {
      resolveScenario({ content: { connections: 1, servers: [{ name: 'any', options: { work } }] } });
    }
  });

  it('reads the bytes that raw sends from a file, relative to the scenario or, for a flag, to the current folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'broadside-request-'));
    try {
      const file = (/** @type {string} */ name) => join(folder, name);
      const raw = { length: '1B', file: 'request.bin' };
      await writeFile(file('scenario.json'), JSON.stringify({ ...good, protocol: 'raw', raw }));
      const load = (/** @type {any} */ flags = {}) => loadScenario({ config: file('scenario.json'), flags });
      await refused(load, ['EREQUESTFILE missing']);
      await writeFile(file('request.bin'), '');
      await refused(load, ['EREQUESTFILE empty']);
      await writeFile(file('request.bin'), 'PING\\n');
      const scenario = await load();
      assert.equal(scenario.payloadBytes, 6, 'a file has no escapes');
      assert.equal(Buffer.from(scenario.protocolOptions.content, 'base64').toString(), 'PING\\n');
      await refused(() => load({ 'raw.file': '/' }), ['EREQUESTFILE not-a-file']);
      await assert.rejects(load({ 'raw.file': 'request.bin' }), (/** @type {any} */ { data }) => {
        assert.deepEqual([data.problem, data.value], ['missing', resolve('request.bin')]);
        return true;
      });
      await writeFile(file('request.bin'), Buffer.alloc(2 ** 20 + 1));
      await refused(load, ['EREQUESTFILE too-large']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('fixes the payload of volley to one word of 4 bytes', async () => {
    const content = { connections: 1, servers: ['any'], protocol: 'volley' };
    assert.equal(resolveScenario({ content }).payloadBytes, 4);
    await refused(
      () => resolveScenario({ content: { ...content, payload: '1KiB' } }),
      ['payload payload-fixed-by-protocol'],
    );
  });

  it('accepts the options of its protocol, directly or as flags with dots', () => {
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

  /** @type {[string, Record<string, unknown>, string[]][]} */
  const wrongProtocols = [
    ['options of another protocol', { http: { path: '/' } }, ['http.path key-not-for-protocol']],
    ['a payload of GET', { protocol: 'http', payload: '1KiB' }, ['payload payload-not-sent']],
    [
      'http that closes in a pipeline',
      { protocol: 'http', http: { keepAlive: false }, pipeline: 4 },
      ['http.keepAlive pipeline-without-keep-alive'],
    ],
    ['stream in a pipeline', { protocol: 'stream', pipeline: 4 }, ['pipeline pipeline-not-for-protocol']],
    [
      'a command of redis that is none',
      { protocol: 'redis', redis: { command: 'get' } },
      ['redis.command wrong-value -> GET'],
    ],
    ['too many keys to fill', { protocol: 'redis', redis: { keys: 1e8 } }, ['redis.keys too-many-keys']],
    [
      'too many elements to fill',
      { protocol: 'redis', redis: { command: 'LPOP', elements: 1e8 } },
      ['redis.elements too-many-keys'],
    ],
    [
      'keys of a command without any',
      { protocol: 'redis', redis: { command: 'LPUSH', keys: 5 } },
      ['redis.keys key-not-for-command'],
    ],
    [
      'a preparation that nothing needs',
      { protocol: 'redis', redis: { command: 'SADD', elements: 5, prefill: false } },
      ['redis.elements key-not-for-command', 'redis.prefill key-not-for-command'],
    ],
    [
      'elements that are not prepared',
      { protocol: 'redis', redis: { command: 'SPOP', elements: 5, prefill: false } },
      ['redis.elements key-not-for-command'],
    ],
    [
      'a command and a mix of several',
      { protocol: 'redis', redis: { command: 'SET', mix: { GET: 1 } } },
      ['redis.command command-and-mix'],
    ],
    ['a mix of none', { protocol: 'redis', redis: { mix: {} } }, ['redis.mix wrong-value']],
    ['a mix of unknown commands', { protocol: 'redis', redis: { mix: { get: 1 } } }, ['redis.mix wrong-value -> GET']],
    ['a weight of zero', { protocol: 'redis', redis: { mix: { GET: 0 } } }, ['redis.mix.GET wrong-value']],
    [
      'a payload of PING',
      { protocol: 'redis', redis: { command: 'PING' }, payload: '1B' },
      ['payload payload-not-sent'],
    ],
    ['a ratio of nothing', { protocol: 'memcached', memcached: { ratio: '0:0' } }, ['memcached.ratio ratio-empty']],
    ['a ratio that is none', { protocol: 'memcached', memcached: { ratio: '9' } }, ['memcached.ratio wrong-value']],
    [
      'gets of more keys than there are',
      { protocol: 'memcached', memcached: { keys: 9, keysPerGet: 10 } },
      ['memcached.keysPerGet keys-per-get-above-keys'],
    ],
    [
      'too many keys for gets of several',
      { protocol: 'memcached', memcached: { keys: 1e7, keysPerGet: 2 } },
      ['memcached.keys too-many-keys'],
    ],
    [
      'too many keys to fill memcached',
      { protocol: 'memcached', memcached: { keys: 1e8 } },
      ['memcached.keys too-many-keys'],
    ],
    [
      'both a payload and sizes',
      { protocol: 'memcached', memcached: { sizes: ['1B'] }, payload: '1KiB' },
      ['payload payload-set-by-protocol'],
    ],
    [
      'a size that is none',
      { protocol: 'memcached', memcached: { sizes: ['1B', '1.5B'] } },
      ['memcached.sizes[1] not-whole-bytes'],
    ],
    ['nothing to send', { protocol: 'raw', raw: { length: '1B' } }, ['raw.send nothing-to-send']],
    [
      'two things to send',
      { protocol: 'raw', raw: { send: 'a', file: 'b', length: '1B' } },
      ['raw.file send-and-file'],
    ],
    ['a reply that never ends', { protocol: 'raw', raw: { send: 'a' } }, ['raw.length reply-without-end']],
    [
      'a reply that ends twice',
      { protocol: 'raw', raw: { send: 'a', length: '1B', delimiter: 'x' } },
      ['raw.delimiter two-reply-ends'],
    ],
    ['an escape that is none', { protocol: 'raw', raw: { send: '\\q', length: '1B' } }, ['raw.send unknown-escape']],
    ['half an escape', { protocol: 'raw', raw: { send: 'a', delimiter: '\\x1' } }, ['raw.delimiter unknown-escape']],
    [
      'a delimiter that is too long',
      { protocol: 'raw', raw: { send: 'a', delimiter: 'x'.repeat(256) } },
      ['raw.delimiter out-of-range'],
    ],
    ['a reply of no bytes', { protocol: 'raw', raw: { send: 'a', length: '0B' } }, ['raw.length out-of-range']],
    [
      'both a silence and a length',
      { protocol: 'raw', raw: { send: 'a', length: '1B', silence: '1ms' } },
      ['raw.silence two-reply-ends'],
    ],
    ['no silence', { protocol: 'raw', raw: { send: 'a', silence: '0ms' } }, ['raw.silence out-of-range']],
    [
      'silence in a pipeline',
      { protocol: 'raw', raw: { send: 'a', silence: '1ms' }, pipeline: 2 },
      ['raw.silence pipeline-with-silence'],
    ],
    [
      'a payload of raw',
      { protocol: 'raw', raw: { send: 'a', length: '1B' }, payload: '1B' },
      ['payload payload-set-by-protocol'],
    ],
    ['an unknown method', { protocol: 'http', http: { method: 'BREW' } }, ['http.method wrong-value']],
    ['a path with a line end', { protocol: 'http', http: { path: '/\r\nX: y' } }, ['http.path wrong-value']],
    ['a relative path', { protocol: 'http', http: { path: 'a' } }, ['http.path wrong-value']],
    [
      'a header with a line end',
      { protocol: 'http', http: { headers: { A: 'b\r\nC: d' } } },
      ['http.headers.A wrong-value'],
    ],
    ["no header's name", { protocol: 'http', http: { headers: { 'A B': 'c' } } }, ['http.headers wrong-value']],
    [
      'a header that is ours',
      { protocol: 'http', http: { headers: { 'content-LENGTH': '3' } } },
      ['http.headers.content-LENGTH header-set-elsewhere'],
    ],
  ];
  for (const [what, keys, says] of wrongProtocols) {
    const content = { connections: 1, servers: ['any'], ...keys };
    it(`rejects ${what}`, () => refused(() => resolveScenario({ content }), says));
  }

  it('splits names at commas, but not within the brackets of a pattern', () => {
    const split = (/** @type {string} */ servers) => flagsOf({ servers }).servers;
    assert.deepEqual(split('c/*,epoll'), ['c/*', 'epoll']);
    assert.deepEqual(split('{c,go}/*, *-pool'), ['{c,go}/*', '*-pool']);
    assert.deepEqual(split('c/!(libuv|{a,b}),x'), ['c/!(libuv|{a,b})', 'x']);
  });
});
