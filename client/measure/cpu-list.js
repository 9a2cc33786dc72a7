// CPU lists as taskset(1) and the kernel write them: `0`, `0-3`, `1,3`.

const MAX_CPUS = 1024;

/**
 * @param {string} text such as `0-1,3`
 * @returns {number[] | null} ascending, without duplicates; null when it is not a list of CPUs
 */
export function parseCpus(text) {
  /** @type {Set<number>} */
  const cpus = new Set();
  for (const part of text.split(',')) {
    const match = /^\s*([0-9]{1,4})(?:-([0-9]{1,4}))?\s*$/.exec(part);
    if (match === null) return null;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (last < first || last >= MAX_CPUS) return null;
    for (let cpu = first; cpu <= last; cpu += 1) cpus.add(cpu);
  }
  return [...cpus].sort((a, b) => a - b);
}

/**
 * @param {string} list such as `0-1,3`
 * @param {number[]} allowed CPUs this process may use
 * @returns {number[]} CPUs of the list that it may not use
 */
export const missingCpus = (list, allowed) => (parseCpus(list) ?? []).filter((cpu) => !allowed.includes(cpu));
