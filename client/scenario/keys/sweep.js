// Key `sweep`: a leg with every server for each value of an axis; several axes are crossed. An axis is any key of the
// load, of the deadlines or of the protocol's options, and some of the client's. Pure. A point of a sweep is resolved
// like a scenario with those values, and refused for the same reasons.

import { count } from '../../words/format.js';
import { isObject, ownValue } from '../../measure/objects.js';
import { mistake, shown } from '../mistakes.js';
import { nearest } from '../nearest.js';
import { insteadOf } from '../removed.js';
import { scenarioKeys } from '../schema.js';

/** @import { Mistake, Where } from '../mistakes.js' */

/** @typedef {Record<string, any>} Raw  keys as written */
/** @typedef {string | number | boolean} Value */
/** @typedef {Record<string, Value[]>} Axes  by dotted key */

const GROUPS = ['load', 'deadlines', 'protocols'];
/** What every leg of a run has in common: its tables and charts are made for one kind. */
const COMMON = /^(workload|protocol|sweep|tests|tls|redis\.password|http\.requestsFrom)(\.|$)/;
/** Keys of other groups that differ without making another kind of run. */
const OTHERS = /^(instances|workers|pin\.(client|server|cores)|socket\.\w+)$/;
const SCALARS = ['string', 'integer', 'number', 'boolean'];
/** With more legs, nobody reads the result; and each has a folder. */
const MAX_POINTS = 1000;

/** Keys that may be an axis, besides `servers`. */
export const axisKeys = [...scenarioKeys]
  .filter(([key, schema]) => (GROUPS.includes(schema['x-group']) && !COMMON.test(key)) || OTHERS.test(key))
  .filter(([, { type }]) => [type].flat().some((one) => one !== undefined && SCALARS.includes(one)))
  .map(([key]) => key);

/** @param {Raw} raw @param {string} path dotted @returns {any} what is written there */
const writtenAt = (raw, path) => path.split('.').reduce(ownValue, raw);

/** @param {Raw} raw @param {string} path dotted @param {unknown} value to write there */
function writeAt(raw, path, value) {
  const parts = path.split('.');
  const last = /** @type {string} */ (parts.pop());
  let place = raw;
  for (const part of parts) {
    if (!isObject(place[part])) place[part] = {};
    place = place[part];
  }
  place[last] = value;
}

/**
 * Keys that a flag also replaces, as a key and as an axis: with them it could not be given.
 * @type {Record<string, string[]>}
 */
const EXCLUDED = {
  'pin.cores': ['pin.client', 'pin.server'],
  'pin.client': ['pin.cores'],
  'pin.server': ['pin.cores'],
  payload: ['memcached.sizes'],
  'memcached.sizes': ['payload'],
};

/**
 * Takes back what a flag replaces: a key given by a flag is no axis any more, and an axis given by a flag is no key.
 * @param {Raw} merged the file's content, changed in place
 * @param {Raw} flags by dotted key
 */
export function giveWay(merged, flags) {
  const axes = Object(merged.sweep);
  for (const flag of Object.keys(flags)) {
    const isAxis = flag.startsWith('sweep.');
    const key = isAxis ? flag.slice('sweep.'.length) : flag;
    const excluded = EXCLUDED[key] ?? [];
    const others = ['target', 'command'].includes(key) ? ['servers'] : excluded;
    for (const path of isAxis ? [key, ...excluded] : excluded) {
      if (writtenAt(merged, path) !== undefined) writeAt(merged, path, undefined);
    }
    for (const axis of isAxis ? others : [key, ...others]) {
      if (!Object.hasOwn(axes, axis)) continue;
      delete axes[axis];
      if (Object.keys(axes).length === 0) delete merged.sweep;
    }
  }
}

/**
 * The servers of a sweep are those of the scenario: each leg has one of them anyway.
 * @param {Raw} merged as written, changed in place
 * @param {Where} where
 * @returns {{ mistakes: Mistake[], where: Where }} where: names the sweep where that gives the servers
 */
export function takeServers(merged, where) {
  if (!isObject(merged.sweep) || merged.sweep.servers === undefined) return { mistakes: [], where };
  const [other] = ['servers', 'target'].filter((key) => merged[key] !== undefined);
  if (other !== undefined) return { mistakes: [alsoGiven('servers', other, where)], where };
  const { servers, ...axes } = merged.sweep;
  merged.servers = servers;
  if (Object.keys(axes).length === 0) delete merged.sweep;
  else merged.sweep = axes;
  return { mistakes: [], where: (path) => where(/^servers(\[|$)/.test(path) ? `sweep.${path}` : path) };
}

/** @param {string} axis @param {string} key where it is given as well @param {Where} where @returns {Mistake} */
const alsoGiven = (axis, key, where) =>
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
      ...ownInstances(key, base, where),
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
 * @returns {Mistake[]} of servers on which it has no effect
 */
function ownInstances(key, { servers }, where) {
  if (key !== 'instances') return [];
  return [servers ?? []]
    .flat()
    .flatMap((/** @type {any} */ entry, i) =>
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

/**
 * @param {Axes} axes
 * @returns {Record<string, Value>[]} every combination; the last axis varies fastest
 */
export function crossed(axes) {
  /** @type {Record<string, Value>[]} */
  let points = [{}];
  for (const [key, values] of Object.entries(axes)) {
    points = points.flatMap((point) => values.map((value) => ({ ...point, [key]: value })));
  }
  return points;
}

/** @param {Record<string, Value>} point @returns {Raw} its values as the keys of a scenario */
export function pointKeys(point) {
  /** @type {Raw} */
  const keys = {};
  for (const [key, value] of Object.entries(point)) writeAt(keys, key, value);
  return keys;
}

/**
 * @param {Record<string, Value>} point @param {Axes} axes @param {Where} where
 * @returns {Where} names a key at the axis that gives it
 */
export function pointWhere(point, axes, where) {
  return (path) => {
    const key = Object.keys(point).find(
      (one) => one === path || path.startsWith(`${one}[`) || path.startsWith(`${one}.`),
    );
    return where(key === undefined ? path : `sweep.${key}[${axes[key].indexOf(point[key])}]`);
  };
}
