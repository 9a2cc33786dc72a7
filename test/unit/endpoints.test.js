// The endpoints of servers and the socket options in a scenario, and the errors for invalid ones.

import assert from 'node:assert/strict';
import { refusalOf } from '../fixtures/codes.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { socketTexts } from '../../client/words/load.js';
import { connectOptions, formatEndpoint } from '../../client/words/endpoint.js';

const good = { servers: ['epoll'], connections: 10 };

/** @type {[string, Record<string, unknown>, string[]][]} */
const MISTAKES = [
  [
    'a command for ::1 without a host',
    { connections: 1, command: './mine {port}', listen: 'ipv6' },
    ['command placeholder-missing'],
  ],
  [
    'a command for a unix socket without a path',
    { connections: 1, command: './mine {port}', listen: 'unix' },
    ['command placeholder-missing'],
  ],
  ['a command for IPv4 without a port', { connections: 1, command: './mine {path}' }, ['command placeholder-missing']],
  [
    'a target that is to listen',
    { connections: 1, target: '127.0.0.1:1', listen: 'ipv6' },
    ['listen listen-of-target'],
  ],
  [
    'a source port of reconnects',
    { ...good, workload: 'reconnect', socket: { sourcePort: 20_000 } },
    ['socket.sourcePort source-port-in-time-wait'],
  ],
  [
    'options of TCP with unix sockets',
    { ...good, listen: 'unix', socket: { nodelay: false, tos: 8 } },
    ['socket.nodelay tcp-option-of-unix-socket', 'socket.tos tcp-option-of-unix-socket'],
  ],
  ['a close that waits', { ...good, socket: { linger: '2s' } }, ['socket.linger linger-blocks']],
  ['sources of a unix socket', { ...good, listen: 'unix', sources: ['127.0.0.1'] }, ['sources sources-of-unix-socket']],
];

describe('endpoints of a scenario', () => {
  for (const [what, content, mistakes] of MISTAKES) {
    it(`are rejected: ${what}`, async () => {
      assert.deepEqual(await refusalOf(() => resolveScenario({ content })), mistakes);
    });
  }

  it('are those of the target, or those that the servers listen on', () => {
    const listen = (/** @type {Record<string, unknown>} */ more) =>
      resolveScenario({ content: { connections: 1, ...more } }).listen;
    assert.equal(listen({ servers: ['epoll'] }), 'ipv4');
    assert.equal(listen({ servers: ['epoll'], listen: 'unix' }), 'unix');
    assert.equal(listen({ target: '[::1]:80' }), 'ipv6');
    assert.equal(listen({ target: 'unix:/run/s' }), 'unix');
    assert.equal(listen({ command: './mine {path}', listen: 'unix' }), 'unix');
    assert.equal(listen({ command: './mine --at {host}', listen: 'unix' }), 'unix');
  });

  it('have their own notation for each family', () => {
    const places = [
      { host: '10.0.0.1', port: 80 },
      { host: '::1', port: 80 },
      { host: 'unix:/run/s', port: 0 },
    ];
    assert.deepEqual(places.map(formatEndpoint), ['10.0.0.1:80', '[::1]:80', 'unix:/run/s']);
    assert.deepEqual(places.map(connectOptions), [places[0], places[1], { path: '/run/s' }]);
  });

  it('report socket options only if they are not the defaults', () => {
    const words = (/** @type {Record<string, unknown>} */ socket) =>
      socketTexts(resolveScenario({ content: { ...good, socket } }).socket).join(', ');
    assert.equal(words({}), '');
    assert.equal(
      words({ nodelay: false, linger: '0s', sourcePort: 9000, tos: 0 }),
      'no TCP_NODELAY, closed by RST (linger 0), source ports from 9000, TOS 0',
    );
  });
});
