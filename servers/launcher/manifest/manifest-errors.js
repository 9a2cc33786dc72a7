// What the schema found wrong with a manifest, in words: all of it, with what was probably meant. Pure.

import { distance } from 'fastest-levenshtein';

/** @typedef {import('ajv').ErrorObject} ErrorObject */

/** @type {Record<string, string>} */
const KINDS = { object: 'an object', array: 'a list', string: 'a text', integer: 'a whole number' };

/**
 * @param {ErrorObject[]} errors of one validation, with `verbose` and `allErrors`
 * @returns {string[]} one part of a sentence each fault, none twice; unknown keys first, as they cause others
 */
export function faultsIn(errors) {
  const rank = (/** @type {ErrorObject} */ { keyword }) => (keyword === 'additionalProperties' ? 0 : 1);
  const telling = [...errors].filter(isTelling).sort((a, b) => rank(a) - rank(b));
  return [
    ...new Set(
      telling.map((error) =>
        placed(
          error,
          error.keyword === 'required' ? `lacks ${missingBeside(error, telling).join(', ')}` : wordsOf(error),
        ),
      ),
    ),
  ];
}

/** @param {ErrorObject} error @returns {boolean} whether it is not a part of what another one says */
function isTelling({ schemaPath, propertyName }) {
  return !/\/(oneOf|contains)\//.test(schemaPath) && propertyName === undefined;
}

/** @param {ErrorObject} error @param {ErrorObject[]} errors @returns {string[]} all keys that lack in that place */
function missingBeside({ instancePath }, errors) {
  return errors
    .filter((other) => other.keyword === 'required' && other.instancePath === instancePath)
    .map(({ params }) => params.missingProperty);
}

/**
 * @param {ErrorObject} error
 * @param {string} words
 * @returns {string} with the place, such as requires[0].remedy
 */
function placed({ instancePath }, words) {
  const path = instancePath
    .replace(/\/([0-9]+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
    .slice(1);
  return path === '' ? words : `${path}: ${words}`;
}

/** @param {ErrorObject} error @returns {string} */
function wordsOf({ keyword, params, data, parentSchema, instancePath, message }) {
  const shown = JSON.stringify(data);
  switch (keyword) {
    case 'additionalProperties':
      return unknownKey(params.additionalProperty, Object.keys(parentSchema?.properties ?? {}));
    case 'enum':
      return `${shown} is not one of ${params.allowedValues.join(', ')}`;
    case 'type':
      return `${shown} is not ${[params.type]
        .flat()
        .map((type) => KINDS[type] ?? type)
        .join(' or ')}`;
    // The schema refuses nothing else so.
    case 'not':
      return `${shown} is not below the folder of the server`;
    case 'pattern':
      return `${shown} has not the form ${params.pattern}`;
    case 'minLength':
      return 'is empty';
    case 'minItems':
      return 'is an empty list';
    case 'uniqueItems':
      return 'has something twice';
    case 'contains':
      return 'has no {port} in it';
    case 'dependentRequired':
      return `${params.property} needs ${params.deps}`;
    case 'propertyNames':
      return `"${params.propertyName}" cannot be the key of an option, as idleTimeout can`;
    case 'oneOf':
      return instancePath === '/concurrent'
        ? `${shown} is not 1, "unbounded" or such as {"option": "threads", "default": 16}`
        : 'has not exactly one of command, header and check';
    default:
      return `${shown} ${message}`;
  }
}

/**
 * @param {string} key
 * @param {string[]} known
 */
function unknownKey(key, known) {
  const near = known.find((one) => distance(one.toLowerCase(), key.toLowerCase()) <= Math.max(1, one.length / 3));
  const hint = near === undefined ? ` (it knows ${known.join(', ')})` : `, did you mean ${near}?`;
  return `does not know the key "${key}"${hint}`;
}
