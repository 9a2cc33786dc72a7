// The help of every command and subcommand: what the man page is made from.

/**
 * @import { Argv } from 'yargs'
 * @import { Entry } from '../../client/commands/index.js'
 */

/**
 * @typedef {object} HelpText
 * @property {string[]} words of the command, such as servers, verify; none for the program itself
 * @property {string} text its help
 * @property {string[]} options that it names, with their dashes
 *
 * @typedef {object} Commands
 * @property {Entry[]} commands
 * @property {(words: string[]) => Promise<{parser: Argv}>} program the parser of a command line
 */

/**
 * @param {Commands} known
 * @returns {Promise<HelpText[]>} the program itself first
 */
export async function helpTexts({ commands, program }) {
  /** @type {string[][]} */
  const all = [[]];
  for (const { name, load } of commands) {
    const { subcommands } = await load();
    all.push(...[[], ...(subcommands?.names ?? []).map((inner) => [inner])].map((words) => [name, ...words]));
  }
  return Promise.all(
    all.map(async (words) => {
      const { parser } = await program(words);
      const text = await parser.getHelp();
      return { words, text, options: optionsIn(text) };
    }),
  );
}

/** @param {string} text of a help @returns {string[]} the options at the start of its lines, aliases too */
function optionsIn(text) {
  const starts = [...text.matchAll(/^ +(--?[\w.-]+(?:, --?[\w.-]+)*)/gm)].map(([, names]) => names);
  return [...new Set(starts.flatMap((names) => names.split(', ')))].sort();
}
