// The commands of protocol redis: their words, their replies, and the data that they need. They are those of
// redis-benchmark, on the same keys, except that strings are spread over redis.keys. Pure.

/** In a word: replaced by the twelve digits of a number that the engine draws. */
export const DIGITS = '#';
/** The payload, as a word and as a reply. */
export const VALUE = '$';

/** As many keys as redis-benchmark sets by one MSET. */
export const MSET_KEYS = 10;

/**
 * What must be in the server before a leg. strings: each key; list, set, zset: with elements, as many as redis.elements
 * says, or as the command reads.
 * @typedef {'strings' | 'list' | 'set' | 'zset'} Data
 *
 * @typedef {object} Reply as far as a command determines it
 * @property {string} [text]  VALUE: the payload, as a bulk string
 * @property {string} [miss]      the text of a reply without a value
 * @property {[least: number, most: number]} [integer]  without an end: ±Infinity
 * @property {number} [values]    an array of at most this many payloads
 *
 * @typedef {object} Command
 * @property {readonly string[]} words   of the request; VALUE is the last
 * @property {true} [inline]      sent as a line instead of an array
 * @property {boolean} [drawsKeys] whether redis.keys is the number of its keys or elements
 * @property {Data} [needs]
 * @property {number} [reads]     elements of a list; a command that takes elements away has none
 * @property {string} [writes]    what it leaves in the server: "sets", or another verb before the keys
 * @property {string} [where]     the key, where it always is the same
 * @property {Reply} reply
 */

const PONG = { text: '+PONG\r\n' };
const OK = { text: '+OK\r\n' };
const NONE = '$-1\r\n';
const ELEMENT = `element:${DIGITS}`;
const ELEMENT_BULK = `$20\r\n${ELEMENT}\r\n`;
/** Whether an element was added. @type {[number, number]} */
const ADDED = [0, 1];
/** The length of a list after a push. @type {[number, number]} */
const LENGTH = [1, Infinity];

/** @param {number} count @returns {Command} */
const lrange = (count) => ({
  words: ['LRANGE', 'mylist', '0', String(count - 1)],
  needs: 'list',
  reads: count,
  reply: { values: count },
});

/** @type {Readonly<Record<string, Command>>} */
export const COMMANDS = Object.freeze({
  PING_INLINE: { words: ['PING'], inline: true, reply: PONG },
  PING: { words: ['PING'], reply: PONG },
  SET: { words: ['SET', `value:${DIGITS}`, VALUE], drawsKeys: true, writes: 'sets', reply: OK },
  GET: { words: ['GET', `value:${DIGITS}`], drawsKeys: true, needs: 'strings', reply: { text: VALUE, miss: NONE } },
  INCR: {
    words: ['INCR', `counter:${DIGITS}`],
    drawsKeys: true,
    writes: 'increments',
    reply: { integer: [-Infinity, Infinity] },
  },
  LPUSH: { words: ['LPUSH', 'mylist', VALUE], writes: 'pushes onto', where: 'mylist', reply: { integer: LENGTH } },
  RPUSH: { words: ['RPUSH', 'mylist', VALUE], writes: 'pushes onto', where: 'mylist', reply: { integer: LENGTH } },
  LPOP: { words: ['LPOP', 'mylist'], needs: 'list', reply: { text: VALUE, miss: NONE } },
  RPOP: { words: ['RPOP', 'mylist'], needs: 'list', reply: { text: VALUE, miss: NONE } },
  SADD: {
    words: ['SADD', 'myset', ELEMENT],
    drawsKeys: true,
    writes: 'adds to',
    where: 'myset',
    reply: { integer: ADDED },
  },
  HSET: {
    words: ['HSET', 'myhash', ELEMENT, VALUE],
    drawsKeys: true,
    writes: 'sets fields of',
    where: 'myhash',
    reply: { integer: ADDED },
  },
  SPOP: { words: ['SPOP', 'myset'], needs: 'set', reply: { text: ELEMENT_BULK, miss: NONE } },
  ZADD: {
    words: ['ZADD', 'myzset', '0', ELEMENT],
    drawsKeys: true,
    writes: 'adds to',
    where: 'myzset',
    reply: { integer: ADDED },
  },
  ZPOPMIN: {
    words: ['ZPOPMIN', 'myzset'],
    needs: 'zset',
    reply: { text: `*2\r\n${ELEMENT_BULK}$1\r\n0\r\n`, miss: '*0\r\n' },
  },
  LRANGE_100: lrange(100),
  LRANGE_300: lrange(300),
  LRANGE_500: lrange(500),
  LRANGE_600: lrange(600),
  MSET: {
    words: ['MSET', ...Array.from({ length: MSET_KEYS }, () => [`value:${DIGITS}`, VALUE]).flat()],
    drawsKeys: true,
    writes: 'sets',
    reply: OK,
  },
});

/** @param {Command} command @returns {boolean} whether the payload is part of its request or reply */
export const carriesValue = ({ words, reply: { text, values } }) =>
  words.includes(VALUE) || text === VALUE || values !== undefined;
