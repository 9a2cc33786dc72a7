// Key `sweep`: a leg with every server for each value of an axis; several axes are crossed. An axis is any key of the
// load, of the deadlines or of the protocol's options, and some of the client's. A point of a sweep is resolved like a
// scenario with those values, and refused for the same reasons.

import { count } from '../../words/format.js';
import { ownValue } from '../../measure/objects.js';
import { mistake, shown } from '../mistakes.js';
import { nearest } from '../nearest.js';
import { insteadOf } from '../removed.js';
import { scenarioKeys } from '../schema.js';

/**
 * @import { Raw } from '../merge.js'
 * @import { Mistake, Where } from '../mistakes.js'
 */

/** @typedef {string | number | boolean} Value */
/** @typedef {Record<string, Value[]>} Axes  by dotted key */

const GROUPS = ['load', 'deadlines', 'protocols'];
/** Keys that are the same in every leg of a run, because its tables and charts are made for one kind. */
const COMMON = /^(workload|protocol|sweep|tests|tls|redis\.password|http\.requestsFrom)(\.|$)/;
/** Keys of other groups that differ without making another kind of run. */
const OTHER_KEYS = /^(instances|workers|pin\.(client|server|cores)|socket\.\w+)$/;
const SCALARS = ['string', 'integer', 'number', 'boolean'];
/** Nobody reads the result of more legs, and each has a folder. */
const MAX_POINTS = 1000;

/** Keys that may be an axis, besides `servers`. */
export const axisKeys = [...scenarioKeys]
  .filter(([key, schema]) => (GROUPS.includes(schema['x-group']) && !COMMON.test(key)) || OTHER_KEYS.test(key))
  .filter(([, { type }]) => [type].flat().some((scalar) => scalar !== undefined && SCALARS.includes(scalar)))
  .map(([key]) => key);

/** @param {Raw} raw @param {string} path dotted @returns {unknown} the value there */
export const writtenAt = (raw, path) => path.split('.').reduce(ownValue, raw);

/** @param {string} axis @param {string} key that also gives it @param {Where} where @returns {Mistake} */
export const alsoGiven = (axis, key, where) =>
  mistake(
    where,
    'axis-given-twice',
    key,
    { axis },
    `is given, but sweep.${axis} says what it is in each leg; leave one of them out`,
  );

/**
 * @param {Axes} axes valid by the schema @param {Raw} base the scenario without them, as written
 * @param {Raw[]} tests of it
 * @param {Where} where
 * @returns {Mistake[]}
 */
export function axisMistakes(axes, base, tests, where) {
  const points = Object.values(axes).reduce((product, values) => product * values.length, 1);
  return [
    ...Object.keys(axes).flatMap((key) => [
      ...(axisKeys.includes(key) ? [] : [unknownAxis(key, axes[key], where)]),
      ...(writtenAt(base, key) === undefined ? [] : [alsoGiven(key, key, where)]),
      ...tests.flatMap((test, i) =>
        writtenAt(test, key) === undefined ? [] : [alsoGiven(key, `tests[${i}].${key}`, where)],
      ),
      ...fixedInstances(key, base, where),
    ]),
    ...(points * Math.max(1, tests.length) <= MAX_POINTS
      ? []
      : [
          mistake(
            where,
            'sweep-too-large',
            'sweep',
            { points, most: MAX_POINTS },
            `its axes cross in ${count(points)} points, each a leg with every server; at most ${count(MAX_POINTS)}: give fewer values`,
          ),
        ]),
  ];
}

/**
 * @param {string} key of an axis
 * @param {Raw} base
 * @param {Where} where
 * @returns {Mistake[]} for servers with instances of their own, on which the axis has no effect
 */
function fixedInstances(key, { servers }, where) {
  if (key !== 'instances') return [];
  return [servers ?? []]
    .flat()
    .flatMap((/** @type {Raw | undefined} */ entry, i) =>
      entry?.instances === undefined ? [] : [alsoGiven(key, `servers[${i}].instances`, where)],
    );
}

/** @param {string} key @param {unknown} value @param {Where} where @returns {Mistake} */
function unknownAxis(key, value, where) {
  const instead = insteadOf(key);
  if (instead !== undefined) return mistake(where, 'removed', `sweep.${key}`, { value }, `was removed; ${instead}`);
  const isKey = scenarioKeys.has(key);
  const [near] = nearest(key, axisKeys);
  const why = isKey
    ? `"${key}" is the same in every leg, and cannot be an axis of a sweep`
    : `unknown key (value ${shown(value, key)})${near === undefined ? '; an axis is a key of the scenario such as payload, rate or redis.command' : `; did you mean "sweep.${near}"?`}`;
  return mistake(where, isKey ? 'key-not-for-sweep' : 'unknown-key', `sweep.${key}`, { near: near ?? null }, why);
}
