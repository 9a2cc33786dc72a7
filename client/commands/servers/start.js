// `broadside servers start`: runs a server in the foreground, until Ctrl+C, SIGTERM or its own end. The command ends
// with the exit status of the server.

import { constants } from 'node:os';
import { validatorOf } from '../../../config/validators.js';
import { print } from '../../console/print.js';
import { BroadsideError, UsageError } from '../../errors.js';
import { convert, flagOption, refuseTwice } from '../../scenario/flags.js';
import { explain, mistakesError } from '../../scenario/mistakes.js';
import { brokenRules } from '../../scenario/rules/rule.js';
import { optionRules } from '../../scenario/rules/servers.js';
import { serverOptionsSchema } from '../../scenario/schema.js';
import { formatEndpoint } from '../../words/endpoint.js';
import { Interrupts } from '../../run/interrupts.js';
import { moreAddresses, transportChoice, transportNames, transportText } from '../../transports/index.js';
import { launcher, selectServer, printJson } from './select-servers.js';

/**
 * @import { Options } from 'yargs'
 * @import { Transport } from '../../../servers/launcher/manifest/manifest.js'
 * @import { Scenario } from '../../scenario/scenario.js'
 * @import { KeySchema } from '../../scenario/schema.js'
 */

const GROUP = 'Server options, where the server supports them:';
const PLACE = 'servers[0].options.';
const flagOf = (/** @type {string} */ path) => `--${path.replace(PLACE, '')}`;
const validate = validatorOf('server-options');

/**
 * The options of a server. As flags they have the names and the validation of servers[].options in a scenario.
 * @type {[string, KeySchema][]}
 */
const keys = Object.entries(serverOptionsSchema.properties);

/** @returns {Record<string, Options>} for `yargs.options()` */
function serverFlags() {
  return Object.fromEntries(
    keys.map(([key, schema]) => {
      const byDefault =
        schema.type === 'boolean'
          ? 'off'
          : (schema['x-default'] ?? (schema.default === undefined ? undefined : String(schema.default)));
      return [key, flagOption(schema, GROUP, byDefault)];
    }),
  );
}

/** @type {Record<string, Options>} */
export const startOptions = {
  protocol: {
    type: 'string',
    requiresArg: true,
    description: "Protocol to speak (default: the first of the server's list)",
  },
  port: { type: 'string', requiresArg: true, description: 'Port to listen on (default: any free port)' },
  host: {
    type: 'string',
    requiresArg: true,
    default: '127.0.0.1',
    description: `Address to listen on, or unix:/path${moreAddresses} (default: 127.0.0.1)`,
  },
  transport: {
    choices: transportNames,
    requiresArg: true,
    default: 'tcp',
    description: `Transport: ${transportChoice} (default: tcp)`,
  },
  ...serverFlags(),
};

/**
 * @typedef {Record<string, unknown> & { name: string, json?: boolean, host: string, transport: Transport, protocol?:
 *   string, port?: string }} StartArguments
 */

/**
 * @param {StartArguments} argv  the name, and the options above
 * @param {string[]} words passed to the server unchanged
 * @throws {BroadsideError} with the server's exit status, when it ended by itself or was killed
 */
export async function start({ name, json, host, transport, ...argv }, words) {
  const options = serverOptionsOf(argv);
  const port = portOf(argv.port);
  const server = await selectServer(name);
  const protocol = argv.protocol ?? server.protocols[0];
  const { startServer } = await launcher();
  const interrupts = new Interrupts().listen();
  const stopped = new Promise((resolve) => interrupts.on('first', resolve));
  const started = startServer({
    name: server.name,
    protocol,
    host,
    transport,
    port,
    options,
    words,
    onLine: (stream, line) => (stream === 'stdout' && !json ? process.stdout : process.stderr).write(`${line}\n`),
  });
  const running = await Promise.race([started, stopped.then(() => null)]);
  // When this process has ended, the guard ends the build or start that is in progress.
  if (running === null) process.exit(interrupts.exitCode);
  const { name: what, host: address, port: where, pids, authority } = running;
  const secure = authority === null ? '' : ` over TLS, its certificate checked against ${authority}`;
  const carrier = transportText(transport);
  const over = carrier === null ? secure : ` over ${carrier}`;
  if (json) printJson({ name: what, protocol, transport, host: address, port: where, pids, authority });
  else
    print(
      `${what} listens on ${formatEndpoint({ host: address, port: where })} (${protocol}${over}), ${processesText(pids)}; Ctrl+C ends it`,
    );
  await Promise.race([running.exited, stopped]);
  const ending = await running.stop();
  interrupts.close();
  const exitCode = statusOf(ending);
  const data = { server: what, exitCode: ending.code, signal: ending.signal };
  if (ending.forced) {
    throw new BroadsideError(`${what} did not end on SIGTERM and was killed`, { code: 'EKILLED', data, exitCode });
  }
  if (!interrupts.interrupted) {
    const how = ending.signal ?? `exit status ${ending.code}`;
    throw new BroadsideError(`${what} has ended by itself (${how})`, { code: 'EENDED', data, exitCode });
  }
  process.exitCode = exitCode;
}

/** @param {number[]} pids */
function processesText([first, ...more]) {
  return more.length === 0 ? `process ${first}` : `process ${first} and ${more.length} more`;
}

/**
 * @param {string | undefined} text
 * @returns {number | undefined} undefined: any free port
 */
function portOf(text) {
  if (text === undefined) return undefined;
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) {
    throw new UsageError(`--port: ${JSON.stringify(text)} is not a port from 0 to 65535`, {
      code: 'EPORT',
      data: { port: text },
    });
  }
  return port === 0 ? undefined : port;
}

/** @param {{code: number | null, signal: string | null}} ending @returns {number} the status that a shell reports */
function statusOf({ code, signal }) {
  /** @type {Record<string, number>} */
  const numbers = constants.signals;
  return code ?? 128 + (numbers[signal ?? ''] ?? 0);
}

/**
 * @param {Record<string, unknown>} argv as yargs returns it
 * @returns {Record<string, unknown>} only the options that were given
 * @throws {UsageError}
 */
function serverOptionsOf(argv) {
  /** @type {Record<string, unknown>} */
  const options = {};
  for (const [key, schema] of keys) {
    const value = argv[key];
    if (value === undefined) continue;
    refuseTwice(key, value);
    options[key] = typeof value === 'string' ? convert(value, schema) : value;
  }
  const mistakes = validate(options)
    ? brokenRules(
        optionRules,
        /** @type {Scenario} */ (/** @type {unknown} */ ({ servers: [{ options }] })),
        flagOf,
      ).map((mistake) => ({
        ...mistake,
        path: mistake.path.replace(PLACE, ''),
      }))
    : explain(validate.errors ?? [], flagOf);
  if (mistakes.length > 0) throw mistakesError(mistakes, 'EOPTION');
  return options;
}
