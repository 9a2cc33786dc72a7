// The endpoints of servers and the socket options in a scenario, and the errors for invalid ones.

import assert from 'node:assert/strict';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { socketTexts } from '../../client/words/load.js';
import { connectOptions, formatEndpoint } from '../../client/words/endpoint.js';

const good = { servers: ['epoll'], connections: 10 };

describe('endpoints of a scenario', () => {
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
