// `stress --live [port]`: the charts of the report, in a browser, while the run is in progress.
// Without the option nothing of it is loaded.

import { numberOf, refusedOption } from './option-values.js';

/** @type {Record<string, import('yargs').Options>} */
export const liveOptions = {
  live: {
    type: 'string',
    description: 'Show the charts during the run, at a URL on 127.0.0.1; a port may follow (default: a free one)',
    group: 'Output:',
  },
};

const LAST_PORT = 65_535;

/**
 * @param {any} argv of stress
 * @returns {number | null} 0: a free port; null: the option was not given
 * @throws {import('../errors.js').UsageError}
 */
export function livePortOf(argv) {
  if (argv.live === undefined) return null;
  const port = argv.live === '' ? 0 : /** @type {number} */ (numberOf('live', argv.live, { range: [0, LAST_PORT] }));
  if (argv['dry-run']) {
    throw refusedOption('live', argv.live, 'nothing runs with --dry-run; leave one of the two out');
  }
  return port;
}

/**
 * Serves the live page, and says where.
 * @param {number} port
 * @param {import('./preparation.js').Planned} planned
 * @param {ConstructorParameters<typeof import('../console/run-display.js').RunDisplay>[1]} shown
 * @returns {Promise<{ display: import('../console/run-display.js').RunDisplay, close: () => Promise<void> }>}
 * @throws {import('../errors.js').EnvironmentError} the port cannot be had
 */
export async function openLive(port, { scenario, plan, host }, shown) {
  const [{ LiveDisplay, liveColumns }, { LiveServer }, { LiveModel }, { liveDocuments, liveFigures, servedReport }] =
    await Promise.all([
      import('../live/live-display.js'),
      import('../live/live-server.js'),
      import('../../report/live/live-model.js'),
      import('../../report/live/live-page.js'),
    ]);
  const documents = await liveDocuments({ title: scenario.name, columns: liveColumns(scenario) });
  const server = new LiveServer(documents, servedReport);
  const url = await server.listen(port);
  // the output of these is read by programs
  (shown.only === null ? process.stdout : process.stderr).write(`live    ${url}\n`);
  const model = new LiveModel({ scenario, plan, cores: host.cores, memPages: memPagesOf(host) });
  const display = new LiveDisplay(process.stdout, shown, { server, model, figuresOf: liveFigures });
  return { display, close: () => display.close() };
}

/**
 * @param {Pick<import('../machine/host.js').Host, 'pageBytes' | 'tcpMemoryBytes' | 'tcpMemoryMaxBytes'>} host
 * @returns {{ pressure: number, high: number, pageBytes: number } | undefined} of tcp_mem, in pages; undefined: not known
 */
function memPagesOf({ pageBytes, tcpMemoryBytes, tcpMemoryMaxBytes }) {
  if (tcpMemoryBytes === null || tcpMemoryMaxBytes === null) return undefined;
  return { pressure: tcpMemoryBytes / pageBytes, high: tcpMemoryMaxBytes / pageBytes, pageBytes };
}
