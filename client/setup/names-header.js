// Writes engine/core/base/build/names.h before set-up builds the engine: the enums of counters and measurements with
// their names in JavaScript, from measure/fields.js and measure/causes.js; and the list of the protocols, from
// engine/core/protocol/. No installed package is imported.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ERRORS, REJECTS } from '../measure/causes.js';
import { COUNTERS, GAUGES, HISTOGRAMS, OMISSIONS, REPLIES } from '../measure/fields.js';

/**
 * @typedef {{ name: string, about: string }} Row
 * @typedef {object} Enum
 * @property {string} tag
 * @property {string} prefix  of its members
 * @property {string} size  the last member, which is the number of the others
 * @property {readonly Row[]} rows
 */

/** @param {readonly (Row & { byPrimary?: true, isRead?: true })[]} rows @returns {Row[]} rows that the engine fills */
const inEngine = (rows) => rows.filter(({ byPrimary, isRead }) => !byPrimary && !isRead);

/** @type {Enum[]} */
const ENUMS = [
  { tag: 'reject_cause', prefix: 'REJECT', size: 'REJECT_CAUSES', rows: REJECTS },
  { tag: 'error_cause', prefix: 'ERROR', size: 'ERROR_CAUSES', rows: ERRORS },
  {
    ...{ tag: 'code', prefix: 'CODE', size: 'CODES' },
    rows: [{ name: 'none', about: 'the protocol does not distinguish kinds of replies' }, ...REPLIES],
  },
  { tag: 'split_omission', prefix: 'OMITTED', size: 'SPLIT_OMISSIONS', rows: OMISSIONS },
  { tag: 'gauge', prefix: 'GAUGE', size: 'GAUGES', rows: inEngine(GAUGES) },
  { tag: 'histogram_name', prefix: 'HISTOGRAM', size: 'HISTOGRAMS', rows: inEngine(HISTOGRAMS) },
];
const COUNTED = { tag: 'counter', prefix: 'COUNT', size: 'COUNTERS', rows: inEngine(COUNTERS) };
/** Counters by a cause or kind follow the others. @type {[member: string, of: string, prefix: string][]} */
const COUNTED_BY = [
  ['COUNT_REJECTS', 'reject_cause', 'rejects'],
  ['COUNT_ERRORS', 'error_cause', 'errors'],
  ['COUNT_CODES', 'code', 'statuses'],
  ['COUNT_OMITTED', 'split_omission', 'timestampsLeftOut'],
];

/** @param {string} tag @returns {Enum} */
const enumOf = (tag) => /** @type {Enum} */ (ENUMS.find((definition) => definition.tag === tag));

/** @param {string} prefix @param {string} name such as `bytesSent`, `wrong-body` @returns {string} BYTES_SENT */
const member = (prefix, name) => `${prefix}_${name.replace(/[A-Z]/g, '_$&').replaceAll('-', '_').toUpperCase()}`;

/** @param {string} text @returns {string} a comment in C */
const comment = (text) => `/* ${text.replaceAll('’', "'")} */`;

/** @param {Enum} source @param {string[]} [more] members that follow its rows @returns {string[]} lines */
const definition = ({ tag, prefix, size, rows }, more = []) => [
  `enum ${tag} {`,
  ...rows.map(({ name, about }) => `  ${member(prefix, name)}, ${comment(about)}`),
  ...more.map((line) => `  ${line}`),
  `  ${size}`,
  '};',
  '',
];

/** @param {string} macro @param {string[]} entries @returns {string[]} lines of an initialiser */
const initialiser = (macro, entries) => [`#define ${macro} { \\`, ...entries.map((entry) => `  ${entry}, \\`), '}', ''];

/** @param {Enum} source @returns {string[]} its names, by member */
const names = ({ prefix, rows }) => rows.map(({ name }) => `[${member(prefix, name)}] = "${name}"`);

/** @param {string} folder of the engine @returns {string[]} names of the `struct protocol`s that its files define */
function protocolsIn(folder) {
  const codecs = join(folder, 'core', 'protocol');
  const files = readdirSync(codecs).filter((file) => file.endsWith('.c'));
  return files.flatMap((file) =>
    [...readFileSync(join(codecs, file), 'utf8').matchAll(/^const struct protocol (\w+) = \{/gm)].map(
      ([, name]) => name,
    ),
  );
}

/** @param {string[]} protocols names of `struct protocol` @returns {string} the text of the header */
export function namesHeader(protocols) {
  let from = '';
  const offsets = COUNTED_BY.map(([first, tag], i) => {
    const line = i === 0 ? `${first},` : `${first} = ${from},`;
    from = `${first} + ${enumOf(tag).size}`;
    return line;
  });
  const last = `LAST_COUNTER = ${from} - 1,`;
  const counted = COUNTED_BY.flatMap(([first, tag, key]) => {
    const { prefix, rows } = enumOf(tag);
    return rows.map(({ name }) => `[${first} + ${member(prefix, name)}] = "${key}.${name}"`);
  });
  return [
    '/* Made by client/setup/names-header.js. */',
    '#ifndef BROADSIDE_NAMES_H',
    '#define BROADSIDE_NAMES_H',
    '',
    ...ENUMS.flatMap((source) => definition(source)),
    ...definition(COUNTED, [...offsets, last]),
    ...initialiser('COUNTER_NAMES', [...names(COUNTED), ...counted]),
    ...initialiser('GAUGE_NAMES', names(enumOf('gauge'))),
    ...initialiser('HISTOGRAM_NAMES', names(enumOf('histogram_name'))),
    `#define PROTOCOLS(EACH) ${protocols.map((name) => `EACH(${name})`).join(' ')}`,
    '',
    '#endif',
    '',
  ].join('\n');
}

/**
 * @param {string} folder of the engine
 * @returns {string} the path of the header; a header with the same text is not written again
 */
export function writeNamesHeader(folder) {
  const path = join(folder, 'core', 'base', 'build', 'names.h');
  const text = namesHeader(protocolsIn(folder));
  mkdirSync(dirname(path), { recursive: true });
  if (textOf(path) !== text) writeFileSync(path, text);
  return path;
}

/** @param {string} path @returns {string | null} */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
