// "Did you mean ...?": the known names nearest to a mistyped one.

import { distance } from 'fastest-levenshtein';

const plain = (/** @type {string} */ name) => name.toLowerCase().replace(/[-_\s]/g, '');

/**
 * The edit distance, in which swapping two letters counts once.
 * @param {string} first
 * @param {string} second
 */
function typingErrors(first, second) {
  const edits = distance(first, second);
  return edits === 2 && [...first].sort().join('') === [...second].sort().join('') ? 1 : edits;
}

/**
 * @param {string} given
 * @param {Iterable<string>} known
 * @param {number} [limit] the most names to return
 * @returns {string[]} the nearest first; empty when none is within a third of the length (at least 1)
 */
export function nearest(given, known, limit = 1) {
  const wanted = plain(given);
  if (wanted === '' || wanted.length > 200) return [];
  return [...known]
    .map((name) => {
      const candidate = plain(name);
      const starts = wanted.length >= 3 && (candidate.startsWith(wanted) || wanted.startsWith(candidate));
      const far = typingErrors(wanted, candidate);
      return { name, far: starts ? Math.min(1, far) : far };
    })
    .filter(({ name, far }) => far <= Math.max(1, Math.floor(Math.max(wanted.length, plain(name).length) / 3)))
    .sort((a, b) => a.far - b.far)
    .slice(0, limit)
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
