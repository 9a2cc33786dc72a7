// Describes what went wrong in an exchange: received bytes, socket errors and TLS errors. Pure. OpenSSL's own messages
// contain function names and source lines; only its reason is shown.

const MAX_SHOWN = 40;

/** @typedef {import('../errors.js').Problem} Problem */

/**
 * @param {Uint8Array} bytes
 * @returns {string} up to 40 of them in double quotes, with escapes \r \n \t \\ \" and \xHH
 */
export function quoted(bytes) {
  const text = Array.from(bytes.subarray(0, MAX_SHOWN), (byte) => escaped(byte)).join('');
  return `"${text}"${bytes.length > MAX_SHOWN ? ' ...' : ''}`;
}

/** @type {Record<number, string>} */
const LETTERS = { 9: '\\t', 10: '\\n', 13: '\\r', 34: '\\"', 92: '\\\\' };

/** @param {number} byte */
function escaped(byte) {
  if (Object.hasOwn(LETTERS, byte)) return LETTERS[byte];
  return byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
}

/** OpenSSL's reasons for bytes that are not TLS. */
const NOT_TLS =
  /^(wrong version number|unexpected message|packet length too long|record layer failure|http request|bad record type)$/;

/**
 * @param {Error} error of node:net or node:tls
 * @returns {Problem} code `certificate-name`, `tls` or `socket`
 */
export function describeSocketError(error) {
  const { code = '', message, reason, library, host, cert } = /** @type {any} */ (error);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return describeCertificateName(host, cert);
  if (library === undefined && !/^ERR_(SSL|OSSL)/.test(code)) {
    return { code: 'socket', data: { errno: code || null }, text: message };
  }
  const words = code
    .replace(/^ERR_O?SSL_/, '')
    .replaceAll('_', ' ')
    .toLowerCase();
  const why = String(reason ?? words);
  const mayBePlain = NOT_TLS.test(why);
  const text = `TLS failed: ${why}${mayBePlain ? '; the server may not speak TLS' : ''}`;
  return { code: 'tls', data: { opensslReason: why, mayBePlain }, text };
}

/**
 * @param {string} host that was connected to
 * @param {any} cert
 * @returns {Problem}
 */
function describeCertificateName(host, cert) {
  const names = String(cert?.subjectaltname ?? cert?.subject?.CN ?? '').replaceAll('IP Address:', 'IP:');
  const text =
    `the certificate is not valid for ${host || 'a host without a name'}; ` +
    `${names === '' ? 'it names no host' : `it is valid for ${names}`}; set tls.serverName, or tls.verify to false`;
  return { code: 'certificate-name', data: { host, names: names === '' ? [] : names.split(', ') }, text };
}
