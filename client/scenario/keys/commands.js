// Key `command`: commands that start the user's own servers, one leg each, alone or with `servers`. A single command
// needs no label; several are an object of labels and commands, and on the command line label=command.

import { mistake, mistakesError } from '../mistakes.js';

/**
 * @import { UsageError } from '../../errors.js'
 * @import { Where } from '../mistakes.js'
 */

/**
 * @typedef {{as: string, command: string, folder?: string}} LabelledCommand  folder: where it is run; absent: in
 *   the folder of this process
 * @typedef {string | {command: string, folder: string}} WrittenCommand
 */

/** A word of capitals before = is a variable of the command's environment, as a shell writes it. */
const LABELLED = /^(?![A-Z_][A-Z0-9_]*=)([A-Za-z0-9][A-Za-z0-9._-]{0,63})=(.+)$/s;

/** Variables of a command, and a word of the shell, before its program. */
const PREFIX = /^\s*(?:[A-Za-z_][A-Za-z0-9_]*=\S*\s+)*(?:exec\s+)?/;

/** A shell that runs the commands of one argument. */
const SHELL = /^(?:\S*\/)?(?:ba|da|z)?sh\s+-c\s+(?:'([^']*)'|"([^"]*)")\s*$/;
/** An interpreter and its file; the file identifies the server. */
const INTERPRETED = /^(?:\S*\/)?(?:python[\d.]*|node|ruby|perl|php)\s+([^-\s{]\S*\.\w+)(?=\s|$)/;

/**
 * @param {string} command
 * @returns {string} its program, or the file that an interpreter runs, without folders: the default label
 */
export function programOf(command) {
  const words = command.replace(PREFIX, '');
  const [, quoted, doubleQuoted] = SHELL.exec(words) ?? [];
  const last = (quoted ?? doubleQuoted)?.split(/[;&|]+/).findLast((part) => part.trim() !== '');
  if (last !== undefined) return programOf(last);
  // a label has neither quotes nor blanks
  const plain = words.replace(/"([^"]*)"|'([^']*)'/g, (_, a, b) => (a ?? b).replace(/\s+/g, '-'));
  const [, file] = INTERPRETED.exec(plain) ?? [];
  return /[^/\s]+(?=\s|$)/.exec(file ?? plain)?.[0] ?? 'command';
}

/**
 * @param {string} command
 * @returns {string | null} the path of the file that it runs; null: a program of the PATH, or a shell decides
 */
export function fileOf(command) {
  const words = command.replace(PREFIX, '');
  const [, file] =
    INTERPRETED.exec(words) ?? /^([^\s'"$`;&|<>(){}*?]*\/[^\s'"$`;&|<>(){}*?]+)(?=\s|$)/.exec(words) ?? [];
  return file ?? null;
}

/**
 * @param {string[]} given values of the flag, in order
 * @returns {string | Record<string, string>} the key's value
 * @throws {UsageError} when two have the same label
 */
export function commandOfFlags(given) {
  const commands = given.map((text) => {
    const [, label, command] = LABELLED.exec(text) ?? [];
    return label === undefined
      ? { as: programOf(text), command: text, labelled: false }
      : { as: label, command, labelled: true };
  });
  if (commands.length === 1 && !commands[0].labelled) return given[0];
  const duplicate = commands.find(({ as }, i) => commands.findIndex((earlier) => earlier.as === as) < i);
  if (duplicate === undefined) return Object.fromEntries(commands.map(({ as, command }) => [as, command]));
  const why = `"${duplicate.as}" is the label of two commands; give each its own, such as --command old='./a --port {port}'`;
  throw mistakesError([mistake((path) => `--${path}`, 'label-taken', 'command', { label: duplicate.as }, why)]);
}

/**
 * @param {unknown} command as written
 * @param {Record<string, string>} folders of versions of a program, by their labels
 * @param {Where} where
 * @returns {Record<string, WrittenCommand>} that command in each folder
 * @throws {UsageError} when it is not one command without a label
 */
export function inFolders(command, folders, where) {
  if (typeof command !== 'string') {
    const why =
      'the revisions of --base are versions of the program that one command starts; give one without a label, such as ' +
      "--command 'node server.js {port}'";
    throw mistakesError([mistake(where, 'base-without-command', 'command', {}, why)]);
  }
  return Object.fromEntries(Object.entries(folders).map(([label, folder]) => [label, { command, folder }]));
}

/**
 * @param {{servers?: unknown, command?: string | Record<string, WrittenCommand>}} raw valid by the schema
 * @returns {{command?: string, commands?: LabelledCommand[]}} command: the only server, without a label
 */
export function commandsOf({ servers, command }) {
  if (command === undefined) return {};
  if (typeof command !== 'string')
    return {
      commands: Object.entries(command).map(([as, entry]) => ({
        as,
        ...(typeof entry === 'string' ? { command: entry } : entry),
      })),
    };
  return servers === undefined ? { command } : { commands: [{ as: programOf(command), command }] };
}

/**
 * @param {{command?: string, commands?: LabelledCommand[]}} scenario
 * @returns {LabelledCommand[]} all commands; one without a label gets the name of its program
 */
export const allCommands = ({ command, commands = [] }) =>
  command === undefined ? commands : [{ as: programOf(command), command }];
