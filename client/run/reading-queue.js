// A queue of samples. Each waits for a reading of the server, which may be on another host; they are taken in order.

/**
 * @template Item, Reading
 */
export class ReadingQueue {
  /**
   * @param {(item: Item, reading: Reading | null) => void} take
   * @param {() => void} onError  called when take has thrown; settled() rejects with that error
   */
  constructor(take, onError) {
    this.take = take;
    this.onError = onError;
    /** @type {{ cause: unknown } | null} */
    this.error = null;
    /**
     * In the order in which they came.
     * @type {{ item: Item, reading: Reading | null | undefined }[]} undefined: the reading has not come yet
     */
    this.waiting = [];
    /** @type {(() => void)[]} */
    this.listeners = [];
  }

  /**
   * @param {Item} item
   * @param {Reading | null | Promise<Reading | null>} reading for the item; null: none came, or none is needed. A value
   *   is taken at once and not awaited, as the process may exit next
   */
  add(item, reading) {
    const entry = { item, reading: /** @type {Reading | null | undefined} */ (undefined) };
    this.waiting.push(entry);
    const arrive = (/** @type {Reading | null} */ value) => {
      entry.reading = value;
      this.takeReady();
    };
    if (reading instanceof Promise) void reading.catch(() => null).then(arrive);
    else arrive(reading);
  }

  takeReady() {
    while (this.waiting.length > 0 && this.waiting[0].reading !== undefined) this.takeFirst();
    if (this.waiting.length === 0) for (const listener of this.listeners.splice(0)) listener();
  }

  takeFirst() {
    const [{ item, reading = null }] = this.waiting.splice(0, 1);
    try {
      this.take(item, reading);
    } catch (error) {
      this.error ??= { cause: error };
      this.onError();
    }
  }

  /** @returns {Promise<void>} resolves when all items are taken; rejects with the first error of take */
  async settled() {
    if (this.waiting.length > 0) {
      await new Promise((/** @type {(value: void) => void} */ resolve) => this.listeners.push(resolve));
    }
    if (this.error !== null) throw this.error.cause;
  }

  /** Takes all items at once, with or without a reading, because the process exits. */
  flush() {
    while (this.waiting.length > 0) this.takeFirst();
  }
}
