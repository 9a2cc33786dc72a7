/**
 * Where connections go, as the addon takes it: records of a fixed length, the texts padded with NUL.
 * An address is an IPv4 or IPv6 one, or `unix:/path`, whose port is 0; names are resolved before.
 */
import { isIP } from 'node:net';

/** @typedef {{address: string, port: number, source?: string}} Endpoint source: the own address to connect from */

/** As long as the kernel's sun_path, whose last byte stays NUL. */
const ADDRESS_BYTES = 108;
const SOURCE_BYTES = 48;
const FAMILY_BYTES = 1;
const PORT_BYTES = 2;
const RECORD_BYTES = FAMILY_BYTES + PORT_BYTES + ADDRESS_BYTES + SOURCE_BYTES;
const UNIX = 'unix:';

/**
 * @param {string} setting @param {unknown} value @param {string} why
 * @returns {TypeError} of the same shape as the addon's
 */
function invalid(setting, value, why) {
  const error = new TypeError(`engine: ${value === undefined ? value : JSON.stringify(value)} is ${why}`);
  return Object.assign(error, { code: 'EINVAL', data: { setting, value } });
}

/**
 * @param {Endpoint} endpoint @param {string} name of it in the settings
 * @returns {{family: 0 | 4 | 6, text: string}} family 0: a unix socket
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
 * @returns {Uint8Array} records of: family, port (2 bytes, big-endian), address, source ('': the kernel's choice)
 * @throws {TypeError} with code EINVAL, and the setting and its value in data
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
