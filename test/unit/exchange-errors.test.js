// How errors of an exchange are described: bytes in quotes; OpenSSL and node:tls by their reason, without source lines.

import assert from 'node:assert/strict';
import { checkServerIdentity } from 'node:tls';
import { describeSocketError, quoted } from '../../servers/launcher/start/exchange-errors.js';

describe('errors of an exchange', () => {
  it('quote any bytes, on at most one line', () => {
    assert.equal(quoted(Buffer.from('a "b"\\\r\n\t\x00\xff', 'latin1')), '"a \\"b\\"\\\\\\r\\n\\t\\x00\\xff"');
    assert.equal(quoted(Buffer.alloc(0)), '""');
    assert.equal(quoted(Buffer.alloc(41, 'x')), `"${'x'.repeat(40)}" ...`);
  });

  it('use the reason code of OpenSSL instead of its text', () => {
    const raw = '80AC:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/ssl3_record.c:354:\n';
    const error = (/** @type {object} */ more) => Object.assign(new Error(raw), { library: 'SSL routines' }, more);
    const described = (/** @type {Error} */ each) => {
      const { code, data, text } = describeSocketError(each);
      assert.ok(!text.includes('ssl3_record.c'), text);
      return { code, ...data };
    };
    assert.deepEqual(described(error({ reason: 'wrong version number', code: 'ERR_SSL_WRONG_VERSION_NUMBER' })), {
      code: 'tls',
      opensslReason: 'wrong version number',
      mayBePlain: true,
    });
    const reason = 'tlsv1 alert protocol version';
    assert.deepEqual(described(error({ reason })), { code: 'tls', opensslReason: reason, mayBePlain: false });
    assert.deepEqual(described(Object.assign(new Error(raw), { code: 'ERR_SSL_NO_SHARED_CIPHER' })), {
      code: 'tls',
      opensslReason: 'no shared cipher',
      mayBePlain: false,
    });
    assert.deepEqual(described(Object.assign(new Error('reset'), { code: 'ECONNRESET' })), {
      code: 'socket',
      errno: 'ECONNRESET',
    });
  });

  it('name the host and the names that a certificate is valid for', () => {
    for (const [host, cert, names] of /** @type {[string, any, string[]][]} */ ([
      ['127.0.0.1', { subject: {} }, []],
      ['127.0.0.1', { subject: { CN: 'here.invalid' } }, ['here.invalid']],
      [
        '127.0.0.1',
        { subject: {}, subjectaltname: 'DNS:a.invalid, IP Address:127.0.0.9' },
        ['DNS:a.invalid', 'IP:127.0.0.9'],
      ],
    ])) {
      const { code, data } = describeSocketError(/** @type {Error} */ (checkServerIdentity(host, cert)));
      assert.deepEqual([code, data], ['certificate-name', { host, names }]);
    }
  });
});
