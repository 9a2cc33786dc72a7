// Scenarios that say something twice, or two things that cannot both be: each is answered under the key it is about.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flagsOf } from '../../client/scenario/flags.js';
import { loadScenario, resolveScenario } from '../../client/scenario/scenario.js';

const good = { servers: ['epoll'], connections: 10 };

/** @param {Record<string, unknown>} keys @param {Record<string, string>} [flags] @returns {string[]} lines */
function mistakesOf(keys, flags = {}) {
  try {
    resolveScenario({ file: 'bad.json', content: { ...good, ...keys } }, flagsOf(flags));
  } catch (error) {
    const { exitCode, message } = /** @type {any} */ (error);
    assert.equal(exitCode, 2);
    return message.split('\n');
  }
  return [];
}

describe('scenario: a key twice', () => {
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
    assert.equal(error?.exitCode, 2, error?.stack ?? 'it was taken');
    return error.message.replaceAll(file, 'twice.json').split('\n');
  }

  it('is told with the lines of both, however deep, each of them', async () => {
    assert.deepEqual(
      await answerTo(
        '{\n"servers": ["epoll"],\n"connections": 3, "ramp": {"add": 1,\n  "add": 2},\n' +
          '"connections": 4,\n"backoff": {"base": "1s"}, "tls": {"verify": false}}',
      ),
      [
        'twice.json:4:3: "ramp.add" stands twice, first in line 3; take one of them away',
        'twice.json:5:1: "connections" stands twice, first in line 3; take one of them away',
      ],
    );
    const deep = '\uFEFF{"connections": 1, "servers": [{"name": "a"}, {"name": "b",\r\n"name": "c"}]}';
    assert.deepEqual(await answerTo(deep), [
      'twice.json:2:1: "servers[1].name" stands twice, first in line 1; take one of them away',
    ]);
    assert.deepEqual(
      await answerTo('{"a": 1, "\\u0061": 2}'),
      ['twice.json:1:10: "a" stands twice, first in line 1; take one of them away'],
      'as it is read, not as written',
    );
  });

  it('is no key of the same name in another object', async () => {
    const file = join(folder, 'once.json');
    writeFileSync(
      file,
      '{"servers": [{"name": "epoll", "as": "a"}, {"name": "epoll", "as": "b"}], "name": "n",' + ' "connections": 2}',
    );
    assert.equal((await loadScenario({ config: file })).servers?.length, 2);
  });
});

describe('scenario: a mistake is told of its own key', () => {
  it('of a sweep, not of the connections that are derived of it', () => {
    assert.deepEqual(mistakesOf({ connections: undefined, sweep: { connections: [1, 2_000_000] } }), [
      'bad.json: sweep.connections[1]: 2000000 is not a whole number from 1 to 1000000',
    ]);
    assert.deepEqual(mistakesOf({}, { 'sweep.connections': '2000000' }), [
      '--sweep.connections: 2000000 is not a whole number from 1 to 1000000',
    ]);
    assert.match(
      mistakesOf({ connections: 0, sweep: { connections: [1] } })[0],
      /connections: 0 is not a whole number/,
    );
  });

  it('of sizes, not of a payload that nobody gave', () => {
    const sized = (/** @type {string[]} */ sizes) => mistakesOf({ protocol: 'memcached', memcached: { sizes } });
    assert.deepEqual(sized(['0B']), ['bad.json: memcached.sizes[0]: 0B is no size of all; one is at least 1B']);
    assert.deepEqual(sized(['0B', '10B']), []);
    assert.deepEqual(sized(['1.5B', '2048MiB']), [
      'bad.json: memcached.sizes[0]: 1.5B are not whole bytes',
      'bad.json: memcached.sizes[1]: 2048MiB is too large; at most 1GiB',
    ]);
    assert.deepEqual(sized(['1B', '1KiB']), []);
    const [beside] = mistakesOf({ protocol: 'memcached', memcached: { sizes: ['1B'] }, payload: '1B' });
    assert.match(beside, /payload: 1B, and the options of memcached say how large it is/);
  });

  it('of a warm-up by count that leaves no transfer to measure', () => {
    assert.deepEqual(mistakesOf({}, { warmup: '1000', transfers: '500' }), [
      "--warmup: 1,000 transfers, and a leg has 500 in all (transfers), the warm-up's included, so that none would " +
        'be left to measure; give a smaller warmup, or more transfers',
    ]);
    assert.equal(mistakesOf({ warmup: 500, transfers: 500 }).length, 1);
    assert.deepEqual(mistakesOf({ warmup: 499, transfers: 500 }), []);
    assert.deepEqual(mistakesOf({ warmup: '5s', transfers: 500 }), [], 'how many a time takes nobody knows before');
  });
});

describe('scenario: TLS and none', () => {
  it('is refused where flags say both, and taken where a flag switches off what the file has', () => {
    for (const key of ['tls.resume', 'tls.verify']) {
      assert.deepEqual(mistakesOf({}, /** @type {any} */ ({ tls: false, [key]: true })), [
        `--${key}: belongs to TLS, and --no-tls says that there is none; take one of them away`,
      ]);
    }
    assert.deepEqual(mistakesOf({ tls: { resume: true } }, /** @type {any} */ ({ tls: false })), []);
    assert.deepEqual(mistakesOf({ tls: false }, /** @type {any} */ ({ 'tls.resume': true })), []);
  });
});
