// Replaces a file in one step: a reader finds the old content or the new, never a part. Built-in modules only, as
// set-up uses it before anything is installed.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes to a temporary file in the same folder, then renames that.
 * @param {string} file
 * @param {string | Uint8Array} text
 */
export function replaceFile(file, text) {
  const partial = `${file}.${process.pid}.partial`;
  try {
    const descriptor = openSync(partial, 'w');
    try {
      writeFileSync(descriptor, text); // unlike writeSync, it continues after a short write
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
