// Scenarios: files, defaults and flags. What is refused in one: test/golden/refusals.txt.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { flagsOf, scenarioOptions } from '../../client/scenario/flags.js';
import { loadScenario, resolveScenario } from '../../client/scenario/scenario.js';
import { scenarioKeys } from '../../client/scenario/schema.js';
import { mistakesOf, refusalOf } from '../fixtures/codes.js';
import { assertGolden } from '../fixtures/golden.js';

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
      ['{ // [1\n"a":1,/* b */}', 2, 6, 'trailing-comma'],
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

  it('reports a duplicate key with the lines of both, at any depth, each of them', async () => {
    const file = join(folder, 'twice.json');
    for (const [text, expected] of /** @type {[string, any[][]][]} */ ([
      [
        '{\n"servers": ["epoll"],\n"connections": 3, "ramp": {"add": 1,\n  "add": 2},\n"connections": 4}',
        [
          ['ramp.add', 4, 3, 3],
          ['connections', 5, 1, 3],
        ],
      ],
      ['\uFEFF{"servers": [{"name": "a"}, {"name": "b",\r\n"name": "c"}]}', [['servers[1].name', 2, 1, 1]]],
      ['{"a": 1, "\\u0061": 2}', [['a', 1, 10, 1]]],
    ])) {
      await writeFile(file, text);
      await assert.rejects(loadScenario({ config: file }), (/** @type {any} */ { code, data }) => {
        const places = data.mistakes.map((/** @type {any} */ { path, data: { line, column, first } }) => [
          ...[path, line, column, first],
        ]);
        assert.deepEqual([code, places], ['ETWICE', expected]);
        return true;
      });
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
    assertGolden('defaults.txt', `${JSON.stringify(resolveScenario({ name: 'x', content: good }), null, 1)}\n`);
    assert.equal(resolveScenario({ content: { servers: ['epoll'] } }).connections, 50);
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
    for (const [keys, seconds] of /** @type {[Record<string, unknown>, number][]} */ ([
      [{ rate: '100/s' }, 5],
      [{ rate: '100/s', duration: '2s' }, 2],
      [{ rate: '100/s', duration: '2s', warmup: '0s' }, 0],
      [{ rate: '100/s', workload: 'reconnect' }, 5],
      [{ rate: '100/s', connections: [{ connections: 5, for: '5s' }] }, 0],
      [{ rate: [{ rate: '100/s', for: '5s' }] }, 0],
      [{}, 0],
    ])) {
      const { warmupNs, warmupTransfers } = resolveScenario({ content: { ...good, ...keys } });
      assert.deepEqual([warmupNs, warmupTransfers], [seconds * 1e9, null], JSON.stringify(keys));
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
    for (const [key, schema] of scenarioKeys) if (schema['x-flag'] !== false) assert.ok(options[key], key);
  });

  it('names the flag where the value came from one, and each mistake by its line, of very many only the first', () => {
    const flags = flagsOf({ 'ramp.add': 'x', payload: '1kb', servers: ' , ' });
    assert.throws(
      () => resolveScenario({ file: 'good.json', content: good }, flags),
      (/** @type {any} */ error) => {
        assert.deepEqual(mistakesOf(error).sort(), [
          'payload wrong-value -> 1KiB',
          'ramp.add wrong-value',
          'servers wrong-value',
        ]);
        return error.message.split('\n').every((/** @type {string} */ line) => line.startsWith('--'));
      },
    );
    // a URL alone is a target too, without an option
    const both = flagsOf({ target: '127.0.0.1:1', command: './mine {port}' });
    assert.throws(() => resolveScenario({}, both), /^UsageError: the target 127\.0\.0\.1:1 and --command exclude /);
    const max = { ...good, 'find.maximise': 'rate', 'find.while': 'p99 < 5' };
    assert.throws(() => resolveScenario({}, flagsOf(max), { 'find.while': 'goals' }), /^UsageError: --goals: /);
    assert.throws(
      () => resolveScenario({ file: 'bad.json', content: { ...good, servers: Array(1000).fill(5) } }),
      (/** @type {any} */ { message }) => {
        const lines = message.split('\n');
        assert.equal(lines.length, 21);
        return lines[0].startsWith('bad.json: servers[0]: ') && /\b980\b/.test(lines[20]);
      },
    );
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
      assert.equal(Buffer.from(String(scenario.protocolOptions.content), 'base64').toString(), 'PING\\n');
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

  it('accepts the options of its protocol, directly or as flags with dots', () => {
    const content = { ...good, protocol: 'http' };
    const usual = { method: 'GET', path: '/', headers: {}, keepAlive: true };
    assert.deepEqual(resolveScenario({ content }).protocolOptions, usual);
    assert.deepEqual(resolveScenario({ content: good }).protocolOptions, {});
    const flags = flagsOf({ 'http.method': 'POST', 'http.path': '/a?b', 'http.keepAlive': false, payload: '5B' });
    const http = { host: 'a.b', headers: { A: 'b c' } };
    const { protocolOptions, payloadBytes } = resolveScenario({ content: { ...content, http } }, flags);
    assert.deepEqual(protocolOptions, { ...http, method: 'POST', path: '/a?b', keepAlive: false });
    assert.equal(payloadBytes, 5);
  });

  it('splits names at commas, but not within the brackets of a pattern', () => {
    const split = (/** @type {string} */ servers) => flagsOf({ servers }).servers;
    assert.deepEqual(split('c/*,epoll'), ['c/*', 'epoll']);
    assert.deepEqual(split('{c,go}/*, *-pool'), ['{c,go}/*', '*-pool']);
    assert.deepEqual(split('c/!(libuv|{a,b}),x'), ['c/!(libuv|{a,b})', 'x']);
  });
});
