// Key `target`: one server that runs already, or several of one kind, which are measured as instances. Pure.

import { UsageError } from '../../errors.js';
import { FAMILIES, familyOf, formatEndpoint, isLoopback } from '../../words/endpoint.js';
import { parseTarget } from './address.js';

/** @typedef {import('../../words/endpoint.js').Endpoint} Endpoint */

const MAX_TARGETS = 1024;
const TOO_MANY = `is beyond the ${MAX_TARGETS} targets of a leg`;

/**
 * @param {string} text
 * @param {string} where
 * @returns {string[]} one for each port of a range such as 127.0.0.1:7000-7003
 */
function withoutRange(text, where) {
  const range = text.startsWith('unix:') ? null : /^(.*):([0-9]{1,5})-([0-9]{1,5})$/.exec(text);
  if (range === null) return [text];
  const [first, last] = range.slice(2).map(Number);
  const count = last - first + 1;
  if (count < 1) throw refuse(where, text, 'range-reversed', 'begins with the higher port; give the lower one first');
  if (count > MAX_TARGETS) throw refuse(where, text, 'too-many', TOO_MANY);
  return Array.from({ length: count }, (_, i) => `${range[1]}:${first + i}`);
}

/** @param {string} where @param {string} target @param {string} problem @param {string} why */
const refuse = (where, target, problem, why) =>
  new UsageError(`${where}: ${JSON.stringify(target)} ${why}`, { code: 'ETARGET', data: { target, problem } });

/**
 * @param {string | string[]} given  as written
 * @param {string} where  what to call the key in a message
 * @returns {Endpoint[]} at least one, none twice
 * @throws {UsageError}
 */
export function parseTargets(given, where) {
  const texts = [given].flat().flatMap((text) => withoutRange(text, where));
  if (texts.length > MAX_TARGETS) throw refuse(where, texts[MAX_TARGETS], 'too-many', TOO_MANY);
  const targets = texts.map((text) => parseTarget(text, where));
  refuseTwice(targets, where);
  return targets;
}

/** @param {Endpoint[]} targets @param {string} where @throws {UsageError} */
function refuseTwice(targets, where) {
  const texts = targets.map(formatEndpoint);
  const twice = texts.find((text, i) => texts.indexOf(text) !== i);
  if (twice !== undefined) throw refuse(where, twice, 'twice', 'is given twice');
}

/**
 * @param {Endpoint[]} targets  whose hosts are addresses
 * @param {string} where
 * @throws {UsageError} when they cannot be connected to from the same addresses
 */
export function checkTogether(targets, where) {
  refuseTwice(targets, where);
  const kindOf = (/** @type {Endpoint} */ { host }) =>
    `${FAMILIES[familyOf(host)]}${isLoopback(host) ? ', on loopback' : ''}`;
  const odd = targets.find((target) => kindOf(target) !== kindOf(targets[0]));
  if (odd === undefined) return;
  const why = `(${kindOf(odd)}) cannot be measured with ${formatEndpoint(targets[0])} (${kindOf(targets[0])}) in one leg`;
  throw refuse(where, formatEndpoint(odd), 'mixed', why);
}
