// `broadside volley`: volley's ping-pong test as its client runs it. All connections are verified, start together and
// have the same number of round trips; rounds repeat until the mean is precise enough. stdout gets volley's result
// line.

import net from 'node:net';
import { missingOption, numberOf, optionError, refusedOption } from '../../commands/option-values.js';
import { planOf } from '../../commands/preparation.js';
import { requestOf } from '../../commands/options.js';
import { runOf } from '../../commands/carry-out.js';
import { folderOptions } from '../../commands/shared-options.js';
import { print } from '../../console/print.js';
import { RunDisplay } from '../../console/run-display.js';
import { count, counted, duration } from '../../words/format.js';
import { confidence95, countFor, mergeMoments, momentsOf, NO_VALUES, standardDeviation } from './moments.js';

/**
 * @import { Options as YargsOptions } from 'yargs'
 * @import { Command } from '../../commands/index.js'
 * @import { UsageError } from '../../errors.js'
 * @import { Moments } from './moments.js'
 */

/** Round trips of the first round, over all connections. */
const FIRST_ROUND = 1_000_000;
/** The test ends when half of the 95 % confidence interval of the mean is this short. */
const PRECISION_NS = 5000;
/** A round with no more round trips per connection is not worth its start. */
const TOO_FEW = 10;
const TIME_LIMIT_MS = 180_000;
const NS_PER_US = 1000;
/** Ends a server of volley. */
const ZERO_WORD = Buffer.alloc(4);
const STOP_MS = 1000;

/** @type {Record<string, YargsOptions>} */
export const builder = {
  port: { alias: 'p', type: 'string', requiresArg: true, description: "The server's port (required, or --server)" },
  clients: { alias: 'c', type: 'string', requiresArg: true, description: 'Number of connections (required)' },
  host: {
    alias: 'H',
    type: 'string',
    requiresArg: true,
    description: "The server's host (default: 127.0.0.1)",
  },
  server: {
    type: 'string',
    requiresArg: true,
    description: 'Name of a server that Broadside starts for each round, instead of -p',
  },
  cores: {
    type: 'string',
    requiresArg: true,
    description: 'With --server: S:C puts the server on the first S CPUs and the client on the last C',
  },
  stop: {
    type: 'boolean',
    default: true,
    description: 'Send the word zero at the end, which stops a volley server; --no-stop leaves it running',
  },
  allowPublicTarget: { type: 'boolean', description: 'Allow a server outside loopback and private addresses' },
  ...folderOptions,
};

/** @type {Command['examples']} */
export const examples = [
  ['-p 2222 -c 40', '40 connections to a volley server on this machine'],
  ['--server epoll -c 40 --cores 1:1', 'server and client on CPUs of their own'],
];

/** @param {any} argv */
export async function handler(argv) {
  const options = readOptions(argv);
  const { code, moments } = await runRounds(options);
  if (options.serverToStop !== null) await stopServer(options.serverToStop);
  if (moments.count > 0) print(resultLine(moments));
  process.exitCode = code;
  if (code >= 128) process.exit();
}

/**
 * @typedef {object} Options
 * @property {number} clients
 * @property {{ host: string, port: number } | null} serverToStop  the server that the word zero ends; null: none
 * @property {Record<string, unknown>} flags  of every round
 */

/**
 * @param {any} argv
 * @returns {Options}
 * @throws {UsageError}
 */
export function readOptions(argv) {
  const { host = '127.0.0.1', server, cores, stop, logs, report, allowPublicTarget } = argv;
  const port = numberOf('port', argv.port, { range: [1, 65_535] });
  const clients = numberOf('clients', argv.clients, { range: [1, 1_000_000] });
  if (server === undefined && cores !== undefined) {
    throw optionError('cores', cores, 'it places a server that is started here; give its name with --server');
  }
  if (server !== undefined) checkStarted(argv);
  else if (port === undefined) throw missingOption('port', "the server's port is missing; give it with -p");
  if (clients === undefined) throw missingOption('clients', 'the number of connections is missing; give it with -c');
  if (Array.isArray(host)) throw refusedOption('host', host, 'give it once');
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const flags = {
    ...{ logs, report, name: 'volley', protocol: 'volley', 'volley.verify': true },
    ...(server === undefined ? { target, allowPublicTarget } : { servers: server, 'pin.cores': cores }),
    ...{ connections: String(clients), 'ramp.add': String(clients), 'ramp.every': '1s', start: 'together' },
    ...{ 'lifetime.reopen': false, transferLog: 'none' },
  };
  return { clients, serverToStop: port === undefined || !stop ? null : { host, port }, flags };
}

/** Refuses the options for a server that runs already. @param {any} argv @throws {UsageError} */
function checkStarted({ server, stop, ...argv }) {
  if (Array.isArray(server) || !/^[\w.-]+$/.test(server)) throw refusedOption('server', server, 'give one name');
  const given = ['port', 'host', 'allowPublicTarget'].find((option) => argv[option] !== undefined);
  const why = 'it is for a server that runs already, but --server starts one; give only one of them';
  if (given !== undefined) throw optionError(given, argv[given], why);
  if (stop === false) throw optionError('stop', false, why);
}

/**
 * @param {Moments} moments of round-trip times in ns
 * @returns {string} mean, standard deviation and samples, as volley's client prints them
 */
export function resultLine(moments) {
  const deviation = standardDeviation(moments) / NS_PER_US;
  return `${(moments.mean / NS_PER_US).toFixed(0)}us ${deviation.toFixed(2)}us ${moments.count}`;
}

/**
 * @param {Moments} moments of round-trip times in ns
 * @param {number} clients
 * @returns {number} round trips of each connection in the next round; 0: the mean is precise enough
 */
export function nextRound(moments, clients) {
  if (moments.count === 0) return Math.max(1, Math.floor(FIRST_ROUND / clients));
  const perConnection = Math.ceil((countFor(moments, PRECISION_NS) - moments.count) / clients);
  return perConnection > TOO_FEW ? perConnection : 0;
}

/**
 * Runs rounds until the mean is precise enough or the time limit is reached, and prints which.
 * @param {Options} options
 * @returns {Promise<{ code: number, moments: Moments }>} the exit code
 */
async function runRounds({ clients, flags }) {
  const say = (/** @type {string} */ text) => print(text, process.stderr);
  const deadline = performance.now() + TIME_LIMIT_MS;
  /** @type {Moments} */
  let moments = NO_VALUES;
  for (let round = 1; ; round += 1) {
    const perConnection = nextRound(moments, clients);
    const interval = `95 % interval of the mean ± ${duration(confidence95(moments))}`;
    const leftMs = deadline - performance.now();
    if (perConnection === 0) say(`converged after ${counted(round - 1, 'round')}: ${interval}`);
    else if (leftMs < 1) say(`not converged after ${duration(TIME_LIMIT_MS * 1e6)}: ${interval}`);
    if (perConnection === 0 || leftMs < 1) return { code: 0, moments };

    const { code, steady, leg } = await runRound(flags, perConnection, leftMs);
    if (steady?.responseTimeNs) moments = mergeMoments(moments, momentsOf(steady.responseTimeNs));
    if (code !== 0) return { code, moments };
    const failed = leg.transfers?.failed ?? 0;
    if (failed > 0 || !steady?.responseTimeNs) {
      say(`broadside: ${count(failed)} round trips failed, ${count(leg.rejects?.total)} connects were rejected`);
      return { code: 1, moments };
    }
    say(
      `round ${round}: ${count(perConnection)} round trips of each connection, mean ${duration(steady.responseTimeNs.mean)}`,
    );
  }
}

/**
 * @param {Options['flags']} flags
 * @param {number} perConnection round trips
 * @param {number} limitMs
 */
async function runRound(flags, perConnection, limitMs) {
  const round = { 'lifetime.transfers': String(perConnection), duration: `${Math.ceil(limitMs)}ms` };
  const request = requestOf({ ...flags, ...round });
  const planned = await planOf(request);
  const { scenario, plan } = planned;
  const run = runOf(planned, request.output, new RunDisplay(process.stderr, { scenario, plan, only: 'problems' }));
  const code = await run.execute();
  const [leg] = run.results.summaries;
  return { code, leg, steady: leg?.steady };
}

/**
 * Sends the zero word. A server that accepts in the thread that checks for the end needs one more connection to notice
 * it.
 * @param {{ host: string, port: number }} server
 */
export async function stopServer({ host, port }) {
  await send(host, port, ZERO_WORD);
  await send(host, port, Buffer.alloc(0));
}

/**
 * @param {string} host
 * @param {number} port
 * @param {Buffer} bytes
 * @returns {Promise<void>} resolves even if nothing listens
 */
function send(host, port, bytes) {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port, timeout: STOP_MS });
    const end = () => {
      socket.destroy();
      resolve();
    };
    socket.on('connect', () => socket.end(bytes)).on('error', end);
    socket.on('timeout', end).on('close', end).resume();
  });
}
