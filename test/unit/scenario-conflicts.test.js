// Scenarios with a duplicate key, or with two keys that exclude each other: each is reported at the key concerned.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flagsOf } from '../../client/scenario/flags.js';
import { loadScenario, resolveScenario } from '../../client/scenario/scenario.js';
import { refusalOf } from '../fixtures/codes.js';

const good = { servers: ['epoll'], connections: 10 };

/** @param {Record<string, unknown>} keys @param {Record<string, string>} [flags] */
const answerOf = (keys, flags = {}) =>
  refusalOf(() => resolveScenario({ file: 'bad.json', content: { ...good, ...keys } }, flagsOf(flags)));

describe('scenario: a duplicate key', () => {
  /** @type {string} */
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-twice-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** @param {string} text */
  async function answerTo(text) {
    const file = join(folder, 'twice.json');
    writeFileSync(file, text);
    const error = await loadScenario({ config: file }).then(
      () => null,
      (/** @type {any} */ fault) => fault,
    );
    assert.deepEqual([error?.exitCode, error?.code], [2, 'ETWICE'], error?.stack ?? 'it was taken');
    return error.data.mistakes.map((/** @type {any} */ { code, path, data, text }) => {
      const { line, column, first } = data;
      assert.ok(text.startsWith(`${file}:${line}:${column}: `), text);
      return [code, path, line, column, first];
    });
  }

  it('is reported with the lines of both, at any depth, each of them', async () => {
    assert.deepEqual(
      await answerTo(
        '{\n"servers": ["epoll"],\n"connections": 3, "ramp": {"add": 1,\n  "add": 2},\n' +
          '"connections": 4,\n"backoff": {"base": "1s"}, "tls": {"verify": false}}',
      ),
      [
        ['duplicate-key', 'ramp.add', 4, 3, 3],
        ['duplicate-key', 'connections', 5, 1, 3],
      ],
    );
    const deep = '\uFEFF{"connections": 1, "servers": [{"name": "a"}, {"name": "b",\r\n"name": "c"}]}';
    assert.deepEqual(await answerTo(deep), [['duplicate-key', 'servers[1].name', 2, 1, 1]]);
    assert.deepEqual(
      await answerTo('{"a": 1, "\\u0061": 2}'),
      [['duplicate-key', 'a', 1, 10, 1]],
      'as it is read, not as written',
    );
  });

  it('is not a key of the same name in another object', async () => {
    const file = join(folder, 'once.json');
    writeFileSync(
      file,
      '{"servers": [{"name": "epoll", "as": "a"}, {"name": "epoll", "as": "b"}], "name": "n",' + ' "connections": 2}',
    );
    assert.equal((await loadScenario({ config: file })).servers?.length, 2);
  });
});

describe('scenario: a mistake is reported at its own key', () => {
  it('for a sweep, not for the connections derived from it', async () => {
    const wrong = 'sweep.connections[1] wrong-value';
    assert.deepEqual(await answerOf({ connections: undefined, sweep: { connections: [1, 2_000_000] } }), [wrong]);
    assert.deepEqual(await answerOf({}, { 'sweep.connections': '2000000' }), ['sweep.connections[0] wrong-value']);
    const [first] = await answerOf({ connections: 0, sweep: { connections: [1] } });
    assert.equal(first, 'connections wrong-value');
  });

  it('for sizes, not for a payload that was not given', async () => {
    const sized = (/** @type {string[]} */ sizes) => answerOf({ protocol: 'memcached', memcached: { sizes } });
    assert.deepEqual(await sized(['0B']), ['memcached.sizes[0] sizes-empty']);
    assert.deepEqual(await sized(['0B', '10B']), []);
    assert.deepEqual(await sized(['1.5B', '2048MiB']), [
      'memcached.sizes[0] not-whole-bytes',
      'memcached.sizes[1] out-of-range',
    ]);
    assert.deepEqual(await sized(['1B', '1KiB']), []);
    const beside = await answerOf({ protocol: 'memcached', memcached: { sizes: ['1B'] }, payload: '1B' });
    assert.deepEqual(beside, ['payload payload-set-by-protocol']);
  });

  it('and not for a payload of the file that the flag of sizes replaces, nor the other way round', async () => {
    const memcached = { protocol: 'memcached', memcached: { sizes: ['1B'] } };
    const flag = { 'memcached.sizes': '3B,128B' };
    assert.deepEqual(await answerOf({ protocol: 'memcached', payload: '1B' }, flag), []);
    assert.deepEqual(await answerOf(memcached, { payload: '3B' }), []);
    assert.deepEqual(await answerOf(memcached, { ...flag, payload: '3B' }), ['payload payload-set-by-protocol']);
  });

  it('for a warm-up by count that leaves no transfer to measure', async () => {
    const all = ['warmup warmup-takes-all'];
    assert.deepEqual(await answerOf({}, { warmup: '1000', transfers: '500' }), all);
    assert.deepEqual(await answerOf({ warmup: 500, transfers: 500 }), all);
    assert.deepEqual(await answerOf({ warmup: 499, transfers: 500 }), []);
    assert.deepEqual(await answerOf({ warmup: '5s', transfers: 500 }), [], 'how many a time takes is not known before');
  });
});

describe('scenario: TLS on and off', () => {
  it('is rejected if flags say both, and accepted if a flag switches off what the file has', async () => {
    for (const key of ['tls.resume', 'tls.verify']) {
      const both = /** @type {any} */ ({ tls: false, [key]: true });
      assert.deepEqual(await answerOf({}, both), [`${key} key-without-tls`]);
    }
    assert.deepEqual(await answerOf({ tls: { resume: true } }, /** @type {any} */ ({ tls: false })), []);
    assert.deepEqual(await answerOf({ tls: false }, /** @type {any} */ ({ 'tls.resume': true })), []);
  });
});
