// Whether a condition holds for a leg, for the rounds of a case, or for one second. Pure.
// There are three answers: yes, no, and null (not known) for a figure that was not measured: it
// fails a threshold, and it fails its inverse too.

import { isAbove, overRounds, valueText } from '../figure-values.js';

/**
 * @typedef {import('../figures.js').Figure} Figure
 * @typedef {import('../figures.js').Value} Value
 * @typedef {import('./parse.js').Clause} Clause
 * @typedef {import('./parse.js').Condition} Condition
 * @typedef {import('../figures.js').Leg} Leg
 * @typedef {boolean | null} Answer
 * @typedef {{ clause: Clause, value: Value, holds: Answer }} Judged
 * @typedef {{ holds: Answer, clauses: Judged[] }} Judgement
 */

/** @type {Readonly<Record<import('./parse.js').Operator, (a: any, b: any) => boolean>>} */
const compare = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

/** @param {Value} value @param {Clause} clause @returns {Answer} */
function holds(value, { operator, value: limit }) {
  if (value === undefined) return null;
  if (!isAbove(value)) return compare[operator](value, limit);
  if (value.infinite) return compare[operator](Infinity, limit);
  // it is more than that, but how much more is not known
  if (value.above < Number(limit)) return null;
  if (value.orEqual && value.above === limit) return operator === '>=' ? true : operator === '<' ? false : null;
  return ['>', '>=', '!='].includes(operator);
}

/**
 * @param {Condition} condition
 * @param {(figure: Figure) => Value} valueOf
 * @returns {Judgement} holds: true when all clauses do, false when one does not
 */
function judge({ clauses }, valueOf) {
  const judged = clauses.map((clause) => {
    const value = valueOf(clause.figure);
    return { clause, value, holds: holds(value, clause) };
  });
  const answers = judged.map((one) => one.holds);
  return { holds: answers.includes(false) ? false : answers.includes(null) ? null : true, clauses: judged };
}

/**
 * A figure that names a side must be the same in every round, or the answer is not known.
 * @param {Condition} condition @param {Leg[]} legs of a case: its rounds
 * @returns {Judgement}
 */
export function judgeLegs(condition, legs) {
  return judge(condition, (figure) => {
    if (legs.length > 1 && figure.ofRounds) return figure.ofRounds(legs);
    const values = legs.map((leg) => figure.of?.(leg));
    if (figure.unit !== 'side') return overRounds(figure, values);
    return new Set(values).size === 1 ? values[0] : undefined;
  });
}

/** @param {Condition} condition @param {import('../../measure/sample.js').Sample} sample @returns {Judgement} */
export const judgeSample = (condition, sample) => judge(condition, (figure) => figure.ofSample?.(sample));

/** @param {Value} value @returns {{ value?: number | string, above?: number }} as summary.json has it; neither: it was not measured */
export function recordedValue(value) {
  if (value === undefined) return {};
  return isAbove(value) ? { above: value.above } : { value };
}

/** @param {Judged} judged @returns {string} such as "p99 6.2 ms" */
export const judgedText = ({ clause: { figure }, value }) => `${figure.name} ${valueText(figure, value)}`;
