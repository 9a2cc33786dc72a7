// The command line: sets up yargs, and turns errors into one message and an exit code; a stack only for defects.

import { readFileSync } from 'node:fs';
import yargs from 'yargs';
import { BroadsideError, UsageError } from '../errors.js';
import { didYouMean } from '../scenario/nearest.js';
import { serverOptionsSchema } from '../scenario/schema.js';
import { isOutOfDescriptors } from '../setup/index.js';
import { commands as all } from './index.js';

/** @typedef {import('./index.js').Entry} Entry */

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const MAX_WIDTH = 110;
/** `--help`, `-h` among other letters, and the bare word, anywhere. */
const ASKS_FOR_HELP = /^(help|--h.*|-\w*h.*)$/;

/** @param {string} word */
const plain = (word) => word.replaceAll('-', '').toLowerCase();

/**
 * @param {string} flag as it was given
 * @param {string[]} args
 * @returns {string | number | boolean} what it was given; true where that is nothing
 */
function valueOf(flag, args) {
  const next = args[args.indexOf(flag) + 1];
  const text = flag.includes('=')
    ? flag.replace(/^[^=]*=/, '')
    : next === undefined || next.startsWith('-')
      ? 'true'
      : next;
  return text === 'true' || text === 'false' ? text === 'true' : /^[0-9]+$/.test(text) ? Number(text) : text;
}

/**
 * @param {string} key of a server's options
 * @param {string | number | boolean} value
 */
function ofServer(key, value) {
  const work = key.startsWith('work') && key !== 'work' ? { work: '30ms-50ms' } : {};
  const example = JSON.stringify({ servers: [{ name: 'epoll', options: { ...work, [key]: value } }] });
  return `It is options.${key} of a server, which a scenario file sets: ${example}. See config/README.md`;
}

/**
 * @param {string} message of yargs
 * @param {string[]} args
 * @param {import('yargs').Argv} parser
 * @param {string[]} names of the commands
 * @returns {string}
 */
function reword(message, args, parser, names) {
  const [, bare] = /^Not enough arguments following: (.*)$/.exec(message) ?? [];
  if (bare !== undefined) return `--${bare}: its value is missing. See broadside --help`;
  const [, list] = /^Unknown (?:argument|command)s?: (.*)$/.exec(message) ?? [];
  if (list === undefined) return `${message}. See broadside --help`;
  // @ts-ignore getOptions is public in yargs, and missing in its types; it knows the options of the command at hand
  const options = Object.keys(parser.getOptions().key).filter((key) => key.length > 1 && !key.startsWith('$'));
  return list
    .split(', ')
    .map((word) => {
      const flag = args.find((given) => [`-${word}`, `--${word}`].includes(given.replace(/=.*/s, '')));
      if (flag === undefined)
        return `${word}: unknown command or argument.${didYouMean(word, names)} See broadside --help`;
      if (options.includes('servers') && !options.some((key) => plain(key) === plain(word))) {
        const key = Object.keys(serverOptionsSchema.properties).find((one) => plain(one) === plain(word));
        if (key !== undefined) return `--${word}: unknown option. ${ofServer(key, valueOf(flag, args))}`;
      }
      const hint = didYouMean(
        `--${word}`,
        options.map((key) => `--${key}`),
      );
      return `${flag.replace(/=.*/s, '')}: unknown option.${hint} See broadside --help`;
    })
    .join('\n');
}

/**
 * @param {string[]} args without node and the script
 * @param {Entry[]} [commands]
 * @returns {import('yargs').Argv}
 */
export function program(args, commands = all) {
  const names = commands.map(({ name }) => name);
  /** @type {import('yargs').Argv} */
  const parser = yargs(args)
    .scriptName('broadside')
    .locale('en')
    .parserConfiguration({
      'dot-notation': false,
      'camel-case-expansion': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .usage('$0 <command>\n\nOpens tens of thousands of TCP connections to a server and reports what came back.')
    .version(version)
    .help()
    .alias('help', 'h')
    .strict()
    .exitProcess(false)
    .demandCommand(1, `Which command? ${names.join(', ')}`)
    .example('$0 stress --config smoke', 'a first run, about 5 s')
    .example('$0 stress --help', 'all options of a run')
    .epilogue('Durations: 500ms, 5s, 1m. Sizes: 1B, 1KiB, 1MiB. Rates: 50000/s. Guides: config/README.md')
    .fail((message, error) => {
      // A message is about the command line; an error without one came out of a command.
      if (!message && error) throw error;
      throw new UsageError(reword(message, args, parser, names), { code: 'EARGUMENTS' });
    });
  for (const { command, describe, load } of commands) {
    /** @param {import('yargs').Argv} inner */
    const build = async (inner) => {
      const { builder, examples = [] } = await load();
      /** @type {any} */
      const built = typeof builder === 'function' ? builder(inner) : inner.options(builder ?? {});
      for (const [given, what] of examples) built.example(`$0 ${command} ${given}`, what);
      // yargs lays out the help of every command that it carries out, and hides it: of all options 0.2 s
      const options = args.some((word) => ASKS_FOR_HELP.test(word)) ? [] : Object.keys(built.getOptions().key);
      options.forEach((key) => built.hide(key));
      return built;
    };
    // @ts-ignore the types lag behind: a builder may be asynchronous since yargs 17
    parser.command(command, describe, build, async (argv) => (await load()).handler(argv));
  }
  return parser.wrap(Math.min(MAX_WIDTH, process.stdout.isTTY ? parser.terminalWidth() : MAX_WIDTH));
}

/**
 * Parses the arguments and carries out the command.
 * @param {string[]} args
 * @param {Entry[]} [commands]
 * @returns {Promise<void>}
 * @throws {UsageError} when the command line is wrong; what the command throws otherwise
 */
export async function perform(args, commands = all) {
  const parser = program(args, commands);
  try {
    await parser.parseAsync();
  } catch (error) {
    // yargs does not pass all of its errors to `fail` when a builder is asynchronous.
    if (!(error instanceof Error) || error.name !== 'YError') throw error;
    const text = reword(
      error.message,
      args,
      parser,
      commands.map(({ name }) => name),
    );
    throw new UsageError(text, { code: 'EARGUMENTS', cause: error });
  }
}

/**
 * @param {unknown} error
 * @param {boolean} [asJson] whether the command was asked for JSON: then the error is one line of it, for programs
 * @returns {{text: string, exitCode: number}}
 */
export function answer(error, asJson = false) {
  // servers/launcher/errors.js has errors of the same shape; a class is not shared across that border.
  const exitCode = error instanceof Error && 'exitCode' in error ? Number(error.exitCode) : NaN;
  if (error instanceof Error && (error instanceof BroadsideError || Number.isInteger(exitCode))) {
    if (asJson) {
      const { code, data = {} } = /** @type {any} */ (error);
      return { text: JSON.stringify({ error: { code, data, text: error.message, exitCode } }), exitCode };
    }
    return {
      text: error.message
        .split('\n')
        .map((line) => `broadside: ${line}`)
        .join('\n'),
      exitCode,
    };
  }
  return { text: error instanceof Error ? (error.stack ?? error.message) : String(error), exitCode: 1 };
}

/**
 * @param {string[]} args
 * @returns {Promise<void>} sets process.exitCode when something went wrong
 */
export async function main(args) {
  // A reader that went away (`| head`) ends the output, not the program.
  process.stdout.on('error', failedOutput);
  process.stderr.on('error', failedOutput);
  try {
    if (args.length === 0) program(['--help']).showHelp('error');
    await perform(args);
  } catch (error) {
    if (isOutOfDescriptors(error)) throw error; // answered where nothing more has to be loaded
    const { text, exitCode } = answer(error, args.includes('--json'));
    process.stderr.write(`${text}\n`);
    process.exitCode = exitCode;
  }
}

let outputFailed = false;

/** A failed write of the output makes the command fail, but stops nothing: a run continues. @param {any} error */
function failedOutput({ code, message }) {
  if (code === 'EPIPE' || code === 'EIO' || outputFailed) return;
  outputFailed = true;
  process.on('exit', (exitCode) => {
    process.exitCode = exitCode || 1;
  });
  const why = code === 'ENOSPC' ? 'the disk is full (ENOSPC)' : message;
  process.stderr.write(`broadside: the output could not be written: ${why}\n`);
}
