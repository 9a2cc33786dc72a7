/** What became of every connection, from the rows of a log. */
import assert from 'node:assert/strict';
import { packCells, repliesOf, servedCell, unpackCells } from '../../client/measure/connection-cells.js';
import { damageOf } from '../../client/measure/run-documents.js';
import { FieldCounter, fieldShape } from '../../client/store/transfer-log/connection-field.js';

const [OK, TIMEOUT, UNFINISHED] = [0, 1, 6];
const FROM = 5e9;

/**
 * @param {[start: number, end: number, status: number, connection: number][]} rows s since the leg began
 * @param {{ connections?: number, each?: number, spans?: number }} [shape] spans: of a second
 * @returns {string[]} the cells of each span
 */
function cellsOf(rows, { connections = 1, each = 1, spans = 4 } = {}) {
  const toNs = Float64Array.from({ length: spans }, (_, i) => FROM + (i + 1) * 1e9);
  const counter = new FieldCounter({ connections, each, fromNs: FROM, toNs });
  for (const [start, end, status, connection] of rows) {
    counter.add(FROM + start * 1e9, (end - start) * 1e9, status, connection);
  }
  const field = counter.result();
  assert.equal(damageOf('connections', field), null);
  assert.deepEqual(
    field.spans.map((span) => span.toNs),
    Array.from(toNs, (ns) => ns - FROM),
  );
  return field.spans.map(({ cells }) => cells);
}

describe('connection field', () => {
  it('has a level of replies in the span in which they came, and tells later spans without a reply', () => {
    assert.deepEqual(
      cellsOf([
        [0, 0.5, OK, 0],
        [0.5, 0.6, OK, 0],
        [0.7, 2.5, OK, 0],
      ]),
      ['c', '_', 'a', '_'],
    );
  });

  it('tells a request that awaits its first reply from no request, and from a reply before it', () => {
    assert.deepEqual(cellsOf([[1.5, 5, UNFINISHED, 0]]), ['.', '-', '-', '-']);
    assert.deepEqual(cellsOf([[1.5, 3.5, OK, 0]]), ['.', '-', '-', 'a']);
    assert.deepEqual(
      cellsOf([
        [0, 0.5, OK, 0],
        [0.5, 5, UNFINISHED, 0],
      ]),
      ['a', '_', '_', '_'],
    );
    assert.deepEqual(cellsOf([]), ['.', '.', '.', '.']);
  });

  it('is lost from a failure until the next request is sent, whose reply is awaited anew', () => {
    assert.deepEqual(
      cellsOf(
        [
          [0, 0.5, OK, 0],
          [0.5, 0.8, TIMEOUT, 0],
          [2.5, 4.5, OK, 0],
        ],
        { spans: 5 },
      ),
      ['!', '!', '-', '-', 'a'],
    );
  });

  it('counts what began before the first span, and nothing that ended before it or in the drain', () => {
    assert.deepEqual(
      cellsOf([
        [-2, -1, OK, 0],
        [-1, 0.5, OK, 0],
        [0.6, 9, OK, 0],
      ]),
      ['a', '_', '_', '_'],
    );
  });

  it('takes connections apart, whichever engine logged them, in runs', () => {
    const rows = [0, 2, 1, 3].map((connection) => /** @type {any} */ ([0, 0.5, OK, connection]));
    assert.deepEqual(cellsOf(rows, { connections: 6, spans: 2 }), ['4a2.', '4_2.']);
  });

  it('shows the worst of several connections that share a cell', () => {
    const rows = /** @type {any} */ ([
      [0, 0.5, OK, 0],
      [0.1, 1.5, OK, 1],
      [0, 0.2, OK, 2],
      [0, 0.3, OK, 2],
      [0, 0.4, OK, 3],
      [0.4, 1.5, TIMEOUT, 3],
    ]);
    assert.deepEqual(cellsOf(rows, { connections: 5, each: 2, spans: 2 }), ['-a.', '_!.']);
  });

  it('has fewer spans of more connections, and of more than 80,000 several a cell', () => {
    const shapeOf = (/** @type {number} */ connections) => fieldShape({ connections, steadyToNs: 60e9 }, FROM);
    for (const [connections, spans, each] of [
      [2000, 60, 1],
      [10_000, 30, 1],
      [80_000, 12, 1],
      [1_000_000, 12, 13],
    ]) {
      const shape = shapeOf(connections);
      assert.deepEqual([shape.toNs.length, shape.each], [spans, each], String(connections));
      assert.equal(shape.toNs.at(-1), FROM + 60e9);
    }
  });

  it('ends a span with a slice of the leg, where it takes turns with others', () => {
    const lengths = [{ settleInNs: 1e8, measuredNs: 8e8, settleOutNs: 1e8 }];
    const slices = { group: 0, index: 1, of: 2, starts: 1, seed: 1, stages: [{ fromNs: 0, lengths }] };
    const { toNs } = fieldShape({ connections: 10, steadyToNs: 20e9, slices: /** @type {any} */ (slices) }, FROM);
    assert.equal(toNs.length, 10, 'one in each period of 2 s');
    toNs.forEach((ns, period) => {
      const at = (ns - FROM) / 1e9 - 2 * period;
      assert.ok(at === 1 || at === 2, `${at}: it has the first or the second slice`);
    });
  });
});

describe('connection cells', () => {
  it('are the same after packing', () => {
    const cells = Uint8Array.from([0, 1, 2, 2, 2, 3, ...Array(300).fill(servedCell(7)), servedCell(2 ** 22)]);
    assert.deepEqual(unpackCells(packCells(cells), cells.length), cells);
  });

  it('say between which numbers the replies are', () => {
    for (let replies = 1; replies < 3000; replies += 1) {
      const [min, max] = repliesOf(servedCell(replies));
      assert.ok(min <= replies && replies <= max, `${replies}: ${min} to ${max}`);
      assert.ok(max < 1.5 * min, `${min} to ${max}`);
    }
  });
});
