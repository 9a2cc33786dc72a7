// Texts and numbers for the axes of a leg: the values that distinguish it from the other legs of its server, such as
// { connections: 100, payload: "1KiB" }.

import { parseCpus } from '../measure/cpu-list.js';
import { count, counted, payload } from './format.js';
import { parseDuration, parseRate, parseSize } from './units.js';

/**
 * @typedef {Record<string, unknown>} Axes  key: dotted key of the scenario, or "test"; value: as the scenario has it
 */

/** @param {string} key of an axis @returns {boolean} whether its values are names of tests */
export const isOfTests = (key) => key === 'test';

/** Axes that count things, and their noun. @type {Record<string, string>} */
const COUNTED = { connections: 'connection', instances: 'instance', workers: 'worker' };
/** Axes whose values are lists of CPUs, and the side that runs on them. @type {Record<string, string>} */
const CPUS_OF = { 'pin.server': 'server', 'pin.client': 'client' };
/** Names of axes whose key is not clear enough. @type {Record<string, string>} */
const WORDS = {
  'pin.cores': 'cores of the server',
  'pin.server': 'cores of the server',
  'pin.client': 'cores of the client',
};

/** @param {string} key of an axis @returns {string} name for titles: "cores of the server", "payload" */
export const axisWord = (key) => WORDS[key] ?? key;

/**
 * @param {string} key of an axis
 * @param {unknown} value
 * @returns {string | null} such as "CPU 0", "CPUs 0-1"; null if the value is not a list of CPUs
 */
function cpusText(key, value) {
  const cpus = Object.hasOwn(CPUS_OF, key) ? parseCpus(String(value)) : null;
  return cpus && `${cpus.length === 1 ? 'CPU' : 'CPUs'} ${value}`;
}

/**
 * @param {string} key of an axis @param {unknown} value
 * @returns {string} such as "100 connections", "payload 1KiB", "server on CPU 0", the name of a test
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

/** @param {Axes} axes @returns {string} such as "100 connections, payload 1KiB"; '' without axes */
export const axesText = (axes) =>
  Object.entries(axes)
    .map(([key, value]) => axisText(key, value))
    .join(', ');

/**
 * @typedef {object} AxisNumber  a value of an axis as a number
 * @property {number} value
 * @property {'number' | 'bytes' | 'ns' | 'perSecond' | 'cores'} unit  cores: number of cores
 * @property {string} [clientCores]  for `pin.cores`: values are comparable only if these are equal
 */

/**
 * @param {string} key of an axis @param {unknown} value
 * @returns {AxisNumber | null} null if the value is not a number
 */
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
  const [parsed] = readings.filter(([number]) => !Number.isNaN(number));
  return parsed === undefined ? null : { value: parsed[0], unit: parsed[1] };
}

/**
 * @param {string} key of an axis @param {unknown[]} values of it
 * @returns {{ unit: AxisNumber['unit'], of: (value: unknown) => number } | null} of: a value as a number; null unless
 *   the values are distinct numbers of one unit
 */
export function numericAxis(key, values) {
  const numbers = values.map((value) => axisNumber(key, value));
  const [first] = numbers;
  if (!first) return null;
  const areAlike = numbers.every(
    (number) => number !== null && number.unit === first.unit && number.clientCores === first.clientCores,
  );
  const areDistinct = new Set(numbers.map((number) => number?.value)).size === new Set(values).size;
  if (!areAlike || !areDistinct) return null;
  return { unit: first.unit, of: (value) => axisNumber(key, value)?.value ?? NaN };
}

/**
 * Chooses the axis of tables and charts.
 * @param {Axes[]} legs
 * @returns {{ main: string | null, others: string[] }} main: the numeric axis with the most values, connections before
 *   others; without a numeric one, the axis with the most values; null if there are no axes
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
 * @param {string[]} others the axes except the main one
 * @returns {string} name of the leg's line, such as "epoll, payload 1KiB"
 */
export const lineName = ({ series, label, axes = {} }, others) =>
  [series ?? label, ...others.filter((key) => Object.hasOwn(axes, key)).map((key) => axisText(key, axes[key]))].join(
    ', ',
  );

/** @param {string} key of an axis @param {unknown} value @returns {string} head of a column, text of a tick */
export const tickText = (key, value) => {
  const bytes = typeof value === 'string' && key === 'payload' ? parseSize(value) : NaN;
  return Number.isNaN(bytes) ? (cpusText(key, value) ?? valueText(value)) : payload(bytes);
};
