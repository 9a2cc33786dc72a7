// Merges the flags into the content of a scenario file: the first step of reading a scenario.

import { isObject } from '../measure/objects.js';
import { headersOver } from './keys/headers.js';
import { alsoGiven, writtenAt } from './keys/sweep.js';
import { chosenTests } from './keys/tests.js';
import { mistake, mistakesError, refuse } from './mistakes.js';

/**
 * @import { UsageError } from '../errors.js'
 * @import { Flags } from './flags.js'
 * @import { Mistake, Where } from './mistakes.js'
 */

/** @typedef {Record<string, any>} Raw  keys as written, before they are checked */

/** Keys that choose what is measured. */
export const CHOICES = ['servers', 'target', 'command'];
/** Prefix of the flags that are axes of the sweep. */
const SWEPT = 'sweep.';

/** @param {Flags} flags @returns {boolean} whether they choose what is measured, in place of the file */
export const choose = (flags) => [...CHOICES, `${SWEPT}servers`].some((key) => key in flags);

/** @param {Raw} raw changed in place @param {string[]} path @param {unknown} value to write there */
export function writeAt(raw, path, value) {
  const last = /** @type {string} */ (path.at(-1));
  let place = raw;
  for (const part of path.slice(0, -1)) {
    if (!isObject(place[part])) place[part] = {};
    place = place[part];
  }
  place[last] = value;
}

/**
 * The keys that a flag removes from the file, also as axes of its sweep, because they exclude the flag.
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
 * Removes what a flag replaces: the axis of a key that a flag gives, and the key of an axis that a flag gives.
 * @param {Raw} merged the file's content, changed in place
 * @param {Raw} flags by dotted key
 */
function removeReplaced(merged, flags) {
  const axes = Object(merged.sweep);
  for (const flag of Object.keys(flags)) {
    const isAxis = flag.startsWith('sweep.');
    const key = isAxis ? flag.slice('sweep.'.length) : flag;
    const excluded = EXCLUDED[key] ?? [];
    const otherAxes = ['target', 'command'].includes(key) ? ['servers'] : excluded;
    for (const path of isAxis ? [key, ...excluded] : excluded) {
      if (writtenAt(merged, path) !== undefined) writeAt(merged, path.split('.'), undefined);
    }
    for (const axis of isAxis ? otherAxes : [key, ...otherAxes]) {
      if (!Object.hasOwn(axes, axis)) continue;
      delete axes[axis];
      if (Object.keys(axes).length === 0) delete merged.sweep;
    }
  }
}

/**
 * Moves servers of the sweep to the scenario, where they mean the same: each leg has one of them.
 * @param {Raw} merged as written, changed in place
 * @param {Where} where
 * @returns {{ mistakes: Mistake[], where: Where }} where: names moved servers at the sweep
 */
function moveSweptServers(merged, where) {
  if (!isObject(merged.sweep) || merged.sweep.servers === undefined) return { mistakes: [], where };
  const [choice] = ['servers', 'target'].filter((key) => merged[key] !== undefined);
  if (choice !== undefined) return { mistakes: [alsoGiven('servers', choice, where)], where };
  const { servers, ...axes } = merged.sweep;
  merged.servers = servers;
  if (Object.keys(axes).length === 0) delete merged.sweep;
  else merged.sweep = axes;
  return { mistakes: [], where: (path) => where(/^servers(\[|$)/.test(path) ? `sweep.${path}` : path) };
}

/**
 * A flag that chooses what to measure replaces the file's choice.
 * @param {unknown} content of a file
 * @param {Flags} flags
 * @returns {Raw} the content with the flags laid over it
 */
export function merge(content, flags) {
  const merged = structuredClone(Object(content));
  if (choose(flags)) for (const key of CHOICES) delete merged[key];
  removeReplaced(merged, flags);
  for (const [key, value] of Object.entries(flags)) {
    const path = key.startsWith(SWEPT) ? ['sweep', key.slice(SWEPT.length)] : key.split('.');
    const below = path.reduce((place, part) => Object(place)[part], merged);
    if (key === 'http.headers')
      writeAt(merged, path, headersOver(below, /** @type {Parameters<typeof headersOver>[1]} */ (value)));
    else if (value !== true || !isObject(below)) writeAt(merged, path, value); // --tls keeps its keys
  }
  return merged;
}

/**
 * @param {Flags} flags
 * @param {unknown} target as written
 * @returns {boolean} whether flags such as --http.path imply the protocol: no target is a URL
 */
const impliesHttp = (flags, target) =>
  Object.keys(flags).some((key) => /^(sweep\.)?http\./.test(key)) &&
  ![target].flat().some((text) => /^[a-z][a-z0-9+.-]*:\/\//i.test(String(text)));

/** @param {Flags} flags @returns {Mistake[]} for each flag of TLS beside --no-tls */
function noTlsMistakes(flags) {
  if (flags.tls !== false) return [];
  return Object.keys(flags)
    .filter((key) => key.startsWith('tls.'))
    .map((key) =>
      mistake(
        (path) => `--${path}`,
        'key-without-tls',
        key,
        {},
        'belongs to TLS, but --no-tls switches it off; leave one of them out',
      ),
    );
}

/**
 * @typedef {object} Merged
 * @property {Raw} raw  the content of the file with the flags laid over it; without its tests
 * @property {Raw[] | null} tests  those to run; null: none
 * @property {Flags} flags  without those of the sweep and of the tests
 * @property {Where} where
 */

/**
 * @param {{ content?: unknown }} source @param {Flags} given @param {Where} where
 * @returns {Merged}
 * @throws {UsageError}
 */
export function mergeAll({ content = {} }, given, where) {
  if (!isObject(content)) {
    const kind = content === null ? 'null' : Array.isArray(content) ? 'a list' : `a ${typeof content}`;
    throw mistakesError([mistake(where, 'not-an-object', '', { kind }, `holds ${kind}, not an object`)]);
  }
  refuse(noTlsMistakes(given));
  const { tests: listed, ...common } = content;
  const { tests: flag, ...otherFlags } = given;
  const { tests, mistakes } = chosenTests({ tests: listed }, flag, where);
  refuse(mistakes);
  const invalid = flag ?? listed; // not a list of objects: the schema says so
  const raw = merge(tests === null && invalid !== undefined ? { ...common, tests: invalid } : common, otherFlags);
  if (raw.protocol === undefined && impliesHttp(otherFlags, raw.target)) raw.protocol = 'http';
  const moved = moveSweptServers(raw, where);
  refuse(moved.mistakes);
  const flags = Object.fromEntries(Object.entries(otherFlags).filter(([key]) => !key.startsWith(SWEPT)));
  return { raw, tests, flags, where: moved.where };
}
