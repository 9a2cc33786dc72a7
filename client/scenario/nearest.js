// "Did you mean ...?": the known name nearest to a mistyped one, or none when nothing is near enough. Pure.

/**
 * Edit distance in which swapping two neighbours counts once (optimal string alignment).
 * @param {string} a
 * @param {string} b
 */
function distance(a, b) {
  /** @type {number[][]} */
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (/** @type {number} */ i, /** @type {number} */ j) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, at(i - 2, j - 2) + 1);
      row.push(best);
    }
  }
  return at(a.length, b.length);
}

const plain = (/** @type {string} */ name) => name.toLowerCase().replace(/[-_\s]/g, '');

/**
 * @param {string} given
 * @param {Iterable<string>} known
 * @param {number} [most] how many to return
 * @returns {string[]} the nearest first; empty when none is within a third of the length (at least 1)
 */
export function nearest(given, known, most = 1) {
  const wanted = plain(given);
  if (wanted === '' || wanted.length > 200) return [];
  return [...known]
    .map((name) => {
      const other = plain(name);
      const starts = wanted.length >= 3 && (other.startsWith(wanted) || wanted.startsWith(other));
      return { name, far: starts ? Math.min(1, distance(wanted, other)) : distance(wanted, other) };
    })
    .filter(({ name, far }) => far <= Math.max(1, Math.floor(Math.max(wanted.length, plain(name).length) / 3)))
    .sort((a, b) => a.far - b.far)
    .slice(0, most)
    .map(({ name }) => name);
}

/**
 * @param {string} given
 * @param {Iterable<string>} known
 * @returns {string} ` Did you mean "x"?` or nothing
 */
export function didYouMean(given, known) {
  const names = nearest(given, known, 3);
  return names.length === 0 ? '' : ` Did you mean ${names.map((name) => `"${name}"`).join(' or ')}?`;
}
