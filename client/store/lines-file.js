// A growing file of JSON lines, whose content does not stay in memory.
// A line that cannot be written is held, and written with the next lines or at the end.
import { existsSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import { replacerOfKept } from '../protocols/kept-secrets.js';
import { replaceFileBy } from './replace-file.js';

/** @import { RunFolder } from './run-folder.js' */

const PART_BYTES = 2 ** 20;

/** @template Line */
export class LinesFile {
  /** @param {RunFolder} folder of the file @param {string} name */
  constructor(folder, name) {
    this.folder = folder;
    this.name = name;
    this.path = path.join(folder.folder, name);
    /** @type {number | null} */
    this.descriptor = null;
    this.bytes = 0;
    this.count = 0;
    /** @type {string[]} */
    this.held = [];
  }

  /**
   * Appends a line, without the secrets of this process; the kernel has it when this returns.
   * @param {Line} line
   * @returns {boolean} whether it was written
   */
  add(line) {
    this.count += 1;
    this.held.push(`${JSON.stringify(line, replacerOfKept())}\n`);
    return this.write();
  }

  /** Writes the held lines after the last complete one, over any partial line that a full disk left. */
  write() {
    return this.folder.attempt(this.name, () => {
      this.descriptor ??= openSync(this.path, 'w+');
      const text = Buffer.from(this.held.join(''));
      for (let done = 0; done < text.length;) {
        done += writeSync(this.descriptor, text, done, text.length - done, this.bytes + done);
      }
      this.bytes += text.length;
      this.held = [];
    });
  }

  /** At the end: tries to write the held lines once more, and all lines again if the file was deleted. */
  settle() {
    if (this.held.length > 0 && !this.write()) {
      if (this.descriptor !== null) ftruncateSync(this.descriptor, this.bytes); // leave no partial line
      return false;
    }
    const exists =
      this.count === 0 ||
      existsSync(this.path) ||
      this.folder.attempt(this.name, () => replaceFileBy(this.path, this.content()));
    if (exists) this.folder.failed.delete(this.name);
    return exists;
  }

  /**
   * All lines: those in the file, which can still be read after it was deleted, and the held lines.
   * @returns {Generator<Uint8Array | string>}
   */
  *content() {
    if (this.descriptor !== null) yield* partsOf(this.descriptor, this.bytes);
    yield this.held.join('');
  }
}

/**
 * @param {number} descriptor of a file
 * @param {number} bytes how many to read from its beginning
 * @returns {Generator<Uint8Array>} parts of the file
 */
function* partsOf(descriptor, bytes) {
  const part = Buffer.alloc(Math.min(PART_BYTES, bytes));
  for (let done = 0; done < bytes;) {
    const read = readSync(descriptor, part, 0, Math.min(part.length, bytes - done), done);
    if (read === 0) return;
    yield part.subarray(0, read);
    done += read;
  }
}
