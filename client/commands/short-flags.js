// The short flags of wrk and wrk2, which mean here what they mean there, and a target as the only argument.
// They become flags of the scenario before anything else reads the arguments.

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

/** @type {Record<string, import('yargs').Options>} */
export const shortOptions = Object.fromEntries(
  Object.entries(SHORT).map(([letter, { flag, unit }]) => [
    letter,
    {
      type: 'string',
      requiresArg: true,
      group: 'Load:',
      description: `As in wrk2: --${flag}${unit === '' ? '' : `; a bare number is in ${unit === 's' ? 'seconds' : 'requests per second'}`}`,
    },
  ]),
);

/** @param {string[]} args @returns {string[]} with -d30s as -d 30s, which yargs would read as four flags */
export const separated = (args) =>
  args.flatMap((arg) => {
    const [, letter, value] = /^-([cdRt])=?(.+)$/s.exec(arg) ?? [];
    return letter === undefined ? [arg] : [`-${letter}`, value];
  });

/**
 * @param {Record<string, any>} argv as yargs leaves it
 * @param {string} help the command that prints the help
 * @returns {Record<string, any>} with short flags and the argument as flags of the scenario
 * @throws {UsageError} when something is given twice, or the argument is no target
 */
export function withLongFlags(argv, help) {
  const long = { ...argv };
  for (const [letter, { flag, unit }] of Object.entries(SHORT)) {
    if (argv[letter] === undefined) continue;
    const values = [argv[letter], argv[flag] ?? []].flat();
    if (values.length > 1) throw twice(`-${letter}`, `--${flag}`, values);
    long[flag] = /^[0-9]+(\.[0-9]+)?$/.test(values[0]) ? `${values[0]}${unit}` : values[0];
    delete long[letter];
  }
  const { url } = argv;
  if (url === undefined) return long;
  if (!looksLikeTarget(String(url))) {
    const known = { help, options: ['config'], words: [], hasCommand: true };
    throw argumentError(unknownArgument(String(url)), [String(url)], known);
  }
  if (argv.target !== undefined) throw twice('the argument', '--target', [url, argv.target].flat());
  delete long.url;
  return { ...long, target: String(url) };
}

/** @param {string} one @param {string} other @param {unknown[]} values */
const twice = (one, other, values) =>
  new UsageError(
    `${one} and ${other} are the same: given ${values.length} times (${values.join(', ')}); give one of them`,
    {
      code: 'ETWICE',
      data: { key: other.replace(/^-+/, ''), values },
    },
  );
