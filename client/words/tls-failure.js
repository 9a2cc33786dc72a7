// Texts for TLS failures. The engine reports codes (enum tls_failure_cause in engine/core/base/failure.h).

/**
 * @typedef {'certificate' | 'alert' | 'not-tls' | 'closed' | 'broken' | 'unread' | 'openssl'} TlsFailureCause
 * @typedef {object} TlsFailure
 * @property {TlsFailureCause} cause
 * @property {'handshake' | 'open'} step  open: after the handshake
 * @property {string} reason  a code within the cause; '' if there is none. certificate: the name of OpenSSL's
 *   X509_V_ERR_*, or its number; alert: the number of the alert (RFC 8446, section 6); broken: the errno's name;
 *   openssl: OpenSSL's number, 8 hexadecimal digits
 */

/** Key: name of X509_V_ERR_*. @type {Record<string, string>} */
const CERTIFICATE = {
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate of its issuer is missing',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is not one of the trusted authorities',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is not one of the trusted authorities',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed and not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its chain ends at an authority that is not trusted',
  CERT_UNTRUSTED: 'its issuer is not trusted for this purpose',
  CERT_REJECTED: 'its issuer rejects this purpose',
  CERT_SIGNATURE_FAILURE: 'its signature is wrong',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_HAS_EXPIRED: 'it has expired',
  ERROR_IN_CERT_NOT_BEFORE_FIELD: 'the date on which its validity begins cannot be read',
  ERROR_IN_CERT_NOT_AFTER_FIELD: 'the date on which its validity ends cannot be read',
  CERT_CHAIN_TOO_LONG: 'its chain is too long',
  PATH_LENGTH_EXCEEDED: 'its chain is longer than an authority in it allows',
  INVALID_CA: 'its chain contains a certificate that is not an authority',
  INVALID_PURPOSE: 'it is not meant for servers',
  HOSTNAME_MISMATCH: 'it is for another host name',
  IP_ADDRESS_MISMATCH: 'it is for another IP address',
  EE_KEY_TOO_SMALL: 'its key is too short',
  CA_KEY_TOO_SMALL: 'the key of an authority in its chain is too short',
  CA_MD_TOO_WEAK: 'an authority in its chain signs with a weak digest',
};

/** Key: number in RFC 8446, section 6. @type {Record<string, string>} */
const ALERTS = {
  10: 'unexpected_message',
  20: 'bad_record_mac',
  22: 'record_overflow',
  40: 'handshake_failure',
  42: 'bad_certificate',
  43: 'unsupported_certificate',
  44: 'certificate_revoked',
  45: 'certificate_expired',
  46: 'certificate_unknown',
  47: 'illegal_parameter',
  48: 'unknown_ca',
  49: 'access_denied',
  50: 'decode_error',
  51: 'decrypt_error',
  70: 'protocol_version',
  71: 'insufficient_security',
  80: 'internal_error',
  86: 'inappropriate_fallback',
  109: 'missing_extension',
  110: 'unsupported_extension',
  112: 'unrecognized_name',
  113: 'bad_certificate_status_response',
  115: 'unknown_psk_identity',
  116: 'certificate_required',
  120: 'no_application_protocol',
};

/** @type {Record<TlsFailureCause, (reason: string) => string>} */
const CAUSES = {
  certificate: (reason) =>
    `the certificate was refused: ${CERTIFICATE[reason] ?? `verification failed with OpenSSL's error ${reason}`}`,
  alert: (reason) => `the server sent the alert ${ALERTS[reason] ?? reason}`,
  'not-tls': () => 'the server sent bytes that are not TLS',
  closed: () => 'the server closed the connection',
  broken: (reason) => `the connection broke (${reason})`,
  unread: () => 'the server did not read what the client had to send',
  openssl: (reason) => `OpenSSL reported error ${reason}`,
};

/** @param {TlsFailure} failure @returns {string} such as `in the handshake: the server closed the connection` */
export const tlsFailureText = ({ cause, step, reason }) =>
  `${step === 'handshake' ? 'in the handshake' : 'on an open connection'}: ${CAUSES[cause](reason)}`;

/** @type {Partial<Record<TlsFailureCause, (reason: string) => string | undefined>>} */
const REMEDIES = {
  certificate: () =>
    'If it is the right one, give --tls.ca FILE or --tls.serverName NAME, or accept any certificate with -k.',
  alert: (reason) => (reason === '116' ? 'Give a client certificate with tls.certificate and tls.key.' : undefined),
  'not-tls': () => 'Check the port, or leave TLS out (--no-tls).',
  openssl: (reason) => `\`openssl errstr ${reason}\` explains it.`,
};

/** @param {TlsFailure} failure @returns {string | undefined} what to do */
export const tlsFailureRemedy = ({ cause, reason }) => REMEDIES[cause]?.(reason);
