// The numbers that the transfer log packs, read back by hyparquet and by pages of every width.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { DeltaPacker } from '../../client/store/transfer-log/delta-pack.js';

const packer = new DeltaPacker();

/** @param {number[]} values @returns {bigint[]} packed and unpacked */
function roundTrip(values) {
  const { bytes } = packer.pack(Float64Array.from(values), values.length);
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
  const output = new BigInt64Array(values.length);
  if (values.length > 0) deltaBinaryUnpack(reader, values.length, output);
  return [...output];
}

describe('delta packing', () => {
  it('gives back what it took, whatever the range of the numbers', () => {
    const upTo = (/** @type {number} */ bits) =>
      fc.array(fc.integer({ min: 0, max: 2 ** bits - 1 }), { maxLength: 300 });
    const some = fc.integer({ min: 1, max: 52 }).chain(upTo);
    const signed = fc.array(fc.integer({ min: -(2 ** 51), max: 2 ** 51 - 1 }), { maxLength: 300 });
    fc.assert(
      fc.property(fc.oneof(some, signed), (values) => {
        assert.deepEqual(roundTrip(values), values.map(BigInt));
      }),
    );
  });

  it('keeps equal differences in five bytes a block', () => {
    const values = Float64Array.from({ length: 128_001 }, (_, i) => 3 * i);
    assert.ok(packer.pack(values, values.length).bytes.length <= 10 + 5 * 1000);
  });

  it('says the least and the greatest, and packs only as many as asked', () => {
    const { min, max } = packer.pack(Float64Array.of(5, -2, 9, 100), 3);
    assert.deepEqual([min, max], [-2, 9]);
    assert.deepEqual(roundTrip([]), []);
  });

  it('refuses a difference that is not exact', () => {
    const far = Float64Array.of(0, -(2 ** 53) + 1, 2 ** 53 - 1);
    assert.throws(() => packer.pack(far, far.length), RangeError);
  });
});
