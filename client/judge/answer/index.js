// The answer of a run in one to three sentences: to the question that it asks, and the worst of what went wrong. Pure; console,
// page and Markdown begin or end with it.
// The one thing to know: it reads nothing but summary.json, and says nothing that is not in it.

import { casesOf } from '../cases.js';
import { count, counted } from '../../words/format.js';
import { kneeText } from '../../words/knee.js';
import { isInterrupted } from '../../words/endings.js';
import { listNames } from '../../words/lists.js';
import { requirementText, verdictText } from '../verdict.js';
import { baselinePart } from './baseline.js';
import { leadParts } from './lead.js';
import { memoryParts } from './memory.js';
import { answerPart, cautionPart } from './part.js';
import { problemParts } from './problems.js';

/**
 * @typedef {import('./part.js').Part} Part
 * @typedef {import('../../../config/types.js').RunSummary} Summary
 */

/** An answer names this many kinds of problems, the worst ones; the tables show all of them. */
const MOST_PROBLEMS = 2;

/** The problems that count in a search too. Others are expected: a search tries more than a server can do. */
const ALSO_OF_SEARCHES = ['did-not-run', 'server-ended'];
/** Up to this number of servers, each one's answer is given. */
const MOST_ANSWERS = 4;

/** @param {import('../search/index.js').Found[]} servers @returns {Part[]} */
function searchParts(servers) {
  const parts = servers
    .slice(0, MOST_ANSWERS)
    .map(({ label, decided, answer }) => answerPart('search', { label, decided }, `${label}: ${answer}`));
  const left = servers.length - parts.length;
  return left > 0 ? [...parts, answerPart('search', { left }, `${counted(left, 'more server')} below`)] : parts;
}

/** @param {Summary} summary @returns {Part[]} one at most */
function verdictParts({ verdict }) {
  if (!verdict) return [];
  const [head, ...text] = verdictText(verdict).split(': ');
  const failed = verdict.thresholds.find((row) => !row.passed);
  const why = failed ? `; ${failed.label}: ${requirementText(failed)}: ${failed.text}` : '';
  const { passed } = verdict;
  return [answerPart(passed ? 'passed' : 'failed', { passed }, `Verdict ${head}: ${text.join(': ')}${why}`)];
}

/** @param {Summary} summary @param {import('../cases.js').Case[]} cases @returns {Part[]} one at most: the knee of a run with one leg */
function kneeParts({ legs }, cases) {
  if (cases.length !== 1 || legs.length !== 1) return [];
  const [{ ramp }] = legs;
  const text = kneeText(ramp);
  if (text === undefined || !ramp || ramp.undetermined) return [];
  return [answerPart('knee', { knee: ramp.knee ?? null }, `${text[0].toUpperCase()}${text.slice(1)}`)];
}

/** @param {number} done legs @param {number} begun @returns {string} how far a run came that did not end as planned */
function progressText(done, begun) {
  if (done === begun)
    return ` after ${begun === 1 ? 'its first leg was' : `all ${count(begun)} legs that had begun were`} complete`;
  return begun === 1
    ? ' before its first leg was complete'
    : `: ${count(done)} of ${count(begun)} legs that had begun ${done === 1 ? 'is' : 'are'} complete`;
}

/** @param {Summary} summary @param {import('../cases.js').Case[]} cases @returns {Part[]} what the figures depend on */
function cautionParts({ legs, endedBy, complete }, cases) {
  const interrupted = endedBy === 'cut' || isInterrupted(endedBy);
  const done = legs.filter((/** @type {any} */ leg) => leg.complete).length;
  const limited = cases.filter((one) =>
    legs.some((/** @type {any} */ leg) => one.legs.includes(leg.id) && leg.limitedBy === 'client'),
  );
  const names =
    limited.length === cases.length && limited.length > 1
      ? 'every server'
      : listNames(limited.map(({ label }) => label));
  return [
    ...(interrupted && !complete
      ? [
          cautionPart(
            'interrupted',
            { complete: done, begun: legs.length },
            `The run was ${endedBy === 'cut' ? 'killed' : 'interrupted'}${progressText(done, legs.length)}`,
          ),
        ]
      : []),
    ...(limited.length > 0
      ? [
          cautionPart(
            'client-limit',
            { cases: limited.map(({ id }) => id) },
            `The client was the limit for ${names}, so ${limited.length === 1 ? 'that server' : 'they'} may do more`,
          ),
        ]
      : []),
    ...disturbedParts(legs),
  ];
}

/** @param {import('../../../config/types.js').LegSummary[]} legs @returns {Part[]} one at most: other programs used the machine */
function disturbedParts(legs) {
  const found = legs.flatMap(({ warnings = [] }) =>
    warnings.filter((/** @type {any} */ one) => one.code === 'background-load').slice(0, 1),
  );
  if (found.length === 0) return [];
  const cores = Math.max(...found.map(({ data }) => data.cores));
  const [{ of }] = found.map(({ data }) => data);
  const where =
    legs.length === 1
      ? ''
      : found.length === legs.length
        ? ' in every leg'
        : ` in ${count(found.length)} of ${count(legs.length)} legs`;
  const used = `Other programs used ${legs.length === 1 ? '' : 'up to '}${cores.toFixed(1)} of ${counted(of, 'core')}${where}`;
  const text = found.length > legs.length / 2 ? `${used}, so these are the figures of a busy machine` : used;
  return [cautionPart('background-load', { legs: found.length, of: legs.length, cores }, text)];
}

/**
 * @param {Summary} summary of a run
 * @returns {Part[]} the answer first; never empty
 */
export function answerOf(summary) {
  const { legs, config, baseline, search } = summary;
  const cases = summary.cases ?? casesOf(legs);
  const problems = problemParts(cases, legs).filter(({ code }) => !search || ALSO_OF_SEARCHES.includes(code));
  const searched = search ? searchParts(search.servers) : [];
  const compared = baseline ? [baselinePart(baseline)] : [];
  const isShort = cases.length === 1 && problems.some(({ code }) => code === 'not-served');
  const lead = searched.length > 0 || compared.length > 0 ? [] : leadParts(cases, legs, config, isShort);
  const answer = [
    ...verdictParts(summary),
    ...searched,
    ...compared,
    ...(isShort ? problems.slice(0, 1) : []),
    ...lead.filter(({ severity }) => severity === 'answer'),
    ...(lead.length === 0 ? [] : memoryParts(cases, legs, config)),
    ...kneeParts(summary, cases),
    ...problems.slice(isShort ? 1 : 0, MOST_PROBLEMS),
    ...lead.filter(({ severity }) => severity !== 'answer'),
    ...(search ? [] : cautionParts(summary, cases)),
  ];
  return answer.length > 0 ? answer : [answerPart('nothing-measured', {}, 'Nothing was measured: no leg ran')];
}

/** @param {Summary} summary of a run @returns {string} its answer as one paragraph */
export const answerText = (summary) =>
  answerOf(summary)
    .map(({ text }) => text)
    .join(' ');
