// The functions of a profile. Two sides of a comparison have a function in common if its name and file are the same,
// since the lines of a file move. A kernel function counts as the system call that it is part of.

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

/** The names of functions without a name, by file and line. @typedef {Map<string, Map<number, string>>} Anonymous */

/** @param {StackSample[]} samples @returns {Map<string, number[]>} lines of functions without a name, by file */
function anonymousLines(samples) {
  /** @type {Map<string, Set<number>>} */
  const lines = new Map();
  for (const frame of new Set(samples.flatMap(({ stack }) => stack))) {
    if (frame.name !== '') continue;
    lines.set(frame.file, (lines.get(frame.file) ?? new Set()).add(frame.line ?? 0));
  }
  return new Map([...lines].map(([file, set]) => [file, [...set].sort((a, b) => a - b)]));
}

/**
 * Gives each function a key that is the same on all sides. A function without a name has its place among those of its
 * file where each side has as many, and its line otherwise.
 */
export class FunctionNames {
  /** @param {StackSample[][]} sides */
  constructor(sides) {
    const lines = sides.map(anonymousLines);
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
    const key = `${name}\n${file}`;
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

  /** @param {Frame} frame @param {number} side @returns {string} */
  anonymousName({ file, line = 0 }, side) {
    return this.inOrder.has(file) ? `#${this.lines[side].get(file)?.indexOf(line)}` : `:${line}`;
  }
}
