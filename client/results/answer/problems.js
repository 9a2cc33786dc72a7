// What went wrong in a run, the worst first: servers that did not run or ended, connections that were not served, connects
// that waited, and what else failed. Pure.
// The one thing to know: of several rounds of a case the worst one speaks, and in how many it was is said.

import { nameOf, pointText } from '../comparisons.js';
import { count, counted } from '../format.js';
import { listParts } from '../phrases/lists.js';
import { problemPart } from './part.js';
import { problemKinds } from './problem-kinds.js';

/**
 * @typedef {import('../cases.js').Case} Case
 * @typedef {Record<string, any>} Leg  of summary.json
 * @typedef {import('./part.js').Part} Part
 * @typedef {import('./problem-kinds.js').Found} Found
 * @typedef {import('./problem-kinds.js').Kind} Kind
 */

/** @type {Readonly<Record<'accept-queue' | 'no-answer', [one: string, several: string]>>} */
const CAUSES = {
  'accept-queue': ['its accept queue was full', 'their accept queues were full'],
  'no-answer': ['the SYNs were not answered', 'the SYNs were not answered'],
};

/** @param {Case} one @returns {string} such as "epoll at 100 connections" */
const subjectOf = (one) => {
  const at = pointText(one.axes);
  return at === undefined ? one.label : `${nameOf(one)} at ${at}`;
};

/**
 * @typedef {Found & { case: string, subject: string, legs: string[], of: number }} FoundInCase  of the worst of the legs that
 *   have it; of: rounds
 */

/**
 * @param {Kind} kind @param {Case} one @param {Leg[]} legs those of it that are not yet accounted for
 * @returns {FoundInCase | null}
 */
function worstOf({ of }, one, legs) {
  const subject = subjectOf(one);
  const found = legs.flatMap((leg) => {
    const what = of(leg, subject);
    return what === null ? [] : [{ ...what, leg: leg.id }];
  });
  if (found.length === 0) return null;
  const { leg: _, ...worst } = found.reduce((a, b) => (b.weight > a.weight ? b : a));
  return { ...worst, case: one.id, subject, legs: found.map(({ leg }) => leg), of: one.legs.length };
}

/** @param {FoundInCase} found @returns {string} such as " in 1 of 3 rounds" */
function roundsText({ legs, of }) {
  if (of === 1) return '';
  return legs.length === of
    ? ` in the worst of ${count(of)} rounds`
    : ` in ${count(legs.length)} of ${count(of)} rounds`;
}

/**
 * @param {Kind} kind @param {FoundInCase[]} found @param {string} all cases
 * @param {Set<string>} said causes that were already named, by case
 * @returns {string}
 */
function problemText({ several }, found, all, said) {
  const [first] = found;
  if (found.length === 1) {
    const cause = first.cause && !said.has(`${first.cause} ${first.case}`) ? `: ${CAUSES[first.cause][0]}` : '';
    said.add(`${first.cause} ${first.case}`);
    return `${first.text}${roundsText(first)}${cause}`;
  }
  const sorted = [...found].sort((a, b) => b.weight - a.weight);
  const names = listParts(sorted.map(({ subject, short }) => (short === '' ? subject : `${subject} (${short})`)));
  const same = first.cause && found.every(({ cause }) => cause === first.cause) ? first.cause : null;
  return `${several(found.length, all)}: ${names}${same ? `; ${CAUSES[same][1]}` : ''}`;
}

/** @param {string} text @returns {string} with a capital, unless it begins with a label */
const capitalised = (text) => text.replace(/^(every|no) /, (word) => `${word[0].toUpperCase()}${word.slice(1)}`);

/**
 * @param {Case[]} cases @param {Leg[]} legs
 * @returns {Part[]} one for each kind, the worst first
 */
export function problemParts(cases, legs) {
  const all = counted(cases.length, cases.some(({ axes }) => Object.keys(axes).length > 0) ? 'case' : 'server');
  /** Legs that ended so that their other figures say nothing. @type {Set<string>} */
  const ended = new Set();
  /** @type {Set<string>} */
  const said = new Set();
  return problemKinds.flatMap((kind) => {
    const found = cases.flatMap((one) => {
      const own = legs.filter((leg) => one.legs.includes(leg.id) && !ended.has(leg.id));
      return worstOf(kind, one, own) ?? [];
    });
    if (found.length === 0) return [];
    if (kind.ends) for (const id of found.flatMap((one) => one.legs)) ended.add(id);
    const data = found.map((one) => ({ case: one.case, rounds: one.legs.length, ...one.data }));
    const text = problemText(kind, found, all, said);
    return [problemPart(kind.code, { cases: data }, capitalised(text))];
  });
}
