// The short flags of wrk and wrk2, which mean here what they mean there, and a target as the only argument.

import { UsageError } from '../errors.js';
import { looksLikeTarget } from '../scenario/keys/url.js';
import { argumentError, unknownArgument } from './argument-mistakes.js';

/** Each with the flag that it stands for, and the unit of a bare number. @type {Record<string, {flag: string, unit: string}>} */
const SHORT = {
  c: { flag: 'connections', unit: '' },
  d: { flag: 'duration', unit: 's' },
  R: { flag: 'rate', unit: '/s' },
  t: { flag: 'workers', unit: '' },
};

/** @param {Record<string, import('yargs').Options>} options of a scenario @returns {Record<string, import('yargs').Options>} those with their short flags */
export const withShortFlags = (options) => ({
  ...options,
  ...Object.fromEntries(Object.entries(SHORT).map(([alias, { flag }]) => [flag, { ...options[flag], alias }])),
});

/**
 * @param {string[]} args of a command that has the short flags
 * @returns {string[]} with -d30s as -d 30s, which yargs would read as four flags, and the unit of a bare number
 */
export function spelledOut(args) {
  const words = args.flatMap((arg) => {
    const [, letter, value] = /^-([cdRt])=?(.+)$/s.exec(arg) ?? [];
    return letter === undefined ? [arg] : [`-${letter}`, value];
  });
  return words.map((word, i) => {
    const [, letter] = /^-([cdRt])$/.exec(words[i - 1] ?? '') ?? [];
    return letter !== undefined && /^[0-9]+(\.[0-9]+)?$/.test(word) ? `${word}${SHORT[letter].unit}` : word;
  });
}

/**
 * @param {Record<string, any>} argv as yargs leaves it
 * @param {string} help the command that prints the help
 * @returns {Record<string, any>} with the argument as a flag of the scenario
 * @throws {UsageError} when the target is given twice, or the argument is none
 */
export function withTarget(argv, help) {
  const { url, ...rest } = argv;
  if (url === undefined) return argv;
  if (!looksLikeTarget(String(url))) {
    const known = { help, options: ['config'], words: [], hasCommand: true };
    throw argumentError(unknownArgument(String(url)), [String(url)], known);
  }
  if (argv.target === undefined) return { ...rest, target: String(url) };
  const values = [url, argv.target].flat();
  const text = `the argument and --target are the same: given ${values.length} times (${values.join(', ')}); give one of them`;
  throw new UsageError(text, { code: 'ETWICE', data: { key: 'target', values } });
}
