// Runs a measurement in its own process and, as root, in its own network namespace, so that sockets in TIME_WAIT and
// kernel counters do not affect the next one. A new namespace has the kernel's default settings, even if those of the
// machine were changed.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { outputOf } from './child.js';

const PROCESS = fileURLToPath(new URL('alone-process.js', import.meta.url));
const NAMESPACE = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
/** The time that starting and ending may take in addition to the measurement. */
const GRACE_MS = 20_000;

/** @type {Promise<string[]> | undefined} */
let found;

/** @returns {Promise<string[]>} what to put before a command; empty where no namespace can be made */
function namespace() {
  const [command = '', ...words] = NAMESPACE;
  found ??= promisify(execFile)(command, [...words, 'true']).then(
    () => NAMESPACE,
    () => [],
  );
  return found;
}

/** @returns {Promise<string | null>} a sentence where measurements cannot be kept apart */
export async function isolationNote() {
  if ((await namespace()).length > 0) return null;
  return (
    'Not in network namespaces of their own (that takes root, unshare and ip): what one measurement left in ' +
    'TIME_WAIT was there in the next.'
  );
}

/**
 * @param {URL} module exports measure(request, signal), which resolves to the figures
 * @param {object} request as JSON can hold it
 * @param {{limitMs: number, signal: AbortSignal}} how the limit is the measurement's own
 * @returns {Promise<any>} the figures
 */
export async function measureAlone(module, request, { limitMs, signal }) {
  const words = [...(await namespace()), process.execPath, PROCESS, module.href, JSON.stringify(request)];
  return JSON.parse(await outputOf(words, { limitMs: limitMs + GRACE_MS, signal }));
}
