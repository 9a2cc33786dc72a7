// `broadside servers`: lists, builds, starts and verifies servers. Each subcommand has a file in servers/, or is one of a
// predecessor; this file puts them together.

import { typed } from '../invocation.js';
import { predecessors } from '../predecessors/index.js';
import { argumentError, unknownArgument } from './argument-mistakes.js';
import { build } from './servers/build.js';
import { list } from './servers/list.js';
import { start, startOptions } from './servers/start.js';
import { verify, verifyOptions } from './servers/verify.js';

/** The subcommand. */
const OWN_WORDS = 1;

const added = predecessors.flatMap(({ serversCommands }) => serversCommands ?? []);

/** @param {import('yargs').Argv} yargs */
function add(yargs) {
  const names = (/** @type {import('yargs').Argv} */ inner) =>
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
      (argv) => start(argv, argv._.slice(OWN_WORDS).map(String)),
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

/** @type {import('./index.js').Command['examples']} */
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
 * @param {(argv: any) => Promise<void>} perform
 * @param {number} [own] words that are the command's own
 * @returns {(argv: any) => Promise<void>}
 */
function plain(perform, own = OWN_WORDS) {
  return async (argv) => {
    const [surplus] = argv._.slice(own).map(String);
    if (surplus === undefined) return perform(argv);
    const known = { help: typed('servers', '--help'), options: [], words: [], hasCommand: true };
    throw argumentError(unknownArgument(surplus), [], known);
  };
}
