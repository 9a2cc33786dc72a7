// SCTP packets (RFC 9260): encoding and decoding. Pure. No code is shared with the servers or the client.

/** Chunk types. */
export const DATA = 0;
export const INIT = 1;
export const INIT_ACK = 2;
export const SACK = 3;
export const HEARTBEAT = 4;
export const HEARTBEAT_ACK = 5;
export const ABORT = 6;
export const SHUTDOWN = 7;
export const SHUTDOWN_ACK = 8;
export const ERROR = 9;
export const COOKIE_ECHO = 10;
export const COOKIE_ACK = 11;
export const SHUTDOWN_COMPLETE = 14;

/** Flags of DATA: the first and the last fragment of a message. */
export const FIRST = 2;
export const LAST = 1;

/** Parameter of INIT ACK. */
const STATE_COOKIE = 7;
const COMMON_HEADER = 12;
const CHUNK_HEADER = 4;
/** CRC-32C, bits reversed (RFC 9260, appendix A). */
const POLYNOMIAL = 0x82f63b78;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});

/** @param {Buffer} bytes @returns {number} CRC-32C */
export function checksum(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/**
 * @typedef {object} Chunk
 * @property {number} type
 * @property {number} [flags]
 * @property {Buffer} [value] without the chunk header
 *
 * @typedef {object} Packet
 * @property {number} from source port
 * @property {number} to destination port
 * @property {number} tag the receiver's
 * @property {Chunk[]} chunks
 */

/** @param {Chunk} chunk @returns {Buffer} padded to a multiple of 4 bytes */
export function encodeChunk({ type, flags = 0, value = Buffer.alloc(0) }) {
  const length = CHUNK_HEADER + value.length;
  const bytes = Buffer.alloc((length + 3) & ~3);
  bytes[0] = type;
  bytes[1] = flags;
  bytes.writeUInt16BE(length, 2);
  value.copy(bytes, CHUNK_HEADER);
  return bytes;
}

/** @param {{from: number, to: number, tag: number}} header @param {Buffer} body chunks @returns {Buffer} */
export function seal({ from, to, tag }, body) {
  const bytes = Buffer.concat([Buffer.alloc(COMMON_HEADER), body]);
  bytes.writeUInt16BE(from, 0);
  bytes.writeUInt16BE(to, 2);
  bytes.writeUInt32BE(tag, 4);
  bytes.writeUInt32LE(checksum(bytes), 8);
  return bytes;
}

/** @param {Packet} packet @returns {Buffer} */
export const encodePacket = ({ chunks, ...header }) => seal(header, Buffer.concat(chunks.map(encodeChunk)));

/** @param {Buffer} bytes @returns {Required<Chunk>[] | null} null when the packet is damaged */
export function decodeChunks(bytes) {
  if (bytes.length < COMMON_HEADER) return null;
  const zeroed = Buffer.from(bytes);
  zeroed.writeUInt32LE(0, 8);
  if (bytes.readUInt32LE(8) !== checksum(zeroed)) return null;
  const chunks = [];
  for (let at = COMMON_HEADER; at + CHUNK_HEADER <= bytes.length;) {
    const length = bytes.readUInt16BE(at + 2);
    if (length < CHUNK_HEADER || at + length > bytes.length) return null;
    chunks.push({ type: bytes[at], flags: bytes[at + 1], value: bytes.subarray(at + CHUNK_HEADER, at + length) });
    at += (length + 3) & ~3;
  }
  return chunks;
}

/** @param {number} tag of this side @param {number} window @param {number} tsn the first @returns {Chunk} */
export function initChunk(tag, window, tsn) {
  const value = Buffer.alloc(16);
  value.writeUInt32BE(tag, 0);
  value.writeUInt32BE(window, 4);
  value.writeUInt16BE(1, 8); // outbound streams
  value.writeUInt16BE(1, 10); // inbound streams
  value.writeUInt32BE(tsn, 12);
  return { type: INIT, value };
}

/** @param {Buffer} value of INIT ACK @returns {{tag: number, window: number, tsn: number, cookie: Buffer | null}} */
export function parseInitAck(value) {
  let cookie = null;
  for (let at = 16; at + CHUNK_HEADER <= value.length;) {
    const length = Math.max(CHUNK_HEADER, value.readUInt16BE(at + 2));
    if (value.readUInt16BE(at) === STATE_COOKIE) cookie = value.subarray(at + CHUNK_HEADER, at + length);
    at += (length + 3) & ~3;
  }
  return { tag: value.readUInt32BE(0), window: value.readUInt32BE(4), tsn: value.readUInt32BE(12), cookie };
}

/** @param {{tsn: number, sequence: number, flags: number, payload: Buffer}} data on stream 0 @returns {Chunk} */
export function dataChunk({ tsn, sequence, flags, payload }) {
  const head = Buffer.alloc(12);
  head.writeUInt32BE(tsn, 0);
  head.writeUInt16BE(sequence, 6);
  return { type: DATA, flags, value: Buffer.concat([head, payload]) };
}

/**
 * @param {number} tsn the last one received in order
 * @param {number} window
 * @param {Iterable<number>} [early] those received beyond it
 * @returns {Chunk}
 */
export function sackChunk(tsn, window, early = []) {
  const offsets = Array.from(early, (each) => (each - tsn) >>> 0).sort((a, b) => a - b);
  const starts = offsets.filter((offset, i) => offset !== offsets[i - 1] + 1);
  const ends = offsets.filter((offset, i) => offset !== offsets[i + 1] - 1);
  const value = Buffer.alloc(12 + 4 * starts.length);
  value.writeUInt32BE(tsn, 0);
  value.writeUInt32BE(window, 4);
  value.writeUInt16BE(starts.length, 8);
  starts.forEach((start, i) => {
    value.writeUInt16BE(start, 12 + 4 * i);
    value.writeUInt16BE(ends[i], 14 + 4 * i);
  });
  return { type: SACK, value };
}

/** @param {number} number @returns {Buffer} */
export function uint32(number) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}
