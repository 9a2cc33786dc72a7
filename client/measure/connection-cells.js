// The cells of a connection field (config/schema/connections.json): the state of a connection in a span of time, as a
// number, and as text with lengths of runs. This code runs in the page, too.

/** The values of a cell, the worst first. From SERVED on they are levels of the number of replies. */
export const LOST = 0;
export const UNANSWERED = 1;
export const UNASKED = 2;
export const IDLE = 3;
export const SERVED = 4;

/** Levels for each doubling of the number of replies; level 0 is of one reply. */
export const LEVELS_PER_DOUBLING = 2;
const CHARACTERS = '!-._abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** @param {number} replies at least 1 @returns {number} its cell */
export const servedCell = (replies) => SERVED + Math.floor(LEVELS_PER_DOUBLING * Math.log2(replies));

/** @param {number} cell from SERVED on @returns {[least: number, most: number]} its range of replies */
export function repliesOf(cell) {
  const least = (/** @type {number} */ level) => Math.ceil(2 ** (level / LEVELS_PER_DOUBLING) - 1e-9);
  return [least(cell - SERVED), least(cell - SERVED + 1) - 1];
}

/** @param {Uint8Array} cells @returns {string} a run of equal cells is its length, unless that is 1, and a character */
export function packCells(cells) {
  let text = '';
  for (let at = 0; at < cells.length;) {
    let end = at + 1;
    while (end < cells.length && cells[end] === cells[at]) end += 1;
    text += `${end - at === 1 ? '' : end - at}${CHARACTERS[cells[at]]}`;
    at = end;
  }
  return text;
}

/** @param {string} text @param {number} length at most @returns {Uint8Array} */
export function unpackCells(text, length) {
  const cells = new Uint8Array(length).fill(UNASKED);
  let at = 0;
  for (const [, run, character] of text.matchAll(/(\d*)(\D)/g)) {
    const end = at + (run === '' ? 1 : Number(run));
    cells.fill(CHARACTERS.indexOf(character), at, end);
    at = end;
  }
  return cells;
}
