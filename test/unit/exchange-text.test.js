// What `stress --debug` prints of an exchange.

import assert from 'node:assert/strict';
import { exchangeText } from '../../client/console/exchange-text.js';
import { secretsIn } from '../../client/words/secrets.js';

const ENDPOINT = '127.0.0.1:80';
const NO_TLS = { version: '', cipher: '', subject: '', issuer: '', expires: '' };

/** @param {string} sent @param {string} received @param {Record<string, any>} [over] @returns {any} */
const tapped = (sent, received, over = {}) => ({
  sent: { total: sent.length, first: sent },
  received: { total: received.length, first: received },
  timesNs: { connect: 1e6, secure: 0, open: 1.1e6, send: 1.2e6, first: 3.2e6, last: 4.2e6, close: 0 },
  tls: NO_TLS,
  ...over,
});

describe('the text of an exchange', () => {
  it('has both sides byte for byte, by lines, and the times', () => {
    const exchange = tapped('GET / HTTP/1.1\r\nX: \xc3\xbc\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n\\\0');
    const named = [{ name: 'here', used: '127.0.0.1', all: ['127.0.0.1', '::1'] }];
    assert.deepEqual(
      exchangeText({ endpoint: ENDPOINT, named, tapped: exchange, protocol: 'http', error: null }).split('\n'),
      [
        'here has the addresses 127.0.0.1, ::1; 127.0.0.1 is used',
        'connecting to 127.0.0.1:80',
        'open after 100 µs',
        'sent 25 bytes:',
        '> GET / HTTP/1.1\\r\\n',
        '> X: \\xc3\\xbc\\r\\n',
        '> \\r\\n',
        'received 21 bytes, the first after 2 ms, the last after 3 ms:',
        '< HTTP/1.1 200 OK\\r\\n',
        '< \\r\\n',
        '< \\\\\\x00',
        'the reply is complete (http)',
      ],
    );
  });

  it('has what TLS has agreed on', () => {
    const tls = { version: 'TLSv1.3', cipher: 'AES', subject: 'CN = a', issuer: 'CN = b', expires: 'Jan 1' };
    const timesNs = { connect: 1e6, secure: 2e6, open: 5e6, send: 0, first: 0, last: 0, close: 6e6 };
    const [exchange, error] = [tapped('', '', { tls, timesNs }), new Error('it failed')];
    const text = exchangeText({ endpoint: ENDPOINT, tapped: exchange, protocol: 'echo', error });
    assert.deepEqual(text.split('\n').slice(1), [
      'open after 1 ms',
      'TLSv1.3, AES, after 3 ms more',
      'certificate: CN = a; issuer: CN = b; until Jan 1',
      'it failed',
    ]);
  });

  it('has no secret, not even the part of it that a cut leaves', () => {
    const secrets = secretsIn({ BROADSIDE_HTTP_TOKEN: 's3cr3t', BROADSIDE_HTTP_ID: 'a' });
    assert.deepEqual(secrets, [{ text: 's3cr3t', shownAs: '$BROADSIDE_HTTP_TOKEN' }]);
    const shown = (/** @type {any} */ exchange) =>
      exchangeText({ endpoint: ENDPOINT, tapped: exchange, protocol: 'http', error: null }, secrets);
    assert.match(shown(tapped('a s3cr3t b', 's3cr3t')), /> a \$BROADSIDE_HTTP_TOKEN b\n.*\n< \$BROADSIDE_HTTP_TOKEN\n/);
    const cut = shown(tapped('', '', { sent: { total: 5000, first: 'a s3cr3t b s3c' } }));
    assert.match(cut, /> a \$BROADSIDE_HTTP_TOKEN b \n> \(the first 14 of 5,000 bytes\)\nreceived nothing\n/);
  });
});
