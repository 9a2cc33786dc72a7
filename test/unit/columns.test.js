// Points of the charts as packed columns: what the page holds, and what it makes of them.
import assert from 'node:assert/strict';
import { ColumnPacker, unpackPoints } from '../../report/model/columns.js';
import { seededRandom } from '../../client/measure/random.js';

/** @param {any[]} points @returns {any} packed and unpacked again */
function again(points) {
  const packer = new ColumnPacker();
  return unpackPoints(packer.columns, packer.pack(points));
}

describe('packed columns of points', () => {
  it('give back every number exactly, and what is missing as missing, but no column without any value at the end', () => {
    const points = [
      [0.5, 68976408, null],
      [1.5, 9007199254740991, 0],
      [10000, null, 4294967296],
      [-0.001, 1e-9, -3],
      [7, null, null],
    ];
    assert.deepEqual(again(points), points);
    for (const [given, expected] of [
      [[], []],
      [
        [
          [1, undefined, 2],
          [2, 7],
          [3, NaN, Infinity],
        ],
        [
          [1, null, 2],
          [2, 7, null],
          [3, null, null],
        ],
      ],
      [
        [
          [1, 5, null],
          [2, null, null],
        ],
        [
          [1, 5],
          [2, null],
        ],
      ],
    ])
      assert.deepEqual(again(given), expected);
    assert.throws(() => again([[1, '5']]), TypeError);
  });

  it('keep an equal column once, and a run as its length', () => {
    const packer = new ColumnPacker();
    const line = (/** @type {number} */ y) => Array.from({ length: 900 }, (_, i) => [i + 0.5, y, 0]);
    const [first, second] = [packer.pack(line(0)), packer.pack(line(7))];
    assert.equal(first[0], second[0], 'x');
    assert.equal(first[2], second[2], 'n');
    assert.equal(packer.columns.length, 3);
    assert.ok(packer.columns.join('').length < 40, packer.columns.join(' '));
    assert.deepEqual(unpackPoints(packer.columns, second), line(7));
  });

  it('give back what a seeded generator makes up', () => {
    const random = seededRandom(5);
    for (let round = 0; round < 200; round += 1) {
      const length = Math.floor(random() * 50);
      const scale = 10 ** Math.floor(random() * 14);
      const decimals = Math.min(Math.floor(random() * 6), Math.max(0, 14 - Math.log10(scale)));
      const value = () => (random() < 0.1 ? null : Number(((random() - 0.3) * scale).toFixed(decimals)) + 0);
      const points = Array.from({ length }, (_, i) => [i, value(), Math.floor(random() * 3)]);
      assert.deepEqual(again(points), points, `round ${round}`);
    }
  });
});
