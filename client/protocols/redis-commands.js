// The commands of protocol redis: their words, their replies, and the data that they need. redis-benchmark has the same
// commands and keys, except that here strings are spread over redis.keys.

/** Placeholder in a word for the twelve digits of a number that the engine draws. */
export const DIGITS = '#';
/** Placeholder for the payload, as a word of a request and as a reply. */
export const VALUE = '$';

/** Keys of one MSET, as in redis-benchmark. */
export const MSET_KEYS = 10;

/**
 * Data that the server needs before a leg. strings: all keys; list, set, zset: with redis.elements elements, or as many
 * as the command reads.
 * @typedef {'strings' | 'list' | 'set' | 'zset'} Data
 *
 * @typedef {object} Reply the part of a reply that its command determines
 * @property {string} [text]  VALUE: the payload, as a bulk string
 * @property {string} [miss]      text of a reply without a value
 * @property {[min: number, max: number]} [integer]  may be infinite
 * @property {number} [values]    maximum number of payloads in an array
 *
 * @typedef {object} Command
 * @property {readonly string[]} words   of the request; VALUE is the last
 * @property {true} [inline]      sent as a line instead of an array
 * @property {boolean} [drawsKeys] whether redis.keys is the number of its keys or elements
 * @property {Data} [needs]
 * @property {number} [reads]     number of list elements in a reply; absent for commands that remove elements
 * @property {string} [writes]    verb for what it writes, such as "sets"; absent for commands that do not write
 * @property {string} [where]     the key, if it is always the same
 * @property {Reply} reply
 */

const PONG = { text: '+PONG\r\n' };
const OK = { text: '+OK\r\n' };
const NONE = '$-1\r\n';
const ELEMENT = `element:${DIGITS}`;
const ELEMENT_BULK = `$20\r\n${ELEMENT}\r\n`;
/** Number of elements added. @type {[number, number]} */
const ADDED = [0, 1];
/** Length of a list after a push. @type {[number, number]} */
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

/** @param {Command} command @returns {boolean} whether its request or reply contains the payload */
export const carriesValue = ({ words, reply: { text, values } }) =>
  words.includes(VALUE) || text === VALUE || values !== undefined;
