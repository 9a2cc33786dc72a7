// Key `tests`: named sets of keys, each measured with every server. A test holds any key of the load, of the deadlines
// or of the protocol's options except those that say what kind of run it is. Pure.

import { isObject, ownValue } from '../../measure/objects.js';
import { mistake, shown } from '../mistakes.js';
import { scenarioSchema } from '../schema.js';

/** @import { Mistake, Where } from '../mistakes.js' */

/** @typedef {Record<string, any>} Raw  keys as written */

const GROUPS = ['load', 'deadlines', 'protocols'];
const USUAL_CONNECTIONS = scenarioSchema.properties.connections.default;
/** What every leg of a run has in common: its tables and charts are made for one kind. */
const COMMON = ['workload', 'protocol', 'tls', 'sweep', 'tests'];

/** Keys that a test may hold. */
const testKeys = Object.entries(scenarioSchema.properties)
  .filter(([key, { 'x-group': group }]) => GROUPS.includes(group) && !COMMON.includes(key))
  .map(([key]) => key);

/**
 * @param {Raw} base
 * @param {Raw} over
 * @returns {Raw} the first with the keys of the second laid over it, at every depth
 */
export function overlay(base, over) {
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
 * The tests to run: all of the file's, those that --tests names, or those that it defines.
 * @param {Raw} content of the file @param {unknown} flag
 * @param {Where} where
 * @returns {{ tests: Raw[] | null, mistakes: Mistake[] }} tests: null without any
 */
export function chosenTests({ tests }, flag, where) {
  if (flag === undefined || Array.isArray(flag)) return checked(flag ?? tests, where);
  const defined = checked(tests, where);
  if (defined.tests === null || defined.mistakes.length > 0) {
    const known = { value: flag, known: [] };
    const why = `${shown(flag)}, but the scenario has no tests; leave it out, or name a scenario that has some with --config`;
    return {
      tests: null,
      mistakes: tests === undefined ? [mistake(where, 'tests-missing', 'tests', known, why)] : defined.mistakes,
    };
  }
  const names = String(flag)
    .split(',')
    .map((name) => name.trim());
  const known = defined.tests.map(({ as }) => as);
  const unknown = names.filter((name) => !known.includes(name));
  return {
    tests: defined.tests.filter(({ as }) => names.includes(as)),
    mistakes: unknown.map((value) =>
      mistake(
        where,
        'test-unknown',
        'tests',
        { value, known },
        `${shown(value)} is no test of this scenario; its tests are ${known.join(', ')}`,
      ),
    ),
  };
}

/** @param {unknown} tests as written @param {Where} where @returns {{ tests: Raw[] | null, mistakes: Mistake[] }} */
function checked(tests, where) {
  if (tests === undefined) return { tests: null, mistakes: [] };
  const isList = Array.isArray(tests) && tests.every(isObject);
  // the schema says what else is wrong with it
  if (!isList) return { tests: null, mistakes: [] };
  const mistakes = tests.flatMap(({ as, ...keys }, i) => {
    const first = tests.findIndex((test) => test.as === as);
    const path = `tests[${i}]`;
    return [
      ...(first < i
        ? [
            mistake(
              where,
              'label-taken',
              `${path}.as`,
              { label: as, first },
              `"${as}" is also the name of tests[${first}]; give one of them another`,
            ),
          ]
        : []),
      ...(Object.keys(keys).length === 0
        ? [mistake(where, 'test-empty', path, {}, `changes nothing; give it keys such as "payload", or leave it out`)]
        : []),
      ...Object.keys(keys)
        .filter((key) => !testKeys.includes(key) && Object.hasOwn(scenarioSchema.properties, key))
        .map((key) =>
          mistake(
            where,
            'key-not-for-test',
            `${path}.${key}`,
            { key },
            `is the same in every leg; give "${key}" outside tests`,
          ),
        ),
    ];
  });
  return { tests, mistakes };
}

/**
 * @param {number} index of the test @param {Record<string, unknown>} given @param {Where} where
 * @returns {Where} names a key at the test where that gives it
 */
export function testWhere(index, given, where) {
  const keys = Object.keys(given);
  return (path) => {
    const isGiven = keys.some(
      (key) => key === path || key.startsWith(`${path}.`) || path.startsWith(`${key}.`) || path.startsWith(`${key}[`),
    );
    return where(isGiven ? `tests[${index}].${path}` : path);
  };
}

/** @param {unknown} connections as written: a number, or a profile @returns {number[]} none of what is neither */
const numbersIn = (connections) =>
  [connections]
    .flat()
    .flatMap((/** @type {any} */ one) => (isObject(one) ? [one.connections, one.to] : [one]))
    .filter(Number.isInteger);

/**
 * @param {Raw} base as written, flags included @param {Raw[]} tests
 * @returns {number | undefined} the most connections of any leg; undefined where one has none
 */
export function mostConnections(base, tests) {
  const each = tests.map((test) => numbersIn(test.connections ?? base.connections ?? USUAL_CONNECTIONS));
  return each.every((numbers) => numbers.length > 0) ? Math.max(...each.flat()) : undefined;
}
