// The headings under which the help lists the flags: x-heading of the schema, otherwise the heading of the key's group.
// Within a heading, flags keep the order of the schema.

/** In the order in which a user needs them; the options of each protocol follow. */
const HEADINGS = [
  ...['What to measure', 'Load', 'Precision and conditions', 'Several legs', 'Ramp and warm-up'],
  ...["A connection's life", 'The server', 'Deadlines and retries', 'TLS', 'The client'],
];

/** @type {Record<string, string>} */
const GROUP_HEADINGS = {
  scenario: 'What to measure',
  load: 'Load',
  deadlines: 'Deadlines and retries',
  client: 'The client',
};

/** @typedef {{ 'x-group': string, 'x-heading'?: string }} Place  of a key, in its schema */

/** @param {string} key @param {Place} place @returns {string} */
export const headingOf = (key, { 'x-group': group, 'x-heading': heading = GROUP_HEADINGS[group] }) =>
  `${heading ?? `Protocol ${key.split('.')[0]}`}:`;

/** @param {string} heading @returns {number} */
const rankOf = (heading) => {
  const place = HEADINGS.indexOf(heading.slice(0, -1));
  return place < 0 ? HEADINGS.length : place;
};

/**
 * @template {Place} Schema
 * @param {Iterable<[string, Schema]>} keys in the order of the schema
 * @returns {[string, Schema][]} in the order of the help
 */
export const inHelpOrder = (keys) =>
  [...keys].sort(([key, place], [otherKey, otherPlace]) => {
    return rankOf(headingOf(key, place)) - rankOf(headingOf(otherKey, otherPlace));
  });
