// The refusal of public targets in any notation, the syntax of host:port, and the endpoints of a scenario.

import assert from 'node:assert/strict';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { connectOptions, formatEndpoint } from '../../client/words/endpoint.js';
import { socketTexts } from '../../client/scenario/load-text.js';
import { checkTarget, isOwnAddress, parseTarget } from '../../client/scenario/keys/address.js';

const where = '--target';

/** @param {Record<string, string[]>} names */
const resolver = (names) => async (/** @type {string} */ host) => names[host] ?? [];

describe('address', () => {
  it('recognises loopback and private addresses at the edges of their ranges', () => {
    const addresses = [
      ...'127.0.0.1 127.255.255.255 10.0.0.0 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 ::1 fc00::'.split(
        ' ',
      ),
      ...'fdff::1 ::ffff:127.0.0.1'.split(' '),
    ];
    const open = [
      ...'126.255.255.255 128.0.0.0 9.255.255.255 11.0.0.0 172.15.255.255 172.32.0.0 192.167.255.255'.split(' '),
      ...'192.169.0.0 169.254.169.254 8.8.8.8 0.0.0.0 255.255.255.255 100.64.0.1 :: ::2 fe80::1 fbff::1'.split(' '),
      ...'fe00:: 2001:db8::1 64:ff9b::a00:1 ::ffff:8.8.8.8'.split(' '),
    ];
    assert.deepEqual(
      addresses.filter((address) => !isOwnAddress(address)),
      [],
    );
    assert.deepEqual(open.filter(isOwnAddress), []);
  });

  it('refuses a public address unless that is allowed, in whatever notation', async () => {
    const open = { host: '8.8.8.8', port: 80 };
    await assert.rejects(checkTarget(open, { allowPublic: false, where }), {
      exitCode: 2,
      code: 'EPUBLICTARGET',
      data: { host: '8.8.8.8', address: '8.8.8.8' },
    });
    assert.deepEqual(await checkTarget(open, { allowPublic: true, where }), open);
    const socket = { host: 'unix:/run/server.sock', port: 0 };
    assert.deepEqual(await checkTarget(socket, { allowPublic: false, where }), socket);
    for (const host of ['134744072', '0x8.0x8.0x8.0x8', '010.8.8.8', '2001:db8::1'])
      await assert.rejects(checkTarget({ host, port: 1 }, { allowPublic: false, where }), { name: /Error$/ }, host);
  });

  it('judges a name by all its addresses, and returns the IPv4 address, or the IPv6 address, that it judged', async () => {
    const resolve = resolver({
      mine: ['10.0.0.5', '10.0.0.6'],
      both: ['fd00::5', '10.0.0.5'],
      ipv6: ['fd00::5', 'fd00::6'],
      mixed: ['10.0.0.5', '93.184.216.34'],
      open: ['fd00::5', '2001:db8::1'],
    });
    const check = (/** @type {string} */ host) =>
      checkTarget({ host, port: 1 }, { allowPublic: false, where, resolve });
    for (const [host, address] of Object.entries({ mine: '10.0.0.5', both: '10.0.0.5', ipv6: 'fd00::5' }))
      assert.deepEqual(await check(host), { host: address, port: 1 });
    for (const [host, address] of Object.entries({ mixed: '93.184.216.34', open: '2001:db8::1' }))
      await assert.rejects(check(host), { exitCode: 2, data: { host, address } });
    await assert.rejects(check('nowhere'), { exitCode: 3, code: 'ETARGETNAME', data: { host: 'nowhere' } });
  });

  it('takes the first address of a name that accepts a connection, or the first one, and says which', async () => {
    const resolve = resolver({
      several: ['::1', '10.0.0.5', '2001:db8::1', '10.0.0.6', '10.0.0.5'],
      one: ['10.0.0.5'],
    });
    const choose = async (/** @type {string} */ host, /** @type {string[]} */ alive) => {
      /** @type {string[]} */
      const asked = [];
      /** @type {any[]} */
      const said = [];
      const isAccepted = async (/** @type {any} */ endpoint) => (
        asked.push(endpoint.host),
        alive.includes(endpoint.host)
      );
      const onSeveral = (/** @type {any} */ warning) => void said.push(warning);
      const options = { allowPublic: false, where, resolve, isAccepted, onSeveral };
      return [(await checkTarget({ host, port: 1 }, options)).host, asked, said];
    };
    const all = ['10.0.0.5', '10.0.0.6', '::1'];
    assert.deepEqual(await choose('several', ['::1']), ['::1', all, [{ name: 'several', used: '::1', all }]]);
    assert.deepEqual(await choose('several', []), ['10.0.0.5', all, [{ name: 'several', used: '10.0.0.5', all }]]);
    assert.deepEqual(await choose('one', []), ['10.0.0.5', [], []]);
  });

  it('parses host:port, [IPv6]:port and unix:/path', () => {
    assert.deepEqual(parseTarget('my-host.local:8080', where), { host: 'my-host.local', port: 8080 });
    assert.deepEqual(parseTarget('[::1]:8080', where), { host: '::1', port: 8080 });
    assert.deepEqual(parseTarget('unix:/run/a b.sock', where), { host: 'unix:/run/a b.sock', port: 0 });
    assert.deepEqual(parseTarget('unix:run/./s', where), { host: `unix:${process.cwd()}/run/s`, port: 0 });
    assert.equal(parseTarget(`unix:/${'x'.repeat(106)}`, where).host.length, 'unix:'.length + 107);
  });
});

describe('endpoints of a scenario', () => {
  const resolve = (/** @type {Record<string, unknown>} */ content) =>
    resolveScenario({ content: { connections: 10, ...content } });

  it('are those of the target, or those that the servers listen on', () => {
    for (const [content, listen] of /** @type {[Record<string, unknown>, string][]} */ ([
      [{ servers: ['epoll'] }, 'ipv4'],
      [{ servers: ['epoll'], listen: 'unix' }, 'unix'],
      [{ target: '[::1]:80' }, 'ipv6'],
      [{ target: 'unix:/run/s' }, 'unix'],
      [{ command: './mine --at {host}', listen: 'unix' }, 'unix'],
    ]))
      assert.equal(resolve(content).listen, listen, JSON.stringify(content));
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
    const words = (/** @type {object} */ socket) => socketTexts(resolve({ servers: ['epoll'], socket }).socket);
    assert.deepEqual(words({}), []);
    assert.equal(words({ nodelay: false, linger: '0s', sourcePort: 9000 }).length, 3);
  });
});
