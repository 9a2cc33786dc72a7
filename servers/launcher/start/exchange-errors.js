// What went wrong in an exchange, in words: bytes that came, and errors of sockets and of TLS. The one thing to know:
// OpenSSL's own text has functions and source lines in it, which tell nothing to who runs a server; its reason does.

const MOST_SHOWN = 40;

/**
 * @param {Uint8Array} bytes
 * @returns {string} at most 40 of them in quotes, with escapes \r \n \t \\ \" and \xHH
 */
export function quoted(bytes) {
  const text = Array.from(bytes.subarray(0, MOST_SHOWN), (byte) => escaped(byte)).join('');
  return `"${text}"${bytes.length > MOST_SHOWN ? ' ...' : ''}`;
}

/** @type {Record<number, string>} */
const LETTERS = { 9: '\\t', 10: '\\n', 13: '\\r', 34: '\\"', 92: '\\\\' };

/** @param {number} byte */
function escaped(byte) {
  if (Object.hasOwn(LETTERS, byte)) return LETTERS[byte];
  return byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
}

/** What OpenSSL says of bytes that are no TLS. */
const NO_TLS =
  /^(wrong version number|unexpected message|packet length too long|record layer failure|http request|bad record type)$/;

/**
 * @param {Error} error of node:net or node:tls
 * @returns {string}
 */
export function faultText(error) {
  const { code = '', message, reason, library, host, cert } = /** @type {any} */ (error);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = String(cert?.subjectaltname ?? cert?.subject?.CN ?? '').replaceAll('IP Address:', 'IP:');
    return `its certificate is not for ${host || 'a host without a name'}, ${
      names === '' ? 'and names no host that it is for' : `but for ${names}`
    }; give tls.serverName, or tls.verify false`;
  }
  if (library === undefined && !/^ERR_(SSL|OSSL)/.test(code)) return message;
  const why = String(
    reason ??
      code
        .replace(/^ERR_O?SSL_/, '')
        .replaceAll('_', ' ')
        .toLowerCase(),
  );
  return `TLS failed: ${why}${NO_TLS.test(why) ? '; it may not speak TLS at all' : ''}`;
}
