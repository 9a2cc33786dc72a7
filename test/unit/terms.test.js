// One thing has one name in all texts of client and report: synonyms of the terms are not used.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The term, and what it is not called. @type {[string, RegExp][]} */
const SYNONYMS = [
  ['unanswered', /never[- ]answered/i],
  ['accept queue (backlog is the length that the server asks for)', /listen backlog|listen queue|full backlog/i],
];

describe('the terms', () => {
  for (const [term, synonym] of SYNONYMS) {
    it(`${term}: client and report use no synonym`, () => {
      for (const folder of ['client', 'report']) {
        const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
        for (const name of names.filter((one) => one.endsWith('.js') && !one.includes('node_modules'))) {
          const found = synonym.exec(readFileSync(join(ROOT, folder, name), 'utf8'));
          assert.equal(found?.[0], undefined, join(folder, name));
        }
      }
    });
  }
});
