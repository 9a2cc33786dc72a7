// Turns what yargs finds wrong with a command line into mistakes: a code, its data, and a text that says what was
// probably meant and where the help is. Pure, except that the names of the scenarios are read from config/. Yargs has
// no codes, so its texts are replaced by texts that begin with a code.

import { UsageError } from '../errors.js';
import { scenarioNames } from '../scenario/file.js';
import { nearest } from '../scenario/nearest.js';
import { otherNames, synonymsOf } from './option-synonyms.js';
import { insteadOf } from '../scenario/removed.js';
import { HIDDEN, mayHoldSecret, sayable } from '../words/secrets.js';
import { serverOptionsSchema } from '../scenario/schema.js';

/**
 * @typedef {'unknown-command' | 'unknown-argument' | 'unknown-option' | 'refused-option' | 'server-option' |
 *   'missing-value' | 'missing-argument' | 'missing-command' | 'negated' | 'removed' | 'other'} Code
 * @typedef {object} ArgumentMistake
 * @property {Code} code
 * @property {Record<string, unknown>} data  suggestions: what to type instead, the nearest first
 * @property {string} text
 *
 * @typedef {object} Known  what the command at hand knows
 * @property {string} help       the command that prints its help
 * @property {string[]} options  names of its options
 * @property {string[]} words    the commands, or the subcommands of the command
 * @property {boolean} hasCommand  whether a command was named
 * @property {Record<string, string>} [refused]  options of `stress` that the command does not have, with what to do
 *   instead
 * @property {string[]} [commands]  all there are; absent: none that could be suggested
 */

/** Between a code and what yargs fills in; no argument can hold it. */
const END_OF_CODE = '\0';

/** @param {string} code @param {string} [values] */
const coded = (code, values = '') => `${code}${END_OF_CODE}${values}`;

/** @param {string} text the same for one and for many */
const both = (text) => ({ one: text, other: text });

/** @param {string} word @returns {string} the message of yargs about a word that it does not know */
export const unknownArgument = (word) => coded('unknown', word);

/** @param {string} option that takes a value @returns {string} the message about `--no-OPTION` */
export const negated = (option) => coded('negated', option);

/** For `demandCommand()`. */
export const MISSING_COMMAND = coded('missing-command');

/** For `updateStrings()`: the key is a text of yargs, the value what it gives us instead. @type {any} */
export const YARGS_TEXTS = {
  'Not enough arguments following: %s': coded('missing-value', '%s'),
  'Not enough non-option arguments: got %s, need at least %s': both(coded('missing-argument', '%s')),
  'Unknown argument: %s': both(coded('unknown', '%s')),
  'Unknown command: %s': both(coded('unknown', '%s')),
};

/** @param {string} word @returns {string} in small letters without dashes; a letter alone is another one in capitals */
const plain = (word) => (word.length === 1 ? word : word.replaceAll('-', '').toLowerCase());

/** @param {string} flag */
const withoutValue = (flag) => flag.replace(/=.*/s, '');

/** @param {string[]} ways @returns {string} a, b or c */
const alternatives = (ways) => [ways.slice(0, -1).join(', '), ways.at(-1)].filter(Boolean).join(' or ');

/** @param {string[]} suggestions @returns {string} with a space before it */
const meant = (suggestions) =>
  suggestions.length === 0 ? '' : ` Did you mean ${suggestions.map((one) => `"${one}"`).join(' or ')}?`;

/**
 * @param {string} flag as it was given
 * @param {string[]} args
 * @returns {string | number | boolean} the value it was given; true if it has none
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
 * @param {string} flag as it was given
 * @param {string} word the flag without its dashes
 * @param {string[]} args @param {Known} known
 * @returns {ArgumentMistake}
 */
function optionMistake(flag, word, args, { help, options, refused = {}, commands = [] }) {
  const option = withoutValue(flag);
  const instead = insteadOf(word);
  if (instead !== undefined) return removedMistake(option, instead);
  const refusal = [word, ...otherNames(plain(word))].find((name) => Object.hasOwn(refused, name));
  if (refusal !== undefined) {
    return { code: 'refused-option', data: { option }, text: `${option}: ${refused[refusal]}. See ${help}` };
  }
  const key =
    options.includes('servers') &&
    Object.keys(serverOptionsSchema.properties).find((one) => plain(one) === plain(word));
  if (key && !options.some((one) => plain(one) === plain(word))) {
    const value = valueOf(flag, args);
    const work = key.startsWith('work') && key !== 'work' ? { work: '30ms-50ms' } : {};
    const example = { servers: [{ name: 'epoll', options: { ...work, [key]: value } }] };
    const [client] = synonymsOf(plain(word), '', options, commands)?.ways ?? [];
    const text =
      `${option}: unknown option. ${client === undefined ? '' : `Of the client it is ${client}. `}It is options.${key} of a server, which a scenario file sets: ` +
      `${JSON.stringify(example)}. See config/README.md`;
    return { code: 'server-option', data: { option, key, value }, text };
  }
  const synonyms = synonymsOf(plain(word), String(valueOf(flag, args)), options, commands);
  if (synonyms !== null) {
    const { ways, command, needless } = synonyms;
    const all = [...ways, ...(command === null ? [] : [command])];
    const instead = needless === null ? `Here it is ${alternatives(all)}` : `Leave it out: ${needless}`;
    return {
      code: 'unknown-option',
      data: { option, suggestions: ways, ...(command && { command }), ...(needless && { needless: true }) },
      text: `${option}: unknown option. ${instead}. See ${help}`,
    };
  }
  // an axis of a sweep is only meant where one was typed
  const flags = options.filter((one) => word.startsWith('sweep') || !one.startsWith('sweep.')).map((one) => `--${one}`);
  const suggestions = nearest(`--${word}`, flags, 3);
  return {
    code: 'unknown-option',
    data: { option, suggestions },
    text: `${option}: unknown option.${meant(suggestions)} See ${help}`,
  };
}

/**
 * @param {string} name of an option or command of an earlier version
 * @param {string} instead
 * @returns {ArgumentMistake}
 */
const removedMistake = (name, instead) => ({
  code: 'removed',
  data: { name },
  text: `${name} was removed; ${instead}`,
});

/**
 * @param {string} word that is no option
 * @param {Known} known
 * @returns {ArgumentMistake}
 */
function wordMistake(word, { help, options, words, hasCommand }) {
  const instead = hasCommand ? undefined : insteadOf(word);
  if (instead !== undefined) return removedMistake(word, instead);
  const said = sayable(word);
  const scenarios = options.includes('config')
    ? nearest(word, scenarioNames(), 3).map((name) => `--config ${name}`)
    : [];
  const suggestions = [...scenarios, ...nearest(word, words, 3)];
  const code = hasCommand ? 'unknown-argument' : 'unknown-command';
  const what = hasCommand ? 'unexpected argument.' : 'unknown command.';
  const other = hasCommand ? '' : ', or a URL';
  const list = words.length > 0 && suggestions.length === 0 ? ` Give one of ${words.join(', ')}${other}.` : '';
  return {
    code,
    data: { argument: said, suggestions },
    text: `${said}: ${what}${meant(suggestions)}${list} See ${help}`,
  };
}

/**
 * @param {string[]} args
 * @returns {string[]} those behind the name of a header that has a secret, as in -H Authorization: Bearer x
 */
function wordsBehindHeader(args) {
  const at = args.findIndex((word) => /:$/.test(word) && mayHoldSecret(word.replace(/^-\w*H=?|^--[\w.]+=/, '')));
  return at < 0 ? [] : args.slice(at + 1);
}

/** @param {string} script of wrk @param {Known} known @returns {ArgumentMistake} */
const scriptMistake = (script, { help }) => ({
  code: 'unknown-argument',
  data: { argument: script, suggestions: ['--requests-from'] },
  text: `${script}: -s is --quiet here, and scripts of wrk are not run; a list of requests is given with --requests-from FILE. See ${help}`,
});

/** @param {Known} known @returns {ArgumentMistake} of a word that may be a secret */
const unquotedHeader = ({ help }) => ({
  code: 'unknown-argument',
  data: { argument: HIDDEN, suggestions: [] },
  text: `unexpected argument behind a header; put name and value into quotes, as in -H 'Authorization: Bearer x'. See ${help}`,
});

/**
 * What follows an unknown command is read by no command.
 * @param {string[]} unknown words @param {string[]} args @param {Known} known
 * @returns {ArgumentMistake}
 */
function commandMistake(unknown, args, known) {
  const [first] = args;
  if (!first.startsWith('-')) return wordMistake(first, known);
  const command = args.find((word) => unknown.includes(word));
  return command === undefined ? missingCommand(known) : wordMistake(command, known);
}

/** @param {Known} known @returns {ArgumentMistake} */
const missingCommand = ({ words, help }) => ({
  code: 'missing-command',
  data: { known: words },
  text: `Which command? ${words.join(', ')}, or a URL to measure, such as http://127.0.0.1:8080/. See ${help}`,
});

/**
 * @param {string} message of yargs
 * @param {string[]} args @param {Known} known
 * @returns {ArgumentMistake[]}
 */
function mistakesOf(message, args, known) {
  const { help } = known;
  const [code, values] = message.split(END_OF_CODE);
  if (code === 'unknown' && !known.hasCommand) return [commandMistake(values.split(', '), args, known)];
  if (code === 'unknown') {
    const behind = wordsBehindHeader(args);
    const script = args.find((word, i) => args[i - 1] === '-s' && word.endsWith('.lua'));
    if (script !== undefined) return [scriptMistake(script, known)];
    return values.split(', ').map((word) => {
      if (behind.includes(word)) return unquotedHeader(known);
      const flag = args.find((given) => [`-${word}`, `--${word}`, `--no-${word}`].includes(withoutValue(given)));
      return flag === undefined ? wordMistake(word, known) : optionMistake(flag, word, args, known);
    });
  }
  if (code === 'missing-value') {
    const option = `--${values}`;
    return [{ code, data: { option }, text: `${option}: its value is missing. See ${help}` }];
  }
  if (code === 'negated') {
    const text = `--no-${values}: leave it out; --${values} takes a value, and only a flag without one can be negated. See ${help}`;
    return [{ code, data: { option: `--no-${values}` }, text }];
  }
  if (code === 'missing-argument') return [{ code, data: {}, text: `an argument is missing. See ${help}` }];
  if (code === 'missing-command') return [missingCommand(known)];
  return [{ code: 'other', data: {}, text: `${message}. See ${help}` }];
}

/**
 * @param {string} message of yargs
 * @param {string[]} args
 * @param {Known} known
 * @param {unknown} [cause]
 * @returns {UsageError} with one line and one row for each mistake
 */
export function argumentError(message, args, known, cause) {
  const mistakes = mistakesOf(message, args, known);
  return new UsageError(mistakes.map(({ text }) => text).join('\n'), {
    code: 'EARGUMENTS',
    data: { mistakes },
    cause,
  });
}

/** Options that npm has, too: whoever sets them for npm does not mean ours. */
const NPM_OWN = new Set(['json', 'force', 'description', 'name', 'target']);

/**
 * Without `--` npm reads the options of a script as its own, and passes on the words between them.
 * @param {string[]} options of the command @param {NodeJS.ProcessEnv} env as npm leaves it
 * @returns {UsageError | null} what to type instead; null where npm has taken nothing
 */
export function takenByNpm(options, env) {
  const { npm_lifecycle_event: script } = env;
  if (script === undefined) return null;
  const has = (/** @type {string} */ name) =>
    env[`npm_config_${name.toLowerCase().replaceAll('-', '_')}`] !== undefined;
  const long = options.filter((name) => name.length > 1 && !NPM_OWN.has(name) && has(name)).map((name) => `--${name}`);
  const hasShort =
    options.includes('c') && (has('call') || Object.keys(env).some((name) => /^npm_config_c\d+$/.test(name)));
  const taken = [...(hasShort ? ['-c'] : []), ...long];
  if (taken.length === 0) return null;
  const text = `npm has taken ${taken.join(', ')} for itself: type -- before the options, as in npm run ${script} -- ${taken[0]} ...`;
  return new UsageError(text, { code: 'EARGUMENTS', data: { taken } });
}
