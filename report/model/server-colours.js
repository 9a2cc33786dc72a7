/**
 * Assigns a colour to each server. It depends on the name, so that a server has the same colour in every run; it
 * changes only if two servers of a run would share one.
 */
import { COLOURS } from './palette.js';

/** Number of colours at the palette's start that colour-blind readers, too, can tell apart. */
const BEST = 8;
/** A change is blue, its base grey. */
const OF_A_CHANGE = new Map([
  ['head', 0],
  ['base', COLOURS - 1],
]);
/** Start value of the hash: with it, no two servers of a shipped scenario of up to BEST servers share a colour. */
const BASIS = 13_541;

/** @param {string} name @returns {number} the server's colour if no other server of the run has it; below BEST */
function preferredColour(name) {
  const fixed = OF_A_CHANGE.get(name);
  if (fixed !== undefined) return fixed;
  // FNV-1a
  let hash = BASIS;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x0100_0193);
  return ((hash ^ (hash >>> 15)) >>> 0) % BEST;
}

/**
 * @param {string[]} names of the servers, each once
 * @param {string[]} [first] servers that must not share a colour if there are more than COLOURS
 * @returns {Map<string, number>} places in the palette; a place of COLOURS or more uses a colour again
 */
export function coloursOf(names, first = []) {
  const rank = (/** @type {string} */ name) =>
    OF_A_CHANGE.has(name) ? 2 : Number(names.length > COLOURS && first.includes(name));
  const sorted = [...names].sort((a, b) => rank(b) - rank(a) || (a < b ? -1 : 1));
  /** @type {Map<number, string>} */
  const taken = new Map();
  for (const name of sorted) if (!taken.has(preferredColour(name))) taken.set(preferredColour(name), name);
  const colours = new Map([...taken].map(([colour, name]) => [name, colour]));
  for (const name of sorted.filter((candidate) => !colours.has(candidate))) {
    let colour = preferredColour(name) % BEST;
    for (let tried = 1; taken.has(colour); tried++) {
      const [turn, place] = [Math.floor(tried / COLOURS), tried % COLOURS];
      colour = turn * COLOURS + (place < BEST ? (preferredColour(name) + place) % BEST : place);
    }
    taken.set(colour, name);
    colours.set(name, colour);
  }
  return colours;
}
