// The options of protocol raw: bytes to send unchanged, and how a reply ends. scenario/keys/named-files.js reads a file
// to send. Texts may contain escapes (\r \n \t \0 \\ and \xHH), so that a flag can name any byte.

import { parseDuration, parseSize, writeDuration, writeSize } from '../words/units.js';

/**
 * @import { WrittenScenario } from '../../config/types.js'
 * @import { OptionMistake, Prepared, Protocol } from './index.js'
 */

/**
 * @typedef {WrittenScenario['raw']} Written
 *
 * @typedef {Omit<Written, 'length' | 'silence'> & Resolved} RawOptions
 *
 * @typedef {object} Resolved
 * @property {string} content the bytes to send, in base64; empty until the file is read
 * @property {string} [delimiterContent] base64
 * @property {number} [lengthBytes] of a reply
 * @property {number} [silenceNs] that ends a reply
 */

export const MAX_REQUEST_BYTES = 1024 ** 2;
const MAX_DELIMITER_BYTES = 255;
const MAX_SILENCE_NS = 3600e9;
const MAX_REPLY_BYTES = 1024 ** 4;

const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|([rnt0\\])|)/g;
/** @type {Record<string, string>} */
const LETTERS = { r: '\r', n: '\n', t: '\t', 0: '\0', '\\': '\\' };

/**
 * @param {string} text
 * @returns {Buffer | null} its bytes in UTF-8, with escapes replaced; null if a backslash does not begin an escape
 */
function bytesOfText(text) {
  const parts = [];
  let at = 0;
  for (const { 0: escape, 1: hex, 2: letter, index } of text.matchAll(ESCAPE)) {
    if (hex === undefined && letter === undefined) return null;
    parts.push(
      Buffer.from(text.slice(at, index)),
      hex === undefined ? Buffer.from(LETTERS[letter]) : Buffer.from(hex, 'hex'),
    );
    at = index + escape.length;
  }
  return Buffer.concat([...parts, Buffer.from(text.slice(at))]);
}

/** @param {string | undefined} text @returns {Buffer} empty without a text, or if it is not valid */
const bytesOrNone = (text) => (text === undefined ? null : bytesOfText(text)) ?? Buffer.alloc(0);

/**
 * @param {Written} options
 * @returns {RawOptions}
 */
function completeRaw({ length, silence, ...given }) {
  const { send, delimiter } = given;
  return {
    ...given,
    content: bytesOrNone(send).toString('base64'),
    ...(delimiter === undefined ? {} : { delimiterContent: bytesOrNone(delimiter).toString('base64') }),
    ...(length === undefined ? {} : { lengthBytes: parseSize(length) }),
    ...(silence === undefined ? {} : { silenceNs: parseDuration(silence) }),
  };
}

/** @param {RawOptions} options @returns {number[]} bytes; [1] while the file has not been read */
const rawSizes = ({ content }) => [Buffer.byteLength(content, 'base64') || 1];

/**
 * @param {string} key
 * @param {string | undefined} text
 * @param {number} max bytes
 * @returns {OptionMistake[]}
 */
function textMistakes(key, text, max) {
  if (text === undefined) return [];
  const bytes = bytesOfText(text);
  if (bytes === null) {
    return [
      [
        key,
        'unknown-escape',
        {},
        'a backslash must begin one of \\r \\n \\t \\0 \\\\ \\xHH; write \\\\ for a backslash',
      ],
    ];
  }
  return bytes.length <= max
    ? []
    : [
        [
          key,
          'out-of-range',
          { value: bytes.length, max },
          `${writeSize(bytes.length)} is too long; at most ${writeSize(max)}`,
        ],
      ];
}

/**
 * @param {RawOptions} options
 * @param {{pipeline: number}} scenario
 * @returns {OptionMistake[]}
 */
function rawMistakes({ send, file, delimiter, lengthBytes, silenceNs }, { pipeline }) {
  /** @type {OptionMistake[]} */
  const mistakes = [
    ...textMistakes('send', send, MAX_REQUEST_BYTES),
    ...textMistakes('delimiter', delimiter, MAX_DELIMITER_BYTES),
  ];
  if (send === undefined && file === undefined) {
    mistakes.push([
      'send',
      'nothing-to-send',
      {},
      'there is nothing to send; give raw.send, such as "PING\\r\\n", or raw.file',
    ]);
  } else if (send !== undefined && file !== undefined) {
    mistakes.push([
      'file',
      'send-and-file',
      { file },
      `${file}, but raw.send also gives bytes to send; leave one of them out`,
    ]);
  }
  const ends = Object.entries({ length: lengthBytes, delimiter, silence: silenceNs }).filter(
    ([, value]) => value !== undefined,
  );
  if (ends.length === 0) {
    mistakes.push([
      'length',
      'reply-without-end',
      {},
      'nothing says where a reply ends; give raw.length, such as 64B, raw.delimiter, such as ' +
        '"\\r\\n", or raw.silence, such as 20ms',
    ]);
  } else if (ends.length > 1) {
    mistakes.push([
      ends[1][0],
      'two-reply-ends',
      { keys: ends.map(([key]) => key) },
      `raw.${ends[0][0]} says where a reply ends; leave one of them out`,
    ]);
  }
  if (
    lengthBytes !== undefined &&
    !(Number.isInteger(lengthBytes) && lengthBytes >= 1 && lengthBytes <= MAX_REPLY_BYTES)
  ) {
    mistakes.push([
      'length',
      'out-of-range',
      { value: lengthBytes, min: 1, max: MAX_REPLY_BYTES },
      `must be a whole number of bytes, at least 1B, at most ${writeSize(MAX_REPLY_BYTES)}`,
    ]);
  }
  if (silenceNs !== undefined && !(silenceNs > 0 && silenceNs <= MAX_SILENCE_NS)) {
    mistakes.push([
      'silence',
      'out-of-range',
      { value: silenceNs, max: MAX_SILENCE_NS },
      `must be longer than 0s, at most ${writeDuration(MAX_SILENCE_NS)}`,
    ]);
  }
  if (silenceNs !== undefined && pipeline > 1) {
    mistakes.push([
      'silence',
      'pipeline-with-silence',
      { pipeline },
      `cannot separate the replies to several requests in flight, and pipeline is ${pipeline}; leave one of them out`,
    ]);
  }
  return mistakes;
}

/**
 * @param {Uint8Array} text
 * @returns {Uint8Array} Knuth-Morris-Pratt failure function: per position, the length of the longest proper prefix that
 *   is also a suffix
 */
function kmpPrefixLengths(text) {
  const lengths = new Uint8Array(text.length);
  for (let i = 1, length = 0; i < text.length; i += 1) {
    while (length > 0 && text[i] !== text[length]) length = lengths[length - 1];
    if (text[i] === text[length]) length += 1;
    lengths[i] = length;
  }
  return lengths;
}

/**
 * @param {RawOptions} options
 * @returns {Prepared}
 */
function prepareRaw({ content, delimiterContent = '', lengthBytes = 0, silenceNs = 0 }) {
  const request = Buffer.from(content, 'base64');
  const delimiter = Buffer.from(delimiterContent, 'base64');
  return {
    bytes: Buffer.concat([request, delimiter, kmpPrefixLengths(delimiter)]),
    parameters: {
      requestBytes: request.length,
      replyBytes: lengthBytes,
      delimiterBytes: delimiter.length,
      silenceNs: Math.ceil(silenceNs),
    },
  };
}

/** @type {Protocol<RawOptions, Written>} */
export const raw = {
  schema: {
    description: 'What protocol raw sends, and where a reply ends',
    properties: {
      send: {
        type: 'string',
        minLength: 1,
        description: 'Text to send, in UTF-8, with the escapes \\r \\n \\t \\0 \\\\ and \\xHH',
      },
      file: {
        type: 'string',
        minLength: 1,
        description: 'File to send, instead of send; at most 1MiB. In a scenario, a path relative to its folder',
      },
      length: {
        type: 'string',
        'x-unit': 'size',
        pattern: '^[0-9]+(\\.[0-9]+)?(B|KiB|MiB|GiB)$',
        description: 'End a reply after this many bytes',
      },
      delimiter: { type: 'string', minLength: 1, description: 'End a reply with this text, with the escapes of send' },
      silence: {
        type: 'string',
        'x-unit': 'duration',
        pattern: '^[0-9]+(\\.[0-9]+)?(us|ms|s|m|h)$',
        description: 'End a reply when nothing arrives for this long; the wait is not part of the response time',
      },
    },
  },
  any: true,
  complete: completeRaw,
  sizes: rawSizes,
  sizedBy: 'raw.send or raw.file',
  mistakes: rawMistakes,
  prepare: prepareRaw,
};
