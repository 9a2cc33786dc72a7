// Key `wrap`: commands under which the server and the workers run, such as taskset, numactl, perf or onload.

/**
 * @import { Wrap } from '../../../config/types.js'
 * @import { Scenario } from '../scenario.js'
 */

const SIDES = /** @type {const} */ (['server', 'client']);

/**
 * @param {string | Wrap | undefined} given  of an entry of servers; a text is for the server
 * @param {Wrap} [usual]  of all servers; the entry's own wrappers replace it
 * @returns {{wrap?: Wrap}} empty without a wrapper
 */
export function wrapOf(given, usual = {}) {
  const ofEntry = typeof given === 'string' ? { server: given } : given;
  const wrap = { ...usual, ...ofEntry };
  const sides = SIDES.flatMap((side) => (wrap[side] === undefined ? [] : [[side, wrap[side]]]));
  return sides.length === 0 ? {} : { wrap: Object.fromEntries(sides) };
}

/**
 * The words of a command: separated by blanks, except inside single or double quotes.
 * @param {string} text
 * @returns {string[] | null} null if a quote does not end, or there is no word
 */
export function wordsOf(text) {
  const words = text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  const isWhole = text.replace(/"[^"]*"|'[^']*'/g, '').search(/["']/) < 0;
  return isWhole && words.length > 0 ? words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2')) : null;
}

/** @param {Wrap} wrap @returns {string} such as: server under onload, workers under taskset -c 1 */
export const wrapText = ({ server, client }) =>
  [server === undefined ? [] : `server under ${server}`, client === undefined ? [] : `workers under ${client}`]
    .flat()
    .join(', ');

/**
 * @param {Scenario} scenario
 * @returns {{path: string, text: string}[]} every wrapper, with the key it was given in
 */
export function wrappersOf({ wrap, servers = [] }) {
  const ofAll = SIDES.map((side) => ({ path: `wrap.${side}`, text: wrap?.[side] }));
  const ofEach = servers.flatMap((entry, i) =>
    SIDES.filter((side) => entry.wrap?.[side] !== wrap?.[side]).map((side) => ({
      path: `servers[${i}].wrap`,
      text: entry.wrap?.[side],
    })),
  );
  return [...ofAll, ...ofEach].flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }]));
}
