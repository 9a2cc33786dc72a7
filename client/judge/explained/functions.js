// The functions of a profile. Two sides of a comparison have a function in common if its name and file are the same,
// since the lines of a file move; versions in two folders have the same files there. A kernel function counts as the
// system call that it is part of.

/**
 * @typedef {object} Frame
 * @property {string} name  '' for a function without a name
 * @property {string} file  a path, a library, or '' for the program itself
 * @property {number} [line]  where the function begins, from 1
 * @property {true} [isKernel]
 * @property {true} [isUnnamed]  no symbol says what function it is
 *
 * @typedef {object} StackSample  what a thread did at a moment
 * @property {number} timeNs  CLOCK_MONOTONIC
 * @property {string} thread
 * @property {Frame[]} stack  the outermost function first
 *
 * @typedef {{ key: string, name: string, file: string, line?: number, isUnnamed?: true }} NamedFunction  name: for
 *   people
 */

/** What compilers append to the name of a copy or a part of a function, and to make names of Rust unique. */
const SUFFIXES = /(?:\.(?:isra|constprop|part|cold|lto_priv|llvm)(?:\.\d+)?)+$|::h[0-9a-f]{16}$/;
/** Names of the function that handles a system call, by level and architecture. */
const SYSTEM_CALL = /^(?:__(?:x64|arm64|ia32|se|do)_sys_|__sys_|ksys_)(\w+)$/;
const INTERRUPT = /^(?:asm_)?(?:sysvec_|common_interrupt|__irq_exit|irq_exit|el[01]_irq)/;
const PAGE_FAULT = /^(?:asm_)?exc_page_fault|^do_page_fault|^el0_[di]a$/;

/** @param {string} name @returns {string} of the function in the source */
const sourceName = (name) => name.replace(SUFFIXES, '');

/**
 * @param {Frame[]} frames of the kernel, the outermost first
 * @returns {string} what the kernel did, such as "sendto"
 */
function kernelWork(frames) {
  for (const { name } of frames) {
    const [, call] = SYSTEM_CALL.exec(name) ?? [];
    if (call !== undefined) return call;
    if (PAGE_FAULT.test(name)) return 'page faults';
    if (INTERRUPT.test(name)) return 'interrupts';
  }
  return 'entry and exit';
}

/**
 * @param {Frame[]} stack
 * @returns {Frame[]} the functions of the program, and what the kernel did as one more
 */
export function attributed(stack) {
  const first = stack.findIndex(({ isKernel }) => isKernel);
  if (first === -1) return stack;
  return [
    ...stack.slice(0, first),
    { name: `in the kernel: ${kernelWork(stack.slice(first))}`, file: 'kernel', isKernel: true },
  ];
}

/** @param {Frame[]} frames @returns {Map<string, number[]>} lines of functions without a name, by file */
function anonymousLines(frames) {
  /** @type {Map<string, Set<number>>} */
  const lines = new Map();
  for (const { name, file, line = 0 } of frames) {
    if (name === '') lines.set(file, (lines.get(file) ?? new Set()).add(line));
  }
  return new Map([...lines].map(([file, set]) => [file, [...set].sort((a, b) => a - b)]));
}

/** @param {string} file @returns {string} without its folders */
const baseName = (file) => file.slice(file.lastIndexOf('/') + 1);

/** @param {string} a path @param {string} b path @returns {string[]} the folders in which they are the same path */
function foldersOf(a, b) {
  const [ofA, ofB] = [a, b].map((file) => file.split('/'));
  while (ofA.length > 0 && ofA.at(-1) === ofB.at(-1)) {
    ofA.pop();
    ofB.pop();
  }
  return [ofA.join('/'), ofB.join('/')];
}

/**
 * @param {Set<string>} files of a side @param {Set<string>} others of the other side
 * @returns {Map<string, string>} files that only the first side has, and those of the other that are the same in
 *   another folder: in the two folders that have the most in common
 */
function movedFiles(files, others) {
  /** @type {Map<string, Map<string, string>>} */
  const byFolders = new Map();
  const missing = [...others].filter((file) => !files.has(file));
  for (const file of [...files].filter((given) => !others.has(given))) {
    for (const other of missing.filter((given) => baseName(given) === baseName(file))) {
      const folders = foldersOf(file, other).join('\n');
      byFolders.set(folders, (byFolders.get(folders) ?? new Map()).set(file, other));
    }
  }
  return [...byFolders.values()].sort((a, b) => b.size - a.size).at(0) ?? new Map();
}

/**
 * Gives each function a key that is the same on all sides. A function without a name has its place among those of its
 * file where each side has as many, and its line otherwise.
 */
export class FunctionNames {
  /** @param {StackSample[][]} sides */
  constructor(sides) {
    const frames = sides.map((samples) => [...new Set(samples.flatMap(({ stack }) => stack))]);
    const [head, base] = frames.map((ofSide) => new Set(ofSide.map(({ file }) => file)));
    /** Files of the first side that have another path on the second one. */
    this.moved = base === undefined ? new Map() : movedFiles(head, base);
    const lines = frames.map((ofSide, side) =>
      anonymousLines(ofSide.map((frame) => ({ ...frame, file: this.fileOf(frame, side) }))),
    );
    const files = new Set(lines.flatMap((side) => [...side.keys()]));
    /** Files whose functions without a name are known by their order. */
    this.inOrder = new Set(
      [...files].filter((file) => new Set(lines.map((side) => side.get(file)?.length)).size === 1),
    );
    this.lines = lines;
    /** @type {Map<string, NamedFunction>} */
    this.functions = new Map();
    /** @type {Map<Frame, NamedFunction>[]} */
    this.known = sides.map(() => new Map());
  }

  /** @param {Frame} frame @param {number} side @returns {NamedFunction} */
  of(frame, side) {
    const known = this.known[side].get(frame);
    if (known !== undefined) return known;
    const { file, line } = frame;
    const name = sourceName(frame.name) || this.anonymousName(frame, side);
    const key = `${name}\n${this.fileOf(frame, side)}`;
    const named = this.functions.get(key) ?? {
      key,
      name: frame.name === '' ? '(anonymous)' : name,
      file,
      ...(line === undefined ? {} : { line }),
      ...(frame.isUnnamed ? { isUnnamed: true } : {}),
    };
    this.functions.set(key, named);
    this.known[side].set(frame, named);
    return named;
  }

  /** @param {Frame} frame @param {number} side @returns {string} the same on all sides */
  fileOf({ file }, side) {
    return (side === 0 && this.moved.get(file)) || file;
  }

  /** @param {Frame} frame @param {number} side @returns {string} */
  anonymousName(frame, side) {
    const { line = 0 } = frame;
    const file = this.fileOf(frame, side);
    return this.inOrder.has(file) ? `#${this.lines[side].get(file)?.indexOf(line)}` : `:${line}`;
  }
}
