// A search for the greatest value at which a condition holds. The value is doubled until the condition fails, then the
// interval is bisected, then both ends are measured again until one outcome outnumbers the other by enough. The search
// also accepts the outcome of a value that it did not ask for, so that searches for several conditions share their
// measurements. A value holds if most of its measurements held. A value whose measurements contradict each other is no
// end: the interval around it stays wider than the tolerance.

/**
 * @typedef {object} Bounds
 * @property {number} from  the first value
 * @property {number} to  the greatest value
 * @property {number} [least]  the smallest value (1)
 * @property {number} tolerance  width of the answer, as a share of it
 * @property {number} confirm  by how much one outcome must outnumber the other at an end
 * @property {number} [goals]  number of conditions that share the measurements (1)
 * @typedef {{ value: number, held: number, failed: number }} Tally  how often a value held, and how often it failed
 * @typedef {'upper-bound' | 'unclear-above' | 'never-held' | 'contradictory' | 'too-many-probes' | 'not-judged' |
 *   'unfinished'} Reason  why there is no answer, or no upper end, or why the ends are far apart or not confirmed
 * @typedef {{ decided: boolean, reason?: Reason, held?: Tally, failed?: Tally }} Answer  decided: the search has ended,
 *   and knows both ends, or that the greatest value holds, or that no value does, or that legs of the greatest value
 *   contradict each other; held: the greatest value that held; failed: the smallest value above it that failed
 */

/** @param {number} confirm @returns {number} the most measurements of one value */
const maxRepeats = (confirm) => 2 * confirm + 1;
/** @param {Bounds} bounds @returns {number} additional probes for contradictory outcomes */
const spareProbes = ({ confirm, goals = 1 }) => goals * (4 * confirm - 2);
const LEAST = 1;
const DIGITS = 3;
/** A search begins at this part of the greatest value. */
const FIRST_PART = 32;

/** @param {number} value @returns {number} a whole number with few significant digits */
export const rounded = (value) => Math.max(LEAST, Math.round(Number(value.toPrecision(DIGITS))));

/** @param {number} to the greatest value @returns {number} the first value to try */
export const firstValue = (to) => rounded(to / FIRST_PART);

/**
 * @param {number} steps doublings or halvings
 * @param {Bounds} bounds
 * @returns {number} number of probes, if no outcome contradicts another
 */
const probesAfter = (steps, { tolerance, confirm, goals = 1 }) =>
  1 + steps + goals * (Math.ceil(Math.log2(1 / tolerance)) + 2 * (confirm - 1));

/**
 * @param {Bounds} bounds
 * @returns {number} the most probes of a search whose first value holds and whose outcomes agree
 */
export const usualProbes = (bounds) => probesAfter(Math.ceil(Math.log2(Math.max(1, bounds.to / bounds.from))), bounds);

/** @param {Bounds} bounds @returns {number} the most probes that a search takes */
export const mostProbes = (bounds) =>
  Math.max(usualProbes(bounds), probesAfter(Math.ceil(Math.log2(bounds.from / (bounds.least ?? LEAST))), bounds)) +
  spareProbes(bounds);

/** One search. Ask next() for a value, measure it, record() the outcome; next() is null when the search has ended. */
export class Bisection {
  /** @param {Bounds} bounds */
  constructor(bounds) {
    this.bounds = bounds;
    this.maxProbes = mostProbes(bounds);
    this.probes = 0;
    /** @type {Map<number, Tally>} */
    this.tallies = new Map();
    this.isJudged = true;
  }

  /** @param {number} value @param {boolean | null} held null if it could not be judged, which ends the search */
  record(value, held) {
    this.probes += 1;
    if (held === null) this.isJudged = false;
    else {
      const tally = this.tallies.get(value) ?? { value, held: 0, failed: 0 };
      if (held) tally.held += 1;
      else tally.failed += 1;
      this.tallies.set(value, tally);
    }
  }

  /**
   * Records a measurement without an outcome. If nothing is known yet, the search begins above its value; otherwise it
   * ends. A value that another search asked for is ignored.
   * @param {number} value
   */
  leaveOut(value) {
    const { from, to } = this.bounds;
    const wasWanted = this.next() === value;
    this.probes += 1;
    if (!wasWanted) return;
    if (this.tallies.size > 0 || from >= to) this.isJudged = false;
    else this.bounds = { ...this.bounds, from: Math.min(to, rounded(2 * from)), least: from + 1 };
  }

  /**
   * The known ends of the interval, and the values within it that have no clear outcome.
   * @returns {{ held?: Tally, failed?: Tally, unclear: number[] }}
   */
  ends() {
    const sorted = [...this.tallies.values()].sort((a, b) => a.value - b.value);
    const clear = sorted.filter((tally) => !this.isUnclear(tally));
    const failed = clear.find((tally) => tally.failed > tally.held);
    const held = clear.findLast(
      (tally) => tally.held > tally.failed && (failed === undefined || tally.value < failed.value),
    );
    const unclear = sorted
      .filter(
        (tally) =>
          this.isUnclear(tally) && tally.value > (held?.value ?? 0) && tally.value < (failed?.value ?? Infinity),
      )
      .map(({ value }) => value);
    return { ...(held ? { held } : {}), ...(failed ? { failed } : {}), unclear };
  }

  /**
   * The ends of a search that could not confirm them. They enclose all values that held.
   * @returns {{ held?: Tally, failed?: Tally }}
   */
  outerEnds() {
    const { held, failed } = this.ends();
    const sorted = [...this.tallies.values()].sort((a, b) => a.value - b.value);
    const highestHeld = sorted.findLast((tally) => tally.held > tally.failed)?.value ?? 0;
    const above = failed && highestHeld > failed.value ? sorted.find(({ value }) => value > highestHeld) : failed;
    return { ...(held ? { held } : {}), ...(above ? { failed: above } : {}) };
  }

  /** @returns {{ value: number } | { reason: Reason | null }} the next value, or why there is none; null: decided */
  step() {
    if (!this.isJudged) return { reason: 'not-judged' };
    const value = this.wanted();
    if (typeof value !== 'number') return { reason: value };
    return this.probes < this.maxProbes ? { value } : { reason: 'too-many-probes' };
  }

  /** @returns {number | Reason | null} */
  wanted() {
    const { from, to, least = LEAST } = this.bounds;
    if (this.tallies.size === 0) return from;
    const tied = [...this.tallies.values()].find((tally) => tally.held === tally.failed);
    if (tied) return tied.value;
    const { held, failed, unclear } = this.ends();
    if (failed === undefined) {
      const top = Math.max(held?.value ?? 0, ...unclear);
      if (top < to) return Math.min(to, rounded(2 * top));
      if (held === undefined) return 'contradictory';
      if (held.value === top) return this.repeat(held) ?? 'upper-bound';
      return this.middleOf(held.value, unclear[0]) ?? this.repeat(held) ?? 'unclear-above';
    }
    if (held === undefined) {
      const bottom = Math.min(failed.value, ...unclear);
      if (bottom > least) return Math.max(least, rounded(bottom / 2));
      return failed.value === bottom ? (this.repeat(failed) ?? 'never-held') : 'contradictory';
    }
    // values without a clear outcome are not measured again: the answer encloses them
    const gaps = [
      [held.value, unclear[0] ?? failed.value],
      [unclear.at(-1) ?? held.value, failed.value],
    ];
    for (const [low, high] of gaps) {
      const middle = this.middleOf(low, high);
      if (middle !== null) return middle;
    }
    return this.repeat(held) ?? this.repeat(failed) ?? null;
  }

  /**
   * @param {number} low
   * @param {number} high
   * @returns {number | null} value in the middle; null if the ends are close enough
   */
  middleOf(low, high) {
    const middle = rounded((low + high) / 2);
    const isWide = high - low > Math.max(1, this.bounds.tolerance * low);
    return isWide && middle > low && middle < high ? middle : null;
  }

  /** @returns {number | null} the value to measure next; null if the search has ended */
  next() {
    const step = this.step();
    return 'value' in step ? step.value : null;
  }

  /** @returns {number} width of the interval, as a share of its lower end; Infinity unless both ends are known */
  width() {
    const { held, failed } = this.ends();
    return held === undefined || failed === undefined ? Infinity : failed.value / held.value - 1;
  }

  /** @returns {Answer} so far */
  answer() {
    const step = this.step();
    const reason = 'value' in step ? 'unfinished' : step.reason;
    const { held, failed } = reason === 'too-many-probes' ? this.outerEnds() : this.ends();
    const isInterval = held !== undefined && failed !== undefined && reason !== 'unfinished';
    const isTop =
      (reason === 'upper-bound' || reason === 'unclear-above') && held !== undefined && this.isConfirmed(held);
    return {
      decided: isInterval || isTop || (reason === 'never-held' && failed !== undefined && this.isConfirmed(failed)),
      ...(reason === null ? {} : { reason }),
      ...(held ? { held } : {}),
      ...(failed ? { failed } : {}),
    };
  }

  /** @param {Tally} tally @returns {boolean} */
  isConfirmed({ held, failed }) {
    return Math.abs(held - failed) >= this.bounds.confirm;
  }

  /** @param {Tally} tally @returns {boolean} whether it is not measured again */
  isDone(tally) {
    return this.isConfirmed(tally) || tally.held + tally.failed >= maxRepeats(this.bounds.confirm);
  }

  /** @param {Tally} tally @returns {boolean} whether it was measured often enough, without a clear outcome */
  isUnclear(tally) {
    return this.isDone(tally) && !this.isConfirmed(tally);
  }

  /** @param {Tally} tally @returns {number | undefined} its value, if it must be measured again */
  repeat(tally) {
    return this.isDone(tally) ? undefined : tally.value;
  }
}
