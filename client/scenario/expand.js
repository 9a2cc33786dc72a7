// The second step of a scenario: the list of its points, each as written. The tests are crossed with the axes of the
// sweep; a scenario without either is its only point. Pure.

import { protocolOf } from '../protocols/index.js';
import { isObject, ownValue } from '../measure/objects.js';
import { merge, writeAt } from './merge.js';
import { axisMistakes } from './keys/sweep.js';
import { refuse } from './mistakes.js';
import { checkShape, isShaped } from './shape.js';

/**
 * @import { UsageError } from '../errors.js'
 * @import { Axes, Value } from './keys/sweep.js'
 * @import { Merged, Raw } from './merge.js'
 * @import { Where } from './mistakes.js'
 */

/**
 * @typedef {object} WrittenPoint
 * @property {Record<string, Value>} axes  its test and its values
 * @property {Record<string, unknown>} given  what its test and its values change, by dotted key
 * @property {Raw} raw  a scenario of its own
 * @property {Where} where  names a key at the test or the axis that gives it
 */

/**
 * @param {Raw} base
 * @param {Raw} over
 * @returns {Raw} the first with the keys of the second laid over it, at every depth
 */
function overlay(base, over) {
  return Object.fromEntries(
    [...new Set([...Object.keys(base), ...Object.keys(over)])].map((key) => {
      const [below, above] = [ownValue(base, key), ownValue(over, key)];
      if (above === undefined) return [key, below];
      return [key, isObject(below) && isObject(above) ? overlay(below, above) : above];
    }),
  );
}

/** @param {Raw} raw @param {string} [prefix] @returns {[string, unknown][]} dotted keys */
function flattened(raw, prefix = '') {
  return Object.entries(raw).flatMap(([key, value]) =>
    isObject(value) ? flattened(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value]],
  );
}

/**
 * What a test changes: its keys except those that a flag gives for all of them.
 * @param {Raw} test @param {Record<string, unknown>} flags
 * @returns {Record<string, unknown>} by dotted key
 */
export const givenOf = ({ as: _, ...keys }, flags) =>
  Object.fromEntries(
    flattened(keys).filter(
      ([path]) => !Object.keys(flags).some((flag) => path === flag || path.startsWith(`${flag}.`)),
    ),
  );

/**
 * @param {number} index of the test @param {Record<string, unknown>} given @param {Where} where
 * @returns {Where} names a key at the test where that gives it
 */
function testWhere(index, given, where) {
  const keys = Object.keys(given);
  return (path) => {
    const isGiven = keys.some(
      (key) => key === path || key.startsWith(`${path}.`) || path.startsWith(`${key}.`) || path.startsWith(`${key}[`),
    );
    return where(isGiven ? `tests[${index}].${path}` : path);
  };
}

/**
 * @param {Axes} axes
 * @returns {Record<string, Value>[]} every combination; the last axis varies fastest
 */
function crossed(axes) {
  /** @type {Record<string, Value>[]} */
  let points = [{}];
  for (const [key, values] of Object.entries(axes)) {
    points = points.flatMap((point) => values.map((value) => ({ ...point, [key]: value })));
  }
  return points;
}

/** @param {Record<string, Value>} point @returns {Raw} its values as the keys of a scenario */
function pointKeys(point) {
  /** @type {Raw} */
  const keys = {};
  for (const [key, value] of Object.entries(point)) writeAt(keys, key.split('.'), value);
  return keys;
}

/**
 * @param {Record<string, Value>} point @param {Axes} axes @param {Where} where
 * @returns {Where} names a key at the axis that gives it
 */
function pointWhere(point, axes, where) {
  return (path) => {
    const key = Object.keys(point).find(
      (one) => one === path || path.startsWith(`${one}[`) || path.startsWith(`${one}.`),
    );
    return where(key === undefined ? path : `sweep.${key}[${axes[key].indexOf(point[key])}]`);
  };
}

/**
 * @param {Raw} raw as written
 * @returns {string[]} of payload and the protocol's options, those without an effect; none where the options are wrong
 */
function unusedKeys(raw) {
  const { protocol } = raw;
  if (!isShaped(raw, protocol)) return [];
  const options = Object(raw[protocol]);
  const { hasPayload, unused } = protocolOf(protocol);
  return [
    ...(hasPayload?.(options) === false ? ['payload'] : []),
    ...(unused?.(options) ?? []).map((key) => `${protocol}.${key}`),
  ];
}

/**
 * What the scenario gives for all tests is left out of those on which it has no effect, if it has one on others.
 * @param {Raw} laid a test over the scenario, changed in place
 * @param {Raw} keys of the test
 * @param {string[][]} unused  keys without an effect, of each test
 */
function leaveOutUnused(laid, keys, unused) {
  for (const path of unusedKeys(laid)) {
    const [first, second] = path.split('.');
    const own = second === undefined ? keys[first] : Object(keys[first])[second];
    if (own !== undefined || unused.every((paths) => paths.includes(path))) continue;
    if (second === undefined) delete laid[first];
    else delete Object(laid[first])[second];
  }
}

/**
 * @param {Merged} merged
 * @returns {WrittenPoint[]} in the order of the run
 * @throws {UsageError} where tests and sweep, or the scenario that they are laid over, are not as the schema says
 */
export function expand({ raw, tests, flags, where }) {
  const { sweep = {}, ...base } = raw;
  if (raw.sweep !== undefined || tests !== null) {
    const shape = checkShape(structuredClone(tests === null ? raw : { ...raw, tests }), where);
    refuse([...shape, ...axisMistakes(sweep, base, tests ?? [], where)]);
  }
  const points = (tests ?? [null]).flatMap((test, i) => {
    const { as = '', ...keys } = test ?? {};
    const given = test === null ? {} : givenOf({ as, ...keys }, flags);
    const laid = test === null ? base : merge(overlay(base, keys), flags);
    const testNames = test === null ? where : testWhere(i, given, where);
    return crossed(sweep).map((values) => ({
      axes: { ...(test === null ? {} : { test: as }), ...values },
      given: { ...given, ...values },
      keys: overlay(keys, pointKeys(values)),
      raw: structuredClone(overlay(laid, pointKeys(values))),
      where: pointWhere(values, sweep, testNames),
    }));
  });
  const unused = points.map((point) => unusedKeys(point.raw));
  for (const point of points) leaveOutUnused(point.raw, point.keys, unused);
  return points.map(({ keys: _, ...point }) => point);
}
