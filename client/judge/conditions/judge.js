// Whether a condition holds for a leg, for the rounds of a case, or for one second. There are three answers: true,
// false, and null for a figure that was not measured, which fails a threshold and also its inverse. An unknown
// comparison leaves the condition undecided.

import { isAbove, valueText } from '../figure-values.js';
import { differsBy } from '../gates.js';
import { changeWithBounds, whyText } from '../mark-texts.js';
import { sidesText } from '../value-of.js';
import { isComparative } from './parse.js';

/**
 * @import { Sample } from '../../../config/types.js'
 * @import { Figure, Value } from '../figures.js'
 * @import { Compared, Comparison } from './against-first.js'
 * @import { Clause, Condition } from './parse.js'
 */

/**
 * @typedef {boolean | null} Answer
 * @typedef {{ clause: Clause, value: Value | Value[], compared?: Compared, holds: Answer }} Judged  compared: the
 *   comparison, in place of a value
 * @typedef {{ holds: Answer, isUndecided: boolean, clauses: Judged[] }} Judgement  isUndecided: only comparisons are
 *   unknown
 */

/** @type {Readonly<Record<string, (a: number | string, b: number | string) => boolean>>} */
const compare = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

/**
 * The answer for a value, or the common answer for sides that differ over rounds.
 * @param {Value | Value[]} value @param {Clause} clause
 * @returns {Answer}
 */
function holds(value, clause) {
  if (!Array.isArray(value)) return holdsFor(value, clause);
  const answers = new Set(value.map((side) => holdsFor(side, clause)));
  return answers.size === 1 ? [...answers][0] : null;
}

/** @param {Value} value @param {Clause} clause @returns {Answer} */
function holdsFor(value, { operator, value: limit }) {
  if (value === undefined) return null;
  if (!isAbove(value)) return compare[operator](value, limit);
  if (value.infinite) return compare[operator](Infinity, limit);
  // the value is above that number, but unknown
  if (value.above < Number(limit)) return null;
  if (value.orEqual && value.above === limit) return operator === '>=' ? true : operator === '<' ? false : null;
  return ['>', '>=', '!='].includes(operator);
}

/**
 * @param {Condition} condition
 * @param {(figure: Figure, request?: string) => Value | Value[]} valueOf  returns an array for sides that differ
 * @param {Comparison} [comparison]  with the first server; a condition between servers needs it
 * @returns {Judgement} holds: true if all clauses hold, false if a clause does not
 */
export function judge({ clauses }, valueOf, comparison) {
  const judged = clauses.map((clause) => {
    if (isComparative(clause)) {
      const compared = /** @type {NonNullable<typeof comparison>} */ (comparison)(clause.figure);
      return {
        clause,
        value: undefined,
        compared,
        holds: differsBy(clause.figure, clause.operator, clause.value, compared.ratio),
      };
    }
    const value = valueOf(clause.figure, clause.request);
    return { clause, value, holds: holds(value, clause) };
  });
  const answers = judged.map(({ holds }) => holds);
  const isKnown = answers.includes(false) || !answers.includes(null);
  return {
    holds: isKnown ? !answers.includes(false) : null,
    isUndecided: !isKnown && judged.every(({ clause, holds: answer }) => answer !== null || isComparative(clause)),
    clauses: judged,
  };
}

/** @param {Condition} condition @param {Sample} sample @returns {Judgement} */
export const judgeSample = (condition, sample) => judge(condition, (figure) => figure.ofSample?.(sample));

/**
 * @param {Value | Value[]} value
 * @returns {{ value?: number | string, above?: number }} for summary.json; empty if it was not measured, or if sides
 *   differ
 */
export function recordedValue(value) {
  if (value === undefined || Array.isArray(value)) return {};
  return isAbove(value) ? { above: value.above } : { value };
}

/** @param {Judged} judged @returns {string} such as "p99 6.2 ms", "cost +19 % (+18 to +20) against old" */
export function judgedText({ clause: { figure, request }, value, compared }) {
  const subject = request === undefined ? figure.name : `${figure.name} of ${request}`;
  if (compared === undefined) return `${subject} ${Array.isArray(value) ? sidesText(value) : valueText(figure, value)}`;
  const { ratio, first } = compared;
  const isKnown = typeof ratio?.low === 'number' && ratio.median !== null;
  const text = isKnown ? changeWithBounds(ratio) : `not known (${whyText(compared)})`;
  return `${figure.compared?.called ?? figure.name} ${text} against ${first}`;
}
