// The refusal of public targets, however they are written; and what host:port may look like.

import assert from 'node:assert/strict';
import { checkTarget, isOwnAddress, parseTarget } from '../../client/scenario/address.js';

const where = '--target';

/** @param {Record<string, string[]>} names */
const resolver = (names) => async (/** @type {string} */ host) => names[host] ?? [];

describe('address', () => {
  it('knows loopback and private addresses, to their edges', () => {
    const own = ['127.0.0.1', '127.255.255.255', '10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.255',
      '192.168.0.1'];
    const open = ['126.255.255.255', '128.0.0.0', '9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0',
      '192.167.255.255', '192.169.0.0', '169.254.169.254', '8.8.8.8', '0.0.0.0', '255.255.255.255', '100.64.0.1'];
    assert.deepEqual(own.filter((address) => !isOwnAddress(address)), []);
    assert.deepEqual(open.filter(isOwnAddress), []);
  });

  it('refuses a public address, and says which flag allows it', async () => {
    await assert.rejects(checkTarget({ host: '8.8.8.8', port: 80 }, { allowPublic: false, where }),
      { exitCode: 2, code: 'EPUBLICTARGET', message: /--target: 8\.8\.8\.8 .*--allowPublicTarget/ });
    assert.deepEqual(await checkTarget({ host: '8.8.8.8', port: 80 }, { allowPublic: true, where }),
      { host: '8.8.8.8', port: 80 });
  });

  it('judges a name by all its addresses, and returns the address it judged', async () => {
    const resolve = resolver({ mine: ['10.0.0.5', '10.0.0.6'], mixed: ['10.0.0.5', '93.184.216.34'],
      open: ['93.184.216.34'] });
    assert.deepEqual(await checkTarget({ host: 'mine', port: 1 }, { allowPublic: false, where, resolve }),
      { host: '10.0.0.5', port: 1 });
    for (const host of ['mixed', 'open']) {
      await assert.rejects(checkTarget({ host, port: 1 }, { allowPublic: false, where, resolve }),
        { exitCode: 2, message: new RegExp(`${host} \\(93\\.184\\.216\\.34\\)`) });
    }
  });

  it('looks through other spellings of a public address', async () => {
    for (const host of ['134744072', '0x8.0x8.0x8.0x8', '010.8.8.8']) {
      await assert.rejects(checkTarget({ host, port: 1 }, { allowPublic: false, where }), { name: /Error$/ }, host);
    }
  });

  it('says that a name has no IPv4 address', () => assert.rejects(
    checkTarget({ host: 'nowhere', port: 1 }, { allowPublic: true, where, resolve: resolver({}) }),
    { exitCode: 3, message: /--target: nowhere has no IPv4 address/ }));

  it('reads host:port, and says what is wrong with others', () => {
    assert.deepEqual(parseTarget('my-host.local:8080', where), { host: 'my-host.local', port: 8080 });
    /** @type {[string, RegExp][]} */
    const rows = [['[::1]:80', /IPv6/], ['::1', /IPv6/], ['localhost', /not host:port/],
      ['localhost:0', /port from 1/], ['localhost:70000', /port from 1/], [':80', /not host:port/],
      ['a b:80', /not host:port/], ['user@host:80', /not host:port/],
      ['http://localhost:80/', /is a URL; did you mean "localhost:80"/]];
    for (const [text, message] of rows) assert.throws(() => parseTarget(text, where), { exitCode: 2, message }, text);
  });
});
