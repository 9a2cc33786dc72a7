// Turns the errors of the JSON Schema validation of a manifest into readable problems.

import { distance } from 'fastest-levenshtein';

/**
 * @import { ErrorObject } from 'ajv'
 * @import { Problem } from '../errors.js'
 */

/** @type {Record<string, string>} */
const TYPE_NAMES = { object: 'an object', array: 'a list', string: 'a string', integer: 'an integer' };

/**
 * @param {ErrorObject[]} errors of one validation, with `verbose` and `allErrors`
 * @returns {Problem[]} without duplicates. `code` is the schema keyword; unknown keys come first, because a mistyped
 *   key also causes the error that the right one is missing
 */
export function manifestProblems(errors) {
  const rank = (/** @type {ErrorObject} */ { keyword }) => (keyword === 'additionalProperties' ? 0 : 1);
  const relevant = errors.filter(isRelevant).sort((a, b) => rank(a) - rank(b));
  const problems = relevant.map((error) => {
    const path = pathOf(error);
    const { data, text } =
      error.keyword === 'required' ? describeMissing(missingKeys(error, relevant)) : describe(error);
    return { code: error.keyword, data: { path, ...data }, text: path === '' ? text : `${path}: ${text}` };
  });
  return [...new Map(problems.map((problem) => [problem.text, problem])).values()];
}

/** @param {ErrorObject} error @returns {boolean} false for details of an error that is reported as a whole */
function isRelevant({ schemaPath, propertyName }) {
  return !/\/(oneOf|contains)\//.test(schemaPath) && propertyName === undefined;
}

/** @param {ErrorObject} error @param {ErrorObject[]} errors @returns {string[]} all keys missing in the same object */
function missingKeys({ instancePath }, errors) {
  return errors
    .filter((error) => error.keyword === 'required' && error.instancePath === instancePath)
    .map(({ params }) => params.missingProperty);
}

/** @param {ErrorObject} error @returns {string} such as requires[0].remedy; empty for the manifest itself */
function pathOf({ instancePath }) {
  return instancePath
    .replace(/\/([0-9]+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
    .slice(1);
}

/** @typedef {{data: Record<string, unknown>, text: string}} Description */

/** @param {string[]} keys @returns {Description} */
function describeMissing(keys) {
  return { data: { keys }, text: `missing ${keys.length === 1 ? 'key' : 'keys'} ${keys.join(', ')}` };
}

/** @param {ErrorObject} error @returns {Description} */
function describe({ keyword, params, data: value, parentSchema, instancePath, message }) {
  const shown = JSON.stringify(value);
  const say = (/** @type {string} */ text, /** @type {Record<string, unknown>} */ data = { value }) => ({ data, text });
  switch (keyword) {
    case 'additionalProperties':
      return describeUnknownKey(params.additionalProperty, Object.keys(parentSchema?.properties ?? {}));
    case 'enum':
      return say(`${shown} is not one of ${params.allowedValues.join(', ')}`);
    case 'type':
      return say(`${shown} is not ${[params.type].flat().map(typeName).join(' or ')}`);
    case 'not': // The schema uses it only for paths.
      return say(`${shown} is outside the server's folder`);
    case 'pattern':
      return say(`${shown} does not match ${params.pattern}`);
    case 'minLength':
      return say('must not be empty');
    case 'minItems':
      return say('must not be an empty list');
    case 'uniqueItems':
      return say('contains a duplicate');
    case 'contains':
      return say('does not contain {port}');
    case 'dependentRequired':
      return say(`${params.property} requires ${params.deps}`, { key: params.property, requires: params.deps });
    case 'propertyNames':
      return say(`"${params.propertyName}" is not a valid option name; write it like idleTimeout`, {
        key: params.propertyName,
      });
    case 'oneOf':
      return instancePath === '/concurrent'
        ? say(`${shown} is none of 1, "unbounded" and {"option": "threads", "default": 16}`)
        : say('must have exactly one of command, header and check');
    default:
      return say(`${shown} ${message}`);
  }
}

/** @param {string} type */
const typeName = (type) => TYPE_NAMES[type] ?? type;

/**
 * @param {string} key
 * @param {string[]} known
 * @returns {Description}
 */
function describeUnknownKey(key, known) {
  const meant = known.find((name) => distance(name.toLowerCase(), key.toLowerCase()) <= Math.max(1, name.length / 3));
  const hint = meant === undefined ? `known keys: ${known.join(', ')}` : `did you mean "${meant}"?`;
  return { data: { key, meant: meant ?? null }, text: `unknown key "${key}"; ${hint}` };
}
