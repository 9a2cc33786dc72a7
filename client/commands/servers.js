// `broadside servers`: lists, builds, starts and verifies servers. The files in servers/ start and verify them;
// predecessors add subcommands.

import { print } from '../console/print.js';
import { serversTable } from '../console/servers-table.js';
import { styleFor } from '../console/terminal-text.js';
import { EnvironmentError } from '../errors.js';
import { typed } from '../invocation.js';
import { predecessors } from '../predecessors/index.js';
import { otherTransports } from '../transports/index.js';
import { unknownArgument } from './yargs-texts.js';
import { selectServers, launcher, printJson } from './servers/select-servers.js';
import { start, startOptions } from './servers/start.js';
import { verify, verifyOptions } from './servers/verify.js';

/**
 * @import { Arguments, Argv } from 'yargs'
 * @import { Command } from './index.js'
 * @import { StartArguments } from './servers/start.js'
 */

/**
 * @typedef {object} Outcome
 * @property {string} name
 * @property {boolean} built false also when it was up to date
 * @property {number} ms
 * @property {string} [why] it could not be built, for people; absent: it was built or up to date
 * @property {{code: string, data: Record<string, unknown>}} [problem] the same for programs: why it is
 *   unavailable, or the error of the build
 */

/** Words of a command line that are not passed on: the subcommand. */
const SUBCOMMAND_WORDS = 1;

const added = predecessors.flatMap(({ serversCommands }) => serversCommands ?? []);

/** @param {Argv} yargs */
function add(yargs) {
  const names = (/** @type {Argv} */ inner) =>
    inner.positional('names', {
      type: 'string',
      array: true,
      description: "Names, or patterns such as 'c/*' (default: all)",
    });
  yargs
    .options({ json: { type: 'boolean', description: 'Print JSON', global: true } })
    .command(
      'list [names..]',
      'List the servers and what the unavailable ones require',
      names,
      withoutPassedWords(list),
    )
    .command('build [names..]', 'Build the servers that are not up to date', names, withoutPassedWords(build))
    .command(
      'start <name>',
      'Start a server in the foreground; arguments after -- are passed to it',
      (inner) => inner.positional('name', { type: 'string', description: 'Name of the server' }).options(startOptions),
      (argv) =>
        start(
          /** @type {StartArguments} */ (/** @type {unknown} */ (argv)),
          argv._.slice(SUBCOMMAND_WORDS).map(String),
        ),
    )
    .command(
      'verify <subject>',
      'Check a server against the contract in servers/README.md',
      (inner) =>
        inner
          .positional('subject', {
            type: 'string',
            description: "Name of a server, or a command such as './mine --port {port}'",
          })
          .options(verifyOptions),
      withoutPassedWords(verify),
    );
  for (const { name, describe, options, perform } of added) {
    yargs.command(`${name} [names..]`, describe, (inner) => names(inner).options(options), withoutPassedWords(perform));
  }
  return yargs;
}

export const subcommands = { names: ['list', 'build', 'start', 'verify', ...added.map(({ name }) => name)], add };

/** @type {Command['examples']} */
export const examples = [
  ['', 'all servers, and what the unavailable ones require'],
  ["list 'c/*' go", 'these servers'],
  ['start epoll --port 7000', 'a server in the foreground'],
  ["verify './mine --port {port}'", 'check your own server'],
];

/** Without a subcommand: the list. */
export const handler = withoutPassedWords(list, 0);

/**
 * Refuses words after `--`, which yargs does not, for subcommands that pass none on.
 * @template Given
 * @param {(argv: Given) => Promise<void>} perform
 * @param {number} [words] number of words before `--`
 * @returns {(argv: Arguments) => Promise<void>}
 */
function withoutPassedWords(perform, words = SUBCOMMAND_WORDS) {
  return async (argv) => {
    const [surplus] = argv._.slice(words).map(String);
    if (surplus === undefined) return perform(/** @type {Given} */ (argv));
    const known = { help: typed('servers', '--help'), options: [], words: [], hasCommand: true };
    const { argumentError } = await import('./argument-mistakes.js');
    throw argumentError(unknownArgument(surplus), [], known);
  };
}

/** @param {{names?: string[], json?: boolean}} argv */
async function list({ names = [], json }) {
  const { checkAvailability } = await launcher();
  const servers = await checkAvailability((await selectServers(names)).map(({ server }) => server));
  if (json) {
    printJson(
      servers.map(({ manifest: { description, options = {}, transports = ['tcp'] }, fault: _fault, ...server }) => ({
        ...server,
        description,
        transports,
        options: Object.keys(options),
      })),
    );
    return;
  }
  const width = process.stdout.columns || Number(process.env.COLUMNS) || Infinity;
  const here = servers.filter(({ available }) => available).length;
  print(serversTable(servers, width, styleFor(process.stdout, process.env)));
  const transportLines = otherTransports.flatMap(({ name: transport, label }) => {
    const capable = servers.filter(({ manifest }) => manifest.transports?.includes(transport)).map(({ name }) => name);
    return capable.length === 0 ? [] : `over ${label}, too (--transport ${transport}): ${capable.join(', ')}`;
  });
  if (transportLines.length > 0) print(`\n${transportLines.join('\n')}`);
  print(`\n${servers.length} ${servers.length === 1 ? 'server' : 'servers'}, ${here} available here`);
}

/** @param {{names?: string[], json?: boolean}} argv */
async function build({ names = [], json }) {
  const { checkAvailability } = await launcher();
  const chosen = await selectServers(names);
  const servers = await checkAvailability(chosen.map(({ server }) => server));
  const width = Math.max(...servers.map(({ name }) => name.length)) + 2;
  const say = (/** @type {string} */ name, /** @type {string} */ text) => json || print(name.padEnd(width) + text);
  /** @type {Outcome[]} */
  const outcomes = [];
  for (const { name, available, why, remedy, problem } of servers) {
    const outcome = available
      ? await buildServer(name)
      : { name, built: false, ms: 0, why: `unavailable: ${why}; ${remedy}`, ...(problem && { problem }) };
    outcomes.push(outcome);
    say(name, outcome.why ?? (outcome.built ? `built, ${(outcome.ms / 1000).toFixed(1)} s` : 'up to date'));
  }
  if (json) printJson(outcomes);
  // a name fails with its server; a pattern fails when all of its servers fail
  const unavailable = names.filter((text) => chosen.every(({ by }, i) => !by.includes(text) || !servers[i].available));
  const failed = outcomes.filter(
    ({ why }, i) =>
      why !== undefined && (servers[i].available || chosen[i].by.some((text) => unavailable.includes(text))),
  );
  if (failed.length > 0) {
    throw new EnvironmentError(`${failed.length} of ${servers.length} could not be built: see above`, {
      code: 'EBUILD',
      data: { of: servers.length, failed: failed.map(({ name, problem }) => ({ server: name, problem })) },
    });
  }
}

/**
 * @param {string} name
 * @returns {Promise<Outcome>}
 */
async function buildServer(name) {
  const launch = await launcher();
  const started = performance.now();
  const ms = () => Math.round(performance.now() - started);
  const onLine = (/** @type {string} */ line) => print(line, process.stderr);
  try {
    const [{ built }] = await launch.build({ names: [name], onLine });
    return { name, built, ms: ms() };
  } catch (error) {
    if (!(error instanceof launch.ServerError)) throw error;
    const { message, code, data } = error;
    return { name, built: false, ms: ms(), why: message.split('\n', 1)[0], problem: { code, data } };
  }
}
