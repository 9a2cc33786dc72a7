// The man page of the package: the help of every command as the package itself prints it, and the exit codes of
// README.md.

import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

/** @import { HelpText } from './help-texts.js' */

/**
 * @param {string} folder of a package
 * @returns {HelpText[]} as its commands print it, `broadside stress` and not `npm run stress`
 */
export function helpOf(folder) {
  const from = (/** @type {string[]} */ ...path) => JSON.stringify(pathToFileURL(join(...path)));
  const script = `import { helpTexts } from ${from(import.meta.dirname, 'help-texts.js')};
import { commands } from ${from(folder, 'client/commands/index.js')};
import { program } from ${from(folder, 'client/commands/program.js')};
console.log(JSON.stringify(await helpTexts({ commands, program })));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }));
}

/**
 * @param {string} guide  the document with the table of codes
 * @returns {[string, string][]} the codes, and what they mean
 */
export const exitCodesIn = (guide) =>
  [...guide.matchAll(/^\| (\d+(?:, \d+)*) \| (.*) \|$/gm)].map(([, code, meaning]) => [code, meaning]);

/** @param {string} text @returns {string} that roff prints as it is */
export const escaped = (text) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1');

/**
 * @param {{version: string, texts: HelpText[], exitCodes: [string, string][]}} parts
 * @returns {string} in the macros of man(7)
 */
export function manPage({ version, texts, exitCodes }) {
  const [{ text: own }, ...commands] = texts;
  const verbatim = (/** @type {string} */ text) => ['.nf', escaped(text.trim()), '.fi'];
  const plain = (/** @type {string} */ text) => escaped(text.replaceAll('`', '').replaceAll('**', ''));
  return [
    `.TH BROADSIDE 1 "" "Broadside ${version}" "User Commands"`,
    '.SH NAME',
    'broadside \\- open many TCP connections to a server and report what came back',
    '.SH SYNOPSIS',
    ...verbatim(own),
    ...commands.flatMap(({ words, text }) => [`.SH "BROADSIDE ${words.join(' ').toUpperCase()}"`, ...verbatim(text)]),
    '.SH EXIT STATUS',
    ...exitCodes.flatMap(([code, meaning]) => ['.TP', `.B ${code}`, plain(meaning)]),
    '.SH FILES',
    '.TP',
    '.I logs/',
    'a folder for each run',
    '.TP',
    '.I report/',
    'a page for each run; index.html is the newest',
    '',
  ].join('\n');
}
