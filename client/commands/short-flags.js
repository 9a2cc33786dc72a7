// Short flags, with their meaning in wrk, oha and curl, and a URL without a command.

import { UsageError } from '../errors.js';
import { looksLikeTarget, withoutLogin } from '../words/endpoint.js';

/**
 * @import { Options } from 'yargs'
 * @import { Typed } from './option-rows.js'
 */

/**
 * By letter: the long flag, and a second name of it.
 * @type {Record<string, {flag: string, word?: string}>}
 */
const SHORT = {
  c: { flag: 'connections' },
  d: { flag: 'duration' },
  n: { flag: 'transfers', word: 'requests' },
  R: { flag: 'rate' },
  t: { flag: 'workers' },
  H: { flag: 'http.headers', word: 'header' },
  m: { flag: 'http.method', word: 'method' },
  b: { flag: 'http.body', word: 'body' },
};
/** Switches, each with the argument that replaces it. */
const SWITCHES = new Map([
  ['-k', '--no-tls.verify'],
  ['--insecure', '--no-tls.verify'],
]);
/** Only for the help: spelledOut() has replaced them before yargs parses. @type {Record<string, Options>} */
const IN_HELP = {
  insecure: {
    alias: 'k',
    type: 'boolean',
    group: 'TLS:',
    description: 'Leave the certificate of the server unverified, as --no-tls.verify',
  },
};
const LETTERS = Object.keys(SHORT).join('');
/** Flags without a value, then at most one flag with its value, as in -kHName:value. */
const CLUSTER = new RegExp(`^-(?=.)([ks]*)(?:([${LETTERS}])(?:=?(.+))?)?$`, 's');

/**
 * @param {Record<string, Options>} options of a scenario
 * @returns {Record<string, Options>} the options with their short flags
 */
export const withShortFlags = (options) => ({
  ...options,
  ...IN_HELP,
  ...Object.fromEntries(
    Object.entries(SHORT).map(([letter, { flag, word }]) => [
      flag,
      { ...options[flag], alias: [letter, ...(word === undefined ? [] : [word])] },
    ]),
  ),
});

/**
 * @param {string[]} args of a command that has the short flags
 * @returns {string[]} -d30s as -d 30s, and -kH as -k -H (yargs would read a flag of each letter); switches by their
 *   full names
 */
export function spelledOut(args) {
  let isValue = false; // whether the argument is the value of the flag before it
  return args.flatMap((arg) => {
    if (isValue) {
      isValue = false;
      return [arg];
    }
    const [, switches = '', letter, value] = CLUSTER.exec(arg) ?? [];
    if (switches === '' && letter === undefined) return [SWITCHES.get(arg) ?? arg];
    const given = [...switches].map((name) => SWITCHES.get(`-${name}`) ?? `-${name}`);
    if (letter === undefined) return given;
    isValue = value === undefined;
    return [...given, `-${letter}`, ...(value === undefined ? [] : [value])];
  });
}

/**
 * @param {string[]} args of the program
 * @returns {string[]} with the command `stress` before a target without a command; otherwise the same
 */
export function withStress(args) {
  const [first = ''] = args;
  const isTarget = looksLikeTarget(first) || (first.startsWith('-') && args.some(looksLikeTarget));
  return isTarget ? ['stress', ...args] : args;
}

/**
 * @param {Typed} argv
 * @returns {Typed} with the argument that looks like a target as the flag `target`
 * @throws {UsageError} when the target is given twice
 */
export function withTarget(argv) {
  const { url, ...flags } = argv;
  if (url === undefined) return argv;
  if (argv.target === undefined) return { ...flags, target: String(url) };
  const values = [url, argv.target].flat().map((value) => withoutLogin(String(value)));
  const text = `the argument and --target are the same: given ${values.length} times (${values.join(', ')}); give one of them`;
  throw new UsageError(text, { code: 'ETWICE', data: { key: 'target', values } });
}
