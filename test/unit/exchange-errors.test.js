// How faults of an exchange read: bytes in quotes, and what OpenSSL and node:tls say, without their source lines.

import assert from 'node:assert/strict';
import { checkServerIdentity } from 'node:tls';
import { faultText, quoted } from '../../servers/launcher/start/exchange-errors.js';

describe('what went wrong in an exchange', () => {
  it('has bytes in quotes, any of them, and not more than a line', () => {
    assert.equal(quoted(Buffer.from('a "b"\\\r\n\t\x00\xff', 'latin1')), '"a \\"b\\"\\\\\\r\\n\\t\\x00\\xff"');
    assert.equal(quoted(Buffer.alloc(0)), '""');
    assert.equal(quoted(Buffer.alloc(41, 'x')), `"${'x'.repeat(40)}" ...`);
  });

  it('has the reason of OpenSSL, and not its text', () => {
    const raw = '80AC:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/ssl3_record.c:354:\n';
    const error = (/** @type {object} */ more) => Object.assign(new Error(raw), { library: 'SSL routines' }, more);
    assert.equal(
      faultText(error({ reason: 'wrong version number', code: 'ERR_SSL_WRONG_VERSION_NUMBER' })),
      'TLS failed: wrong version number; it may not speak TLS at all',
    );
    const alert = 'tlsv1 alert protocol version';
    assert.equal(faultText(error({ reason: alert })), `TLS failed: ${alert}`);
    assert.equal(
      faultText(Object.assign(new Error(raw), { code: 'ERR_SSL_NO_SHARED_CIPHER' })),
      'TLS failed: no shared cipher',
    );
    assert.equal(faultText(new Error('self-signed certificate')), 'self-signed certificate');
  });

  it('has the names that a certificate is for, or that it has none', () => {
    const told = (/** @type {string} */ host, /** @type {any} */ cert) =>
      faultText(/** @type {Error} */ (checkServerIdentity(host, cert)));
    const remedy = 'give tls.serverName, or tls.verify false';
    assert.equal(
      told('127.0.0.1', { subject: {} }),
      `its certificate is not for 127.0.0.1, and names no host that it is for; ${remedy}`,
    );
    assert.equal(
      told('127.0.0.1', { subject: { CN: 'here.invalid' } }),
      `its certificate is not for 127.0.0.1, but for here.invalid; ${remedy}`,
    );
    assert.equal(
      told('127.0.0.1', { subject: {}, subjectaltname: 'DNS:a.invalid, IP Address:127.0.0.9' }),
      `its certificate is not for 127.0.0.1, but for DNS:a.invalid, IP:127.0.0.9; ${remedy}`,
    );
  });
});
