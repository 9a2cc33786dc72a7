// A file of /proc that is read repeatedly through one descriptor, so that it can still be read when the process has no
// other descriptor left. /proc makes the text anew for each read from the beginning.
import { closeSync, openSync, readSync } from 'node:fs';

const buffer = Buffer.alloc(16_384);

/** One file; its descriptor stays open until close(). */
export class ProcFile {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
    /** @type {number | null} */
    this.descriptor = null;
  }

  /** Closes the descriptor; another read() opens one again. */
  close() {
    if (this.descriptor !== null) closeSync(this.descriptor);
    this.descriptor = null;
  }

  /** @returns {string | null} null when it cannot be read: its subject has ended, or no descriptor is left */
  read() {
    try {
      this.descriptor ??= openSync(this.path, 'r');
      return buffer.toString('latin1', 0, readSync(this.descriptor, buffer, 0, buffer.length, 0));
    } catch {
      return null;
    }
  }
}
