// Where servers are, and the options of sockets, as a scenario says them: what cannot be, in words.

import assert from 'node:assert/strict';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { socketTexts } from '../../client/results/phrases/load.js';
import { connectOptions, formatEndpoint } from '../../client/results/endpoint.js';

const good = { servers: ['epoll'], connections: 10 };

/** @type {[string, Record<string, unknown>, string[]][]} */
const MISTAKES = [
  [
    'a command for ::1 without a host',
    { connections: 1, command: './mine {port}', listen: 'ipv6' },
    ['command: "./mine {port}" is to listen on IPv6 (listen), and has no {host} in it'],
  ],
  [
    'a command for a unix socket without a path',
    { connections: 1, command: './mine {port}', listen: 'unix' },
    ['command: "./mine {port}" is to listen on unix sockets (listen), and has no {path} in it'],
  ],
  [
    'a command for IPv4 without a port',
    { connections: 1, command: './mine {path}' },
    ['command: "./mine {path}" is to listen on IPv4 (listen), and has no {port} in it'],
  ],
  [
    'a target that is to listen',
    { connections: 1, target: '127.0.0.1:1', listen: 'ipv6' },
    ['listen: ipv6 is for a server that Broadside starts; a target says by itself where it is'],
  ],
  [
    'a source port of reconnects',
    { ...good, workload: 'reconnect', socket: { sourcePort: 20_000 } },
    ['socket.sourcePort: 20000 cannot be had again at once by workload "reconnect"', 'give socket.linger 0s'],
  ],
  [
    'options of TCP with unix sockets',
    { ...good, listen: 'unix', socket: { nodelay: false, tos: 8 } },
    ['socket.nodelay: is of TCP', 'socket.tos: is of TCP'],
  ],
  [
    'a close that waits',
    { ...good, socket: { linger: '2s' } },
    ['socket.linger: 2s would block every other connection of the worker', 'give 0s (a close sends RST)'],
  ],
  [
    'sources of a unix socket',
    { ...good, listen: 'unix', sources: ['127.0.0.1'] },
    ['sources: 127.0.0.1, and a connection to a unix socket comes from no address'],
  ],
];

describe('endpoints of a scenario', () => {
  for (const [what, content, words] of MISTAKES) {
    it(`cannot be: ${what}`, () => {
      assert.throws(
        () => resolveScenario({ content }),
        (/** @type {any} */ error) => {
          for (const text of words) assert.ok(error.message.includes(text), `no ${text} in: ${error.message}`);
          return error.exitCode === 2;
        },
      );
    });
  }

  it('are those of the target, or where servers are to listen', () => {
    const listen = (/** @type {Record<string, unknown>} */ more) =>
      resolveScenario({ content: { connections: 1, ...more } }).listen;
    assert.equal(listen({ servers: ['epoll'] }), 'ipv4');
    assert.equal(listen({ servers: ['epoll'], listen: 'unix' }), 'unix');
    assert.equal(listen({ target: '[::1]:80' }), 'ipv6');
    assert.equal(listen({ target: 'unix:/run/s' }), 'unix');
    assert.equal(listen({ command: './mine {path}', listen: 'unix' }), 'unix');
    assert.equal(listen({ command: './mine --at {host}', listen: 'unix' }), 'unix');
  });

  it('are written and connected to in their own way', () => {
    const places = [
      { host: '10.0.0.1', port: 80 },
      { host: '::1', port: 80 },
      { host: 'unix:/run/s', port: 0 },
    ];
    assert.deepEqual(places.map(formatEndpoint), ['10.0.0.1:80', '[::1]:80', 'unix:/run/s']);
    assert.deepEqual(places.map(connectOptions), [places[0], places[1], { path: '/run/s' }]);
  });

  it('have sockets whose options are told where they are not the usual ones', () => {
    const words = (/** @type {Record<string, unknown>} */ socket) =>
      socketTexts(resolveScenario({ content: { ...good, socket } }).socket).join(', ');
    assert.equal(words({}), '');
    assert.equal(
      words({ nodelay: false, linger: '0s', sourcePort: 9000, tos: 0 }),
      'no TCP_NODELAY, closed by RST (linger 0), source ports from 9000, TOS 0',
    );
  });
});
