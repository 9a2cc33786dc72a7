// Starts several copies of one server on consecutive ports, each under a guard of its own. All of them become ready, or
// none is left running.

import { ServerError } from '../errors.js';
import { isUnixSocket } from './endpoint.js';
import { pickPorts } from './ports.js';
import { DEFAULT_HOST, isPortTaken, PORT_ATTEMPTS, startServer } from './start.js';

/**
 * @typedef {import('./start.js').Server} Server
 *
 * @typedef {Omit<import('./start.js').StartOptions, 'port' | 'cpus' | 'onLine'> & {
 *   cpus?: (string | null)[],
 *   onLine?: (stream: 'stdout' | 'stderr', line: string, instance: number) => void}} InstanceOptions  cpus: of each
 *   instance; none: all CPUs
 */

/**
 * @param {InstanceOptions} options
 * @param {number} count
 * @returns {Promise<Server[]>} on ports that rise by one, or each on a unix socket of its own; rejects with ServerError,
 *   whose data have the `instance` that did not start
 */
export async function startInstances(options, count) {
  const { host = DEFAULT_HOST } = options;
  for (let attempts = PORT_ATTEMPTS; ; attempts--) {
    const first = isUnixSocket(host) ? undefined : await pickPorts(host, count);
    const { servers, failed } = await tryStart(options, count, first);
    if (failed.length === 0) return servers;
    await Promise.all(servers.map(({ stop }) => stop()));
    const other = failed.find(({ error }) => !isTaken(error));
    if (other === undefined && attempts > 1) continue;
    throw named(other ?? failed[0], count);
  }
}

/** @param {unknown} error @returns {boolean} whether another program has bound the port meanwhile */
const isTaken = (error) => isPortTaken(error) || (error instanceof ServerError && error.code === 'EPORT');

/**
 * @param {InstanceOptions} options
 * @param {number} count
 * @param {number | undefined} first  port; undefined: the server has none
 * @returns {Promise<{servers: Server[], failed: {instance: number, error: unknown}[]}>}
 */
async function tryStart({ cpus = [], onLine = () => {}, ...options }, count, first) {
  const started = await Promise.allSettled(
    Array.from({ length: count }, (_, instance) =>
      startServer({
        ...options,
        ...(first !== undefined && { port: first + instance }),
        cpus: cpus[instance] ?? null,
        onLine: (stream, line) => onLine(stream, line, instance),
      }),
    ),
  );
  return {
    servers: started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    failed: started.flatMap((one, instance) => (one.status === 'rejected' ? [{ instance, error: one.reason }] : [])),
  };
}

/** @param {{instance: number, error: unknown}} failed @param {number} count @returns {unknown} the error, with its instance */
function named({ instance, error }, count) {
  if (!(error instanceof ServerError)) return error;
  const { code, data, message } = error;
  const text = `instance ${instance} (of 0 to ${count - 1}): ${message}`;
  return new ServerError(text, { code, data: { ...data, instance }, cause: error });
}
