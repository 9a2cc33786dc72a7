// Turns yargs' messages about a command line into mistakes: a code, its data, and a text that suggests a correction and
// names the help. It reads the names of the scenarios from config/. Loaded only when there is a mistake.

import { UsageError } from '../errors.js';
import { scenarioNames } from '../scenario/file.js';
import { nearest } from '../scenario/nearest.js';
import { absentFeature, otherNames, SCRIPTS, synonymsOf } from './option-synonyms.js';
import { insteadOf } from '../scenario/removed.js';
import { looksLikeTarget } from '../words/endpoint.js';
import { END_OF_CODE } from './yargs-texts.js';
import { guessUnit } from '../words/units.js';
import { typed } from '../invocation.js';
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
 * @typedef {object} Known  the words that the command knows
 * @property {string} help       the command that prints its help
 * @property {string[]} options  names of its options
 * @property {string[]} words    the commands, or the subcommands of the command
 * @property {boolean} hasCommand  whether a command was named
 * @property {string} [usage]  the command with its arguments, such as `compare <run> <baseline>`
 * @property {Record<string, string>} [refused]  options of `stress` that the command does not have, with what to do
 *   instead
 * @property {string[]} [commands]  names of all commands; absent: none is suggested
 */

/** @param {string} word @returns {string} in lower case without dashes; a single letter keeps its case */
const normalise = (word) => (word.length === 1 ? word : word.replaceAll('-', '').toLowerCase());

/** @param {string} flag */
const withoutValue = (flag) => flag.replace(/=.*/s, '');

/** @param {string[]} ways @returns {string} a, b or c */
const alternatives = (ways) => [ways.slice(0, -1).join(', '), ways.at(-1)].filter(Boolean).join(' or ');

/** @param {string[]} suggestions @returns {string} a question that begins with a space; '' without suggestions */
const didYouMean = (suggestions) =>
  suggestions.length === 0 ? '' : ` Did you mean ${suggestions.map((suggestion) => `"${suggestion}"`).join(' or ')}?`;

/**
 * @param {string} flag as it was given
 * @param {string[]} args
 * @returns {string | number | boolean} its value; true if it has none
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
  const refusal = [word, ...otherNames(normalise(word))].find((name) => Object.hasOwn(refused, name));
  if (refusal !== undefined) {
    return { code: 'refused-option', data: { option }, text: `${option}: ${refused[refusal]}. See ${help}` };
  }
  const absent = options.includes('connections') ? absentFeature(normalise(word)) : null;
  if (absent !== null) {
    const { text, suggestions = [] } = absent;
    return { code: 'unknown-option', data: { option, suggestions }, text: `${option}: ${text}. See ${help}` };
  }
  const key =
    options.includes('servers') &&
    Object.keys(serverOptionsSchema.properties).find((name) => normalise(name) === normalise(word));
  if (key && !options.some((name) => normalise(name) === normalise(word))) {
    const value = valueOf(flag, args);
    const work = key.startsWith('work') && key !== 'work' ? { work: '30ms-50ms' } : {};
    const example = { servers: [{ name: 'epoll', options: { ...work, [key]: value } }] };
    const [client] = synonymsOf(normalise(word), '', options, commands)?.ways ?? [];
    const text =
      `${option}: unknown option. ${client === undefined ? '' : `For the client it is ${client}. `}For a server it is options.${key}, which a scenario file sets: ` +
      `${JSON.stringify(example)}. See config/README.md`;
    return { code: 'server-option', data: { option, key, value }, text };
  }
  const synonyms = synonymsOf(normalise(word), String(valueOf(flag, args)), options, commands);
  if (synonyms !== null) {
    const { ways, command, needless } = synonyms;
    const choices = [...ways, ...(command === null ? [] : [command])];
    const instead = needless === null ? `Here it is ${alternatives(choices)}` : `Leave it out: ${needless}`;
    return {
      code: 'unknown-option',
      data: { option, suggestions: ways, ...(command && { command }), ...(needless && { needless: true }) },
      text: `${option}: unknown option. ${instead}. See ${help}`,
    };
  }
  // axes of a sweep are suggested only for words that begin with `sweep`
  const names = options.filter((name) => word.startsWith('sweep') || !name.startsWith('sweep.'));
  const flags = names.map((name) => `--${name}`);
  const suggestions = nearest(`--${word}`, flags, 3);
  return {
    code: 'unknown-option',
    data: { option, suggestions },
    text: `${option}: unknown option.${didYouMean(suggestions)} See ${help}`,
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
 * @param {string} word that is not an option
 * @param {string[]} args @param {Known} known
 * @returns {ArgumentMistake}
 */
function wordMistake(word, args, known) {
  const { help, options, words, hasCommand } = known;
  const instead = hasCommand ? undefined : insteadOf(word);
  if (instead !== undefined) return removedMistake(word, instead);
  const shown = sayable(word);
  const stray = hasCommand ? strayWord(word, args, known) : null;
  if (stray !== null) {
    const suggestions = stray.suggestion === null ? [] : [stray.suggestion];
    return {
      code: 'unknown-argument',
      data: { argument: shown, suggestions },
      text: `${shown}: ${stray.text} See ${help}`,
    };
  }
  const scenarios = options.includes('config')
    ? nearest(word, scenarioNames(), 3).map((name) => `--config ${name}`)
    : [];
  const suggestions = [...scenarios, ...nearest(word, words, 3)];
  const code = hasCommand ? 'unknown-argument' : 'unknown-command';
  const problem = hasCommand ? 'unexpected argument.' : 'unknown command.';
  const orUrl = hasCommand ? '' : ', or a URL';
  const list = words.length > 0 && suggestions.length === 0 ? ` Give one of ${words.join(', ')}${orUrl}.` : '';
  return {
    code,
    data: { argument: shown, suggestions },
    text: `${shown}: ${problem}${didYouMean(suggestions)}${list} See ${help}`,
  };
}

/**
 * @param {string[]} args
 * @returns {string[]} words after the name of a header that may hold a secret, as in -H Authorization: Bearer x
 */
function wordsBehindHeader(args) {
  const index = args.findIndex((word) => /:$/.test(word) && mayHoldSecret(word.replace(/^-\w*H=?|^--[\w.]+=/, '')));
  return index < 0 ? [] : args.slice(index + 1);
}

const SCRIPT = /^[^\s:]+\.(lua|[cm]?js|ts|py)$/;

/**
 * @param {string[]} unknown words
 * @param {string[]} args @param {Known} known
 * @returns {ArgumentMistake | null} about a script of wrk, k6 or artillery; null: there is none
 */
function scriptMistake(unknown, args, { help, hasCommand, options }) {
  if (hasCommand && !options.includes('connections')) return null;
  const before = ['-s', ...(hasCommand ? [] : [undefined, 'run', '--script'])];
  const index = args.findIndex(
    (word, i) => SCRIPT.test(word) && (unknown.includes(word) || before.includes(args[i - 1])),
  );
  if (index < 0) return null;
  const [script, flag] = [args[index], args[index - 1] === '-s' ? '-s is --quiet here, and ' : ''];
  return {
    code: hasCommand ? 'unknown-argument' : 'unknown-command',
    data: { argument: script, suggestions: ['--requests-from'] },
    text: `${script}: ${flag}${SCRIPTS}. See ${help}`,
  };
}

/** Options whose values are separated by commas. */
const WITH_COMMAS = /^--(servers|sources|base|sweep\..+)$/;

/**
 * @param {string[]} args
 * @param {number} index  of a word that belongs to no option
 * @returns {number} index of the option before it whose value may continue with the word; -1: there is none
 */
function optionBefore(args, index) {
  const before = args.findLastIndex((word, i) => i < index && word.startsWith('-'));
  return index - before < 2 || looksLikeTarget(args[index]) ? -1 : before;
}

/**
 * @param {string} word that belongs to no option
 * @param {string[]} args @param {Known} known
 * @returns {{ suggestion: string | null, text: string } | null} about a value with a blank in it, or a second URL;
 *   null: neither
 */
function strayWord(word, args, { options }) {
  const targets = args.filter(looksLikeTarget);
  if (looksLikeTarget(word) && targets.length > 1 && options.includes('http.requestsFrom')) {
    const text = 'a run measures one URL; several requests are given with --requests-from FILE';
    return { suggestion: null, text: `unexpected argument: ${text}.` };
  }
  const index = args.indexOf(word);
  const option = optionBefore(args, index);
  if (option < 0) return null;
  const values = args.slice(option + 1, index + 1);
  const value = WITH_COMMAS.test(args[option]) ? values.join(',') : joinedUnit(values);
  if (value === undefined) return null;
  const suggestion = `${args[option]} ${value}`;
  return { suggestion, text: `unexpected argument.${didYouMean([suggestion])}` };
}

/** @param {string[]} words @returns {string | undefined} a number and its unit as a single value */
function joinedUnit([number, unit, ...more]) {
  if (unit === undefined || more.length > 0 || !/^[0-9.]+$/.test(number)) return undefined;
  const kinds = /** @type {const} */ (['duration', 'size', 'rate']);
  return kinds.map((kind) => guessUnit(`${number} ${unit}`, kind)).find((guess) => guess !== undefined);
}

/** @param {Known} known @returns {ArgumentMistake} about a word that may be a secret */
const unquotedHeader = ({ help }) => ({
  code: 'unknown-argument',
  data: { argument: HIDDEN, suggestions: [] },
  text: `unexpected argument behind a header; put name and value into quotes, as in -H 'Authorization: Bearer x'. See ${help}`,
});

/**
 * Reports the unknown command alone: no command reads the words after it.
 * @param {string[]} unknown words @param {string[]} args @param {Known} known
 * @returns {ArgumentMistake}
 */
function commandMistake(unknown, args, known) {
  const script = scriptMistake(unknown, args, known);
  if (script !== null) return script;
  const [first] = args;
  if (!first.startsWith('-')) return wordMistake(first, args, known);
  const command = args.find((word) => unknown.includes(word));
  return command === undefined ? missingCommand(known) : wordMistake(command, args, known);
}

/** @param {Known} known @returns {ArgumentMistake} */
const missingCommand = ({ words, help }) => ({
  code: 'missing-command',
  data: { known: words },
  text: `Which command? ${words.join(', ')}, or a URL to measure, such as http://127.0.0.1:8080/. See ${help}`,
});

/** @param {Known} known @returns {string} */
function missingArgument({ usage = '' }) {
  if (!usage.includes('<run>')) return 'an argument is missing';
  const toType = usage.replace(/<(\w+)>/g, (_, name) => name.toUpperCase());
  return `which ${usage.includes('<baseline>') ? 'runs' : 'run'}? ${toType}; ${typed('logs')} lists them`;
}

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
    const unknown = values.split(', ');
    const script = scriptMistake(unknown, args, known);
    if (script !== null) return [script];
    return unknown.map((word) => {
      if (behind.includes(word)) return unquotedHeader(known);
      const flag = args.find((given) => [`-${word}`, `--${word}`, `--no-${word}`].includes(withoutValue(given)));
      return flag === undefined ? wordMistake(word, args, known) : optionMistake(flag, word, args, known);
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
  if (code === 'missing-argument') return [{ code, data: {}, text: `${missingArgument(known)}. See ${help}` }];
  if (code === 'missing-command') return [scriptMistake([], args, known) ?? missingCommand(known)];
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
