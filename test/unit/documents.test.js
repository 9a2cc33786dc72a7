// The documents are correct: every link has a target, every command and every scenario in them is accepted. Runs
// nothing.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { perform } from '../../client/commands/program.js';
import { withTarget } from '../../client/commands/short-flags.js';
import { builder as maxBuilder } from '../../client/commands/max.js';
import { builder as stressBuilder } from '../../client/commands/stress.js';
import { flagsOf } from '../../client/scenario/flags.js';
import { readScenarioFile } from '../../client/scenario/file.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { projectFiles, requireProjectFiles } from '../fixtures/project-files.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const documents = projectFiles(['*.md']);
const textOf = (/** @type {string} */ path) => readFileSync(join(ROOT, path), 'utf8');

/** The links of a document to files and headings of this project. @param {string} path */
function linksOf(path) {
  return [...textOf(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to).filter((to) => !/^[a-z]+:/.test(to));
}

/** The anchors of a document's headings, as GitHub makes them. @param {string} path */
function anchorsOf(path) {
  return [...textOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/**
 * Every command of an indented block that takes a scenario: `stress`, `max`, `doctor`, or a URL alone. @param {string}
 * path
 */
function commandsOf(path) {
  const matches = textOf(path).matchAll(
    /^ {4}(?:npm run (?:-s )?(stress|max|doctor) --|broadside (stress|max|doctor)?) *(.*?)(?: +# .*)?$/gm,
  );
  return [...matches].flatMap(([, run, name = run, line]) => {
    const isTarget = name !== undefined || /^[a-z]+:\/\//.test(line);
    return isTarget ? [{ name: name === 'max' ? 'max' : 'stress', line }] : [];
  });
}

/** The JSON objects in indented blocks. @param {string} path */
function scenariosOf(path) {
  return [...textOf(path).matchAll(/^ {4}\{\n(?: {4}.*\n)*? {4}\}$/gm)].map(([text]) => text);
}

/**
 * @param {string} name stress or max @param {string} line of a shell, quoted by nothing but single quotes
 * @returns {Promise<Record<string, unknown>>} the arguments as the command gets them; with --base its command twice
 */
async function parse(name, line) {
  const words = [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));
  /** @type {Record<string, unknown>} */
  let given = {};
  const builder = name === 'max' ? maxBuilder : stressBuilder;
  const command = { builder, handler: (/** @type {any} */ argv) => (given = argv) };
  const entry = { name, positionals: '[url]', describe: '', load: async () => command };
  await perform([name, ...words], [entry]);
  const { base, ...argv } = withTarget(given);
  return base === undefined ? argv : { ...argv, command: ['base', 'head'].map((label) => `${label}=${argv.command}`) };
}

describe('documents', () => {
  before(function () {
    requireProjectFiles(this);
  });

  it('link to files and headings that exist', () => {
    for (const path of documents)
      for (const link of linksOf(path)) {
        const [file, anchor] = link.split('#');
        const to = file === '' ? path : join(dirname(path), file);
        assert.ok(existsSync(join(ROOT, to)), `${path}: ${link}: no such file`);
        if (anchor !== undefined) assert.ok(anchorsOf(to).includes(anchor), `${path}: ${link}: no such heading`);
      }
  });

  it('contain only commands that are accepted', async () => {
    const commands = documents.flatMap(commandsOf);
    assert.ok(commands.length >= 50, `${commands.length}`);
    for (const { name, line } of commands) {
      const argv = await parse(name, line);
      const config = /** @type {string | undefined} */ (argv.config);
      const source = config === undefined ? {} : await readScenarioFile(config);
      const flags = /** @type {any} */ (flagsOf(argv));
      if (argv.base !== undefined) flags.command = { base: flags.command, head: flags.command };
      assert.doesNotThrow(() => resolveScenario(source, flags), line);
    }
  });

  it('contain only scenarios that are accepted', () => {
    const scenarios = documents.filter((path) => path.startsWith('config/')).flatMap(scenariosOf);
    assert.ok(scenarios.length >= 3);
    for (const text of scenarios) assert.doesNotThrow(() => resolveScenario({ content: JSON.parse(text) }), text);
  });

  it('client/README.md: every file in its tables exists', () => {
    const rows = textOf('client/README.md').match(/^\| .*$/gm) ?? [];
    const named = rows.flatMap((row) => [...row.matchAll(/`([\w./-]+\/[\w.-]+\.\w+)`/g)].map(([, path]) => path));
    assert.ok(named.length >= 20);
    for (const path of named.filter((path) => !path.includes('NAME'))) {
      assert.ok(existsSync(join(ROOT, 'client', path)), path);
    }
  });

  it('name tests that exist, in the rules of comparison', () => {
    const named = [...textOf('config/COMPARING.md').matchAll(/`([a-z0-9/-]+)`: "([^"]+)"/g)];
    assert.ok(named.length >= 15, `${named.length} tests`);
    for (const [, file, title] of named) {
      const path = `test/${file.includes('/') ? file : `unit/${file}`}.test.js`;
      assert.ok(textOf(path).includes(title), `${path}: ${title}`);
    }
  });
});
