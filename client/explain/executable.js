// The program that a process runs.

import { readlinkSync } from 'node:fs';

/** @param {number} pid @returns {string | null} path of its executable; null where it cannot be read */
export function executableOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return null;
  }
}
