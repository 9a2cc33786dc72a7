// Splits texts with placeholders into pieces for the HTTP codec (engine/core/protocol/http.c).
// {random:LEAST-MOST} is a random number, drawn for each request; {sequence} a number that no other request of the leg
// has; {uuid} a random UUID (version 4). Other braces are plain text, because JSON bodies contain many.

const PLACEHOLDERS = /\{(?:random:(?<least>[0-9]{1,15})-(?<most>[0-9]{1,15})|(?<name>sequence|uuid))\}/g;
/** Invalid placeholders, such as {random}, {uid} or {sequence:1}. */
const MISTAKEN =
  /\{(?:random(?::[^"'{}]*)?|(?:sequence|uuid):[^"'\s{}]*|[a-z]+:[0-9]+-[0-9]+|ra?nd|seq|sequen[a-z]+|u?uid|guid)\}/i;

/** Types of pieces (enum http_piece_type). */
const [TEXT, RANDOM, SEQUENCE, UUID, LENGTH] = [0, 1, 2, 3, 4];
const REQUEST_NUMBERS = 8;
const PIECE_NUMBERS = 3;
const NUMBER_BYTES = 8;
const MAX_DIGITS = 20;
const UUID_BYTES = 36;
const STATUS_BYTES = 64;

/**
 * @typedef {{type: number, text?: Buffer, first?: number, second?: number}} Piece  a text, or a value that the codec
 *   fills in; first, second: numbers whose meaning depends on the type
 */

/** @param {string} text @returns {string | null} the first invalid placeholder; null if there is none */
export function mistakenPlaceholder(text) {
  const reversed = [...text.matchAll(PLACEHOLDERS)].find(({ groups }) => Number(groups?.least) > Number(groups?.most));
  if (reversed) return reversed[0];
  return text.replaceAll(PLACEHOLDERS, '').match(MISTAKEN)?.[0] ?? null;
}

/** @param {RegExpExecArray} match @returns {Piece} */
function placeholderPiece({ groups: { least, most, name } = {} }) {
  if (name === 'uuid') return { type: UUID };
  if (name === 'sequence') return { type: SEQUENCE };
  return { type: RANDOM, first: Number(least), second: Number(most) - Number(least) };
}

/** @param {Buffer} bytes @returns {Piece} */
export const bytesPiece = (bytes) => ({ type: TEXT, text: bytes });

/** @param {string} text @param {BufferEncoding} [encoding] @returns {Piece} */
export const textPiece = (text, encoding = 'utf8') => bytesPiece(Buffer.from(text, encoding));

/** @param {string} text @param {BufferEncoding} [encoding] @returns {Piece[]} */
export function piecesOf(text, encoding) {
  const pieces = /** @type {Piece[]} */ ([]);
  let at = 0;
  for (const match of text.matchAll(PLACEHOLDERS)) {
    pieces.push(textPiece(text.slice(at, match.index), encoding), placeholderPiece(match));
    at = match.index + match[0].length;
  }
  return [...pieces, textPiece(text.slice(at), encoding)];
}

/** @param {Piece[]} pieces @returns {number} bytes of their texts */
export const textBytes = (pieces) => pieces.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);

/** @param {Piece[]} body @returns {Piece} the length of the body, including the payload sent after it */
export const lengthOf = (body) => ({ type: LENGTH, first: textBytes(body) });

/** @param {Piece[]} pieces @returns {number} bytes up to the last placeholder, at most */
export function bytesToLastPlaceholder(pieces) {
  const upTo = pieces.slice(0, pieces.findLastIndex(({ text }) => text === undefined) + 1);
  const maxBytes = (/** @type {Piece} */ { type, text }) => text?.length ?? (type === UUID ? UUID_BYTES : MAX_DIGITS);
  return upTo.reduce((sum, piece) => sum + maxBytes(piece), 0);
}

/** @param {Piece[]} pieces @returns {Piece[]} the pieces without empty texts; adjacent texts are joined */
function joinTexts(pieces) {
  const joined = /** @type {Piece[]} */ ([]);
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.text && piece.text) last.text = Buffer.concat([last.text, piece.text]);
    else if (piece.text?.length !== 0) joined.push({ ...piece });
  }
  return joined;
}

/**
 * @param {Buffer} text that a reply's body must contain
 * @returns {Buffer} the text, then its Knuth-Morris-Pratt failure function, one byte for each byte of the text
 */
function withFallback(text) {
  const fallback = Buffer.alloc(text.length);
  for (let [at, length] = [1, 0]; at < text.length; at += 1) {
    while (length > 0 && text[at] !== text[length]) length = fallback[length - 1];
    if (text[at] === text[length]) length += 1;
    fallback[at] = length;
  }
  return Buffer.concat([text, fallback]);
}

/** @param {(string | number)[]} statuses such as 404 or "2xx" @returns {Buffer} one bit per status, from 100 on */
function statusBits(statuses) {
  const bits = Buffer.alloc(STATUS_BYTES);
  for (let status = 100; status < 600; status += 1) {
    const isExpected = statuses.some((item) => [`${status}`, `${Math.floor(status / 100)}xx`].includes(String(item)));
    if (isExpected) bits[(status - 100) >> 3] |= 1 << ((status - 100) & 7);
  }
  return bits;
}

/**
 * @typedef {{weight: number, pieces: Piece[], headOnly: boolean, sendsPayload: boolean, statuses: (string | number)[] |
 *   null, find: Buffer | null}} Listed  statuses: a reply must have one of them; find: a reply's body must contain it;
 *   null: any reply
 *
 * @param {Listed[]} requests
 * @returns {Buffer} a row of numbers for each request, a row for each piece, then the texts
 */
export function writeRequests(requests) {
  const lists = requests.map(({ pieces }) => joinTexts(pieces));
  const piecesAt = requests.length * REQUEST_NUMBERS * NUMBER_BYTES;
  const texts = /** @type {Buffer[]} */ ([]);
  let end = piecesAt + lists.flat().length * PIECE_NUMBERS * NUMBER_BYTES;
  const put = (/** @type {Buffer} */ bytes) => {
    texts.push(bytes);
    end += bytes.length;
    return end - bytes.length;
  };
  let [weights, at] = [0, piecesAt];
  const rows = requests.map(({ weight, headOnly, sendsPayload, statuses, find }, i) => {
    const first = at;
    weights += weight;
    at += lists[i].length * PIECE_NUMBERS * NUMBER_BYTES;
    return [
      ...[weights, first, lists[i].length, Number(headOnly), Number(sendsPayload)],
      ...[statuses ? put(statusBits(statuses)) : 0, find ? put(withFallback(find)) : 0, find?.length ?? 0],
    ];
  });
  const pieces = lists
    .flat()
    .map(({ type, text, first = 0, second = 0 }) =>
      text === undefined ? [type, first, second] : [type, put(text), text.length],
    );
  const numbers = BigUint64Array.from([...rows, ...pieces].flat(), BigInt);
  return Buffer.concat([Buffer.from(numbers.buffer), ...texts]);
}
