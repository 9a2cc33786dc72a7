// Commands that are refused before anything starts: the code of the error, and what is wrong.

import assert from 'node:assert/strict';
import { mistakesOf } from '../fixtures/codes.js';
import { refused } from '../fixtures/refused.js';

/** @type {[words: string, expected: string[]][]} */
const STRESS = [
  ['--servers epoll --tls', ['servers tls-unsupported']],
  ['--servers nginx-https --protocol http', ['servers tls-required']],
  ['--servers epoll --pin.client 1-0', ['pin.client not-a-cpu-list']],
  ['--target 127.0.0.1:7 --socket.sourcePort 65500 --connections 100', ['socket.sourcePort source-port-too-high']],
  ['--target 10.77.0.1:7 --sources 127.0.0.1', ['sources source-loopback']],
  ['--target 127.0.0.1:7 --lifetime.close rst', ['lifetime.close lifetime-without-end']],
  ['--target 127.0.0.1:7 --lifetime.time 2s-1s', ['lifetime.time range-reversed']],
  ['--target 127.0.0.1:7 --lifetime.transfers 2 --workload reconnect', ['lifetime key-not-for-workload']],
  ['--servers iterative --transport sctp', ['servers transport-unsupported']],
];

/** @type {[words: string[], code: string, expected: string[]][]} */
const SERVERS = [
  [['start', 'epoll', '--backlog', 'x'], 'EOPTION', ['backlog wrong-value']],
  [['start', 'epoll', '--workKind', 'spin'], 'EOPTION', ['workKind work-kind-without-work']],
  [['start', 'epoll', '--port', '70000'], 'EPORT', ['EPORT 70000']],
  [['start', 'c/*'], 'ESERVER', ['c/* pattern-for-one']],
  [['verify', 'epol'], 'ESERVER', ['servers unknown-server -> epoll']],
  [['list', ''], 'ESERVER', ['servers unknown-server']],
  [['start', 'epoll', 'select'], 'EARGUMENTS', ['select unknown-argument']],
  [['list', '--', 'x'], 'EARGUMENTS', ['x unknown-argument']],
  [['verify', 'epoll', '--only', 'zzz'], 'EONLY', ['EONLY no-match']],
  [['verify', 'epoll', '--only', '('], 'EONLY', ['EONLY not-a-pattern']],
  [['start', 'epoll', '--threads', '3'], 'EOPTION', ['EOPTION threads']],
  [['start', 'epoll', '--protocol', 'gopher'], 'EOPTION', ['EOPTION gopher']],
  [['verify', './mine {port}', '--protocol', 'gopher'], 'EPROTOCOL', ['EPROTOCOL gopher']],
];

describe('refused before anything starts', () => {
  for (const [words, expected] of STRESS) {
    it(`stress ${words}`, async () => {
      assert.deepEqual(mistakesOf(await refused(['stress', ...words.split(' ')])), expected);
    });
  }

  for (const [words, code, expected] of SERVERS) {
    it(`servers ${words.join(' ')}`, async () => {
      const error = await refused(['servers', '--json', ...words]);
      assert.deepEqual([error.code, mistakesOf(error)], [code, expected]);
    });
  }
});
