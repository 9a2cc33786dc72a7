// When a process was born, in the kernel's words: together with its id it names one process, also after others have
// had that id.

import { readFileSync } from 'node:fs';

/**
 * @param {number} pid
 * @returns {string | null} clock ticks since the machine's start; null when there is no such process, or only its
 *   remains
 */
export function processStartTime(pid) {
  try {
    // Fields 3 and 22 of stat(5), counted after the name, which may hold blanks and brackets itself.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return 'ZX'.includes(fields[0]) ? null : fields[19];
  } catch {
    return null;
  }
}
