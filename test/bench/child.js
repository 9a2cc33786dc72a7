// A child process of a bench, with its output. The one thing to know: it has a time limit, and ends when told to.

import { spawn } from 'node:child_process';

/**
 * @param {string[]} words
 * @param {{limitMs: number, signal: AbortSignal}} how
 * @returns {Promise<string>} what it wrote; rejects when it fails, takes too long or is to end
 */
export function outputOf([command = '', ...words], { limitMs, signal }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      killSignal: 'SIGKILL',
      timeout: limitMs,
      signal,
    });
    let [out, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
    child.on('error', reject);
    child.on('close', (code, killedBy) => {
      const why = killedBy ? `ended by ${killedBy}; it may take ${limitMs / 1000} s` : `exit ${code}`;
      if (code === 0) resolve(out);
      else reject(new Error(`${[command, ...words].join(' ')}: ${why}\n${errors.trim()}`));
    });
  });
}
