// Profiles: keys `rate` and `connections` as lists of pieces over the steady state. Pure.

import { lengthOf } from '../../results/profile.js';
import { parseDuration, parseRate } from '../../results/units.js';
import { mistake } from '../mistakes.js';

/**
 * @param {unknown} pieces of a scenario; anything but a list is no profile
 * @param {'rate' | 'connections'} key of a piece that holds its first value
 * @returns {import('../../results/profile.js').Piece[] | null}
 */
export function profileOf(pieces, key) {
  if (!Array.isArray(pieces)) return null;
  const parse = key === 'rate' ? parseRate : Number;
  return pieces.map((piece) => {
    const { [key]: from, to = from, for: length } = Object(piece);
    return { from: parse(from), to: parse(to), forNs: parseDuration(String(length)) };
  });
}

/**
 * Sets `duration` to the longest profile where the scenario gives none.
 * @param {any} merged changed in place
 */
export function fillDuration(merged) {
  const profiles = [profileOf(merged.rate, 'rate'), profileOf(merged.connections, 'connections')];
  const longest = Math.max(...profiles.filter((profile) => profile !== null).map(lengthOf));
  if (longest > 0 && longest < Infinity) merged.duration ??= `${longest / 1e3}us`;
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function profileMistakes({ rateProfile, connectionsProfile, connections, workload, lifetime }, where) {
  const all = /** @type {const} */ ([
    ['rate', rateProfile],
    ['connections', connectionsProfile],
  ]);
  const mistakes = all.flatMap(([key, profile]) =>
    (profile ?? []).flatMap(({ forNs }, i) =>
      forNs > 0 ? [] : [mistake(where, 'out-of-range', `${key}[${i}].for`, { value: 0 }, `must be longer than 0s`)],
    ),
  );
  if (connectionsProfile === null) return mistakes;
  if (connections === 0)
    mistakes.push(
      mistake(
        where,
        'profile-empty',
        'connections',
        {},
        'a profile without a single connection; give more in one of its pieces',
      ),
    );
  if (lifetime?.reopen === false) {
    mistakes.push(
      mistake(
        where,
        'profile-without-reopen',
        'connections',
        { reopen: false },
        'a profile needs connections that stay open or come back, but lifetime.reopen is false; give a number, or leave ' +
          'lifetime.reopen out',
      ),
    );
  }
  if (workload === 'once') {
    mistakes.push(
      mistake(
        where,
        'key-not-for-workload',
        'connections',
        { workload },
        'a profile needs connections that stay open or come back, but the workload is "once"; give a number, or another ' +
          'workload',
      ),
    );
  }
  return mistakes;
}
