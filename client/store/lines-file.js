// A growing file of JSON lines that can be read back, so that its content need not stay in memory.
// A line that cannot be written now is held, and written with the next ones or at the end.
import { existsSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import { linesOf } from '../measure/sample-lines.js';
import { replaceFile } from './replace-file.js';

/** Of one call to read. */
const MOST_READ = 2 ** 30;

/** @template Line */
export class LinesFile {
  /** @param {import('./run-folder.js').RunFolder} folder it lies in @param {string} name */
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

  /** Appends a line; the kernel has it when this returns. @param {Line} line @returns {boolean} */
  add(line) {
    this.count += 1;
    this.held.push(`${JSON.stringify(line)}\n`);
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

  /** @returns {Buffer} all lines, including the held ones */
  content() {
    const written = Buffer.alloc(this.bytes);
    for (let done = 0; this.descriptor !== null && done < written.length;) {
      const read = readSync(this.descriptor, written, done, Math.min(written.length - done, MOST_READ), done);
      if (read === 0) break;
      done += read;
    }
    return Buffer.concat([written, Buffer.from(this.held.join(''))]);
  }

  /** @returns {Line[]} */
  read() {
    return Array.from(linesOf(this.content()))
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  /** At the end: tries to write the held lines once more, and all lines again if the file was deleted. */
  settle() {
    if (this.held.length > 0 && !this.write()) {
      if (this.descriptor !== null) ftruncateSync(this.descriptor, this.bytes); // leave no partial line
      return false;
    }
    const there =
      this.count === 0 ||
      existsSync(this.path) ||
      this.folder.attempt(this.name, () => replaceFile(this.path, this.content()));
    if (there) this.folder.failed.delete(this.name);
    return there;
  }
}
