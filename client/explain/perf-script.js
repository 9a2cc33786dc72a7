// The samples that `perf script` prints.

import path from 'node:path';

/** @import { Frame, StackSample } from '../judge/explained/functions.js' */

/** What perf prints of a sample: its thread and its time, and then a line for each function, the innermost first. */
export const FIELDS = ['-F', 'tid,time,ip,sym,dso', '--ns', '--no-inline'];

const HEAD = /^\s*(\d+)\s+(\d+)\.(\d{9}):/;
const FRAME = /^\s+[0-9a-f]+ (.+) \(([^()]+(?:\([^()]*\))?)\)$/;
/** Methods that a virtual machine has compiled, by the file in which it lists them. */
const COMPILED = /^perf-\d+\.map$/;
const UNKNOWN = '[unknown]';

/**
 * @param {string} name @param {string} object that it is in @param {Set<string>} programs
 * @returns {Frame}
 */
function frameOf(name, object, programs) {
  if (object.startsWith('[') && object !== '[vdso]' && object !== '[unknown]')
    return { name, file: 'kernel', isKernel: true };
  const base = path.basename(object);
  const file = COMPILED.test(base) ? 'compiled at run time' : programs.has(object) ? '' : base;
  return name === UNKNOWN ? { name: `no symbol in ${base}`, file, isUnnamed: true } : { name, file };
}

/**
 * @param {AsyncIterable<string> | Iterable<string>} lines
 * @param {Set<string>} programs  the executables of the server: their functions have no file
 * @returns {Promise<StackSample[]>}
 */
export async function readSamples(lines, programs) {
  /** @type {Map<string, Frame>} */
  const frames = new Map();
  /** @type {Map<string, Frame[]>} */
  const stacks = new Map();
  /** @type {StackSample[]} */
  const samples = [];
  /** @type {{ thread: string, timeNs: number, lines: string[] } | null} */
  let sample = null;
  const end = () => {
    if (sample === null || sample.lines.length === 0) return;
    const text = sample.lines.join('\n');
    const stack =
      stacks.get(text) ??
      sample.lines.reverse().map((line) => {
        const frame = frames.get(line) ?? frameOf(.../** @type {[string, string]} */ (line.split('\t')), programs);
        frames.set(line, frame);
        return frame;
      });
    stacks.set(text, stack);
    samples.push({ timeNs: sample.timeNs, thread: sample.thread, stack });
  };
  for await (const line of lines) {
    const [, thread, seconds, ns] = HEAD.exec(line) ?? [];
    if (thread !== undefined) {
      end();
      sample = { thread, timeNs: Number(seconds) * 1e9 + Number(ns), lines: [] };
      continue;
    }
    const [, name, object] = FRAME.exec(line) ?? [];
    if (name !== undefined) sample?.lines.push(`${name}\t${object}`);
  }
  end();
  return samples;
}
