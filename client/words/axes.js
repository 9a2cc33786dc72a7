// The axes of a leg: what tells it from the other legs of its server, such as { connections: 100, payload: "1KiB" }.
// Values stay as they were written; here they become words, and numbers where a chart needs them. Pure.

import { parseCpus } from '../measure/cpu-list.js';
import { count, counted, payload } from './format.js';
import { parseDuration, parseRate, parseSize } from './units.js';

/**
 * @typedef {Record<string, unknown>} Axes  by the dotted key of the scenario; of a scenario with tests also the name of
 *   one
 */

/** @param {string} key of an axis @returns {boolean} whether its values are names of the scenario's tests */
export const isOfTests = (key) => key === 'test';

/** Axes that are numbers of something. @type {Record<string, string>} */
const COUNTED = { connections: 'connection', instances: 'instance', workers: 'worker' };
/** Axes whose values are lists of CPUs, and the side that runs there. @type {Record<string, string>} */
const CPUS_OF = { 'pin.server': 'server', 'pin.client': 'client' };
/** What the values of an axis are, where its key does not say it. @type {Record<string, string>} */
const WORDS = {
  'pin.cores': 'cores of the server',
  'pin.server': 'cores of the server',
  'pin.client': 'cores of the client',
};

/** @param {string} key of an axis @returns {string} in titles: "cores of the server", "payload" */
export const axisWord = (key) => WORDS[key] ?? key;

/**
 * @param {string} key of an axis
 * @param {unknown} value
 * @returns {string | null} such as "CPU 0", "CPUs 0-1"; null: no list of CPUs
 */
function cpusText(key, value) {
  const cpus = Object.hasOwn(CPUS_OF, key) ? parseCpus(String(value)) : null;
  return cpus && `${cpus.length === 1 ? 'CPU' : 'CPUs'} ${value}`;
}

/**
 * @param {string} key of an axis @param {unknown} value
 * @returns {string} such as "100 connections", "payload 1KiB", "server on CPU 0"; of a test its name
 */
export function axisText(key, value) {
  if (isOfTests(key)) return String(value);
  const cpus = cpusText(key, value);
  if (cpus !== null) return `${CPUS_OF[key]} on ${cpus}`;
  if (typeof value === 'number' && Object.hasOwn(COUNTED, key)) return counted(value, COUNTED[key]);
  return `${key} ${valueText(value)}`;
}

/** @param {unknown} value of an axis @returns {string} */
export const valueText = (value) => (typeof value === 'number' ? count(value) : String(value));

/** @param {Axes} axes @returns {string} such as "100 connections, payload 1KiB"; '': there are none */
export const axesText = (axes) =>
  Object.entries(axes)
    .map(([key, value]) => axisText(key, value))
    .join(', ');

/**
 * @typedef {object} AxisNumber  a value of an axis as a number
 * @property {number} value
 * @property {'number' | 'bytes' | 'ns' | 'perSecond' | 'cores'} unit  cores: how many
 * @property {string} [clientCores]  of `pin.cores`: only values with the same are numbers on one axis
 */

/** @param {string} key of an axis @param {unknown} value @returns {AxisNumber | null} null: it is not a number */
function axisNumber(key, value) {
  if (typeof value === 'number') return { value, unit: 'number' };
  if (typeof value !== 'string' || isOfTests(key)) return null;
  const cpus = Object.hasOwn(CPUS_OF, key) ? parseCpus(value) : null;
  if (cpus !== null) return { value: cpus.length, unit: 'cores' };
  const cores = key === 'pin.cores' ? /^([0-9]+):([0-9]+)$/.exec(value) : null;
  if (cores !== null) return { value: Number(cores[1]), unit: 'cores', clientCores: cores[2] };
  /** @type {[number, AxisNumber['unit']][]} */
  const readings = [
    [parseSize(value), 'bytes'],
    [parseRate(value), 'perSecond'],
    [parseDuration(value), 'ns'],
  ];
  const [found] = readings.filter(([number]) => !Number.isNaN(number));
  return found === undefined ? null : { value: found[0], unit: found[1] };
}

/**
 * @param {string} key of an axis @param {unknown[]} values of it
 * @returns {{ unit: AxisNumber['unit'], of: (value: unknown) => number } | null} how its values are drawn as numbers;
 *   null where they cannot be
 */
export function numericAxis(key, values) {
  const numbers = values.map((value) => axisNumber(key, value));
  const [first] = numbers;
  if (!first) return null;
  const alike = numbers.every(
    (one) => one !== null && one.unit === first.unit && one.clientCores === first.clientCores,
  );
  const distinct = new Set(numbers.map((one) => one?.value)).size === new Set(values).size;
  if (!alike || !distinct) return null;
  return { unit: first.unit, of: (value) => axisNumber(key, value)?.value ?? NaN };
}

/**
 * The axis that tables and charts are made against, and the others.
 * @param {Axes[]} legs
 * @returns {{ main: string | null, others: string[] }} main: the numeric one with the most values, connections before
 *   others; where none is numeric, the one with the most values; null: nothing varies
 */
export function arrangeAxes(legs) {
  const keys = [...new Set(legs.flatMap((axes) => Object.keys(axes)))];
  const ranked = keys
    .map((key) => {
      const values = [...new Set(legs.map((axes) => axes[key]))];
      const numeric = numericAxis(key, values) !== null;
      return { key, size: values.length, rank: values.length < 2 ? 2 : numeric ? 0 : 1 };
    })
    .sort(
      (a, b) => a.rank - b.rank || b.size - a.size || Number(b.key === 'connections') - Number(a.key === 'connections'),
    );
  const main = ranked[0]?.key ?? null;
  return { main, others: keys.filter((key) => key !== main) };
}

/**
 * @param {{ series?: string, label: string, axes?: Axes }} leg
 * @param {string[]} others axes of it that its line does not run along
 * @returns {string} such as "epoll, payload 1KiB"
 */
export const lineName = ({ series, label, axes = {} }, others) =>
  [series ?? label, ...others.filter((key) => Object.hasOwn(axes, key)).map((key) => axisText(key, axes[key]))].join(
    ', ',
  );

/** The heading of a column or a tick. @param {string} key of an axis @param {unknown} value @returns {string} */
export const tickText = (key, value) => {
  const bytes = typeof value === 'string' && key === 'payload' ? parseSize(value) : NaN;
  return Number.isNaN(bytes) ? (cpusText(key, value) ?? valueText(value)) : payload(bytes);
};
