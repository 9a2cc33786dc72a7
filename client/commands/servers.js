// `broadside servers`: lists, builds, starts and verifies servers. What starts and what verifies them has a file in
// servers/, and predecessors have subcommands too.

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
 * @property {string} [why] it could not be built, for people
 * @property {{code: string, data: Record<string, unknown>}} [problem] the same for programs: of its availability, or
 *   the error of the build
 */

/** The subcommand. */
const OWN_WORDS = 1;

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
    .command('list [names..]', 'List the servers and what the unavailable ones require', names, plain(list))
    .command('build [names..]', 'Build the servers that are not up to date', names, plain(build))
    .command(
      'start <name>',
      'Start a server in the foreground; arguments after -- are passed to it',
      (inner) => inner.positional('name', { type: 'string', description: 'Name of the server' }).options(startOptions),
      (argv) =>
        start(/** @type {StartArguments} */ (/** @type {unknown} */ (argv)), argv._.slice(OWN_WORDS).map(String)),
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
      plain(verify),
    );
  for (const { name, describe, options, perform } of added) {
    yargs.command(`${name} [names..]`, describe, (inner) => names(inner).options(options), plain(perform));
  }
  return yargs;
}

export const subcommands = { names: ['list', 'build', 'start', 'verify', ...added.map(({ name }) => name)], add };

/** @type {Command['examples']} */
export const examples = [
  ['', 'all servers, and what the unavailable ones require'],
  ["list 'c/*' go", 'some of them'],
  ['start epoll --port 7000', 'one of them in the foreground'],
  ["verify './mine --port {port}'", 'check your own server'],
];

/** Without a subcommand: the list. */
export const handler = plain(list, 0);

/**
 * For subcommands that take no words after `--`, which yargs itself does not reject.
 * @template Own
 * @param {(argv: Own) => Promise<void>} perform
 * @param {number} [own] words that are the command's own
 * @returns {(argv: Arguments) => Promise<void>}
 */
function plain(perform, own = OWN_WORDS) {
  return async (argv) => {
    const [surplus] = argv._.slice(own).map(String);
    if (surplus === undefined) return perform(/** @type {Own} */ (argv));
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
      servers.map(({ manifest: { description, options = {}, transports = ['tcp'] }, fault: _fault, ...rest }) => ({
        ...rest,
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
  const others = otherTransports.flatMap(({ name: transport, label }) => {
    const capable = servers.filter(({ manifest }) => manifest.transports?.includes(transport)).map(({ name }) => name);
    return capable.length === 0 ? [] : `over ${label}, too (--transport ${transport}): ${capable.join(', ')}`;
  });
  if (others.length > 0) print(`\n${others.join('\n')}`);
  print(`\n${servers.length} ${servers.length === 1 ? 'server' : 'servers'}, ${here} available here`);
}

/** @param {{names?: string[], json?: boolean}} argv */
async function build({ names = [], json }) {
  const { checkAvailability } = await launcher();
  const chosen = await selectServers(names);
  const found = await checkAvailability(chosen.map(({ server }) => server));
  const wide = Math.max(...found.map(({ name }) => name.length)) + 2;
  const say = (/** @type {string} */ name, /** @type {string} */ text) => json || print(name.padEnd(wide) + text);
  /** @type {Outcome[]} */
  const outcomes = [];
  for (const { name, available, why, remedy, problem } of found) {
    const outcome = available
      ? await buildOne(name)
      : { name, built: false, ms: 0, why: `unavailable: ${why}; ${remedy}`, ...(problem && { problem }) };
    outcomes.push(outcome);
    say(name, outcome.why ?? (outcome.built ? `built, ${(outcome.ms / 1000).toFixed(1)} s` : 'up to date'));
  }
  if (json) printJson(outcomes);
  // a name fails with its server; a pattern fails when all servers it matches do
  const vain = names.filter((text) => chosen.every(({ by }, i) => !by.includes(text) || !found[i].available));
  const failed = outcomes.filter(
    ({ why }, i) => why !== undefined && (found[i].available || chosen[i].by.some((text) => vain.includes(text))),
  );
  if (failed.length > 0) {
    throw new EnvironmentError(`${failed.length} of ${found.length} could not be built: see above`, {
      code: 'EBUILD',
      data: { of: found.length, failed: failed.map(({ name, problem }) => ({ server: name, problem })) },
    });
  }
}

/**
 * @param {string} name
 * @returns {Promise<Outcome>}
 */
async function buildOne(name) {
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
