// The command line: sets up yargs, and turns errors into a message and an exit code; only defects print a stack.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { print } from '../console/print.js';
import { BroadsideError, EnvironmentError, RunError, UsageError } from '../errors.js';
import { HELP, commandPrefix, PROGRAM, typed } from '../invocation.js';
import { takeSecrets, withoutKept } from '../protocols/kept-secrets.js';
import { isOutOfDescriptors } from '../setup/index.js';
import { looksLikeTarget } from '../words/endpoint.js';
import { takenByNpm } from './npm-options.js';
import { spelledOut, withStress } from './short-flags.js';
import { MISSING_COMMAND, negated, unknownArgument, YARGS_TEXTS } from './yargs-texts.js';
import { commands as allCommands } from './index.js';

/**
 * @import { Argv, Options as YargsOptions } from 'yargs'
 * @import { Known } from './argument-mistakes.js'
 * @import { Entry } from './index.js'
 */

/**
 * @typedef {Record<string, YargsOptions>} Options
 */

/**
 * @typedef {object} Program
 * @property {Argv} parser
 * @property {string[]} args  the arguments that it parses: without the name of the command
 * @property {(message: string, cause?: unknown) => Promise<UsageError>} refuse  message: of yargs
 * @property {string[]} options  of the command, with their other names
 */

/**
 * The CommonJS build of yargs, which is a single file: its ES modules take as long to load as all of a command's code.
 * @type {typeof import('yargs').default}
 */
const yargs = createRequire(import.meta.url)('yargs/yargs');

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const MAX_WIDTH = 110;

/** A mistake in the command line, in yargs' words. */
class YargsError extends Error {}

/**
 * @param {string[]} args
 * @param {string} start what people type before `args`; the help repeats it
 * @param {Omit<Known, 'options'>} known
 * @returns {Program}
 */
function newProgram(args, start, known) {
  const parser = yargs(args)
    .scriptName(start)
    .locale('en')
    .updateStrings(/** @type {Record<string, string>} */ (YARGS_TEXTS))
    .parserConfiguration({
      'dot-notation': false,
      'camel-case-expansion': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .version(version)
    .help()
    .alias('help', 'h')
    .strict()
    .exitProcess(false);
  // @ts-ignore missing in the types of yargs; the descriptions of the options name their defaults
  parser.usageConfiguration({ 'hide-types': true });
  parser.wrap(Math.min(MAX_WIDTH, process.stdout.isTTY ? parser.terminalWidth() : MAX_WIDTH));
  /** @type {Program['refuse']} */
  const refuse = async (message, cause) => {
    const { argumentError } = await import('./argument-mistakes.js');
    // @ts-ignore getOptions is public in yargs, and missing in its types; it knows the options of the command at hand
    const options = Object.keys(parser.getOptions().key).filter((key) => key.length > 1 && !key.startsWith('$'));
    return argumentError(message, args, { ...known, options }, cause);
  };
  parser.fail((message, error) => {
    // A message is about the command line; an error without one came out of a command.
    throw !message && error ? error : new YargsError(message);
  });
  return { parser, args, refuse, options: [] };
}

/** @param {string[]} args @param {Entry[]} commands @returns {Program} of a command line that names no command */
function rootProgram(args, commands) {
  const words = commands.map(({ name }) => name);
  const root = newProgram(args, PROGRAM, { help: HELP, words, hasCommand: false });
  root.parser
    .usage(
      `${commandPrefix('<command>')} [options]\n\n` +
        'Opens tens of thousands of TCP connections to a server and reports what came back.',
    )
    .demandCommand(1, MISSING_COMMAND)
    .example(typed('stress', 'http://127.0.0.1:8080/'), 'a server that runs already: 50 connections, 10 s')
    .example(typed('stress', '--config smoke'), 'a first run, about 5 s')
    .example(typed('stress', '--help'), 'all options of a run')
    .epilogue('Guides: README.md, config/README.md');
  for (const { name, describe } of commands) root.parser.command(name, describe);
  return root;
}

/**
 * The examples are printed above the options, which are too many to scroll past.
 * @param {string} start @param {[string, string][]} examples @returns {string}
 */
function examplesText(start, examples) {
  const width = Math.max(0, ...examples.map(([given]) => given.length));
  const withoutArguments = start.replace(/ --$/, '').padEnd(start.length);
  const lines = examples.map(
    ([given, what]) => `  ${given === '' ? withoutArguments : start} ${given.padEnd(width)}  ${what}`,
  );
  return lines.length === 0 ? '' : `\n\nExamples:\n${lines.join('\n')}`;
}

/**
 * Makes the command the default command of a separate parser, so that its usage reads as it is typed.
 * @param {string[]} args @param {Entry} entry @param {Entry[]} commands
 * @returns {Promise<Program>}
 */
async function commandProgram(args, { name, positionals, describe, load }, commands) {
  const { builder, subcommands, handler, refused, everyday, examples = [], epilogue = '' } = await load();
  const start = commandPrefix(name);
  const words = subcommands?.names ?? [];
  const options = typeof builder === 'object' ? builder : {};
  const command = newProgram(options.duration ? spelledOut(args) : args, start, {
    help: `${start} --help`,
    words,
    hasCommand: true,
    usage: `${start} ${positionals}`,
    commands: commands.map((entry) => entry.name),
    refused,
  });
  command.parser.hide('version');
  subcommands?.add(command.parser);
  const usage = [start, ...(subcommands ? ['[command]'] : []), positionals, '[options]'].filter((word) => word !== '');
  command.parser.usage(`${usage.join(' ')}\n\n${describe}${examplesText(start, examples)}`);
  const negatedName = Object.keys(options).find(
    (key) => options[key].type !== 'boolean' && args.includes(`--no-${key}`),
  );
  if (negatedName !== undefined) throw await command.refuse(negated(negatedName));
  const topic = everyday === undefined ? null : topicOf(args);
  const shown = everyday === undefined || topic === null ? options : optionsForTopic(options, topic, everyday);
  /** @param {Argv} inner */
  const build = (inner) => {
    inner.epilogue(topic === '' ? `${epilogue}\n${moreText(options, start)}` : epilogue);
    if (positionals === '[url]') inner.check(checkUrl);
    return typeof builder === 'function' ? builder(inner) : inner.options(shown);
  };
  // @ts-ignore the types lag behind: a builder may return anything
  command.parser.command(['$0', positionals].join(' ').trim(), false, build, (/** @type {never} */ argv) =>
    handler(argv),
  );
  return {
    ...command,
    options: Object.entries(options).flatMap(([name, { alias = [] }]) => [name, ...[alias].flat()]),
  };
}

/** @param {{ url?: unknown }} argv @returns {true} @throws {Error} which yargs reports as a mistake */
function checkUrl({ url }) {
  if (url !== undefined && !looksLikeTarget(String(url))) throw new Error(unknownArgument(String(url)));
  return true;
}

/**
 * @param {string[]} args without node and the script
 * @param {Entry[]} [commands]
 * @returns {Promise<Program>}
 */
export async function program(args, commands = allCommands) {
  const index = args.findIndex((word) => !word.startsWith('-'));
  const entry = commands.find(({ name }) => name === args[index]);
  return entry === undefined ? rootProgram(args, commands) : commandProgram(args.toSpliced(index, 1), entry, commands);
}

/**
 * Parses the arguments and carries out the command.
 * @param {string[]} args
 * @param {Entry[]} [commands]
 * @returns {Promise<void>}
 * @throws {UsageError} when the command line is wrong; what the command throws otherwise
 */
export async function perform(args, commands = allCommands) {
  const { parser, refuse, options } = await program(args, commands);
  const taken = takenByNpm(options, process.env);
  if (taken !== null) throw taken;
  try {
    await parser.parseAsync();
  } catch (error) {
    if (error instanceof YargsError) throw await refuse(error.message);
    // yargs does not pass all of its errors to `fail`
    if (!(error instanceof Error) || error.name !== 'YError') throw error;
    throw await refuse(error.message, error);
  }
}

/** Remedies for errors of the system. @type {Partial<Record<string, string>>} */
const REMEDIES = {
  ENOSPC: 'free some space on the disk',
  EDQUOT: 'free some space: the quota of the disk is used up',
  EROFS: 'choose a folder that can be written to',
  EACCES: 'change the permissions, or choose another folder',
  EPERM: 'change the permissions, or choose another folder',
  ENOENT: 'a file was removed meanwhile, or the installation is incomplete',
};

/**
 * @param {unknown} error
 * @returns {EnvironmentError | null} for an error of the system; null: it is a defect
 */
function systemError(error) {
  if (!(error instanceof Error)) return null;
  const { syscall, code, path, message } = /** @type {NodeJS.ErrnoException} */ (error);
  if (syscall === undefined || code === undefined) return null;
  const remedy = REMEDIES[code] ?? 'the machine refused it';
  const data = { errno: code, syscall, path: path ?? null };
  return new EnvironmentError(`${message}; ${remedy}`, { code: 'ESYSTEM', data, cause: error });
}

/**
 * @param {unknown} error
 * @param {boolean} [asJson] whether the output is JSON: then the error is one JSON line, for programs
 * @returns {{text: string, exitCode: number}}
 */
export function answer(error, asJson = false) {
  // servers/launcher/errors.js has errors of the same shape; a class is not shared across that border.
  const exitCode = error instanceof Error && 'exitCode' in error ? Number(error.exitCode) : NaN;
  if (error instanceof Error && (error instanceof BroadsideError || Number.isInteger(exitCode))) {
    if (asJson) {
      const { code, data = {} } = /** @type {BroadsideError} */ (error);
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
  const failure = systemError(error);
  if (failure !== null) return answer(failure, asJson);
  return { text: error instanceof Error ? (error.stack ?? error.message) : String(error), exitCode: 1 };
}

/**
 * @param {string[]} args
 * @returns {Promise<void>} sets process.exitCode when something went wrong
 */
export async function main(args) {
  const asJson = args.includes('--json');
  takeSecrets(process.env); // child processes inherit no secrets
  for (const stream of [process.stdout, process.stderr]) hideSecretsIn(stream);
  // A reader that went away (`| head`) ends the output, not the program.
  process.stdout.on('error', (error) => failedOutput(error, asJson));
  process.stderr.on('error', (error) => failedOutput(error, asJson));
  // Node would first close the handles that are still open, and may wait for one of them for ever.
  process.once('beforeExit', () => process.exit());
  const words = withStress(args);
  process.argv.splice(2, process.argv.length, ...words); // a run stores process.argv
  try {
    if (args.length === 0) (await program([])).parser.showHelp('error');
    await perform(words);
  } catch (error) {
    if (isOutOfDescriptors(error)) throw error; // cli.js answers it, because nothing more can be loaded
    const { text, exitCode } = answer(error, asJson);
    print(text, process.stderr);
    process.exitCode = exitCode;
  }
}

/** @param {NodeJS.WriteStream} stream that must not print secrets */
function hideSecretsIn(stream) {
  const write = /** @type {(...args: unknown[]) => boolean} */ (stream.write.bind(stream));
  stream.write = (/** @type {unknown} */ chunk, /** @type {unknown[]} */ ...more) =>
    write(typeof chunk === 'string' ? withoutKept(chunk) : chunk, ...more);
}

let outputFailed = false;

/**
 * A failed write of the output makes the command fail, but stops nothing: a run continues.
 * @param {NodeJS.ErrnoException} error
 * @param {boolean} asJson
 */
function failedOutput({ code, message }, asJson) {
  if (code === 'EPIPE' || code === 'EIO' || outputFailed) return;
  outputFailed = true;
  process.on('exit', (exitCode) => {
    process.exitCode = exitCode || 1;
  });
  const why = code === 'ENOSPC' ? 'the disk is full (ENOSPC)' : message;
  const error = new RunError(`the output could not be written: ${why}`, { code: 'EOUTPUT', data: { errno: code } });
  print(answer(error, asJson).text, process.stderr);
}

/**
 * @param {string[]} args of a command
 * @returns {string | null} the word after --help; '': none; null: no --help
 */
function topicOf(args) {
  const index = args[0] === 'help' ? 0 : args.findIndex((word) => word === '--help' || word === '-h');
  if (index < 0) return null;
  const word = args.at(index + 1) ?? '';
  return word.startsWith('-') ? '' : word.toLowerCase();
}

/** @param {string} heading of a group @returns {string} its topic for --help */
const nameOf = (heading) => /([\w-]+):?$/.exec(heading.toLowerCase())?.[1] ?? heading;

/** @param {Options} options @returns {string[]} */
const topicsOf = (options) => [
  ...new Set(Object.values(options).flatMap(({ group, hidden }) => (group && !hidden ? [nameOf(group)] : []))),
];

/** Finds the default in the text of an option, if it is short. */
const DEFAULT = /[(; ](default: [^();]{1,32})\)$/;

/** @param {string} text @returns {string} its first statement, and the default */
function brief(text) {
  const first = /^.*?(?=[;.] | \(|: [a-z]|$)/s.exec(text)?.[0] ?? text;
  const byDefault = DEFAULT.exec(text)?.[1];
  return byDefault === undefined || /^default: (no|a)\b|^default: none$/.test(byDefault)
    ? first
    : `${first} (${byDefault})`;
}

/**
 * @param {Options} options of a command
 * @param {string} topic as `topicOf` returns it
 * @param {string[]} everyday  the options that '' shows, in order
 * @returns {Options} with the options of other topics hidden
 * @throws {UsageError} when there is no such topic
 */
function optionsForTopic(options, topic, everyday) {
  if (topic === 'all') return options;
  if (topic === '') {
    const shown = everyday.map((key) => [
      key,
      { ...options[key], group: 'Options:', description: brief(options[key].description ?? '') },
    ]);
    const hidden = Object.entries(options).filter(([key]) => !everyday.includes(key));
    return Object.fromEntries([...shown, ...hidden.map(([key, option]) => [key, { ...option, hidden: true }])]);
  }
  const isInTopic = (/** @type {string} */ key, /** @type {YargsOptions} */ { group = '' }) =>
    nameOf(group) === topic || key.split('.')[0].toLowerCase() === topic;
  const entries = Object.entries(options).map(([key, option]) => [
    key,
    isInTopic(key, option) ? option : { ...option, hidden: true },
  ]);
  if (entries.every(([, option]) => /** @type {YargsOptions} */ (option).hidden)) {
    const topics = ['all', ...topicsOf(options)];
    throw new UsageError(
      `--help ${topic}: there is no such topic; there are ${topics.join(', ')}, and the first part of each key`,
      {
        code: 'ETOPIC',
        data: { topic, topics },
      },
    );
  }
  return Object.fromEntries(entries);
}

/** @param {Options} options @param {string} start of the command line @returns {string} */
const moreText = (options, start) =>
  `More: ${start} --help all, or --help TOPIC for ${topicsOf(options).join(', ')}, or the first part of a key`;
