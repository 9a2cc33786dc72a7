// The value of a figure over all rounds of a case, and values as text in a sentence or in the cell of a table.

import {
  bareRate,
  bytes,
  count,
  duration,
  inOneUnit,
  megabytes,
  NOT_MEASURED,
  percent,
  plain,
  rate,
  throughput,
  wholePercent,
} from '../words/format.js';
import { SHORT_TABLE } from './figures.js';

/** @import { Above, Figure, Unit, Value } from './figures.js' */

/**
 * @typedef {Readonly<Record<Unit, (value: number) => string>>} Writers
 */

/** @param {Value} value @returns {value is Above} */
export const isAbove = (value) => typeof value === 'object';

/** @param {Value} value @returns {number} by which values are sorted */
const rank = (value) => (isAbove(value) ? (value.infinite ? Infinity : value.above) : Number(value));

/**
 * @param {Figure} figure
 * @param {Value[]} values of the rounds
 * @returns {Value} by the figure's rule for rounds, of those that have a value. A percentile above all measured times
 *   in one round is that value. A side is undefined unless it is the same in all rounds
 */
export function overRounds({ rounds, unit }, values) {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => rank(a) - rank(b));
  const [smallest] = sorted;
  const largest = sorted.at(-1);
  if (unit === 'side') return sorted.every((value) => value === smallest) ? smallest : undefined;
  if (rounds === 'most' || (isAbove(largest) && largest.infinite)) return largest;
  if (rounds === 'least' || sorted.length === 0) return smallest;
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (isAbove(upper) || isAbove(lower)) return upper;
  return (Number(lower) + Number(upper)) / 2;
}

/** @param {number} value @returns {string} */
const countOrMean = (value) => (Number.isInteger(value) ? count(value) : plain(value));

/** For a sentence, with the unit. @type {Writers} */
const writers = {
  duration,
  rate,
  throughput,
  size: bytes,
  count: countOrMean,
  share: (value) => percent(value),
  cpu: (value) => `${wholePercent(value)} of a core`,
  side: String,
};

/** For a cell: the title of the column has the unit of a rate or throughput. @type {Writers} */
const cellWriters = {
  ...writers,
  rate: bareRate,
  throughput: megabytes,
  share: (value) => percent(value, 2),
  cpu: wholePercent,
};

/** @param {Figure} figure @param {Value} value @returns {string} such as "6.2 ms", "> 30 s", "not measured" */
export function valueText({ unit, unknown = 'not measured' }, value) {
  if (value === undefined) return unknown;
  if (!isAbove(value)) return writers[unit](/** @type {number} */ (value)); // or the name of a side
  if (value.infinite && value.above === 0) return 'no reply';
  return `${value.orEqual ? 'at least' : '>'} ${writers[unit](value.above)}`;
}

/**
 * @param {Pick<Figure, 'unit'>} figure
 * @param {Value} value
 * @param {(value: number) => string} [write]  writes a value of the column
 * @returns {string} for the cell of a table; a dash if it was not measured
 */
export function cellText({ unit }, value, write = cellWriters[unit]) {
  if (value === undefined || (isAbove(value) && value.infinite && value.above === 0)) return NOT_MEASURED;
  return isAbove(value) ? `> ${write(value.above)}` : write(/** @type {number} */ (value));
}

/**
 * @param {Pick<Figure, 'unit'>} figure @param {Value[]} values
 * @returns {(value: Value) => string} writes a cell of a column that has one unit
 */
export function columnText({ unit }, values) {
  if (unit !== 'duration' && unit !== 'size') return (value) => cellText({ unit }, value);
  const write = inOneUnit(
    unit,
    values.map((value) => (isAbove(value) ? value.above : Number(value ?? 0))),
  );
  return (value) => cellText({ unit }, value, write);
}

/**
 * Whether tables show a figure: if a value is not 0, or if 0 says something, as in a figure of the short table.
 * @param {Pick<Figure, 'better' | 'partOf' | 'name'>} figure @param {Value[]} values one for each leg
 * @returns {boolean}
 */
export const isTold = ({ better, partOf, name }, values) =>
  values.some((value) =>
    value === 0 ? better === 'higher' || (partOf === undefined && SHORT_TABLE.includes(name)) : value !== undefined,
  );

/**
 * @param {Figure} figure
 * @param {Value} value
 * @returns {'bad' | 'warning' | undefined} how the value is marked; undefined if it is not
 */
export const markOf = ({ mark }, value) =>
  isAbove(value) && value.infinite ? 'bad' : Number(value) > 0 ? mark : undefined;
