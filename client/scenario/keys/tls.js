// Key `tls`: its resolved form, and the files that it names. The resolved scenario has the files' paths,
// never their contents, because it is kept with the run and a key is a secret.

import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { checkServerIdentity, createSecureContext, rootCertificates } from 'node:tls';
import { UsageError } from '../../errors.js';
import { familyOf } from '../../words/endpoint.js';
import { fileError, readNamedFile } from './named-files.js';

/**
 * @import { ConnectionOptions } from 'node:tls'
 * @import { Endpoint } from '../../../config/types.js'
 * @import { EngineTls } from '../../engine/index.js'
 * @import { Where } from '../mistakes.js'
 * @import { Written } from '../scenario.js'
 */

/**
 * @typedef {object} TlsOptions
 * @property {string | null} ca           file; null: that of a server started here, if it has one, or those that the
 *   system trusts
 * @property {boolean} verify
 * @property {string | null} serverName   null: the address that is connected to
 * @property {string | null} certificate  file
 * @property {string | null} key          file
 * @property {boolean} resume
 */

const FILES = /** @type {const} */ (['ca', 'certificate', 'key']);
const MAX_FILE_BYTES = 16 * 1024 ** 2;
/** Debian's and Ubuntu's list; without it, node's own is used. */
const SYSTEM_AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';

/**
 * @param {Written['tls']} given
 * @param {Endpoint | undefined} target as it was written
 * @returns {TlsOptions | null}
 */
export function completeTls(given, target) {
  if (given === false) return null;
  const {
    ca = null,
    verify = true,
    serverName = null,
    certificate = null,
    key = null,
    resume = false,
  } = given === true ? {} : given;
  const host = target === undefined || familyOf(target.host) === 'unix' ? null : target.host;
  return { ca, verify, serverName: serverName ?? host, certificate, key, resume };
}

/**
 * Finds the files, and checks their content before anything is started.
 * @template {{tls: TlsOptions | null}} T
 * @param {T} scenario
 * @param {(path: string) => string} where
 * @param {(path: string) => string} folderOf what a file's path is relative to
 * @returns {T} with absolute paths
 * @throws {UsageError}
 */
export function withTlsFiles(scenario, where, folderOf) {
  const { tls } = scenario;
  if (tls === null) return scenario;
  const paths = FILES.map((key) => {
    const name = tls[key];
    return [key, name === null ? null : path.resolve(folderOf(`tls.${key}`), name)];
  });
  /** @type {TlsOptions} */
  const resolved = { ...tls, ...Object.fromEntries(paths) };
  for (const key of FILES) {
    if (resolved[key] !== null) tryFile(resolved[key], key, where, key !== 'key');
  }
  try {
    createSecureContext({ cert: read(resolved.certificate) || undefined, key: read(resolved.key) || undefined });
  } catch (error) {
    const { message, reason = message } = /** @type {Error & {reason?: string}} */ (error);
    throw new UsageError(`${where('tls.key')}: ${resolved.key} cannot be used: ${reason}`, {
      code: 'ETLS',
      data: { key: 'tls.key', value: resolved.key, problem: 'unusable', reason },
      cause: error,
    });
  }
  return { ...scenario, tls: resolved };
}

/**
 * @param {string} file
 * @param {'ca' | 'certificate' | 'key'} key
 * @param {Where} where
 * @param {boolean} needsCertificate whether it must hold a certificate
 */
function tryFile(file, key, where, needsCertificate) {
  const path = `tls.${key}`;
  const named = { file, key: path, where: where(path), code: 'ETLS' };
  const tooLarge = () => 'is too large; PEM texts of at most 16MiB are read';
  const text = readNamedFile(named, { maxBytes: MAX_FILE_BYTES, tooLarge }).toString('utf8');
  if (!needsCertificate) return;
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (blocks === null)
    throw fileError(named, 'no-certificate', 'holds no PEM certificate (-----BEGIN CERTIFICATE-----)');
  try {
    for (const block of blocks) new X509Certificate(block);
  } catch (error) {
    throw fileError(named, 'bad-certificate', 'holds a PEM block that is not a certificate', error);
  }
}

/** @param {string | null} file @returns {string} its text; '' without a file */
const read = (file) => (file === null ? '' : readFileSync(file, 'utf8'));

/**
 * @param {TlsOptions} options
 * @param {string | null} authority file of the server that is talked to
 * @returns {TlsOptions} with the server's authority, unless the scenario gives one
 */
export const withAuthority = (options, authority) => ({ ...options, ca: options.ca ?? authority });

/** @returns {string} PEM */
function systemAuthorities() {
  return existsSync(SYSTEM_AUTHORITIES) ? read(SYSTEM_AUTHORITIES) : rootCertificates.join('\n');
}

/**
 * @param {TlsOptions} options with absolute paths
 * @param {string} address that is connected to
 * @returns {EngineTls}
 */
export function engineTls(options, address) {
  const { ca, verify, serverName, certificate, key, resume } = options;
  const name = serverName ?? (familyOf(address) === 'unix' ? '' : address);
  return {
    authorities: !verify ? '' : ca === null ? systemAuthorities() : read(ca),
    certificate: read(certificate),
    key: read(key),
    serverName: name,
    verify,
    resume,
  };
}

/**
 * The same options for node:tls, which writes data into a server before a leg.
 * @param {TlsOptions} options with absolute paths
 * @param {string} address that is connected to
 * @returns {ConnectionOptions}
 */
export function nodeTls(options, address) {
  const { authorities, certificate, key, serverName, verify } = engineTls(options, address);
  return {
    rejectUnauthorized: verify,
    servername: isIP(serverName) === 0 ? serverName : '',
    checkServerIdentity: (_, peer) => checkServerIdentity(serverName, peer),
    ...(authorities === '' ? {} : { ca: authorities }),
    ...(certificate === '' ? {} : { cert: certificate, key }),
  };
}
