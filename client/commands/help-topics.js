// Which options a help shows: of a command with many, those of most runs; by `--help TOPIC` those of a topic, or `--help all`. Pure.

import { UsageError } from '../errors.js';

/** @typedef {Record<string, import('yargs').Options>} Options */

/**
 * @param {string[]} args of a command
 * @returns {string | null} the word after --help, '' where there is none; null where no help is asked for
 */
export function topicOf(args) {
  const at = args[0] === 'help' ? 0 : args.findIndex((word) => word === '--help' || word === '-h');
  if (at < 0) return null;
  const word = args.at(at + 1) ?? '';
  return word.startsWith('-') ? '' : word.toLowerCase();
}

/** @param {string} heading of a group @returns {string} the word by which it is asked for */
const nameOf = (heading) => /([\w-]+):?$/.exec(heading.toLowerCase())?.[1] ?? heading;

/** @param {Options} options @returns {string[]} */
const topicsOf = (options) => [
  ...new Set(Object.values(options).flatMap(({ group, hidden }) => (group && !hidden ? [nameOf(group)] : []))),
];

/** @param {string} text @returns {string} its first statement */
const brief = (text) => /^.*?(?=[;.] | \(|: [a-z]|$)/s.exec(text)?.[0] ?? text;

/**
 * @param {Options} options of a command
 * @param {string} topic as `topicOf` returns it
 * @param {string[]} everyday  the options that '' shows, in their order
 * @returns {Options} with what the topic leaves out hidden
 * @throws {UsageError} when there is no such topic
 */
export function optionsOn(options, topic, everyday) {
  if (topic === 'all') return options;
  if (topic === '') {
    const shown = everyday.map((key) => [
      key,
      { ...options[key], group: 'Options:', description: brief(options[key].description ?? '') },
    ]);
    const others = Object.entries(options).filter(([key]) => !everyday.includes(key));
    return Object.fromEntries([...shown, ...others.map(([key, one]) => [key, { ...one, hidden: true }])]);
  }
  const isOn = (/** @type {string} */ key, /** @type {import('yargs').Options} */ { group = '' }) =>
    nameOf(group) === topic || key.split('.')[0].toLowerCase() === topic;
  const on = Object.entries(options).map(([key, one]) => [key, isOn(key, one) ? one : { ...one, hidden: true }]);
  if (on.every(([, one]) => /** @type {import('yargs').Options} */ (one).hidden)) {
    const topics = ['all', ...topicsOf(options)];
    throw new UsageError(
      `--help ${topic}: there is no such topic; there are ${topics.join(', ')}, and the first part of each key`,
      {
        code: 'ETOPIC',
        data: { topic, topics },
      },
    );
  }
  return Object.fromEntries(on);
}

/** @param {Options} options @param {string} start of the command line @returns {string} */
export const moreText = (options, start) =>
  `More: ${start} --help all, or --help TOPIC for ${topicsOf(options).join(', ')}, or the first part of a key`;
