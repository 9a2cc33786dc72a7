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

describe('scenario: mistakes', () => {
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

  it('gives a path with other characters than ASCII as it is written', async () => {
    for (const [key, protocol] of [
      ['http.path', 'http'],
      ['websocket.path', 'websocket'],
    ]) {
      const path = (/** @type {string} */ text) => resolveScenario({}, flagsOf({ ...good, protocol, [key]: text }));
      await refused(
        () => path('/stra\u00dfe?q=%20\u{1f600} x'),
        [`${key} wrong-value -> /stra%C3%9Fe?q=%20%F0%9F%98%80%20x`],
      );
      await refused(() => path('x'), [`${key} wrong-value`]);
    }
    const target = 'http://127.0.0.1:8080/\u00e4';
    await refused(() => resolveScenario({}, flagsOf({ connections: 1, target })), ['http.path wrong-value -> /%C3%A4']);
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
    const max = { ...good, 'find.maximise': 'rate', 'find.while': 'p99 < 5' };
    assert.throws(() => resolveScenario({}, flagsOf(max), { 'find.while': 'goals' }), /^UsageError: --goals: /);
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
