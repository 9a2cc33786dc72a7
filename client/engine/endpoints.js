/**
 * Endpoints of connections in the addon's form: records of a fixed length, with texts padded by NUL. An address is an
 * IPv4 or IPv6 address, or `unix:/path` with port 0; names are already resolved.
 */
import { isIP } from 'node:net';

/** @typedef {{address: string, port: number, source?: string}} Endpoint source: local address to connect from */

/** The length of the kernel's sun_path; its last byte stays NUL. */
const ADDRESS_BYTES = 108;
const SOURCE_BYTES = 48;
const FAMILY_BYTES = 1;
const PORT_BYTES = 2;
const RECORD_BYTES = FAMILY_BYTES + PORT_BYTES + ADDRESS_BYTES + SOURCE_BYTES;
const UNIX = 'unix:';

/**
 * @param {string} setting @param {unknown} value @param {string} why
 * @returns {TypeError} with the same fields as the addon's errors
 */
function invalid(setting, value, why) {
  const error = new TypeError(`engine: ${value === undefined ? value : JSON.stringify(value)} is ${why}`);
  return Object.assign(error, { code: 'EINVAL', data: { setting, value } });
}

/**
 * @param {Endpoint} endpoint @param {string} name of the setting
 * @returns {{family: 0 | 4 | 6, text: string}} family: 0 for a unix socket; text: address or path
 */
function placeOf({ address, port, source }, name) {
  if (address.startsWith(UNIX)) {
    const text = address.slice(UNIX.length);
    const length = Buffer.byteLength(text);
    if (length > 0 && length < ADDRESS_BYTES && !text.includes('\0')) return { family: 0, text };
    throw invalid(`${name}.address`, text, `not the path of a unix socket, of 1 to ${ADDRESS_BYTES - 1} bytes`);
  }
  const family = /** @type {0 | 4 | 6} */ (isIP(address));
  if (family === 0 || address.includes('%')) {
    throw invalid(`${name}.address`, address, 'not an IPv4 or IPv6 address, nor unix:/path');
  }
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw invalid(`${name}.port`, port, 'not a port');
  if (source !== undefined && (isIP(source) !== family || source.includes('%'))) {
    throw invalid(`${name}.source`, source, `not an IPv${family} address to connect from`);
  }
  return { family, text: address };
}

/**
 * @param {Endpoint[]} endpoints
 * @returns {Uint8Array} records of family, port (2 bytes, big-endian), address and source ('': chosen by the kernel)
 * @throws {TypeError} with code EINVAL; data has the setting and its value
 */
export function endpointRecords(endpoints) {
  const records = Buffer.alloc(RECORD_BYTES * endpoints.length);
  for (const [index, endpoint] of endpoints.entries()) {
    const { family, text } = placeOf(endpoint, `endpoints[${index}]`);
    const record = records.subarray(index * RECORD_BYTES, (index + 1) * RECORD_BYTES);
    record.writeUInt8(family, 0);
    record.writeUInt16BE(family === 0 ? 0 : endpoint.port, FAMILY_BYTES);
    record.write(text, FAMILY_BYTES + PORT_BYTES);
    if (family !== 0) record.write(endpoint.source ?? '', FAMILY_BYTES + PORT_BYTES + ADDRESS_BYTES);
  }
  return new Uint8Array(records);
}
