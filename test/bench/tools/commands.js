// Command lines and output parsers of wrk, redis-benchmark and memcaslap. Pure. redis-benchmark ends after a count, not
// a time, so it runs twice: first to find out how fast it is.

import { readWrk } from '../churn/tools.js';
import { KEYS } from './contests.js';

/**
 * @typedef {{port: number, connections: number, pipeline: number, payloadBytes: number, seconds: number}} Load
 * @typedef {{roundTrips: number, seconds: number, failures: number}} Said
 */

/** @param {Load} load @returns {string[]} */
export function wrkCommand({ port, connections, seconds }) {
  return ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, `http://127.0.0.1:${port}/`];
}

/** @param {string} text @returns {Said} */
export function readWrkSaid(text) {
  const { connections, ...rest } = readWrk(text);
  return { roundTrips: connections, ...rest };
}

/** @param {'set' | 'get'} test @param {Load} load @param {number} count of requests @returns {string[]} */
export function redisCommand(test, { port, connections, pipeline, payloadBytes }, count) {
  const numbers = { '-p': port, '-c': connections, '-P': pipeline, '-d': payloadBytes, '-r': KEYS, '-n': count };
  const words = Object.entries(numbers).flatMap(([word, value]) => [word, String(value)]);
  return ['redis-benchmark', '-t', test, '--csv', ...words];
}

/** @param {string} text @param {number} count that was requested @returns {Said} */
export function readRedisSaid(text, count) {
  const rate = Number(/^"[A-Z]+","([\d.]+)"/m.exec(text)?.[1] ?? NaN);
  if (!(rate > 0)) throw new Error(`redis-benchmark says no rate: ${text}`);
  return { roundTrips: count, seconds: count / rate, failures: 0 };
}

/** A window of keys for each connection, together those of the engine. @param {Load} load @returns {string[]} */
export function memcaslapCommand({ port, connections, payloadBytes, seconds }) {
  const window = `${Math.max(1, Math.round(KEYS / connections / 1000))}k`;
  return [
    'memcaslap',
    '-s',
    `127.0.0.1:${port}`,
    '-T',
    '1',
    '-c',
    String(connections),
    '-t',
    `${seconds}s`,
    '-X',
    String(payloadBytes),
    '-w',
    window,
  ];
}

/** @param {string} text @returns {Said} */
export function readMemcaslapSaid(text) {
  const [, seconds, count] = /Run time: ([\d.]+)s Ops: (\d+)/.exec(text) ?? [];
  const misses = /get_misses: (\d+)/.exec(text)?.[1];
  if (count === undefined || misses === undefined) throw new Error(`memcaslap says no count: ${text}`);
  return { roundTrips: Number(count), seconds: Number(seconds), failures: Number(misses) };
}
