/** The words of causes as a person reads them, in the order they are stacked and listed. */

/** @type {Record<string, string>} */
export const REJECT_WORDS = {
  refused: 'refused',
  reset: 'reset',
  timeout: 'timeout',
  unreachable: 'unreachable',
  local: 'client limit (ports, descriptors, memory)',
  handshake: 'handshake',
  greeting: 'greeting',
  other: 'other',
};

/** @type {Record<string, string>} */
export const ERROR_WORDS = {
  reset: 'reset',
  closed: 'closed',
  timeout: 'timeout',
  corrupt: 'corrupt',
  protocol: 'protocol',
  other: 'other',
};

/**
 * @param {Record<string, number>} causes
 * @param {Record<string, string>} words
 * @returns {string[]} those that occurred, in order
 */
export function causesSeen(causes, words) {
  const known = Object.keys(words);
  const foreign = Object.keys(causes).filter((cause) => !known.includes(cause));
  return [...known, ...foreign].filter((cause) => (causes[cause] ?? 0) > 0);
}

/**
 * @param {Record<string, number>} causes @param {Record<string, string>} words
 * @param {(value: number) => string} format @returns {string} "refused 4,210 · timeout 12", empty when nothing occurred
 */
export function causesText(causes, words, format) {
  return causesSeen(causes, words)
    .map((cause) => `${words[cause] ?? cause} ${format(causes[cause])}`)
    .join(' · ');
}
