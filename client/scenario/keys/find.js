// Key `find`: the greatest rate, or number of connections, at which a condition holds. The key that it varies gives the
// greatest value to try. Pure.

import { count } from '../../results/format.js';
import { rounded } from '../../results/search/bisection.js';
import { parseRate } from '../../results/units.js';
import { mistake } from '../mistakes.js';

/**
 * @typedef {import('../scenario.js').Scenario} Scenario
 * @typedef {import('../mistakes.js').Mistake} Mistake
 * @typedef {import('../../results/search/index.js').Find} Find
 */

/** Without `from`, the search begins at this part of the greatest value. */
const FIRST_PART = 32;

/** @param {'rate' | 'connections'} maximise @param {unknown} from @returns {number} NaN: not of that unit */
function firstOf(maximise, from) {
  if (maximise === 'rate') return typeof from === 'string' ? parseRate(from) : NaN;
  return typeof from === 'number' ? from : NaN;
}

/**
 * @param {any} raw key as written, valid by the schema; undefined: none
 * @param {{ rate: number | null, connections: number }} most
 * @returns {Find | null}
 */
export function findOf(raw, most) {
  if (raw === undefined) return null;
  const to = most[/** @type {'rate' | 'connections'} */ (raw.maximise)] ?? NaN;
  const from = raw.from === undefined ? rounded(to / FIRST_PART) : firstOf(raw.maximise, raw.from);
  const tolerance = Number(raw.tolerance.slice(0, -1)) / 100;
  return { maximise: raw.maximise, while: raw.while, from, to, tolerance, confirm: raw.confirm };
}

/** Keys that would say something else of the same legs: whether they are there, and why not. @type {[string, (scenario: Scenario) => boolean, string][]} */
const CROSSED = [
  ['sweep', ({ sweep }) => sweep !== null, 'makes a leg for each of its values, and a search chooses its own'],
  ['tests', ({ tests }) => tests !== null, 'make a leg each, and a search chooses its own'],
  ['rounds', ({ rounds }) => rounds > 1, 'measures each leg again, and a search repeats the legs that decide'],
  [
    'stopOn',
    ({ stopOn }) => stopOn.length > 0,
    'fails a leg, and a search measures beyond the limit on purpose; give a shorter duration',
  ],
];

/**
 * @param {Scenario} scenario @param {import('../mistakes.js').Where} where @param {any} raw as it was written
 * @returns {Mistake[]} of the values to try
 */
export function findMistakes({ find, rateProfile, connectionsProfile }, where, raw) {
  if (find === null) return [];
  const { maximise, from, to } = find;
  const shape = maximise === 'rate' ? '100000/s' : '10000';
  if (raw?.[maximise] === undefined) {
    return [
      mistake(
        where,
        'find-without-most',
        maximise,
        {},
        `missing; give the greatest value that find is to try, such as ${shape}`,
      ),
    ];
  }
  if ((maximise === 'rate' ? rateProfile : connectionsProfile) !== null) {
    return [
      mistake(
        where,
        'find-and-profile',
        maximise,
        {},
        `a profile, but find chooses ${maximise}; give the greatest value to try, such as ${shape}`,
      ),
    ];
  }
  if (Number.isNaN(from)) {
    const form = maximise === 'rate' ? 'a rate such as 1000/s' : 'a whole number such as 100';
    return [mistake(where, 'find-from-unit', 'find.from', { maximise }, `${raw.find.from}; give ${form}`)];
  }
  if (from > to) {
    return [
      mistake(
        where,
        'find-from',
        'find.from',
        { from, to },
        `${raw.find.from} is greater than ${count(to)}, the greatest value to try (${maximise}); give a smaller one`,
      ),
    ];
  }
  return [];
}

/** @param {Scenario} scenario the whole @param {import('../mistakes.js').Where} where @returns {Mistake[]} of keys that cannot stand beside it */
export function findCrossed(scenario, where) {
  if (scenario.find === null) return [];
  return CROSSED.filter(([, isThere]) => isThere(scenario)).map(([key, , why]) =>
    mistake(where, 'find-crossed', key, { key }, `${why}; leave out ${key} or find`),
  );
}
