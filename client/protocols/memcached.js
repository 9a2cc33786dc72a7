// The options of protocol memcached, and the requests of its text format, made once for all transfers of a leg, with
// the values set before the leg. memcached-binary.js makes the requests of the binary format.

import { count } from '../words/format.js';
import { lineAnswer } from './filling.js';
import { fillMemcachedBinary, prepareMemcachedBinary } from './memcached-binary.js';
import { keyOf, memcachedSizes, prefixOf, shuffledKeys, weights } from './memcached-keys.js';

/**
 * @import { WrittenScenario } from '../../config/types.js'
 * @import { Filling } from './filling.js'
 * @import { LegFacts, OptionMistake, Prepared, Protocol } from './index.js'
 */

/** @typedef {WrittenScenario['memcached']} MemcachedOptions */

const OFFSET_BYTES = 8;
const MAX_VALUE_BYTES = 1024 ** 3;
const MAX_PREFILLED = 10_000_000;
/** Keys for gets of several keys: each worker holds them in memory, in random order. */
const MAX_TO_GET_TOGETHER = 1_000_000;

/** @param {MemcachedOptions} options @returns {OptionMistake[]} */
function memcachedMistakes(options) {
  const { ratio, keys, keysPerGet, prefill } = options;
  const [gets, sets] = weights(options);
  /** @type {OptionMistake[]} */
  const mistakes = [];
  if (gets + sets === 0)
    mistakes.push([
      'ratio',
      'ratio-empty',
      { ratio },
      `${ratio} has neither gets nor sets; give a ratio such as 9:1, 1:0 or 0:1`,
    ]);
  const sizes = memcachedSizes(options);
  const areEmpty = sizes?.every((bytes) => bytes === 0); // some values may be empty, if others are not
  sizes?.forEach((bytes, i) => {
    const value = options.sizes?.[i];
    const reject = (/** @type {string} */ code, /** @type {string} */ why) =>
      mistakes.push([`sizes[${i}]`, code, { value }, `${value} ${why}`]);
    if (!Number.isInteger(bytes)) reject('not-whole-bytes', 'is not a whole number of bytes');
    else if (areEmpty) reject('sizes-empty', 'cannot be the only size; at least one size must be greater than 0');
    else if (bytes > MAX_VALUE_BYTES) reject('out-of-range', 'is too large; at most 1GiB');
  });
  if (gets > 0 && prefill && keys > MAX_PREFILLED) {
    mistakes.push([
      'keys',
      'too-many-keys',
      { keys, max: MAX_PREFILLED },
      `${keys} keys are too many to set before each leg, at most ${MAX_PREFILLED}; give fewer, or no prefill`,
    ]);
  }
  if (gets === 0 || keysPerGet === 1) return mistakes;
  if (keysPerGet > keys)
    mistakes.push([
      'keysPerGet',
      'keys-per-get-above-keys',
      { keysPerGet, keys },
      `${keysPerGet} is more than the number of keys (${keys}); give fewer`,
    ]);
  if (keys > MAX_TO_GET_TOGETHER) {
    mistakes.push([
      'keys',
      'too-many-keys',
      { keys, max: MAX_TO_GET_TOGETHER },
      `${keys} keys are too many for gets of several keys, at most ${MAX_TO_GET_TOGETHER}; give fewer, or ` +
        'one key per get',
    ]);
  }
  return mistakes;
}

/** @param {Uint8Array} value @returns {Buffer} part of a set after its key; flags and expiry are 0 */
const valueBlock = (value) => Buffer.concat([Buffer.from(` 0 0 ${value.length}\r\n`), value, Buffer.from('\r\n')]);

/**
 * @param {MemcachedOptions} options
 * @param {Uint8Array} payload as long as the largest value
 * @returns {Buffer[]} part of a set after its key, for each size
 */
const valueBlocks = (options, payload) =>
  (memcachedSizes(options) ?? [payload.length]).map((bytes) => valueBlock(payload.subarray(0, bytes)));

/**
 * @param {string} prefix
 * @param {number} keys
 * @param {number} keysPerGet
 * @returns {Buffer} all keys in random order, then the first keysPerGet - 1 once more
 */
const shuffledText = (prefix, keys, keysPerGet) =>
  Buffer.from(
    shuffledKeys(keys, keysPerGet)
      .map((key) => ` ${keyOf(prefix, key)}`)
      .join(''),
  );

/**
 * @param {MemcachedOptions} options
 * @param {LegFacts} leg
 * @returns {Prepared}
 */
function prepareMemcached(options, leg) {
  if (options.format === 'binary') return prepareMemcachedBinary(options, leg);
  const { payload } = leg;
  const { keys, keysPerGet } = options;
  const [gets, sets] = weights(options);
  const keysOfGet = gets === 0 ? 1 : keysPerGet;
  const blocks = valueBlocks(options, payload);
  const offsets = new BigUint64Array(blocks.length + 1);
  let at = OFFSET_BYTES * offsets.length;
  blocks.forEach(({ length }, i) => {
    offsets[i] = BigInt(at);
    at += length;
  });
  offsets[blocks.length] = BigInt(at);
  const prefix = prefixOf(options);
  const heads = Buffer.from(`get ${prefix}set ${prefix}`);
  const entries = keysOfGet === 1 ? [] : [shuffledText(prefix, keys, keysOfGet)];
  return {
    bytes: Buffer.concat([new Uint8Array(offsets.buffer), ...blocks, heads, ...entries]),
    parameters: {
      getWeight: gets,
      setWeight: sets,
      keys,
      keysPerGet: keysOfGet,
      sizes: blocks.length,
      headsAt: at,
      prefixBytes: prefix.length,
      shuffledKeysAt: at + heads.length,
    },
  };
}

/**
 * @param {MemcachedOptions} options
 * @param {Uint8Array} payload
 * @returns {Filling | null} null if the requests need no data
 */
function fillMemcached(options, payload) {
  const [gets] = weights(options);
  if (gets === 0 || !options.prefill) return null;
  if (options.format === 'binary') return fillMemcachedBinary(options, payload);
  const blocks = valueBlocks(options, payload);
  const prefix = prefixOf(options);
  return {
    count: options.keys,
    answer: (bytes) => lineAnswer(bytes, /^STORED$/),
    request: (i) => Buffer.concat([Buffer.from(`set ${keyOf(prefix, i)}`), blocks[i % blocks.length]]),
  };
}

/**
 * @param {MemcachedOptions} options
 * @returns {string | null} the data that its requests leave in a server; null if none
 */
function leftInMemcached(options) {
  const [gets, sets] = weights(options);
  const isFilled = gets > 0 && options.prefill;
  if (!isFilled && sets === 0) return null;
  return `sets ${isFilled ? '' : 'up to '}${count(options.keys)} keys ${prefixOf(options)}...${isFilled ? ' before each leg' : ''}`;
}

/** @type {Protocol<MemcachedOptions>} */
export const memcached = {
  schema: {
    description: 'The commands of protocol memcached',
    properties: {
      format: {
        type: 'string',
        enum: ['text', 'binary'],
        default: 'text',
        description: "memcached's text protocol, or its binary one",
      },
      ratio: {
        type: 'string',
        pattern: '^[0-9]{1,6}:[0-9]{1,6}$',
        default: '1:0',
        description: 'Ratio of gets to sets, in random order',
        'x-expects': 'two whole numbers, such as 9:1, 1:0 (gets only) or 0:1 (sets only)',
      },
      keys: {
        type: 'integer',
        minimum: 1,
        maximum: 1000000000000,
        default: 10000,
        description: 'Number of keys; each command picks keys at random',
      },
      keysPerGet: { type: 'integer', minimum: 1, maximum: 128, default: 1, description: 'Keys per get' },
      keyBytes: {
        type: 'integer',
        minimum: 12,
        maximum: 250,
        default: 18,
        description: 'Length of a key: a prefix (value: in keys of 18 bytes, val: in keys of 16) and twelve digits',
      },
      sizes: {
        type: 'array',
        minItems: 1,
        maxItems: 64,
        items: { type: 'string', 'x-unit': 'size', pattern: '^[0-9]+(\\.[0-9]+)?(B|KiB|MiB)$' },
        description: 'Value sizes, assigned to the keys in turn; list a size twice to make it twice as frequent',
        'x-default': 'payload for all',
        'x-expects': 'a list of sizes, such as ["100B", "100B", "4KiB"]',
        'x-flag-expects': 'sizes separated by commas, such as 100B,100B,4KiB',
      },
      prefill: {
        type: 'boolean',
        default: true,
        description: 'Set all keys before a leg with gets; otherwise a missing key counts as a miss',
      },
    },
  },
  schemes: { memcached: { port: 11211 } },
  probe: { format: 'text', ratio: '1:0', keys: 1, keysPerGet: 1, keyBytes: 18, prefill: false },
  kinds: true,
  sizes: memcachedSizes,
  sizedBy: 'memcached.sizes',
  mistakes: memcachedMistakes,
  prepare: prepareMemcached,
  fill: fillMemcached,
  leaves: leftInMemcached,
};
