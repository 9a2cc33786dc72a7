// A child process of a bench and its output. It has a time limit; it ends together with everything it has started in
// its process group.

import { spawn } from 'node:child_process';

/** From SIGTERM to SIGKILL. */
const PATIENCE_MS = 5000;

/**
 * @param {string[]} words
 * @param {{limitMs: number, signal: AbortSignal}} how
 * @returns {Promise<string>} what it wrote; rejects when it fails, takes too long or is to end. Its stdin stays open
 *   as long as this process lives
 */
export function outputOf([command = '', ...words], { limitMs, signal }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { stdio: 'pipe', detached: true });
    let [out, errors, why] = ['', '', ''];
    /** @type {NodeJS.Timeout | undefined} */
    let last;
    const end = (/** @type {string} */ reason) => {
      why = reason;
      signalGroup('SIGTERM');
      last ??= setTimeout(() => signalGroup('SIGKILL'), PATIENCE_MS);
    };
    const interrupt = () => end('interrupted');
    const limit = setTimeout(() => end(`took longer than ${limitMs / 1000} s`), limitMs);
    if (signal.aborted) interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
    child.on('error', (error) => settle(() => reject(error)));
    child.on('close', (code, killedBy) => {
      const how = why || (killedBy ? `ended by ${killedBy}` : `exit ${code}`);
      const failure = new Error(`${[command, ...words].join(' ')}: ${how}\n${errors.trim()}`);
      settle(() => (code === 0 && !why ? resolve(out) : reject(failure)));
    });

    /** @param {NodeJS.Signals} name */
    function signalGroup(name) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      process.kill(-child.pid, name);
    }

    /** @param {() => void} finish */
    function settle(finish) {
      clearTimeout(limit);
      clearTimeout(last);
      signal.removeEventListener('abort', interrupt);
      finish();
    }
  });
}
