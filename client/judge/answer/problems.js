// What went wrong in a run, the worst first: servers that did not run or ended, connections that were not served, connects
// that waited, and what else failed. Pure.
// The one thing to know: of several rounds of a case the worst one speaks, and in how many it was is said.

import { nameOf, pointText } from '../comparisons.js';
import { count, counted } from '../../words/format.js';
import { listParts } from '../../words/lists.js';
import { cautionPart, problemPart } from './part.js';
import { causeText, commonCauseText } from './problem-causes.js';
import { problemKinds } from './problem-kinds.js';
import { pointsText } from './ranking-texts.js';

/**
 * @typedef {import('../cases.js').Case} Case
 * @typedef {import('../../../config/types.js').LegSummary} Leg
 * @typedef {import('./part.js').Part} Part
 * @typedef {import('./problem-kinds.js').Found} Found
 * @typedef {import('./problem-kinds.js').Kind} Kind
 */

/** @param {Case} one @returns {string} such as "epoll at 100 connections" */
const subjectOf = (one) => {
  const at = pointText(one.axes);
  return at === undefined ? one.label : `${nameOf(one)} at ${at}`;
};

/**
 * @typedef {Found & { same: boolean, case: string, name: string, axes: import('../../../config/types.js').Axes, subject: string, legs: string[], of: number }} FoundInCase
 *   of the worst of the legs that have it; same: it was the same in all of them; name: of its server; of: rounds
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
  return {
    ...worst,
    same: found.every(({ text }) => text === worst.text),
    case: one.id,
    name: nameOf(one),
    axes: one.axes,
    subject,
    legs: found.map(({ leg }) => leg),
    of: one.legs.length,
  };
}

/** @param {FoundInCase} found @returns {string} such as " in 1 of 3 rounds", " in the worst of 3 rounds" */
function roundsText({ legs, of, same }) {
  if (of === 1) return '';
  const [some, all] = [count(legs.length), count(of)];
  if (legs.length === of) return same ? ` in each of ${all} rounds` : ` in the worst of ${all} rounds`;
  return same ? ` in ${some} of ${all} rounds` : ` in the worst of ${some} of ${all} rounds`;
}

/**
 * @param {FoundInCase} found @param {string} code of its kind
 * @returns {string} its sentence, with the rounds where the reason does not follow yet
 */
function inRounds(found, code) {
  const isOfAll = found.legs.length === found.of;
  const rounds =
    code === 'did-not-run' && isOfAll && found.of > 1 ? ` in any of ${count(found.of)} rounds` : roundsText(found);
  const at = found.text.indexOf(': ');
  return at <= found.subject.length
    ? `${found.text}${rounds}`
    : `${found.text.slice(0, at)}${rounds}${found.text.slice(at)}`;
}

/** @param {FoundInCase[]} found the worst first @returns {FoundInCase[][]} those of the same server together */
function byServer(found) {
  const names = [...new Set(found.map(({ name }) => name))];
  return names.map((name) => found.filter((one) => one.name === name));
}

/** @param {FoundInCase[]} found of one server, the worst first @returns {string} such as "epoll (16 of 200)" */
function namesText([worst, ...others]) {
  const { name, subject, short } = worst;
  if (others.length === 0) return short === '' ? subject : `${subject} (${short})`;
  const axes = [worst, ...others].map((one) => one.axes).sort(byNumber);
  return `${name} at ${pointsText(axes)}${short === '' ? '' : ` (at worst ${short})`}`;
}

/** @param {Record<string, unknown>} one @param {Record<string, unknown>} other axes of two points @returns {number} */
const byNumber = (one, other) => Number(Object.values(one)[0]) - Number(Object.values(other)[0]) || 0;

/**
 * @param {Kind} kind @param {FoundInCase[]} found @param {string} all cases
 * @param {Set<string>} said causes that were already named, by case
 * @returns {string}
 */
function problemText({ code, several }, found, all, said) {
  const [first] = found;
  if (found.length === 1) {
    const key = `${first.cause?.code} ${first.case}`;
    const cause = first.cause && !said.has(key) ? `: ${causeText(first.cause)}` : '';
    said.add(key);
    return `${inRounds(first, code)}${cause}`;
  }
  const sorted = [...found].sort((a, b) => b.weight - a.weight);
  const names = listParts(byServer(sorted).map(namesText));
  const isOne = found.every(({ name }) => name === first.name);
  const common = commonCauseText(found.map(({ cause }) => cause));
  const same = common !== undefined && isOne && first.cause ? causeText(first.cause) : common;
  const worst = found.some(({ of, short }) => of > 1 && /\d/.test(short)) ? ', in the worst round of each' : '';
  return `${several(found.length, all)}: ${names}${worst}${same ? `; ${same}` : ''}`;
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
    const data = found.map((one) => ({
      case: one.case,
      rounds: one.legs.length,
      ...one.data,
      ...(one.cause ? { cause: one.cause.code } : {}),
    }));
    const text = problemText(kind, found, all, said);
    const part = kind.severity === 'caution' ? cautionPart : problemPart;
    return [part(kind.code, { cases: data }, capitalised(text))];
  });
}
