// The command line of the Node servers. Errors are reported on stderr with exit status 2 before anything listens; the
// message names the option, the value and what was expected.

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { protocolNames } from './protocols/index.js';
import { parseWork, WORK_KINDS } from './work.js';

/** @import { Work } from './work.js' */

const PROCESSES_MOST = 1024;
const BACKLOG_MOST = 2 ** 30;

/**
 * @typedef {object} Options
 * @property {number} port 0: the kernel chooses
 * @property {string} host
 * @property {number} backlog
 * @property {string} protocol
 * @property {boolean} volleyStop
 * @property {Work | null} work
 * @property {number} processes
 */

class Refusal extends Error {}

/** @param {string} option @param {string} value @param {string} expected @returns {never} */
function refuse(option, value, expected) {
  throw new Refusal(`--${option} ${value}: expected ${expected}`);
}

/** @param {string} option @param {string} text @param {number} low @param {number} high */
function numberOf(option, text, low, high) {
  const value = /^\d{1,16}$/.test(text) ? BigInt(text) : -1n;
  if (value < low || value > high) refuse(option, text, `a number from ${low} to ${high}`);
  return Number(value);
}

/** @param {Record<string, any>} values @returns {Work | null} */
function workOf({ work, 'work-kind': kind, 'work-seed': seedText = '1' }) {
  const seed = numberOf('work-seed', seedText, 0, 2 ** 53);
  if (work === undefined) {
    if (kind !== undefined) refuse('work-kind', kind, '--work as well: how long the work takes');
    return null;
  }
  const span = parseWork(work);
  if (span === null) {
    refuse('work', work, 'A-B or A, as in 30ms-50ms or 1.5ms (ns, us, ms, s), A not above B, at most 3600s');
  }
  if (kind !== undefined && !WORK_KINDS.includes(kind)) refuse('work-kind', kind, `one of: ${WORK_KINDS.join(', ')}`);
  return { ...span, kind: kind ?? 'wait', seed };
}

/** @param {string[]} words @param {{name: string, processes: boolean}} server @returns {Options | null} null: help */
function parse(words, { processes }) {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean' });
  const { values } = parseArgs({
    args: words,
    options: {
      port: { ...text, short: 'p' },
      host: text,
      backlog: text,
      protocol: text,
      'volley-stop': flag,
      work: text,
      'work-kind': text,
      'work-seed': text,
      ...(processes ? { processes: text } : {}),
      help: flag,
    },
  });
  if (values.help) return null;
  const { port = '0', host = '127.0.0.1', backlog = '4096', protocol = 'echo' } = values;
  if (!protocolNames.includes(protocol)) refuse('protocol', protocol, `one of: ${protocolNames.join(', ')}`);
  if (host === '') refuse('host', host, 'an address');
  const several = /** @type {string | undefined} */ (/** @type {Record<string, any>} */ (values).processes);
  return {
    port: numberOf('port', port, 0, 65_535),
    host,
    backlog: numberOf('backlog', backlog, 1, BACKLOG_MOST),
    protocol,
    volleyStop: values['volley-stop'] ?? false,
    work: workOf(values),
    processes: several === undefined ? availableParallelism() : numberOf('processes', several, 1, PROCESSES_MOST),
  };
}

/** @param {{name: string, summary: string, processes: boolean}} server */
function usage({ name, summary, processes }) {
  return `Usage: ${name} [options]
${summary}

  -p, --port N         port to listen on; 0: chosen by the kernel (default 0)
      --host ADDRESS   address to listen on (default 127.0.0.1)
      --backlog N      length of the accept queue, at most net.core.somaxconn (default 4096)
      --protocol NAME  one of: ${protocolNames.join(', ')} (default echo)
      --volley-stop    with volley: a word of zero ends the server
      --work A-B       simulated work of each request, drawn from A to B, such as 30ms-50ms
      --work-kind KIND wait: the reply is sent after that time (default); block: the thread
                       sleeps; spin: it uses that much CPU time
      --work-seed N    seed of the random numbers for --work, 0 to 2^53 (default 1)
${processes ? '      --processes N    number of serving processes (default: one per CPU)\n' : ''}\
      --help           prints this text
`;
}

/**
 * Parses the arguments of this process. Ends the process with 0 after --help and with 2 after an error.
 * @param {{name: string, summary: string, processes: boolean}} server processes: whether it has the option --processes
 * @returns {Options}
 */
export function readOptions(server) {
  try {
    const options = parse(process.argv.slice(2), server);
    if (options) return options;
    process.stdout.write(usage(server));
    process.exit(0);
  } catch (error) {
    const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (!(error instanceof Refusal) && !code.startsWith('ERR_PARSE_ARGS')) throw error;
    process.stderr.write(`${server.name}: ${message.replaceAll('\n', ' ')}\n`);
    process.exit(2);
  }
}
