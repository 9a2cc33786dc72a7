// The events of a live page, kept for readers that come later, and sent to each reader as fast as it takes them.
// A reader is a place in the one list of kept events, so that a slow one costs no memory.

/** More readers are refused. */
const MOST_READERS = 8;
/** Of kept events; beyond it the oldest without a key are dropped. */
const MOST_BYTES = 8 * 2 ** 20;
/** A reader that takes nothing for this long is dropped. It may come back, and continues where it was. */
const PATIENCE_MS = 10_000;
/** After a broken connection a browser waits this long. */
const RETRY_MS = 1000;

/**
 * @typedef {{ id: number, key?: string, group?: string, text: string }} Kept  text: as it is sent
 * @typedef {Pick<import('node:stream').Writable, 'write' | 'end' | 'destroy' | 'on'>} Sink
 * @typedef {{ sink: Sink, sent: number, blockedAt: number | null }} Reader  sent: id of the last event written; blockedAt: since
 *   when it takes no more
 */

/** One stream of server-sent events with many readers. */
export class EventStream {
  /**
   * @param {{ mostReaders?: number, mostBytes?: number, patienceMs?: number, now?: () => number }} [options] now: ms
   */
  constructor({
    mostReaders = MOST_READERS,
    mostBytes = MOST_BYTES,
    patienceMs = PATIENCE_MS,
    now = () => performance.now(),
  } = {}) {
    this.mostReaders = mostReaders;
    this.mostBytes = mostBytes;
    this.patienceMs = patienceMs;
    this.now = now;
    /** In the order of their ids. @type {Kept[]} */
    this.kept = [];
    this.bytes = 0;
    this.lastId = 0;
    /** @type {Set<Reader>} */
    this.readers = new Set();
    this.ended = false;
  }

  /**
   * @param {string} event its name @param {unknown} data
   * @param {{ key?: string, group?: string }} [kept] key: it takes the place of the one with the same key, and is not dropped for
   *   want of room; group: forgotten together
   */
  publish(event, data, { key, group } = {}) {
    if (key !== undefined) this.drop((one) => one.key === key);
    this.lastId += 1;
    const text = `id: ${this.lastId}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    this.kept.push({ id: this.lastId, key, group, text });
    this.bytes += text.length;
    while (this.bytes > this.mostBytes && this.dropOldest());
    const late = this.now() - this.patienceMs;
    for (const reader of this.readers) {
      if (reader.blockedAt !== null && reader.blockedAt < late) this.leave(reader);
      else this.send(reader);
    }
  }

  /** @param {string} group no reader that comes later needs its events */
  forget(group) {
    this.drop((one) => one.group === group);
  }

  /** @param {(one: Kept) => boolean} isDropped */
  drop(isDropped) {
    this.kept = this.kept.filter((one) => !isDropped(one));
    this.bytes = this.kept.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** @returns {boolean} false: there is none that may be dropped */
  dropOldest() {
    const at = this.kept.findIndex(({ key }) => key === undefined);
    if (at < 0) return false;
    const [{ text }] = this.kept.splice(at, 1);
    this.bytes -= text.length;
    return true;
  }

  /** Whether another reader may come. */
  get hasRoom() {
    return this.readers.size < this.mostReaders;
  }

  /**
   * @param {Sink} sink whose head is written
   * @param {number} [lastId] of the last event that it has; 0: it has none
   */
  join(sink, lastId = 0) {
    /** @type {Reader} */
    const reader = { sink, sent: lastId <= this.lastId ? lastId : 0, blockedAt: null };
    this.readers.add(reader);
    sink.on('drain', () => {
      reader.blockedAt = null;
      this.send(reader);
    });
    sink.on('close', () => this.readers.delete(reader));
    sink.on('error', () => this.leave(reader));
    sink.write(`retry: ${RETRY_MS}\n\n`);
    this.send(reader);
  }

  /** Writes what the reader takes now. @param {Reader} reader */
  send(reader) {
    while (reader.blockedAt === null && this.readers.has(reader)) {
      const next = this.kept[this.placeAfter(reader.sent)];
      if (next === undefined) break;
      reader.sent = next.id;
      if (!reader.sink.write(next.text)) reader.blockedAt = this.now();
    }
    if (this.ended && reader.sent === this.lastId) reader.sink.end();
  }

  /** @param {number} id @returns {number} the place of the first kept event after it */
  placeAfter(id) {
    let [low, high] = [0, this.kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.kept[middle].id <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** @param {Reader} reader */
  leave(reader) {
    this.readers.delete(reader);
    reader.sink.destroy();
  }

  /** No event follows: each reader's connection ends when it has them all. */
  end() {
    this.ended = true;
    for (const reader of this.readers) this.send(reader);
  }
}
