// The example of "Add a server in ten minutes" in servers/README.md.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const README = readFileSync(new URL('../../servers/README.md', import.meta.url), 'utf8');

/** The section's blocks of code, by the word behind their fence. */
const [section = ''] = /^## Add a server in ten minutes\n[^]*?(?=^## )/m.exec(README) ?? [];
const blocks = [...section.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, kind, text]) => ({ kind, text }));
/** @param {string} kind @returns {string} the only one of that kind */
export function block(kind) {
  const found = blocks.filter((each) => each.kind === kind);
  assert.equal(found.length, 1, `blocks of ${kind}`);
  return found[0].text;
}

/** @param {string} folder servers/mine, with what the section shows */
export function writeExample(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'mine.c'), block('c'));
  writeFileSync(join(folder, 'Makefile'), block('make'));
}
