// The table maker of the console: what it aligns, wraps, groups and leaves out.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { textTable } from '../../client/console/text-table.js';

/** @import { Column } from '../../client/console/text-table.js' */

/** @param {string} title @param {Partial<Column<Record<string, string>>>} [more] */
const column = (title, more) => ({
  title,
  text: (/** @type {Record<string, string>} */ item) => item[title] ?? '',
  ...more,
});

describe('a table of text', () => {
  it('leaves out the columns of the highest rank where it is too narrow, and says which', () => {
    const widths = fc.array(fc.record({ rank: fc.nat(20), length: fc.integer({ min: 1, max: 12 }) }), { maxLength: 8 });
    fc.assert(
      fc.property(widths, fc.integer({ min: 1, max: 100 }), (given, width) => {
        const ranked = given.map(({ rank, length }, i) => column('x'.repeat(length), { rank: rank + i / 10 }));
        const columns = [column('n', { left: true }), ...ranked];
        const { lines, leftOut } = textTable(columns, [{ n: 'one' }], { width });
        const shown = columns.filter((column) => !leftOut.includes(column));
        assert.ok(shown.includes(columns[0]));
        const taken = (/** @type {any[]} */ some) =>
          1 + some.reduce((sum, { title }) => sum + Math.max(title.length, title === 'n' ? 3 : 0) + 2, -2);
        if (shown.length > 1) for (const line of lines) assert.ok(line.length <= width);
        for (const column of leftOut) {
          const before = shown.filter(({ rank = -1 }) => rank < (column.rank ?? -1));
          assert.ok(taken([...before, column]) > width, 'there was no room for it next to those of lower rank');
        }
      }),
    );
  });
});
