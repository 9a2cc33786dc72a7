// What belongs to legs that are not drawn is small in the page: what the elements of all legs have in common is there once.

import assert from 'node:assert/strict';
import { factored } from '../../report/html/sections/spares.js';

/** @param {{ common: string[], texts: (string | number)[][] }} packed @returns {string[]} as the page's script makes them */
const unpacked = ({ common, texts }) =>
  texts.map((parts) => parts.map((part) => (typeof part === 'number' ? common[part] : part)).join(''));

describe('report: spares', () => {
  it('are the texts of all elements, with what they have in common once', () => {
    const texts = Array.from(
      { length: 100 },
      (_, i) =>
        `<div class="panel" data-drawn="${i}"><h4 class="leg-${i % 8}">server ${i}</h4>${i % 3 ? '' : '<p class="note">seldom &lt;1&gt;</p>'}\n<canvas id="chart-${i}" role="img" aria-label="server ${i}: p50 ${i} ms, &quot;x&quot;"></canvas></div>`,
    );
    const packed = factored(texts);
    assert.deepEqual(unpacked(packed), texts);
    assert.ok(JSON.stringify(packed).length < 0.7 * JSON.stringify(texts).length);
  });

  it('are the same where they have nothing in common, or one is alone', () => {
    for (const texts of [[], ['<b>1</b>'], ['', '<i></i>', 'text']]) assert.deepEqual(unpacked(factored(texts)), texts);
  });
});
