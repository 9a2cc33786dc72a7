// Key `wrap`: commands under which the server and the workers run, such as taskset, numactl, perf or onload. Pure.

import { mistake } from '../mistakes.js';

/** @typedef {{server?: string, client?: string}} Wrap  absent: none */

const SIDES = /** @type {const} */ (['server', 'client']);

/**
 * @param {string | Wrap | undefined} given  of an entry of servers; a text is for the server
 * @param {Wrap} [usual]  of all servers, for what an entry leaves open
 * @returns {{wrap?: Wrap}} empty where there is none
 */
export function wrapOf(given, usual = {}) {
  const own = typeof given === 'string' ? { server: given } : given;
  const wrap = { ...usual, ...own };
  const found = SIDES.flatMap((side) => (wrap[side] === undefined ? [] : [[side, wrap[side]]]));
  return found.length === 0 ? {} : { wrap: Object.fromEntries(found) };
}

/**
 * The words of a command: separated by blanks, except inside single or double quotes.
 * @param {string} text
 * @returns {string[] | null} null where a quote does not end, or there is no word
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
 * @param {import('../scenario.js').Scenario} scenario
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

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @param {any} raw
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function wrapMistakes(scenario, where, raw) {
  const { wrap = {}, target } = scenario;
  const mistakes = wrappersOf(scenario)
    .filter(({ text }) => wordsOf(text) === null)
    .map(({ path, text }) =>
      mistake(
        where,
        'not-a-command',
        path,
        { value: text },
        `${JSON.stringify(text)} has no command, or an open quote`,
      ),
    );
  if (wrap.server !== undefined && target !== undefined) {
    const why = `${wrap.server} is for a server that Broadside starts; this one runs already`;
    mistakes.push(mistake(where, 'wrap-of-running-server', 'wrap.server', { value: wrap.server }, why));
  }
  for (const side of SIDES) {
    const own = (/** @type {any} */ entry) => wrapOf(Object(entry).wrap).wrap?.[side] !== undefined;
    if (wrap[side] === undefined || raw.command !== undefined || !Array.isArray(raw.servers) || !raw.servers.every(own))
      continue;
    const why = `${wrap[side]} has no effect, because each of the servers has its own; leave it out`;
    mistakes.push(mistake(where, 'wrap-without-effect', `wrap.${side}`, { value: wrap[side] }, why));
  }
  return mistakes;
}
