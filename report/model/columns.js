/**
 * The points of a chart as text: a column for each place of its tuples, equal columns once. A page holds them and makes
 * points of them when a chart is first drawn. Pure, and used on both sides: the report packs, the page unpacks.
 *
 * A column is a string: the number of decimals, then for each value the difference from the value before it in units of
 * the last decimal, in base 32 with the lowest digit first. `.` is a missing value; `*` repeats the difference before
 * it. Values for which that would not be exact stay a list.
 */

/**
 * Digits 0..31 that end a number; those from 32 on are followed by another. None of them means anything in HTML or
 * JSON.
 */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const BASE = 32;
const MAX_DECIMALS = 9;
/** A difference of two, doubled for its sign, is still exact. */
const MAX_WHOLE = 2 ** 51;
const MISSING = '.';
const AGAIN = '*';
/** A shorter run is not worth its count. */
const LEAST_RUN = 3;
const VALUE_OF = new Map([...DIGITS].map((digit, value) => [digit, value]));

/** @param {number} whole 0 or more @returns {string} */
function digitsOf(whole) {
  let text = '';
  for (let rest = whole; ;) {
    const digit = rest % BASE;
    rest = Math.floor(rest / BASE);
    text += DIGITS[rest > 0 ? digit + BASE : digit];
    if (rest === 0) return text;
  }
}

/** @param {number} value @param {number} from @returns {number} decimals it needs, at least `from`; NaN: too many */
function decimalsOf(value, from) {
  for (let decimals = from; decimals <= MAX_DECIMALS; decimals += 1) {
    const unit = 10 ** decimals;
    const whole = Math.round(value * unit);
    if (Math.abs(whole) > MAX_WHOLE) break;
    if (whole / unit === value) return decimals;
  }
  return NaN;
}

/** @param {Array<number | null>} values @returns {string | Array<number | null>} */
function packColumn(values) {
  const known = /** @type {number[]} */ (values.filter((value) => value !== null));
  const decimals = known.reduce((most, value) => decimalsOf(value, most), 0);
  const unit = 10 ** decimals;
  if (!known.every((value) => Math.abs(value * unit) <= MAX_WHOLE)) return values;
  let text = String(decimals);
  let last = 0;
  let before = '';
  let run = 0;
  const endRun = () => {
    text += run < LEAST_RUN ? before.repeat(run) : AGAIN + digitsOf(run);
    run = 0;
  };
  for (const value of values) {
    let one = MISSING;
    if (value !== null) {
      const whole = Math.round(value * unit);
      const change = whole - last;
      last = whole;
      one = digitsOf(change < 0 ? -2 * change - 1 : 2 * change);
    }
    if (one === before) {
      run += 1;
      continue;
    }
    endRun();
    text += one;
    before = one;
  }
  endRun();
  return text;
}

/** @param {string | Array<number | null>} text @returns {Array<number | null>} */
function unpackColumn(text) {
  if (typeof text !== 'string') return text;
  const unit = 10 ** Number(text[0]);
  /** @type {Array<number | null>} */
  const values = [];
  let last = 0;
  /** @type {number | null} */
  let change = null;
  let repeats = false;
  let [whole, weight] = [0, 1];
  const add = () => {
    if (change !== null) last += change;
    values.push(change === null ? null : last / unit);
  };
  for (let at = 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === MISSING) {
      change = null;
      add();
    } else if (character === AGAIN) repeats = true;
    else {
      const digit = /** @type {number} */ (VALUE_OF.get(character));
      whole += (digit % BASE) * weight;
      weight *= BASE;
      if (digit >= BASE) continue;
      if (repeats) for (; whole > 0; whole -= 1) add();
      else {
        change = whole % 2 === 0 ? whole / 2 : -(whole + 1) / 2;
        add();
      }
      [whole, weight, repeats] = [0, 1, false];
    }
  }
  return values;
}

/** Packs points, and keeps each column once. */
export class ColumnPacker {
  /** @type {Array<string | Array<number | null>>} */
  columns = [];
  /** @type {Map<string, number>} */
  #places = new Map();

  /**
   * @param {Array<Array<number | null | undefined>>} points
   * @returns {number[]} places of their columns; none at the end that has no value at all
   */
  pack(points) {
    const width = points.reduce((most, { length }) => Math.max(most, length), 0);
    const columns = Array.from({ length: width }, (_, place) =>
      points.map((point) => {
        const value = point[place] ?? null;
        if (value !== null && typeof value !== 'number')
          throw new TypeError(`a point holds ${String(value)}, no number`);
        return Number.isFinite(value) ? value : null;
      }),
    );
    while (columns.at(-1)?.every((value) => value === null)) columns.pop();
    return columns.map((values) => this.#place(packColumn(values)));
  }

  /** @param {string | Array<number | null>} column @returns {number} */
  #place(column) {
    const key = String(column);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.columns.length);
    return this.columns.push(column) - 1;
  }
}

/**
 * @param {Array<string | Array<number | null>>} columns of the chart @param {number[]} places of those of the points
 * @returns {Array<Array<number | null>>} [x, y], [x, y, n] or more
 */
export function unpackPoints(columns, places) {
  const own = places.map((place) => unpackColumn(columns[place]));
  return own.length === 0 ? [] : own[0].map((_, i) => own.map((values) => values[i]));
}
