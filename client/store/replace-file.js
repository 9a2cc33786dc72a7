// Replaces a file in one step, so that a reader finds the old content or the new, never a part. It uses only built-in
// modules, as set-up needs it before anything is installed.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** The new content of a file, written in parts to a temporary file in the same folder, which then takes its place. */
export class FileReplacement {
  /** @param {string} file */
  constructor(file) {
    this.file = file;
    this.partial = `${file}.${process.pid}.partial`;
    this.descriptor = openSync(this.partial, 'w');
  }

  /** @param {string | Uint8Array} part that follows those before */
  write(part) {
    writeFileSync(this.descriptor, part); // unlike writeSync, it continues after a short write
  }

  commit() {
    fsyncSync(this.descriptor);
    closeSync(this.descriptor);
    renameSync(this.partial, this.file);
  }

  /** Leaves the file as it was. */
  discard() {
    try {
      closeSync(this.descriptor);
    } catch {
      // commit() has closed it
    }
    rmSync(this.partial, { force: true });
  }
}

/**
 * @param {string} file
 * @param {Iterable<string | Uint8Array>} parts of its new content
 */
export function replaceFileBy(file, parts) {
  const replacement = new FileReplacement(file);
  try {
    for (const part of parts) replacement.write(part);
    replacement.commit();
  } catch (error) {
    replacement.discard();
    throw error;
  }
}

/**
 * @param {string} file
 * @param {string | Uint8Array} text
 */
export const replaceFile = (file, text) => replaceFileBy(file, [text]);
