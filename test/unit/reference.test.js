// config/REFERENCE.md is the current output of `npm run reference`; it has every key of the schema and every figure.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { scenarioKeys } from '../../client/scenario/schema.js';
import { figureOf, figures } from '../../client/judge/figures.js';
import { currentReference, reference } from '../../config/reference.js';

const committed = readFileSync(new URL('../../config/REFERENCE.md', import.meta.url), 'utf8');

describe('reference of the scenario', () => {
  it('is up to date: npm run reference', () => {
    assert.equal(committed, currentReference());
  });

  it('has one row for every key', () => {
    const rows = committed.split('\n').map((line) => line.split(' | '));
    const keys = rows.filter(({ length, 0: first }) => length === 5 && first.startsWith('| `')).map(([first]) => first);
    const expected = [...scenarioKeys.keys()].filter((key) => key !== '$schema').map((key) => `| \`${key}\``);
    assert.deepEqual(keys.sort(), expected.sort());
  });

  it('has one row for every figure', () => {
    const rows = committed.slice(committed.indexOf('\n## Figures')).match(/^\| `[^`]+`/gm) ?? [];
    assert.deepEqual(
      rows.map((row) => figureOf(row.slice(3, -1))?.name),
      figures.map(({ name }) => name),
    );
  });

  it('states type, default, flag and meaning, and escapes Markdown', () => {
    const items = { type: 'object', properties: {} };
    const text = reference({
      properties: {
        size: { type: 'string', 'x-unit': 'size', default: '1KiB', description: 'Up to a|b, *', 'x-group': 'load' },
        check: { type: 'boolean', default: true, description: 'Check it', 'x-group': 'load' },
        tests: { type: 'array', items: { ...items, required: ['as'] }, description: 'Tests', 'x-group': 'load' },
        servers: { type: 'array', items: { properties: { options: { properties: {} } } }, description: 'Servers' },
        connections: { type: ['integer', 'array'], minimum: 1, maximum: 2000, items, 'x-default': '60s' },
        rate: { type: 'string', items, 'x-flag': false },
      },
    });
    const rows = text.split('\n').filter((line) => line.startsWith('| `'));
    assert.deepEqual(rows.slice(0, 6), [
      '| `servers` | list | none | `--servers` | Servers. |',
      '| `connections` | 1 to 2,000 or profile | `60s` | `--connections` | . |',
      '| `rate` | string | none | none | . |',
      '| `size` | size | `1KiB` | `--size` | Up to a\\|b, \\*. |',
      '| `check` | boolean | `true` | `--no-check` | Check it. |',
      '| `tests` | list | none | `--tests` | Tests. |',
    ]);
  });
});
