// Expands a scenario, as the second step of reading it, to the list of its points, each as written. The tests are
// crossed with the axes of the sweep; a scenario without either is its only point.

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
 * @property {Record<string, unknown>} given  the keys that its test and its values change, dotted
 * @property {Raw} raw  the complete scenario of the point
 * @property {Where} where  names a key at the test or the axis that gives it
 */

/**
 * @param {Raw} base
 * @param {Raw} over
 * @returns {Raw} `base` with its keys replaced by those of `over`, at every depth
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
 * @returns {Where} names a key at the test if the test gives it
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
      (axis) => axis === path || path.startsWith(`${axis}[`) || path.startsWith(`${axis}.`),
    );
    return where(key === undefined ? path : `sweep.${key}[${axes[key].indexOf(point[key])}]`);
  };
}

/**
 * @param {Raw} raw as written
 * @returns {string[]} `payload` and options of the protocol that have no effect; empty when the options are invalid
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
 * Removes keys that the scenario gives for all tests from a test on which they have no effect, if they affect another.
 * @param {Raw} merged a test merged into the scenario, changed in place
 * @param {Raw} keys of the test
 * @param {string[][]} unused  keys without an effect, for each test
 */
function leaveOutUnused(merged, keys, unused) {
  for (const path of unusedKeys(merged)) {
    const [first, second] = path.split('.');
    const inTest = second === undefined ? keys[first] : Object(keys[first])[second];
    if (inTest !== undefined || unused.every((paths) => paths.includes(path))) continue;
    if (second === undefined) delete merged[first];
    else delete Object(merged[first])[second];
  }
}

/**
 * @param {Merged} merged
 * @returns {WrittenPoint[]} in the order of the run
 * @throws {UsageError} when tests, sweep or the rest of the scenario violate the schema
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
    const merged = test === null ? base : merge(overlay(base, keys), flags);
    const testNames = test === null ? where : testWhere(i, given, where);
    return crossed(sweep).map((values) => ({
      axes: { ...(test === null ? {} : { test: as }), ...values },
      given: { ...given, ...values },
      keys: overlay(keys, pointKeys(values)),
      raw: structuredClone(overlay(merged, pointKeys(values))),
      where: pointWhere(values, sweep, testNames),
    }));
  });
  const unused = points.map((point) => unusedKeys(point.raw));
  for (const point of points) leaveOutUnused(point.raw, point.keys, unused);
  return points.map(({ keys: _, ...point }) => point);
}
