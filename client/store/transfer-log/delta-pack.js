// Packs whole numbers as Parquet's DELTA_BINARY_PACKED: differences, minus the smallest of each block, in as few bits
// as the largest of each miniblock needs. The numbers are doubles, because packing BigInts takes ten times as long.
// Format: https://parquet.apache.org/docs/file-format/data-pages/encodings/

const BLOCK = 128;
const MINIBLOCKS = 4;
const MINIBLOCK = BLOCK / MINIBLOCKS;
const WORD = 2 ** 32;
/** Longest variable-length integer of 64 bits. */
const MAX_VARINT_BYTES = 10;
const BLOCK_BYTES = MAX_VARINT_BYTES + MINIBLOCKS + BLOCK * 8;

/**
 * @typedef {{ bytes: Uint8Array, min: number, max: number }} Packed bytes: valid until the next call; min, max: NaN if
 *   there are no values
 */

export class DeltaPacker {
  #bytes = new Uint8Array(0);
  #at = 0;
  #deltas = new Float64Array(BLOCK);

  /**
   * @param {Float64Array} values whole numbers @param {number} count how many of them to pack, from the first
   * @returns {Packed}
   * @throws {RangeError} if a difference has no exact double
   */
  pack(values, count) {
    const maxBytes = 4 * MAX_VARINT_BYTES + Math.ceil(count / BLOCK) * BLOCK_BYTES;
    if (this.#bytes.length < maxBytes) this.#bytes = new Uint8Array(maxBytes);
    this.#at = 0;
    this.#varint(BLOCK);
    this.#varint(MINIBLOCKS);
    this.#varint(count);
    this.#zigzag(count > 0 ? values[0] : 0);
    for (let from = 1; from < count; from += BLOCK) this.#block(values, from, Math.min(BLOCK, count - from));
    let [min, max] = count > 0 ? [values[0], values[0]] : [NaN, NaN];
    for (let i = 1; i < count; i += 1) {
      const value = values[i];
      if (value < min) min = value;
      else if (value > max) max = value;
    }
    return { bytes: this.#bytes.subarray(0, this.#at), min, max };
  }

  /** @param {Float64Array} values @param {number} from @param {number} count */
  #block(values, from, count) {
    const deltas = this.#deltas;
    let last = values[from - 1];
    let smallest = Infinity;
    for (let i = 0; i < count; i += 1) {
      const value = values[from + i];
      const delta = value - last;
      last = value;
      deltas[i] = delta;
      if (delta < smallest) smallest = delta;
    }
    for (let i = 0; i < count; i += 1) deltas[i] -= smallest;
    deltas.fill(0, count);
    this.#zigzag(smallest);
    const widthsAt = this.#at;
    this.#at += MINIBLOCKS;
    for (let i = 0; i < MINIBLOCKS; i += 1) {
      this.#bytes[widthsAt + i] = i * MINIBLOCK < count ? this.#miniblock(i * MINIBLOCK) : 0;
    }
  }

  /** @param {number} from index of its first delta @returns {number} bits of each delta */
  #miniblock(from) {
    const deltas = this.#deltas;
    let largest = 0;
    for (let i = from; i < from + MINIBLOCK; i += 1) if (deltas[i] > largest) largest = deltas[i];
    if (largest > Number.MAX_SAFE_INTEGER) throw new RangeError(`a difference of ${largest} is too large to be packed`);
    const low = largest < WORD ? 32 - Math.clz32(largest) : 32;
    const high = largest < WORD ? 0 : 32 - Math.clz32(largest / WORD);
    if (low === 0) return 0;
    const bytes = this.#bytes;
    let at = this.#at;
    let word = 0;
    let used = 0;
    for (let i = from; i < from + MINIBLOCK; i += 1) {
      const delta = deltas[i];
      for (let part = 0; part < 2; part += 1) {
        const width = part === 0 ? low : high;
        if (width === 0) break;
        const bits = (part === 0 ? delta : delta / WORD) >>> 0;
        word |= bits << used;
        used += width;
        if (used < 32) continue;
        bytes[at] = word;
        bytes[at + 1] = word >>> 8;
        bytes[at + 2] = word >>> 16;
        bytes[at + 3] = word >>> 24;
        at += 4;
        used -= 32;
        word = used === 0 ? 0 : bits >>> (width - used);
      }
    }
    this.#at = at;
    return low + high;
  }

  /** @param {number} value 0 or more */
  #varint(value) {
    let remaining = value;
    for (; remaining >= 128; remaining = Math.floor(remaining / 128)) this.#bytes[this.#at++] = (remaining % 128) + 128;
    this.#bytes[this.#at++] = remaining;
  }

  /** Writes a value with its sign in the lowest bit; doubling the value might not be exact. @param {number} value */
  #zigzag(value) {
    const sign = value < 0 ? 1 : 0;
    const whole = value < 0 ? -value - 1 : value;
    const high = Math.floor(whole / 64);
    this.#bytes[this.#at++] = (whole % 64) * 2 + sign + (high > 0 ? 128 : 0);
    if (high > 0) this.#varint(high);
  }
}
