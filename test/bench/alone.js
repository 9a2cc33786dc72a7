// A measurement in a process of its own and, as root, in a network namespace of its own, so that sockets in TIME_WAIT
// and kernel counters do not affect the next one. A new namespace has the kernel's default settings, even if those of
// the machine were changed.
//
//   node alone.js MODULE_URL REQUEST_AS_JSON      calls measure() of the module and prints the figures as JSON

import { execFile, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SELF = fileURLToPath(import.meta.url);
const NAMESPACE = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
/** From SIGTERM to SIGKILL. */
const PATIENCE_MS = 5000;

/** @type {Promise<string[]> | undefined} */
let found;

/** @returns {Promise<string[]>} what to put before a command; empty where no namespace can be made */
function namespace() {
  const [command, ...words] = NAMESPACE;
  found ??= promisify(execFile)(command, [...words, 'true']).then(
    () => NAMESPACE,
    () => [],
  );
  return found;
}

/** @returns {Promise<string[]>} a sentence where measurements cannot be kept apart */
export async function isolationNotes() {
  if ((await namespace()).length > 0) return [];
  return [
    'Without network namespaces (they need root, unshare and ip): connections in TIME_WAIT affect the next measurement.',
  ];
}

/**
 * @param {string} module URL; exports measure(request, signal), which resolves to the figures
 * @param {object} request as JSON can hold it
 * @param {{limitMs: number, signal: AbortSignal}} how
 * @returns {Promise<any>} the figures; rejects when it fails, takes too long or is to end. It ends with all it has
 *   started
 */
export async function measureAlone(module, request, { limitMs, signal }) {
  const [command, ...words] = [...(await namespace()), process.execPath, SELF, module, JSON.stringify(request)];
  const child = spawn(command, words, { stdio: 'pipe', detached: true });
  child.stdin.on('error', () => {});
  let why = '';
  /** @type {NodeJS.Timeout[]} */
  const timers = [];
  const end = (/** @type {string} */ reason) => {
    why ||= reason;
    signalGroup(child.pid, 'SIGTERM');
    timers.push(setTimeout(() => signalGroup(child.pid, 'SIGKILL'), PATIENCE_MS));
  };
  const interrupt = () => end('interrupted');
  timers.push(setTimeout(() => end(`took longer than ${limitMs / 1000} s`), limitMs));
  signal.addEventListener('abort', interrupt, { once: true });
  if (signal.aborted) interrupt();
  try {
    const [out, errors, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve, reject) => child.on('error', reject).on('close', resolve)),
    ]);
    if (code === 0 && !why) return JSON.parse(out);
    throw new Error(`${why || `exit ${code}`}\n${errors.trim()}`);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener('abort', interrupt);
  }
}

/** @param {number | undefined} pid of its first process @param {NodeJS.Signals} name */
function signalGroup(pid, name) {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // all of it has ended
  }
}

/** @param {string} module @param {string} request */
async function main(module, request) {
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => abort.abort());
  process.stdin.on('end', () => abort.abort()).resume(); // the bench has ended
  try {
    const { measure } = await import(module);
    console.log(JSON.stringify(await measure(JSON.parse(request), abort.signal)));
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  } finally {
    process.stdin.destroy();
  }
}

// not awaited: the module imports this file
if (process.argv[1] === SELF) void main(process.argv[2], process.argv[3]);
