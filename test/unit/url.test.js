// A URL as target, the short flags of wrk2, and the target as the only argument.

import assert from 'node:assert/strict';
import { perform } from '../../client/commands/program.js';
import { spelledOut, withStress, withTarget } from '../../client/commands/short-flags.js';
import { builder } from '../../client/commands/stress.js';
import { flagsOf } from '../../client/scenario/flags.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { mistakesOf } from '../fixtures/codes.js';

/** @param {Record<string, unknown>} given */
const resolved = (given) => resolveScenario({}, flagsOf(given));

describe('a URL as target', () => {
  /** @type {[string, string, number, string, boolean, string | undefined, string | undefined][]} */
  const rows = [
    ['http://127.0.0.1:8080/a?b=1', '127.0.0.1', 8080, 'http', false, '/a?b=1', undefined],
    ['http://127.0.0.1', '127.0.0.1', 80, 'http', false, '/', undefined],
    ['http://127.0.0.1?x', '127.0.0.1', 80, 'http', false, '/?x', undefined],
    ['HTTPS://localhost/', 'localhost', 443, 'http', true, '/', 'localhost'],
    ['https://localhost:8443/', 'localhost', 8443, 'http', true, '/', 'localhost:8443'],
    ['ws://[::1]:8080/chat', '::1', 8080, 'websocket', false, '/chat', undefined],
    ['wss://localhost', 'localhost', 443, 'websocket', true, '/', 'localhost'],
    ['redis://127.0.0.1/', '127.0.0.1', 6379, 'redis', false, undefined, undefined],
    ['rediss://127.0.0.1:1', '127.0.0.1', 1, 'redis', true, undefined, undefined],
    ['memcached://127.0.0.1', '127.0.0.1', 11211, 'memcached', false, undefined, undefined],
    ['nats://127.0.0.1', '127.0.0.1', 4222, 'nats', false, undefined, undefined],
    ['tcp://127.0.0.1:7000', '127.0.0.1', 7000, 'echo', false, undefined, undefined],
  ];
  it('says address, protocol, TLS and path', () => {
    for (const [url, host, port, protocol, secure, path, hostHeader] of rows) {
      const { target, protocol: resolvedProtocol, tls, protocolOptions } = resolved({ target: url });
      assert.deepEqual([target, resolvedProtocol, tls !== null], [{ host, port }, protocol, secure], url);
      assert.deepEqual([protocolOptions.path, protocolOptions.host], [path, hostHeader], url);
    }
    assert.equal(resolved({ target: 'https://127.0.0.1', 'tls.verify': false }).tls?.verify, false);
  });

  it('may be several of one kind, or a range of ports, and may have other options', () => {
    const { targets, protocolOptions } = resolved({
      target: ['http://127.0.0.1:7000-7001/x', 'http://127.0.0.1:9000/x'],
      'http.method': 'HEAD',
      'http.path': '/x',
      protocol: 'http',
    });
    assert.deepEqual(
      targets?.map(({ port }) => port),
      [7000, 7001, 9000],
    );
    assert.deepEqual([protocolOptions.method, protocolOptions.path], ['HEAD', '/x']);
  });

  it('may hold commas, which otherwise separate targets', () => {
    assert.deepEqual(flagsOf({ target: 'http://127.0.0.1:1/?a=1,2,http://127.0.0.1:2/?a=1,2' }).target, [
      'http://127.0.0.1:1/?a=1,2',
      'http://127.0.0.1:2/?a=1,2',
    ]);
    assert.deepEqual(flagsOf({ target: '127.0.0.1:1, [::1]:2,unix:/x' }).target, ['127.0.0.1:1', '[::1]:2', 'unix:/x']);
  });
});

describe('the short flags', () => {
  it('mean what they mean in wrk2 and oha, with or without a unit or a space', () => {
    assert.deepEqual(spelledOut(['-c100', '-d=30s', '-R', '5', '-t2', '-d', '30', '--rounds', '3', '-h', '-']), [
      ...['-c', '100', '-d', '30s', '-R', '5', '-t', '2', '-d', '30', '--rounds', '3', '-h', '-'],
    ]);
    assert.deepEqual(spelledOut(['-n5', '-HA: b', '-b', '-c1', '-b', '30', '-m', '-k', '-k']), [
      ...['-n', '5', '-H', 'A: b', '-b', '-c1', '-b', '30', '-m', '-k', '--no-tls.verify'],
    ]);
    assert.deepEqual(spelledOut(['-kH', '-k', '-skn8', '-ks', '-kHA: -b', '-sweep', '-', '-kb=@a']), [
      ...['--no-tls.verify', '-H', '-k', '-s', '--no-tls.verify', '-n', '8', '--no-tls.verify', '-s'],
      ...['--no-tls.verify', '-H', 'A: -b', '-sweep', '-', '--no-tls.verify', '-b', '@a'],
    ]);
  });

  it('have a command where there is a target without one', () => {
    const url = 'http://127.0.0.1:1/';
    for (const [given, expected] of [
      ...[url, 'tcp://127.0.0.1:1 -c5', `-d 2s ${url}`, `-kn100 ${url}`, '[::1]:80', 'unix:/x'].map((words) => [
        words,
        `stress ${words}`,
      ]),
      ...[`stress ${url}`, 'strss', '--help', `servers verify ${url}`, 'a/b', './x.json', 'x:y', ':80'].map((same) => [
        same,
        same,
      ]),
    ]) {
      assert.equal(withStress(given.split(' ')).join(' '), expected);
    }
    assert.deepEqual(withStress([]), []);
  });

  it('are flags of the scenario, refused twice, or with what they stand for', async () => {
    const line = async (/** @type {string} */ words) => {
      /** @type {any} */
      let given = {};
      const stress = { builder, handler: (/** @type {any} */ argv) => (given = argv) };
      const entry = { name: 'stress', positionals: '[url]', describe: '', load: async () => stress };
      await perform(['stress', ...words.split(' ')], [entry]);
      return flagsOf(withTarget(given));
    };
    const { connections, rate, duration, transfers } = await line('-c 10k --rate 1e4 --duration 1m30s -n 1e6');
    assert.deepEqual([connections, rate, duration, transfers], [10_000, '10000/s', '90s', 1e6]);
    assert.deepEqual(await line('http://127.0.0.1:1/x -c100 -d 30 -R2000 -t 2'), {
      ...{ connections: 100, duration: '30s', rate: '2000/s', workers: 2 },
      target: ['http://127.0.0.1:1/x'],
    });
    for (const [words, mistake] of /** @type {[string, string][]} */ ([
      ['-c 1 --connections 2', 'ETWICE connections'],
      ['-R 1 -R 2', 'ETWICE rate'],
      ['127.0.0.1:1 --target 127.0.0.1:2', 'ETWICE target'],
      ['smoke', 'smoke unknown-argument -> --config smoke'],
      ['nosuch', 'nosuch unknown-argument'],
    ])) {
      await assert.rejects(line(words), (error) => (assert.deepEqual(mistakesOf(error), [mistake]), true));
    }
  });
});
