// The parser of conditions: `p99 < 10ms and rejects == 0`. A clause is a figure, an operator and a value with its unit;
// `and` joins clauses. Libraries for expressions support neither `p99.9` nor `10ms`. `of` names a request of a list, in
// quotation marks if its name contains an operator or `and`: `p99 of "GET /?a=1" < 5ms`. Between servers the operator
// is `worse by` or `better by`, and the value a share: `cost worse by 3%`. A mistake is returned as data; the caller
// writes the message.

import { parseDuration, parseSize } from '../../words/units.js';
import { comparedBy, figureOf } from '../figures.js';
import { isOfRequest } from '../requests.js';

/**
 * @import { ComparedFigure } from '../comparisons.js'
 * @import { Figure, Unit } from '../figures.js'
 * @import { Way } from '../gates.js'
 */

/**
 * @typedef {'<' | '<=' | '>' | '>=' | '==' | '!='} Operator
 * @typedef {{ figure: Figure, operator: Operator | Way, value: number | string, text: string, request?: string }}
 *   Clause  text: as written; request: name of a request of a list
 * @typedef {Clause & { figure: ComparedFigure, operator: Way, value: number }} Comparative  a clause between servers;
 *   value: a share
 * @typedef {{ text: string, clauses: Clause[] }} Condition
 * @typedef {'not-compared' | 'no-share' | 'empty' | 'no-operator' | 'unknown-operator' | 'unknown-figure' | 'no-value'
 *   | 'wrong-value' | 'no-order' | 'or' | 'not-of-request'} Fault
 * @typedef {{ code: Fault, at: number, found: string, figure?: Figure }} ConditionMistake  at: column, from 1
 */

/** @type {readonly Operator[]} */
export const OPERATORS = Object.freeze(['<', '<=', '>', '>=', '==', '!=']);
/** Values of the figure `limited by`. */
const SIDES = Object.freeze(['none', 'client', 'server', 'machine', 'unknown']);

/** The form of a value of each unit, for messages. @type {Readonly<Record<Unit, string>>} */
export const VALUE_FORMS = Object.freeze({
  duration: 'a duration such as 500us, 10ms or 1s',
  rate: 'a number a second such as 8000/s',
  throughput: 'an amount of data a second such as 100MiB/s',
  size: 'a size such as 64KiB or 1GiB',
  count: 'a number such as 0 or 8000',
  share: 'a share such as 0.1%',
  cpu: 'a share of one core such as 90%',
  side: `one of ${SIDES.join(', ')}`,
});

/** A value of each unit. @type {Readonly<Record<Unit, string>>} */
export const EXAMPLES = Object.freeze({
  duration: '`10ms`',
  rate: '`8000/s`',
  throughput: '`100MiB/s`',
  size: '`1GiB`',
  count: '`0`',
  share: '`0.1%`',
  cpu: '`90%` of a core',
  side: '`none`',
});

/** @param {string} text @returns {number} NaN if it is not a number in digits */
const number = (text) => (/^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : NaN);

/** @type {Readonly<Record<Exclude<Unit, 'side'>, (text: string) => number>>} NaN if the text does not have the unit */
const readers = {
  duration: parseDuration,
  rate: (text) => number(text.replace(/\/s$/, '')),
  throughput: (text) => (text.endsWith('/s') ? parseSize(text.slice(0, -2)) : NaN),
  size: parseSize,
  count: number,
  share: (text) => (text.endsWith('%') ? number(text.slice(0, -1)) / 100 : NaN),
  cpu: (text) => (text.endsWith('%') ? number(text.slice(0, -1)) / 100 : NaN),
};

/** @param {Clause} clause @returns {clause is Comparative} */
export const isComparative = (clause) => clause.operator === 'worse' || clause.operator === 'better';

/**
 * @param {string} trimmed clause @param {number} at its column, from 1
 * @returns {Comparative | ConditionMistake | null} null if the clause is not between servers
 */
function parseComparative(trimmed, at) {
  const match = /^(.*?)\s*\b(worse|better)\b(.*)$/is.exec(trimmed);
  if (match === null) return null;
  const [, name, word, tail] = match;
  const figure = comparedBy(name);
  if (figure === undefined) {
    const known = figureOf(name);
    return known
      ? { code: 'not-compared', at, found: name, figure: known }
      : { code: 'unknown-figure', at, found: name };
  }
  const written = /^\s*by\s+(.*)$/is.exec(tail)?.[1] ?? '';
  const share = readers.share(written.replace(/\s+(?=%)/, ''));
  const operator = /** @type {Way} */ (word.toLowerCase());
  // a figure that is better when higher cannot be worse by 100 %; a figure that is better when lower cannot be better
  const isPossible = share < 1 || (figure.better === 'higher') === (operator === 'better');
  if (Number.isNaN(share) || !isPossible)
    return { code: 'no-share', at: at + trimmed.length - written.length, found: written, figure };
  return {
    figure: /** @type {ComparedFigure} */ (figure),
    operator,
    value: share,
    text: trimmed,
  };
}

/**
 * @param {string} name as written, such as `p99 of checkout`
 * @returns {{ figure: Figure | undefined, request?: string }}
 */
function subjectOf(name) {
  const figure = figureOf(name);
  const match = figure === undefined ? /^(.+?)\s+of\s+(?:"([^"]+)"|([^"]+))$/is.exec(name) : null;
  return match === null ? { figure } : { figure: figureOf(match[1]), request: match[2] ?? match[3] };
}

/**
 * @param {string} text of one clause @param {number} from its column, from 0
 * @returns {Clause | ConditionMistake}
 */
function parseClause(text, from) {
  const lead = text.length - text.trimStart().length;
  const trimmed = text.trim();
  const at = from + lead + 1;
  if (trimmed === '') return { code: 'empty', at, found: '' };
  const comparative = parseComparative(trimmed, at);
  if (comparative !== null) return comparative;
  const match = /^((?:"[^"]*"|[^<>=!"])*?)\s*([<>=!]+)\s*(.*)$/s.exec(trimmed);
  const [, name = trimmed, operator, written = ''] = match ?? [];
  const { figure, request } = subjectOf(name);
  const about = request === undefined ? {} : { request };
  if (figure === undefined) return { code: 'unknown-figure', at, found: name };
  if (operator === undefined) return { code: 'no-operator', at: at + name.length, found: trimmed, figure };
  if (request !== undefined && !isOfRequest(figure)) return { code: 'not-of-request', at, found: name, figure };
  const operatorAt = at + trimmed.indexOf(operator, name.length);
  const known = OPERATORS.find((candidate) => candidate === operator);
  if (known === undefined) return { code: 'unknown-operator', at: operatorAt, found: operator, figure };
  const valueAt =
    operatorAt +
    operator.length +
    (/^\s*/.exec(trimmed.slice(trimmed.indexOf(operator, name.length) + operator.length))?.[0].length ?? 0);
  if (written === '') return { code: 'no-value', at: valueAt, found: '', figure };
  if (/\s(or|\|\|)(\s|$)|;/i.test(written)) return { code: 'or', at: valueAt, found: written, figure };
  if (figure.unit === 'side') {
    if (known !== '==' && known !== '!=') return { code: 'no-order', at: operatorAt, found: operator, figure };
    return SIDES.includes(written)
      ? { figure, operator: known, value: written, text: trimmed }
      : { code: 'wrong-value', at: valueAt, found: written, figure };
  }
  const value = written === '0' ? 0 : readers[figure.unit](written.replace(/(?<=[0-9])\s+(?=[A-Za-z%/])/, ''));
  if (Number.isNaN(value)) return { code: 'wrong-value', at: valueAt, found: written, figure };
  return { figure, operator: known, value, text: trimmed, ...about };
}

/** `and`, outside quotation marks. */
const BETWEEN = /(\band\b|&&)(?=(?:[^"]*"[^"]*")*[^"]*$)/i;

/**
 * @param {string} text such as `p99 < 10ms and rejects == 0`
 * @returns {{ condition: Condition | null, mistakes: ConditionMistake[] }} condition: null if there are mistakes
 */
export function parseCondition(text) {
  let from = 0;
  const parsed = text.split(BETWEEN).flatMap((part, i) => {
    const start = from;
    from += part.length;
    return i % 2 === 1 ? [] : [parseClause(part, start)];
  });
  const mistakes = parsed.flatMap((result) => ('code' in result ? [result] : []));
  if (mistakes.length > 0) return { condition: null, mistakes };
  return { condition: { text: text.trim(), clauses: /** @type {Clause[]} */ (parsed) }, mistakes };
}

/** @param {string} text of a valid condition @returns {boolean} whether it compares the servers of the run */
export const comparesServers = (text) => conditionOf(text).clauses.some(isComparative);

/**
 * A condition and how long it must hold: `p99 > 1s for 3s`.
 * @param {string} text
 * @returns {{ condition: string, forNs: number }} forNs: NaN without a duration
 */
export function splitDuration(text) {
  const match = /^(.*\S)\s+for\s+(\S+)\s*$/is.exec(text);
  return match === null
    ? { condition: text, forNs: NaN }
    : { condition: match[1].trim(), forNs: parseDuration(match[2]) };
}

/** @param {string} text of a valid condition @returns {Condition} */
export function conditionOf(text) {
  const { condition, mistakes } = parseCondition(text);
  if (condition === null) throw new Error(`condition "${text}": ${mistakes[0].code}`);
  return condition;
}
