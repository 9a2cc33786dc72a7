// One thing has one name in all texts of client, report, servers and documents: synonyms of the terms are not used.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectFiles, requireProjectFiles } from '../fixtures/project-files.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PLACES = ['README.md', 'client', 'config', 'logs/README.md', 'report', 'servers'];
const SOURCES = /\.(js|c|h|go|rs|java|py|sh|md|json)$/;

/** The term, and what it is not called. @type {[string, RegExp][]} */
const SYNONYMS = [
  ['unanswered', /never[- ]answered/i],
  [
    'accept queue (backlog is the length that the server asks for)',
    /listen backlog|listen queue|full backlog|(in|of) the backlog/i,
  ],
];

describe('the terms', () => {
  before(function () {
    requireProjectFiles(this);
  });

  const names = projectFiles(PLACES).filter((name) => SOURCES.test(name));
  const texts = names.map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }));

  for (const [term, synonym] of SYNONYMS) {
    it(`${term}: no text uses a synonym`, () => {
      assert.ok(texts.some(({ name }) => name.startsWith('servers/')));
      for (const { name, text } of texts) assert.equal(synonym.exec(text)?.[0], undefined, name);
    });
  }
});
