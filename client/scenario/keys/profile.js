// Profiles: keys `rate` and `connections` as lists of pieces over the steady state.

import { lengthOf } from '../../measure/profile.js';
import { parseDuration, parseRate } from '../../words/units.js';

/**
 * @import { Piece } from '../../measure/profile.js'
 * @import { Raw } from '../merge.js'
 */

/**
 * @param {unknown} pieces of a scenario; anything but a list is no profile
 * @param {'rate' | 'connections'} key of a piece that holds its first value
 * @returns {Piece[] | null}
 */
export function profileOf(pieces, key) {
  if (!Array.isArray(pieces)) return null;
  const parse = key === 'rate' ? parseRate : Number;
  return pieces.map((piece) => {
    const { [key]: from, to = from, for: length } = Object(piece);
    return { from: parse(from), to: parse(to), forNs: parseDuration(String(length)) };
  });
}

/** The longest leg that ends by a number of transfers. */
const LONGEST_OF_TRANSFERS = '1h';
/** The default of a comparison: a difference takes longer to measure than a figure. */
const COMPARISON_DURATION = '30s';

/**
 * Sets `duration` where the scenario gives none: to the longest profile; with a number of transfers, to an hour; where
 * several servers are compared, to 30 s.
 * @param {Raw} merged changed in place
 */
export function fillDuration(merged) {
  const profiles = [profileOf(merged.rate, 'rate'), profileOf(merged.connections, 'connections')];
  const longest = Math.max(...profiles.filter((profile) => profile !== null).map(lengthOf));
  if (longest > 0 && longest < Infinity) merged.duration ??= `${longest / 1e3}us`;
  else if (merged.transfers !== undefined) merged.duration ??= LONGEST_OF_TRANSFERS;
  else if (isComparison(merged)) merged.duration ??= COMPARISON_DURATION;
}

/** @param {Raw} merged @returns {boolean} whether it names several servers, or a pattern, which may match several */
function isComparison({ servers = [], command }) {
  const started = [servers].flat();
  const commands = command === undefined ? 0 : typeof command === 'string' ? 1 : Object.keys(Object(command)).length;
  return started.length + commands > 1 || started.some((server) => /[*?,]/.test(server?.name ?? server));
}
