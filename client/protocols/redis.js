// The options of protocol redis, its commands (RESP2), made once for all transfers of a leg, and the data written
// before the leg. The options are stored with the run, so they only name the password; kept-secrets.js has it.

import { EnvironmentError } from '../errors.js';
import { count } from '../words/format.js';
import { lineAnswer } from './filling.js';
import { keptSecrets } from './kept-secrets.js';
import { carriesValue, COMMANDS, DIGITS, MSET_KEYS, VALUE } from './redis-commands.js';

/**
 * @import { WrittenScenario } from '../../config/types.js'
 * @import { Filling } from './filling.js'
 * @import { Denied, OptionMistake, Prepared, Protocol } from './index.js'
 * @import { Command } from './redis-commands.js'
 */

/**
 * @typedef {WrittenScenario['redis']} Written
 * @typedef {Omit<Written, 'command'> & Partial<Pick<Written, 'command'>>} RedisOptions  with a mix, command is
 *   absent
 * @typedef {Pick<RedisOptions, 'command' | 'mix'>} CommandOptions
 */

const KEY_DIGITS = 12;
/** Name under which kept-secrets.js has the password, whether from the environment, a flag or a scenario. */
export const PASSWORD_VARIABLE = 'BROADSIDE_REDIS_PASSWORD';
/** Value of the option password in resolved form. */
export const KEPT_PASSWORD = `$${PASSWORD_VARIABLE}`;
const MAX_PREFILLED = 10_000_000;
/** Maximum size of all commands with several keys, which are made in advance. */
const MAX_HEADS_BYTES = 4 * 1024 ** 2;
const MAX_HEADS = 10_000;
/** Elements that one command adds before a leg. */
const BATCH = 100;
const INT64 = 2n ** 63n;

/** @param {CommandOptions} options @returns {[string, number][]} each command with its weight */
const weighted = ({ command = 'GET', mix }) => (mix === undefined ? [[command, 1]] : Object.entries(mix));

/** @param {CommandOptions} options @returns {Command[]} */
const commandsOf = (options) => weighted(options).map(([name]) => COMMANDS[name]);

/** @param {RedisOptions} options @returns {boolean} whether a request or a reply contains the payload */
const hasValue = (options) => commandsOf(options).some(carriesValue);

/** @param {Written} options @returns {RedisOptions} */
function completeRedis({ command, ...others }) {
  return others.mix === undefined ? { command, ...others } : others;
}

/** @param {CommandOptions} options @returns {boolean} whether a command removes elements, until none is left */
const removesElements = (options) =>
  commandsOf(options).some(({ needs, reads }) => needs !== 'strings' && needs && !reads);

/**
 * Keys that affect only some commands. isUsed: the options have such a command; use: what such a command does
 * @type {Record<string, {isUsed: (options: CommandOptions & { prefill: boolean }) => boolean, use: string}>}
 */
const USES = {
  keys: { isUsed: (options) => commandsOf(options).some(({ drawsKeys }) => drawsKeys), use: 'draws a key' },
  elements: { isUsed: (options) => options.prefill && removesElements(options), use: 'removes prefilled elements' },
  prefill: { isUsed: (options) => commandsOf(options).some(({ needs }) => needs), use: 'needs data' },
};

/** @param {Partial<RedisOptions>} given options @returns {string[]} keys without an effect on these commands */
function unusedInRedis(given) {
  const options = { prefill: true, ...given };
  return Object.keys(USES).filter((key) => !USES[key].isUsed(options));
}

/**
 * @param {RedisOptions} options
 * @param {unknown} _scenario
 * @param {Record<string, unknown>} given the options as written
 * @returns {OptionMistake[]}
 */
function redisMistakes(options, _scenario, given) {
  const { keys, elements, prefill } = options;
  /** @type {OptionMistake[]} */
  const mistakes = [];
  if (given.mix !== undefined && given.command !== undefined) {
    mistakes.push([
      'command',
      'command-and-mix',
      { command: given.command },
      `${given.command}, but redis.mix also gives commands; leave one of them out`,
    ]);
  }
  for (const [key, { isUsed, use }] of Object.entries(USES)) {
    if (given[key] === undefined || isUsed(options)) continue;
    const names = weighted(options).map(([name]) => name);
    mistakes.push([
      key,
      'key-not-for-command',
      { commands: names },
      `${given[key]}, but ${names.join(', ')} never ${use}; leave it out`,
    ]);
  }
  const data = prefill ? dataOf(options) : new Set();
  for (const [key, value] of /** @type {const} */ ([
    ['keys', data.has('strings') ? keys : 0],
    ['elements', removesElements(options) ? elements : 0],
  ])) {
    if (value <= MAX_PREFILLED) continue;
    mistakes.push([
      key,
      'too-many-keys',
      { [key]: value, max: MAX_PREFILLED },
      `${value} ${key} are too many to set before each leg, at most ${MAX_PREFILLED}; give fewer, or no prefill`,
    ]);
  }
  return mistakes;
}

/** Remedies by the beginning of the server's error. @type {[RegExp, Denied][]} */
const DENIALS = [
  [
    /^-NOAUTH/,
    {
      key: 'redis.password',
      remedy: `The server asks for a password: give redis.password, or ${PASSWORD_VARIABLE} in the environment`,
    },
  ],
  [
    /^-(WRONGPASS|ERR invalid password)/,
    {
      key: 'redis.password',
      remedy: `The server does not accept this password: correct redis.password, or ${PASSWORD_VARIABLE}; and redis.user, if it is not for the user "default"`,
    },
  ],
  [
    /^-ERR (AUTH <password> called without any password|Client sent AUTH, but no password)/,
    { key: 'redis.password', remedy: `The server has no password: leave out redis.password, and ${PASSWORD_VARIABLE}` },
  ],
  [/^-NOPERM/, { key: 'redis.user', remedy: 'The user may not send this command: give redis.user and its password' }],
];

/** @param {string} said what the server sent, from the beginning of an error @returns {Denied | null} */
const deniedByRedis = (said) => DENIALS.find(([start]) => start.test(said))?.[1] ?? null;

/** @param {RedisOptions} options @returns {Set<string>} the data that its commands need */
const dataOf = (options) => new Set(commandsOf(options).flatMap(({ needs }) => needs ?? []));

/** @param {number} key @returns {string} */
const digits = (key) => String(key).padStart(KEY_DIGITS, '0');

/** @param {Uint8Array} bytes @returns {Buffer} a bulk string */
const bulk = (bytes) => Buffer.concat([Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n')]);

/** @param {(string | Uint8Array)[]} words @returns {Buffer} an array of bulk strings */
const array = (words) =>
  Buffer.concat([Buffer.from(`*${words.length}\r\n`), ...words.map((word) => bulk(Buffer.from(word)))]);

/** Parts of a growing buffer, with their offsets. */
class Layout {
  /** @param {number} at offset of the first part */
  constructor(at) {
    this.at = at;
    /** @type {Buffer[]} */
    this.parts = [];
  }

  /** @param {Buffer} part @returns {number} its offset */
  add(part) {
    const at = this.at;
    this.parts.push(part);
    this.at += part.length;
    return at;
  }
}

/**
 * Makes commands with several keys, all of the same length. Together they have each key once, in an order that looks
 * random (a multiplicative sequence), unless they would be too long.
 * @param {Command} command @param {number} keys @param {Uint8Array} payload
 * @returns {Buffer[]}
 */
function headsOf({ words }, keys, payload) {
  const headAt = (/** @type {number} */ index) => {
    let next = index * MSET_KEYS;
    const key = () => digits(scattered(next++, keys));
    return array(words.map((word) => (word === VALUE ? payload : word.replace(DIGITS, key))));
  };
  const [first] = [headAt(0)];
  const heads = Math.min(Math.ceil(keys / MSET_KEYS), MAX_HEADS, Math.floor(MAX_HEADS_BYTES / first.length));
  return [first, ...Array.from({ length: Math.max(0, heads - 1) }, (_, i) => headAt(i + 1))];
}

/**
 * @param {number} index @param {number} keys
 * @returns {number} a key; successive indices give distant keys, and `keys` of them give each key once
 */
function scattered(index, keys) {
  let step = Math.max(1, Math.floor(keys * 0.618));
  while (divisor(step, keys) !== 1) step += 1;
  return Number((BigInt(index % keys) * BigInt(step)) % BigInt(keys));
}

/** @param {number} a @param {number} b @returns {number} their greatest common divisor */
const divisor = (a, b) => (b === 0 ? a : divisor(b, a % b));

/**
 * @param {Command} command
 * @param {RedisOptions} options
 * @param {Uint8Array} payload
 * @param {Layout} layout
 * @param {number} valueAt offset of the payload as a bulk string; a line end precedes it
 * @returns {{headAt: number, headBytes: number, heads: number, keys: number, tailAt: number, tailBytes: number}}
 */
function requestOf(command, { keys }, payload, layout, valueAt) {
  const { words, inline } = command;
  const none = { heads: 1, keys: 0, tailAt: 0, tailBytes: 0 };
  const valueBytes = bulk(payload).length;
  if (words.filter((word) => word === VALUE).length > 1) {
    const heads = headsOf(command, keys, payload);
    return { ...none, headAt: layout.add(Buffer.concat(heads)), headBytes: heads[0].length, heads: heads.length };
  }
  const sendsValue = words.at(-1) === VALUE;
  const texts = words.filter((word) => word !== VALUE).map((word) => word.replace(DIGITS, digits(0)));
  const request = inline ? Buffer.from(`${texts.join(' ')}\r\n`) : array(texts);
  if (sendsValue) request.write(String(texts.length + 1), 1); // fewer than ten words
  const drawsDigits = words.some((word) => word.includes(DIGITS));
  const head = drawsDigits ? request.subarray(0, request.length - 2 - KEY_DIGITS) : request; // the digits end the last text
  const headAt = layout.add(Buffer.from(head));
  if (!drawsDigits) {
    const tail = sendsValue ? { tailAt: valueAt, tailBytes: valueBytes } : {};
    return { ...none, headAt, headBytes: head.length, ...tail };
  }
  const tailBytes = sendsValue ? valueBytes + 2 : 2;
  return { ...none, headAt, headBytes: head.length, keys, tailAt: valueAt - 2, tailBytes };
}

/**
 * @param {Command} command
 * @param {RedisOptions} options
 * @param {Uint8Array} payload
 * @param {Layout} layout
 * @param {number} valueAt offset of the payload as a bulk string
 * @returns {(number | bigint)[]} the fields reply_type to miss_bytes of struct redis_command
 */
function replyOf({ reply: { text, miss, integer, values } }, options, payload, layout, valueAt) {
  const valueBytes = bulk(payload).length;
  if (integer !== undefined) {
    const [min, max] = integer.map((end) => (Number.isFinite(end) ? BigInt(end) : end < 0 ? -INT64 : INT64 - 1n));
    return [1, 0, 0, 0, min, max, 0, 0];
  }
  if (values !== undefined) return [2, valueAt, valueBytes, 0, 0, values, 0, 0];
  const [missAt, missBytes] = miss === undefined ? [0, 0] : [layout.add(Buffer.from(miss)), miss.length];
  if (text === undefined || text === VALUE) return [0, valueAt, valueBytes, valueBytes, 0, 0, missAt, missBytes];
  const place = text.indexOf(DIGITS);
  const whole = Buffer.from(text.replace(DIGITS, digits(0)));
  // without prefill, the server may have elements of other runs
  const last = options.prefill ? Math.max(options.keys, options.elements) - 1 : 10 ** KEY_DIGITS - 1;
  return [0, layout.add(whole), whole.length, place < 0 ? whole.length : place, 0, last, missAt, missBytes];
}

/** @param {RedisOptions} options @returns {Buffer} AUTH; empty without a password */
function authentication({ user, password }) {
  if (password === undefined) return Buffer.alloc(0);
  const secret = keptSecrets[PASSWORD_VARIABLE];
  if (secret === undefined) {
    throw new EnvironmentError(`redis.password: ${PASSWORD_VARIABLE} is not in the environment of this process`, {
      code: 'EPASSWORD',
      data: { variable: PASSWORD_VARIABLE },
    });
  }
  return array(['AUTH', ...(user === undefined ? [] : [user]), secret]);
}

const FIELDS = 15;

/**
 * @param {RedisOptions} options
 * @param {{payload: Uint8Array}} leg
 * @returns {Prepared}
 */
function prepareRedis(options, { payload }) {
  const commands = weighted(options);
  const layout = new Layout(commands.length * FIELDS * 8);
  const valueAt = layout.add(Buffer.concat([Buffer.from('\r\n'), bulk(payload)])) + 2;
  const table = commands.flatMap(([name, weight]) => {
    const command = COMMANDS[name];
    const { headAt, headBytes, heads, keys, tailAt, tailBytes } = requestOf(command, options, payload, layout, valueAt);
    const reply = replyOf(command, options, payload, layout, valueAt);
    return [weight, headAt, headBytes, heads, keys, tailAt, tailBytes, ...reply];
  });
  const numbers = BigInt64Array.from(table, BigInt);
  const hello = authentication(options);
  const helloAt = layout.add(hello);
  return {
    bytes: Buffer.concat([new Uint8Array(numbers.buffer), ...layout.parts]),
    parameters: {
      ...{ commands: commands.length, weights: commands.reduce((sum, [, weight]) => sum + weight, 0) },
      ...{ helloAt, helloBytes: hello.length },
    },
  };
}

/** @typedef {{request: Buffer, answer: RegExp}} Step */

/**
 * @param {string} key
 * @param {number} elements
 * @param {(from: number, to: number) => (string | Uint8Array)[]} add returns the command that adds these elements
 * @returns {{count: number, step: (i: number) => Step}} steps that delete the key, then add its elements in batches
 */
function elementsSteps(key, elements, add) {
  return {
    count: 1 + Math.ceil(elements / BATCH),
    step: (i) =>
      i === 0
        ? { request: array(['DEL', key]), answer: /^:[01]$/ }
        : { request: array(add((i - 1) * BATCH, Math.min(i * BATCH, elements))), answer: /^:[1-9][0-9]*$/ },
  };
}

/** @param {number} from @param {number} to @returns {string[]} */
const elementNames = (from, to) => Array.from({ length: to - from }, (_, i) => `element:${digits(from + i)}`);

/**
 * @param {RedisOptions} options @param {Uint8Array} payload
 * @returns {{count: number, step: (i: number) => Step}[]} the parts of the preparation, in order
 */
function preparation(options, payload) {
  const data = dataOf(options);
  const { keys, elements } = options;
  const reads = Math.max(0, ...commandsOf(options).map((command) => command.reads ?? 0));
  const listed = Math.max(
    reads,
    commandsOf(options).some((command) => command.needs === 'list' && !command.reads) ? elements : 0,
  );
  const hello = authentication(options);
  return [
    hello.length > 0 ? [{ count: 1, step: () => ({ request: hello, answer: /^\+OK$/ }) }] : [],
    data.has('strings')
      ? [
          {
            count: keys,
            step: (/** @type {number} */ i) => ({
              request: array(['SET', `value:${digits(i)}`, payload]),
              answer: /^\+OK$/,
            }),
          },
        ]
      : [],
    data.has('list')
      ? [elementsSteps('mylist', listed, (from, to) => ['RPUSH', 'mylist', ...Array(to - from).fill(payload)])]
      : [],
    data.has('set')
      ? [elementsSteps('myset', elements, (from, to) => ['SADD', 'myset', ...elementNames(from, to)])]
      : [],
    data.has('zset')
      ? [
          elementsSteps('myzset', elements, (from, to) => [
            ...['ZADD', 'myzset'],
            ...elementNames(from, to).flatMap((name) => ['0', name]),
          ]),
        ]
      : [],
  ].flat();
}

/**
 * @param {RedisOptions} options
 * @param {Uint8Array} payload
 * @returns {Filling | null} null if the requests need no data
 */
function fillRedis(options, payload) {
  const parts = options.prefill ? preparation(options, payload) : [];
  if (parts.length === 0) return null;
  const stepAt = (/** @type {number} */ i) => {
    let at = i;
    for (const { count, step } of parts) {
      if (at < count) return step(at);
      at -= count;
    }
    throw new RangeError(`no step ${i}`);
  };
  return {
    count: parts.reduce((sum, part) => sum + part.count, 0),
    request: (i) => stepAt(i).request,
    answer: (bytes, i) => lineAnswer(bytes, stepAt(i).answer),
  };
}

/** @type {Record<string, string>} */
const KEY_OF = { list: 'mylist', set: 'myset', zset: 'myzset' };

/** @param {RedisOptions} options @returns {string | null} the data that its requests leave in a server; null if none */
function leftInRedis(options) {
  const { keys, prefill } = options;
  const commands = commandsOf(options);
  const data = prefill ? [...dataOf(options)] : [];
  const keysText = (/** @type {string} */ prefix) => `${count(keys)} ${keys === 1 ? 'key' : 'keys'} ${prefix}...`;
  const prepared = data.map((type) =>
    type === 'strings' ? `sets ${keysText('value:')} before each leg` : `replaces ${KEY_OF[type]} before each leg`,
  );
  const written = commands
    .filter(({ writes, words }) => writes && !(data.includes('strings') && words[1].startsWith('value:')))
    .map(({ writes, where, words }) =>
      where === undefined ? `${writes} up to ${keysText(words[1].replace(DIGITS, ''))}` : `${writes} ${where}`,
    );
  const texts = [...new Set([...prepared, ...written])];
  return texts.length === 0 ? null : texts.join(', ');
}

/**
 * @param {{ command?: string, mix?: Record<string, number> }} options as resolved, or as a summary has them
 * @returns {string} such as "GET", "GET 9, SET 1"
 */
const redisWords = ({ command = '', mix }) =>
  mix === undefined
    ? command
    : Object.entries(mix)
        .map(([name, weight]) => `${name} ${count(weight)}`)
        .join(', ');

/** @type {Protocol<RedisOptions, Written>} */
export const redis = {
  schema: {
    description: 'The commands of protocol redis',
    properties: {
      password: {
        type: 'string',
        minLength: 1,
        description:
          'Password of the server. It is sent before a connection counts as open, and is not stored with the run; better in the environment, as BROADSIDE_REDIS_PASSWORD, than on a command line, which other processes can read',
        'x-default': 'BROADSIDE_REDIS_PASSWORD of the environment, or none',
      },
      user: {
        type: 'string',
        minLength: 1,
        maxLength: 255,
        description: 'User that the password belongs to',
        'x-default': "the server's user default",
      },
      command: {
        type: 'string',
        enum: Object.keys(COMMANDS),
        default: 'GET',
        description: 'Command to send, by the names of redis-benchmark; payload is the size of each value',
      },
      mix: {
        type: 'object',
        minProperties: 1,
        propertyNames: {
          enum: Object.keys(COMMANDS),
          'x-expects': 'the name of a command, such as GET',
        },
        additionalProperties: {
          type: 'integer',
          minimum: 1,
          maximum: 1000000,
          'x-expects': 'a weight from 1 to 1000000',
        },
        description: 'Several commands instead of one, with their weights, in random order',
        'x-expects': 'an object with commands and weights, such as {"GET": 9, "SET": 1}',
        'x-default': 'none',
        'x-flag': false,
      },
      keys: {
        type: 'integer',
        minimum: 1,
        maximum: 1000000000000,
        default: 10000,
        description: 'Number of keys, or of elements that SADD, HSET and ZADD add; each command picks one at random',
      },
      elements: {
        type: 'integer',
        minimum: 1,
        maximum: 1000000000000,
        default: 100000,
        description:
          'Elements of the list, set or sorted set before a leg of LPOP, RPOP, SPOP or ZPOPMIN; when they are used up, each further reply counts as a miss',
      },
      prefill: {
        type: 'boolean',
        default: true,
        description:
          'Set all keys and elements that the commands read before a leg; otherwise a missing one counts as a miss',
      },
    },
  },
  schemes: { redis: { port: 6379 }, rediss: { port: 6379, tls: true } },
  login: `give redis.user, and redis.password or ${PASSWORD_VARIABLE} in the environment`,
  probe: { command: 'PING', keys: 1, elements: 1, prefill: false },
  kinds: true,
  complete: completeRedis,
  hasPayload: hasValue,
  unused: unusedInRedis,
  mistakes: redisMistakes,
  prepare: prepareRedis,
  fill: fillRedis,
  leaves: leftInRedis,
  denied: deniedByRedis,
  words: redisWords,
};
