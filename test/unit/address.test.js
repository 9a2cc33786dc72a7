// The refusal of public targets in any notation, and the syntax of host:port.

import assert from 'node:assert/strict';
import { checkTarget, isOwnAddress, parseTarget } from '../../client/scenario/keys/address.js';
import { refusalOf } from '../fixtures/codes.js';

const where = '--target';

/** @param {Record<string, string[]>} names */
const resolver = (names) => async (/** @type {string} */ host) => names[host] ?? [];

describe('address', () => {
  it('recognises loopback and private addresses at the edges of their ranges', () => {
    const own = [
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
      own.filter((address) => !isOwnAddress(address)),
      [],
    );
    assert.deepEqual(open.filter(isOwnAddress), []);
  });

  it('refuses a public address and names the flag that allows it', async () => {
    await assert.rejects(checkTarget({ host: '8.8.8.8', port: 80 }, { allowPublic: false, where }), {
      exitCode: 2,
      code: 'EPUBLICTARGET',
      data: { host: '8.8.8.8', address: '8.8.8.8' },
    });
    assert.deepEqual(await checkTarget({ host: '8.8.8.8', port: 80 }, { allowPublic: true, where }), {
      host: '8.8.8.8',
      port: 80,
    });
  });

  it('judges a name by all its addresses and returns the address it judged', async () => {
    const resolve = resolver({
      mine: ['10.0.0.5', '10.0.0.6'],
      mixed: ['10.0.0.5', '93.184.216.34'],
      open: ['93.184.216.34'],
    });
    assert.deepEqual(await checkTarget({ host: 'mine', port: 1 }, { allowPublic: false, where, resolve }), {
      host: '10.0.0.5',
      port: 1,
    });
    for (const host of ['mixed', 'open']) {
      await assert.rejects(checkTarget({ host, port: 1 }, { allowPublic: false, where, resolve }), {
        exitCode: 2,
        data: { host, address: '93.184.216.34' },
      });
    }
  });

  it('recognises other spellings of a public address', async () => {
    for (const host of ['134744072', '0x8.0x8.0x8.0x8', '010.8.8.8']) {
      await assert.rejects(checkTarget({ host, port: 1 }, { allowPublic: false, where }), { name: /Error$/ }, host);
    }
  });

  it('resolves a name to its IPv4 addresses, or to IPv6 if it has no IPv4 address', async () => {
    const resolve = resolver({
      both: ['fd00::5', '10.0.0.5'],
      ipv6: ['fd00::5', 'fd00::6'],
      open: ['fd00::5', '2001:db8::1'],
    });
    const check = (/** @type {string} */ host) =>
      checkTarget({ host, port: 1 }, { allowPublic: false, where, resolve });
    assert.deepEqual(await check('both'), { host: '10.0.0.5', port: 1 });
    assert.deepEqual(await check('ipv6'), { host: 'fd00::5', port: 1 });
    await assert.rejects(check('open'), { exitCode: 2, data: { host: 'open', address: '2001:db8::1' } });
    await assert.rejects(check('2001:db8::1'), { exitCode: 2, code: 'EPUBLICTARGET' });
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
      const onSeveral = (/** @type {any} */ one) => void said.push(one);
      const options = { allowPublic: false, where, resolve, isAccepted, onSeveral };
      return [(await checkTarget({ host, port: 1 }, options)).host, asked, said];
    };
    const all = ['10.0.0.5', '10.0.0.6', '::1'];
    assert.deepEqual(await choose('several', ['::1']), ['::1', all, [{ name: 'several', used: '::1', all }]]);
    assert.deepEqual(await choose('several', []), ['10.0.0.5', all, [{ name: 'several', used: '10.0.0.5', all }]]);
    assert.deepEqual(await choose('one', []), ['10.0.0.5', [], []]);
  });

  it('accepts a unix socket unchanged', async () => {
    const place = { host: 'unix:/run/server.sock', port: 0 };
    assert.deepEqual(await checkTarget(place, { allowPublic: false, where }), place);
  });

  it('reports that a name has no address', () =>
    assert.rejects(checkTarget({ host: 'nowhere', port: 1 }, { allowPublic: true, where, resolve: resolver({}) }), {
      exitCode: 3,
      code: 'ETARGETNAME',
      data: { host: 'nowhere' },
    }));

  it('parses host:port, [IPv6]:port and unix:/path, and explains what is wrong with anything else', async () => {
    assert.deepEqual(parseTarget('my-host.local:8080', where), { host: 'my-host.local', port: 8080 });
    assert.deepEqual(parseTarget('[::1]:8080', where), { host: '::1', port: 8080 });
    assert.deepEqual(parseTarget('unix:/run/a b.sock', where), { host: 'unix:/run/a b.sock', port: 0 });
    assert.deepEqual(parseTarget('unix:run/./s', where), { host: `unix:${process.cwd()}/run/s`, port: 0 });
    assert.equal(parseTarget(`unix:/${'x'.repeat(106)}`, where).host.length, 'unix:'.length + 107);
    /** @type {[string, string[]][]} */
    const rows = [
      ['::1', ['ETARGET no-port']],
      ['[::1]:0', ['ETARGET port']],
      ['[::1]', ['ETARGET no-port']],
      ['[localhost]:80', ['ETARGET no-ipv6']],
      ['[fe80::1%eth0]:80', ['ETARGET interface']],
      ['[::ffff:10.0.0.1]:80', ['ETARGET mapped']],
      ['unix:', ['ETARGET path']],
      [`unix:/${'x'.repeat(107)}`, ['ETARGET path-too-long']],
      ['localhost', ['ETARGET no-port']],
      ['localhost:0', ['ETARGET port']],
      ['localhost:70000', ['ETARGET port']],
      [':80', ['ETARGET form']],
      ['a b:80', ['ETARGET form']],
      ['user@host:80', ['ETARGET form']],
      ['localhost:80/', ['ETARGET url']],
      ['localhost:80/a?b', ['ETARGET url']],
      ['http://localhost:80/', ['ETARGET url']],
      ['http://[::1]:80/', ['ETARGET url']],
    ];
    for (const [text, problem] of rows)
      assert.deepEqual(await refusalOf(() => parseTarget(text, where)), problem, text);
  });
});
