/**
 * The colour of each server of a run: a name has the same in every run, as far as no two servers of a run share one.
 * Pure.
 */
import { COLOURS } from './palette.js';

/** Of all colours the first are told apart best, also without red or green receptors. */
const BEST = 8;
/** A change is blue, and what it is compared with is grey. */
const OF_A_CHANGE = new Map([
  ['head', 0],
  ['base', COLOURS - 1],
]);
/** With this basis no two servers of a shipped scenario of up to BEST servers hash to one colour. */
const BASIS = 13_541;

/** @param {string} name @returns {number} of the best colours the one that it has where no other server has it */
function preferred(name) {
  const given = OF_A_CHANGE.get(name);
  if (given !== undefined) return given;
  // FNV-1a
  let hash = BASIS;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x0100_0193);
  return ((hash ^ (hash >>> 15)) >>> 0) % BEST;
}

/**
 * @param {string[]} names of the servers, each once
 * @param {string[]} [first] those that must not share a colour where there are more than COLOURS
 * @returns {Map<string, number>} places in the palette; those of COLOURS and more begin it anew
 */
export function coloursOf(names, first = []) {
  const rank = (/** @type {string} */ name) =>
    OF_A_CHANGE.has(name) ? 2 : Number(names.length > COLOURS && first.includes(name));
  const sorted = [...names].sort((a, b) => rank(b) - rank(a) || (a < b ? -1 : 1));
  /** @type {Map<number, string>} */
  const taken = new Map();
  for (const name of sorted) if (!taken.has(preferred(name))) taken.set(preferred(name), name);
  const colours = new Map([...taken].map(([colour, name]) => [name, colour]));
  for (const name of sorted.filter((one) => !colours.has(one))) {
    let colour = preferred(name) % BEST;
    for (let tried = 1; taken.has(colour); tried++) {
      const [turn, place] = [Math.floor(tried / COLOURS), tried % COLOURS];
      colour = turn * COLOURS + (place < BEST ? (preferred(name) + place) % BEST : place);
    }
    taken.set(colour, name);
    colours.set(name, colour);
  }
  return colours;
}
