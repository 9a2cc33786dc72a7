// What /proc says about processes and who started whom. The one thing to know: one small file per process of the
// machine and none per thread, so a server with 10,000 threads costs no more to look at than one with a single thread.

import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ: the unit of the times in /proc/<pid>/stat; 100 on every Linux the kernel exports to user space. */
const TICKS_PER_SECOND = 100;

/**
 * @typedef {object} ProcessFacts
 * @property {number} pid
 * @property {number} parent
 * @property {number} session
 * @property {number} cpuSeconds of all its threads, ended ones included
 * @property {number} childrenCpuSeconds of the ended children it has waited for, theirs included
 * @property {number} threads
 * @property {string} started in ticks since boot; with the pid it names a process for good
 */

/**
 * @param {number} pid
 * @returns {ProcessFacts | null} null when it is gone
 */
export function readProcess(pid) {
  const text = readText(`/proc/${pid}/stat`);
  if (text === null) return null;
  // Counted from the last bracket: the name before it may hold blanks and brackets. fields[0] is field 3 of proc(5).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    pid,
    parent: Number(fields[1]),
    session: Number(fields[3]),
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    childrenCpuSeconds: (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND,
    threads: fields[0] === 'Z' ? 0 : Number(fields[17]),
    started: fields[19],
  };
}

/** @returns {ProcessFacts[]} every process of the machine */
export function readAll() {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : []));
}

/**
 * @param {number} root
 * @returns {ProcessFacts[]} root, if it is there, and all its descendants
 */
export function readTree(root) {
  /** @type {Map<number, ProcessFacts[]>} */
  const byParent = new Map();
  for (const facts of readAll()) {
    const siblings = byParent.get(facts.parent);
    if (siblings) siblings.push(facts);
    else byParent.set(facts.parent, [facts]);
  }
  const top = readProcess(root);
  const tree = top === null ? [] : [top];
  for (let i = 0; i < tree.length; i++) tree.push(...(byParent.get(tree[i].pid) ?? []));
  return tree;
}

/**
 * @param {number} pid
 * @returns {number} resident memory; 0 when it is gone
 */
export function residentBytes(pid) {
  const found = /^VmRSS:\s+(\d+) kB/m.exec(readText(`/proc/${pid}/status`) ?? '');
  return found ? Number(found[1]) * 1024 : 0;
}

/**
 * @param {number} pid
 * @returns {Map<number, {cpuNs: number, waitNs: number}>} by thread: time on a core, and time waiting for one
 */
export function threadTimes(pid) {
  const times = new Map();
  for (const name of readNames(`/proc/${pid}/task`)) {
    const text = readText(`/proc/${pid}/task/${name}/schedstat`);
    if (text === null) continue;
    const [cpuNs, waitNs] = text.split(' ').map(Number);
    times.set(Number(name), { cpuNs, waitNs });
  }
  return times;
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** @param {string} folder */
function readNames(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
