// `broadside servers verify`: checks a server, or any command, against the contract of servers/README.md, with the
// checks of servers/conformance/.

import { stripVTControlCharacters } from 'node:util';
import { print } from '../../console/print.js';
import { styleFor, wrap } from '../../console/terminal-text.js';
import { EnvironmentError, UsageError } from '../../errors.js';
import { typed } from '../../invocation.js';
import { ownFamilies } from '../../machine/own-addresses.js';
import { counted } from '../../words/format.js';
import { unavailable } from '../../plan/limits/limit.js';
import { protocolNames } from '../../protocols/index.js';
import { verifiedTransports } from '../../transports/index.js';
import { launcher, selectServer, printJson } from './select-servers.js';

/**
 * @import { Options } from 'yargs'
 * @import { Result } from '../../../servers/conformance/index.js'
 * @import { Start } from '../../../servers/conformance/start.js'
 * @import { Manifest, Transport } from '../../../servers/launcher/manifest/manifest.js'
 */

/** The exit code when a check failed; a run that misses a threshold has the same. */
const FAILED = 99;
const MAX_WIDTH = 120;

/** @type {Record<string, Options>} */
export const verifyOptions = {
  protocol: {
    type: 'string',
    requiresArg: true,
    description: "Protocol to verify (default: the first of the server's list, or echo for a command)",
  },
  transport: {
    choices: verifiedTransports,
    requiresArg: true,
    default: 'tcp',
    description: 'Transport to verify (default: tcp)',
  },
  only: {
    type: 'string',
    requiresArg: true,
    description: 'Run only the checks whose name matches this regular expression',
  },
};

/** A command that is a single program: it replaces the shell, so that it receives the signals. */
const SINGLE_PROGRAM =
  /^\s*(?!(?:cd|exec|eval|export|set|trap|ulimit|umask|if|for|while|until|case)\s)[\w./-]+(?:\s[^;&|()`\n]*)?$/;

/** A path, or several words: it cannot be the name of a server. */
const LIKE_A_COMMAND = /^[./~]|\s/;
/** Exit statuses of a shell that finds no program, or cannot run it. */
const NOT_RUN = [126, 127];

/**
 * @typedef {object} Subject
 * @property {string} what
 * @property {string} protocol
 * @property {Start} start
 * @property {Manifest | null} manifest
 */

/**
 * @param {{ subject: string, protocol?: string, transport: Exclude<Transport, 'udp'>, only?: string, json?:
 *   boolean }} argv  subject: a name or a command
 */
export async function verify({ subject, protocol, transport, only, json }) {
  const { checkedProtocols, runChecks } = await import('../../../servers/conformance/index.js');
  const pattern = patternOf(only);
  const isCommand = subject.includes('{port}');
  if (!isCommand && LIKE_A_COMMAND.test(subject)) throw withoutPort(subject);
  const tried = isCommand
    ? await commandOf(subject, protocol ?? 'echo', transport)
    : await serverOf(subject, protocol, transport);
  if (!checkedProtocols.includes(tried.protocol)) {
    throw new UsageError(
      `--protocol: the checks do not speak "${tried.protocol}"; they speak: ${checkedProtocols.join(', ')}`,
      { code: 'EPROTOCOL', data: { protocol: tried.protocol, known: checkedProtocols } },
    );
  }
  requireLoopback();
  if (isCommand) await refuseMissingProgram(tried);
  const width = Math.min(MAX_WIDTH, process.stdout.columns || Number(process.env.COLUMNS) || MAX_WIDTH);
  const over = transport === 'tcp' ? '' : ` over ${transport}`;
  if (!json) print(`${tried.what}, ${tried.protocol}${over}`);
  const started = performance.now();
  const onResult = (/** @type {Result} */ result) => json || print(resultText(result, width));
  const results = await runChecks({ ...tried, transport, only: pattern, onResult });
  if (results.length === 0) {
    throw new UsageError(`--only: no check has an id or name that matches "${only}"`, {
      code: 'EONLY',
      data: { only, problem: 'no-match' },
    });
  }
  const failed = results.filter(({ ok }) => !ok).length;
  const left = results.filter(({ skipped }) => skipped !== undefined).length;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (json) printJson({ what: tried.what, protocol: tried.protocol, transport, ok: failed === 0, checks: results });
  else {
    const ok = results.length - failed - left;
    print(`${counted(results.length, 'check')} in ${seconds} s: ${ok} ok, ${failed} failed, ${left} skipped`);
  }
  process.exitCode = failed > 0 ? FAILED : 0;
}

/** Requires the address of the checks. @throws {EnvironmentError} before every check fails for this reason */
function requireLoopback() {
  const address = '127.0.0.1';
  if (ownFamilies().loopbacks.includes(address)) return;
  const limit = unavailable('loopback-down', { address });
  throw new EnvironmentError(`${limit.text} ${limit.remedy}`, {
    code: 'ELIMIT',
    data: { limits: [limit], possible: null },
  });
}

/** @param {string} subject @returns {UsageError} */
const withoutPort = (subject) =>
  new UsageError(
    `${JSON.stringify(subject)} is not the name of a server; a command needs {port} where its port goes, such as ` +
      `'${subject} --port {port}'`,
    { code: 'ECOMMAND', data: { subject, problem: 'no-port' } },
  );

/** @param {Subject} subject a command @throws {UsageError} before every check fails for this reason */
async function refuseMissingProgram({ what, start }) {
  const { EndedEarly } = await import('../../../servers/conformance/index.js');
  const error = await start().then(
    async ({ kill }) => void (await kill()),
    (failure) => failure,
  );
  if (!(error instanceof EndedEarly) || !NOT_RUN.includes(Number(error.ending.code))) return;
  const { code: exitCode, stderr } = error.ending;
  throw new UsageError(`${what}: the command cannot be run: ${stderr.trim()}`, {
    code: 'ECOMMAND',
    data: { subject: what, problem: 'not-run', exitCode },
  });
}

/**
 * @param {string} command
 * @param {string} protocol
 * @param {string} transport the command starts its server with it; the server's ready line states it
 * @returns {Promise<Subject>}
 */
async function commandOf(command, protocol, transport) {
  const { starter } = await import('../../../servers/conformance/index.js');
  knownProtocol(protocol);
  const run = ['/bin/sh', '-c', `${SINGLE_PROGRAM.test(command) ? 'exec ' : ''}${command} "$@"`, 'sh'];
  return {
    what: command,
    protocol,
    manifest: null,
    start: starter({ run, protocol, ready: transport === 'tcp' ? 'connection' : 'line' }),
  };
}

/**
 * @param {string} name
 * @param {string | undefined} requested
 * @param {Transport} transport
 * @returns {Promise<Subject>}
 */
async function serverOf(name, requested, transport) {
  const { starter } = await import('../../../servers/conformance/index.js');
  const server = await selectServer(name);
  const { manifest, folder: cwd, protocols } = server;
  const [protocol] = requested === undefined ? protocols : [requested];
  if (!protocols.includes(protocol)) {
    throw new UsageError(
      `--protocol: ${server.name} does not speak "${protocol}"; it speaks: ${protocols.join(', ')}`,
      { code: 'EPROTOCOL', data: { server: server.name, protocol, known: protocols } },
    );
  }
  const { transports = ['tcp'] } = manifest;
  if (!transports.includes(transport)) {
    throw new UsageError(
      `--transport: ${server.name} has no transport "${transport}"; its transports: ${transports.join(', ')}`,
      { code: 'ETRANSPORT', data: { server: server.name, transport, known: transports } },
    );
  }
  if (manifest.tls) {
    throw new UsageError(
      `${server.name} speaks over TLS, and the checks do not; ${typed('stress')} tries one exchange`,
      {
        code: 'EPROTOCOL',
        data: { server: server.name, protocol, problem: 'tls' },
      },
    );
  }
  await (await launcher()).build({ names: [server.name], onLine: (line) => print(line, process.stderr) });
  const run = transport === 'tcp' ? manifest.run : [...manifest.run, '--transport', transport];
  const start = starter({ run, protocol, ready: manifest.ready, cwd });
  // A server that was contributed without a manifest is as unknown as any command.
  return { what: server.name, protocol, manifest: server.language === 'contributed' ? null : manifest, start };
}

/** @param {string} protocol */
function knownProtocol(protocol) {
  if (protocolNames.includes(protocol)) return;
  throw new UsageError(`--protocol: "${protocol}" is not one of ${protocolNames.join(', ')}`, {
    code: 'EPROTOCOL',
    data: { protocol, known: protocolNames },
  });
}

/** @param {string | undefined} text */
function patternOf(text) {
  try {
    return text === undefined ? undefined : new RegExp(text);
  } catch (error) {
    throw new UsageError(`--only: ${/** @type {Error} */ (error).message}`, {
      code: 'EONLY',
      data: { only: text, problem: 'not-a-pattern' },
      cause: error,
    });
  }
}

/**
 * @param {Result} result
 * @param {number} width
 * @returns {string} a line, and the reason below it
 */
function resultText({ name, ok, ms, failure, skipped }, width) {
  const style = styleFor(process.stdout, process.env);
  const word = skipped !== undefined ? style('yellow', 'skipped') : ok ? style('green', 'ok') : style('red', 'FAILED');
  const took = skipped === undefined ? `  ${(ms / 1000).toFixed(1)} s` : '';
  const padded = word + ' '.repeat(10 - stripVTControlCharacters(word).length);
  const reasons = (failure?.text ?? skipped?.text ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => wrap(`${' '.repeat(12)}${line}`, width));
  return [`  ${padded}${name}${took}`, ...reasons].join('\n');
}
