// Runs a third-party tool as a client: its output, and the CPU time of its whole process, which starts within
// milliseconds.

import { readCpuSeconds } from './churn/tools.js';
import { outputOf } from './child.js';

/** The time that it may take in addition to the given seconds. */
const REST_SECONDS = 10;

/**
 * @template Said
 * @param {string[]} words
 * @param {(text: string) => Said} read of all it writes
 * @param {{seconds: number, limitMs: number, signal: AbortSignal}} how
 * @returns {Promise<Said & {cpuSeconds: number}>}
 */
export async function timed(words, read, { seconds, limitMs, signal }) {
  const limit = seconds + REST_SECONDS;
  const script = `exec 2>&1; TIMEFORMAT='%3U %3S'; time timeout --foreground --kill-after=2 ${limit} "$@"`;
  const text = await outputOf(['env', 'LC_ALL=C', 'bash', '-c', script, 'bash', ...words], { limitMs, signal });
  return { ...read(text), cpuSeconds: readCpuSeconds(text) };
}
