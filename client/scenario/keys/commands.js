// Key `command`: commands that start servers of the user's own, one leg each, alone or with `servers`. One alone needs
// no label; several are an object of labels and commands, and on the command line label=command. Pure.

import { mistake, mistakesError } from '../mistakes.js';

/**
 * @import { UsageError } from '../../errors.js'
 * @import { Where } from '../mistakes.js'
 */

/**
 * @typedef {{as: string, command: string, folder?: string}} LabelledCommand  folder: where it is run; absent: where
 *   this process is
 * @typedef {string | {command: string, folder: string}} WrittenCommand
 */

/** A word of capitals before = is a variable of the command's environment, as a shell writes it. */
const LABELLED = /^(?![A-Z_][A-Z0-9_]*=)([A-Za-z0-9][A-Za-z0-9._-]{0,63})=(.+)$/s;

/** Variables of a command, and a word of the shell, before its program. */
const PREFIX = /^\s*(?:[A-Za-z_][A-Za-z0-9_]*=\S*\s+)*(?:exec\s+)?/;

/** A shell that runs the commands of one argument. */
const SHELL = /^(?:\S*\/)?(?:ba|da|z)?sh\s+-c\s+(?:'([^']*)'|"([^"]*)")\s*$/;
/** A program that runs a file, which says more. */
const INTERPRETED = /^(?:\S*\/)?(?:python[\d.]*|node|ruby|perl|php)\s+([^-\s{]\S*\.\w+)(?=\s|$)/;

/**
 * @param {string} command
 * @returns {string} its program, or the file that an interpreter runs, without folders; its label where none is given
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
 * @throws {UsageError} when two have one label
 */
export function commandOfFlags(given) {
  const all = given.map((text) => {
    const [, label, command] = LABELLED.exec(text) ?? [];
    return label === undefined
      ? { as: programOf(text), command: text, labelled: false }
      : { as: label, command, labelled: true };
  });
  if (all.length === 1 && !all[0].labelled) return given[0];
  const twice = all.find(({ as }, i) => all.findIndex((other) => other.as === as) < i);
  if (twice === undefined) return Object.fromEntries(all.map(({ as, command }) => [as, command]));
  const why = `"${twice.as}" is the label of two commands; give each its own, such as --command old='./a --port {port}'`;
  throw mistakesError([mistake((path) => `--${path}`, 'label-taken', 'command', { label: twice.as }, why)]);
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
      commands: Object.entries(command).map(([as, one]) => ({
        as,
        ...(typeof one === 'string' ? { command: one } : one),
      })),
    };
  return servers === undefined ? { command } : { commands: [{ as: programOf(command), command }] };
}

/**
 * @param {{command?: string, commands?: LabelledCommand[]}} scenario
 * @returns {LabelledCommand[]} all of them
 */
export const allCommands = ({ command, commands = [] }) =>
  command === undefined ? commands : [{ as: programOf(command), command }];
