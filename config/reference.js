// `npm run reference` writes what is made from lists: config/schema/scenario.json, from keys.json beside it and
// client/protocols/; config/REFERENCE.md, the table of every scenario key, and that of every figure, from
// client/judge/figures.js; in config/guides/results.md the table of every finding, from client/judge/findings/index.js;
// in servers/README.md the table of every server, from the manifests; config/schema/fields.json, from
// client/measure/fields.js; config/schema/resolved.json, from the schema of scenarios;
// client/agents/protocol-version.js, from the messages of agents; client/measure/required-fields.json, from the schemas
// of a run's documents, unless RUN_SCHEMA has to be raised. A unit test compares the committed files with what this
// makes. The table of shipped scenarios in config/README.md is made by test/unit/shipped-scenarios.test.js, from their
// plans.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EXAMPLES } from '../client/judge/conditions/parse.js';
import { comparedNames, figures, meaningOf } from '../client/judge/figures.js';
import { rows } from '../client/judge/findings/index.js';
import { UsageError } from '../client/errors.js';
import { RUN_SCHEMA } from '../client/measure/schema.js';
import { canBeDescribed } from '../client/scenario/describe.js';
import { axisKeys } from '../client/scenario/keys/sweep.js';
import { scenarioSchema } from '../client/scenario/schema.js';
import { runSchemas } from './compile-validators.js';
import { fieldsSchema } from './fields-schema.js';
import { protocolVersion } from './message-shapes.js';
import { requiredFields } from './required-fields.js';
import { resolvedSchema } from './resolved-schema.js';

/**
 * The part of a JSON Schema that the reference shows.
 * @typedef {object} Key
 * @property {string | string[]} [type]
 * @property {string} [description]
 * @property {unknown} [default]
 * @property {string[]} [enum]
 * @property {string} [pattern]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {Key} [items]
 * @property {Record<string, Key>} [properties]
 * @property {string[]} [required]
 * @property {'duration' | 'size' | 'rate'} [x-unit]
 * @property {string} [x-default]
 * @property {string} [x-group]
 * @property {false} [x-flag]
 * @property {string} [x-alias]
 */

const GUIDE = new URL('./guides/results.md', import.meta.url);
const SERVERS = new URL('../servers/', import.meta.url);

/** Sections in the order of the file: `x-group` of the schema, heading. @type {[string, string][]} */
const SECTIONS = [
  ['scenario', 'What to measure'],
  ['load', 'Load'],
  ['deadlines', 'Deadlines and retries'],
  ['client', 'The client'],
  ['protocols', 'Protocol options'],
];

const INTRODUCTION = `# Scenario reference

Every key of a scenario file. [README.md](README.md) explains how to use them.

This file is generated from [schema/keys.json](schema/keys.json) and the protocols by \`npm run reference\`.

- **duration**: \`500us\`, \`500ms\`, \`5s\`, \`1m\`, \`1h\`. **size**: \`1B\`, \`64KiB\`, \`1MiB\`, \`1GiB\`. **rate**: \`50000/s\`.
- A flag overrides the file. A boolean flag takes no value: \`--force\`, \`--no-tls.verify\`.
- A list is a JSON array in the file and separated by commas in a flag: \`--sweep.connections 1,10,100\`.
- A path in a file is relative to the file's folder, a path in a flag to the current folder.
`;

/**
 * A description as a table cell: one line that ends with a full stop, Markdown escaped.
 * @param {string} text
 */
const cell = (text) => text.replace(/[\\*<|]/g, '\\$&').replace(/\.?$/, '.');

/**
 * The values that a key accepts, in as few words as a table allows.
 * @param {Key} key
 * @returns {string}
 */
function valuesOf(key) {
  if (key.enum !== undefined) return key.enum.map((value) => `\`${value}\``).join(' ');
  const unit = key['x-unit'];
  const names = [key.type].flat().map((type) => {
    if (type === 'array') return key.items?.required?.includes('for') ? 'profile' : 'list';
    if (type === 'string' && key.pattern === '^auto$') return '`auto`';
    if (type === 'string') return unit ?? (key.pattern?.includes('(us|ms|s|m|h)') ? 'duration' : 'string');
    if (type === 'integer') return rangeOf(key);
    return String(type);
  });
  return names.join(' or ');
}

/** @param {Key} key */
function rangeOf({ minimum = 0, maximum }) {
  if (maximum === undefined) return `integer, at least ${minimum}`;
  return `${minimum} to ${maximum.toLocaleString('en-US')}`;
}

/** @param {Key} key */
function defaultOf(key) {
  const inWords = key['x-default'];
  if (inWords !== undefined) return /^[0-9]+[a-z]*$/.test(inWords) ? `\`${inWords}\`` : inWords;
  if (key.default === undefined || key.default === '') return 'none';
  return typeof key.default === 'object' ? 'none' : `\`${key.default}\``;
}

/** @param {string} name @param {Key} key */
function flagOf(name, key) {
  if (key['x-flag'] === false) return 'none';
  return key.type === 'boolean' && key.default === true ? `\`--no-${name}\`` : `\`--${key['x-alias'] ?? name}\``;
}

/**
 * A key and those below it, by their dotted names.
 * @param {string} name
 * @param {Key} key
 * @returns {[string, Key][]}
 */
function flatten(name, key) {
  if (key.properties === undefined) return [[name, key]];
  /** @type {[string, Key][]} */
  const own = [key.type].flat().includes('boolean') ? [[name, { ...key, type: 'boolean' }]] : [];
  return own.concat(Object.entries(key.properties).flatMap(([inner, schema]) => flatten(`${name}.${inner}`, schema)));
}

/**
 * @param {string[]} head
 * @param {string[][]} rows
 */
export function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The keys of an object that has no flags. @param {Key} object */
function plainTable({ properties = {}, required = [] }) {
  const rows = Object.entries(properties).map(([name, key]) => [
    `\`${name}\``,
    valuesOf(key),
    required.includes(name) ? 'required' : defaultOf(key),
    cell(key.description ?? ''),
  ]);
  return table(['key', 'type', 'default', 'meaning'], rows);
}

/** Which of the rounds counts. */
const ROUNDS = { median: 'median', most: 'greatest', least: 'least' };

/** The figures that conditions may name, and what a run needs for each. @returns {string} a section */
function figuresSection() {
  const rows = figures.map((figure) => {
    const { name, group, unit, rounds, needs, of, ofSample, compared } = figure;
    return [
      `\`${name}\``,
      group,
      cell(meaningOf(figure)),
      EXAMPLES[unit],
      of ? ROUNDS[rounds] : 'none: only in stopOn',
      ofSample ? 'yes' : 'no',
      [
        ...(compared && comparedNames.includes(compared.called ?? name)
          ? [compared.called ? `compared, as \`${compared.called}\`` : 'compared']
          : []),
        ...(needs ? [`needs ${needs}`] : []),
      ].join('; '),
    ];
  });
  return `## Figures\n\nConditions of \`thresholds\`, \`failIf\`, \`stopOn\` and \`find.while\` name these. The tables of console and page, the live lines and\nthe comparisons are made from the same list, [client/judge/figures.js](../client/judge/figures.js).\n\n${table(['figure', 'of', 'meaning', 'value', 'of several rounds', 'in stopOn', 'notes'], rows)}\n`;
}

/**
 * @param {Record<string, any>} schema of a scenario
 * @returns {string} the reference as Markdown
 */
export function reference({ properties }) {
  const keys = Object.entries(/** @type {Record<string, Key>} */ (properties));
  const sections = SECTIONS.map(([group, heading]) => {
    const rows = keys
      .filter(([name, key]) => (key['x-group'] ?? 'scenario') === group && !name.startsWith('$'))
      .flatMap(([name, key]) => flatten(name, key))
      .map(([name, key]) => [
        `\`${name}\``,
        valuesOf(key),
        defaultOf(key),
        flagOf(name, key),
        cell(key.description ?? ''),
      ]);
    return `## ${heading}\n\n${table(['key', 'type', 'default', 'flag', 'meaning'], rows)}\n`;
  });
  const server = properties.servers.items;
  return [
    INTRODUCTION,
    ...sections,
    `## An entry of \`servers\`\n\nAn entry is a name, a pattern, or an object with these keys. They have no flags.\n\n${plainTable(server)}\n`,
    `### \`options\` of a server\n\nEach server takes some of these; its manifest lists them ([servers/README.md](../servers/README.md)).\nFlags of \`npm run servers -- start\` have the same names.\n\n${plainTable(server.properties.options)}\n`,
    `## An axis of \`sweep\`\n\nAn axis is \`servers\` or one of the keys below. Its values are those of that key, in a list:\n\`"sweep": { "pin.server": ["0", "0-1"] }\` in a file, \`--sweep.pin.server 0,1\` as a flag.\n\n${axisKeys.map((key) => `\`${key}\``).join(' ')}\n`,
    `## An entry of \`tests\`\n\nBesides its name, an entry holds keys of the sections Load, Deadlines and retries, and Protocol options, but not\n\`workload\`, \`protocol\`, \`tls\` and \`sweep\`.\n\n${plainTable(properties.tests.items)}\n`,
    `## An entry of \`http.requests\`\n\n${plainTable(properties.http.properties.requests.items)}\n`,
    `## A piece of a profile of \`connections\`\n\n${plainTable(properties.connections.items)}\n`,
    `## A piece of a profile of \`rate\`\n\n${plainTable(properties.rate.items)}\n`,
    figuresSection(),
  ].join('\n');
}

/**
 * @param {URL} document @param {string} name of its table @param {string} text the table
 * @returns {string} the document, with that between its comments
 */
export const withTable = (document, name, text) =>
  readFileSync(document, 'utf8').replace(
    new RegExp(`(<!-- ${name}: .*? -->\\n)[^]*(<!-- end of ${name} -->)`),
    (_, begin, end) => `${begin}${text}\n${end}`,
  );

const findingsTable = () =>
  table(
    ['finding', 'severity', 'when'],
    rows.map(({ code, severity, when }) => [`\`${code}\``, severity, when]),
  );

/** Folders of shipped servers in the order of the table, and their languages as they are written; others are yours. */
const LANGUAGES = Object.entries({
  c: 'C',
  go: 'Go',
  java: 'Java',
  node: 'Node',
  python: 'Python',
  rust: 'Rust',
  programs: 'program',
});

/**
 * The part of a manifest that the table of servers shows.
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} model
 * @property {string[]} protocols
 * @property {1 | 'unbounded' | { option: string, default: number }} concurrent
 * @property {'none' | 'threads' | 'processes'} scales
 * @property {Record<string, string[]>} [options]
 */

/** @param {string} folder of servers/ @returns {Manifest[]} of its servers */
function manifestsIn(folder) {
  const manifests = new URL(`${folder}/manifests/`, SERVERS);
  const all = readdirSync(manifests).map((file) => JSON.parse(readFileSync(new URL(file, manifests), 'utf8')));
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @param {Manifest} manifest @returns {string} what more cores are used with */
function coresOf({ scales, options = {} }) {
  const named = ['threads', 'processes'].filter((option) => option in options).map((option) => `\`${option}\``);
  if (scales === 'none') return 'nothing';
  return named.join(', ') || `its ${scales}`;
}

/** @returns {string} every server of the manifests */
const serversTable = () =>
  table(
    ['name', 'language', 'model', 'protocols', 'connections at once', 'uses more cores with'],
    LANGUAGES.flatMap(([folder, language]) =>
      manifestsIn(folder).map((manifest) => {
        const { name, model, protocols, concurrent } = manifest;
        const atOnce =
          typeof concurrent === 'object' ? `\`${concurrent.option}\` (${concurrent.default})` : String(concurrent);
        return [`\`${name}\``, language, model, protocols.join(', '), atOnce, coresOf(manifest)];
      }),
    ),
  );

/**
 * @param {string} name @param {Key} key
 * @returns {string[]} it and the keys below it that have words for descriptions of a run
 */
function withWords(name, key) {
  const parts = Object.entries({ ...key.items?.properties, ...key.properties });
  const below = parts.flatMap(([part, schema]) => withWords(name === '' ? part : `${name}.${part}`, schema));
  return 'x-words' in key || 'x-row' in key ? [name, ...below] : below;
}

/**
 * @param {Key} schema of a scenario
 * @returns {string} its text
 * @throws {UsageError} when words of a key would have no effect
 */
export function schemaText(schema) {
  const keys = withWords('', schema).filter((name) => !canBeDescribed(name));
  if (keys.length === 0) return `${JSON.stringify(schema, null, 2)}\n`;
  throw new UsageError(
    `config/schema/keys.json: x-words and x-row have no effect at ${keys.join(', ')}, since its value is not made from the ` +
      'schema alone: leave them out, and write its row in client/console/plan-text.js and report/html/sections/conditions.js',
    { code: 'EWORDS', data: { keys } },
  );
}

const REQUIRED_FIELDS = new URL('../client/measure/required-fields.json', import.meta.url);

/** @returns {string} @throws {UsageError} when earlier runs are no longer valid, and RUN_SCHEMA is that of before */
function requiredFieldsText() {
  const before = JSON.parse(readFileSync(REQUIRED_FIELDS, 'utf8'));
  return `${JSON.stringify(requiredFields(runSchemas(), RUN_SCHEMA, before), null, 2)}\n`;
}

/**
 * What is made, by its path below config/: what others are made from comes first.
 * @type {Record<string, () => string>}
 */
export const MADE = {
  'schema/scenario.json': () => schemaText(scenarioSchema),
  'REFERENCE.md': () => reference(scenarioSchema),
  'guides/results.md': () => withTable(GUIDE, 'findings', findingsTable()),
  '../servers/README.md': () => withTable(new URL('README.md', SERVERS), 'servers', serversTable()),
  'schema/fields.json': () => `${JSON.stringify(fieldsSchema(), null, 2)}\n`,
  'schema/resolved.json': () => `${JSON.stringify(resolvedSchema(), null, 2)}\n`,
  '../client/agents/protocol-version.js': protocolVersion,
  '../client/measure/required-fields.json': requiredFieldsText,
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    for (const [name, text] of Object.entries(MADE)) {
      const path = fileURLToPath(new URL(name, import.meta.url));
      writeFileSync(path, text());
      console.log(`wrote ${path}`);
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    process.exitCode = error.exitCode;
  }
}
