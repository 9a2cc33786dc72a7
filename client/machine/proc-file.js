// A file of /proc that is read again and again through one descriptor, so that it can be read when the process has no
// other left. The one thing to know: /proc makes the text anew for each read from the beginning.
import { closeSync, openSync, readSync } from 'node:fs';

const buffer = Buffer.alloc(16_384);

/** One file; its descriptor is kept until it is closed. */
export class ProcFile {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
    /** @type {number | null} */
    this.descriptor = null;
  }

  /** Gives the descriptor back; reading again would take one anew. */
  close() {
    if (this.descriptor !== null) closeSync(this.descriptor);
    this.descriptor = null;
  }

  /** @returns {string | null} null when it cannot be read: what it tells of has gone, or there is no descriptor */
  read() {
    try {
      this.descriptor ??= openSync(this.path, 'r');
      return buffer.toString('latin1', 0, readSync(this.descriptor, buffer, 0, buffer.length, 0));
    } catch {
      return null;
    }
  }
}
