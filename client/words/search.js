// Texts for searches, for console, page, summary.json and the other outputs. An answer is an interval: the greatest
// value that held and the smallest that failed.

import { SERVER_MAY_DO_MORE } from './figures.js';
import { count, counted, duration, percent } from './format.js';
import { joinNames } from './lists.js';

/**
 * @import { Answer, Tally } from '../judge/search/bisection.js'
 * @import { Axis, Broken, Cause, Kind, Probe, Saturated } from '../judge/search/index.js'
 */

/**
 * @typedef {Pick<Probe, 'held' | 'cause' | 'figures'>} Judged  a probe
 */

/** @param {Axis} axis @param {number} value @returns {string} such as "2,000/s", "500 connections" */
export const probeText = (axis, value) => (axis === 'rate' ? `${count(value)}/s` : counted(value, 'connection'));

/** @param {boolean | null} held of a probe @returns {string} */
export const outcomeText = (held) => (held === null ? 'undecided' : held ? 'held' : 'failed');

/** The value that a search looks for. @type {Readonly<Record<Axis, string>>} */
export const SOUGHT = Object.freeze({ rate: 'the greatest rate', connections: 'the greatest number of connections' });

/**
 * @param {{ maximise: Axis, goals: string[] }} find
 * @returns {string} such as "the greatest rate at which p99 < 1ms"
 */
export const soughtText = ({ maximise, goals }) =>
  `${SOUGHT[maximise]} ${goals.length === 1 ? 'at which' : 'for each of'} ${joinNames(goals)}` +
  (maximise === 'connections' ? ', with every connection served' : '');

/**
 * Texts for causes of failed probes; '' if the probe's figures are the reason.
 * @type {Readonly<Record<Cause, string>>}
 */
export const CAUSES = Object.freeze({
  condition: '',
  'rate-not-reached': 'the rate was not reached',
  'not-served': 'not every connection was served',
  'not-asked': 'requests were not sent on every connection',
  'no-transfers': 'no transfer succeeded',
  'target-lost': 'the server was lost',
  'not-judged': 'the leg is incomplete',
  'few-requests': 'too few requests',
});

/**
 * @param {{ cause: Cause, value: number, of: number }} shortfall of a probe
 * @returns {string} such as "5,999 of 6,250 served"
 */
export function shortfallText({ cause, value, of }) {
  if (cause === 'rate-not-reached') return `${count(value)}/s of ${count(of)}/s`;
  return `${count(value)} of ${counted(of, 'connection')} ${cause === 'not-asked' ? 'with a request' : 'served'}`;
}

/**
 * Why a probe did not hold; if its condition has several clauses, those that did not hold.
 * @param {Judged} probe
 * @returns {string} such as "p99 < 100ms", "not every connection was served"; '' if its figures are the reason
 */
export function whyText({ cause, figures }) {
  if (cause === undefined || figures.length < 2) return cause ? CAUSES[cause] : '';
  if (cause !== 'condition') return CAUSES[cause];
  return figures
    .filter(({ held }) => !held)
    .map((figure) => (figure.cause === undefined ? figure.condition : CAUSES[figure.cause]))
    .join(', ');
}

/**
 * @param {Judged & { text: string }} probe
 * @returns {string} the figures, such as "p99 12 ms", and the cause of a failure if they are not the reason
 */
export function probeFigures(probe) {
  const why = whyText(probe);
  return why === '' ? probe.text : `${probe.text} (${why})`;
}

/**
 * @param {string[]} goals @param {(Judged & { text: string })[]} probes results of one leg, by goal
 * @returns {string} such as "held: p99 12 ms"; for several goals "p99 12 ms: held p99 < 20ms; failed p99 < 5ms"
 */
export function probesLine(goals, probes) {
  const [first] = probes;
  if (goals.length === 1) return `${outcomeText(first.held)}: ${probeFigures(first)}`;
  const measured = [...new Set(probes.map(({ text }) => text))].join(', ');
  const outcomes = [true, false, null].flatMap((outcome) => {
    const matches = goals.filter((_, i) => probes[i].held === outcome);
    return matches.length === 0 ? [] : [`${outcomeText(outcome)} ${matches.join(', ')}`];
  });
  return `${measured}: ${outcomes.join('; ')}`;
}

/**
 * @param {(Judged & { text: string })[]} probes results of one leg, by goal
 * @returns {string} text after the outcome: for one goal the figures, for several the causes of failures other than
 *   goals; may be ''
 */
export function whyOfGoals(probes) {
  if (probes.length === 1) return `: ${probeFigures(probes[0])}`;
  const causes = new Set(probes.flatMap(({ cause }) => (cause === undefined ? [] : CAUSES[cause] || [])));
  return causes.size === 0 ? '' : `: ${[...causes].join(', ')}`;
}

/**
 * @param {{ held: boolean | null }[]} probes results of one leg, by goal
 * @returns {string} such as "held", "held 2 of 3"
 */
export const outcomesText = (probes) =>
  probes.length === 1
    ? outcomeText(probes[0].held)
    : `held ${count(probes.filter(({ held }) => held).length)} of ${count(probes.length)}`;

/**
 * Influences other than the server that may have decided the outcomes of legs.
 * @type {Readonly<Record<Kind['code'], string>>}
 */
const CAUTIONS = {
  'background-load': 'other programs used the machine',
  'client-waited': 'the client waited for a core (for other programs, or the server) longer than it ran',
  'arrivals-distorted': 'the client did not send its requests on time',
};

/** @param {string} code of a warning or a finding @returns {boolean} whether it is a caution of a search's answers */
export const isCautionOfSearch = (code) => Object.hasOwn(CAUTIONS, code);

/**
 * @param {Kind[]} kinds @param {number} of number of the server's legs that failed
 * @returns {string} such as "other programs used the machine in 3 of 9 legs that failed: measure on an idle one"
 */
export function cautionText(kinds, of) {
  const texts = kinds.map(({ code, legs }) => `${CAUTIONS[code]} in ${count(legs)}`);
  const isOfMachine = kinds.some(({ code }) => code !== 'arrivals-distorted');
  return `${joinNames(texts)} of ${counted(of, 'leg')} that failed${isOfMachine ? ': measure on an idle machine' : ''}`;
}

/** @type {Readonly<Record<string, string>>} */
const LIMITS = {
  client: SERVER_MAY_DO_MORE,
  machine: 'all cores of the machine were busy, with client and server together',
};

const NO_ANSWER = 'no answer';

/** @param {Saturated} saturated @returns {{ answer: string, details: string }} texts like those of a goal's answer */
export function saturatedTexts({ perSecond, limitedBy }) {
  if (perSecond === undefined) return { answer: NO_ANSWER, details: 'the leg in closed loop is incomplete' };
  const limit = LIMITS[limitedBy ?? ''] ? `; ${LIMITS[limitedBy ?? '']}` : '';
  return {
    answer: `${count(Math.round(perSecond))}/s`,
    details: `in closed loop, where every connection is busy${limit}`,
  };
}

/**
 * @param {'held' | 'failed'} outcome @param {Tally} tally @param {Axis} axis
 * @returns {string} such as "failed at 4,200/s (2 of 3 times)"
 */
const seenText = (outcome, tally, axis) =>
  `${outcome} at ${probeText(axis, tally.value)} (${count(tally[outcome])} of ${counted(tally.held + tally.failed, 'time')})`;

/**
 * @param {Broken[]} broken causes at the value that failed @param {string} goal @param {number} failed number of legs
 * @returns {string} such as ": not every connection was served (in 1 leg)"; '' if the goal is the only cause
 */
function brokenText(broken, goal, failed) {
  const [{ condition, legs } = { condition: goal, legs: failed }, ...others] = broken;
  if (others.length === 0 && condition === goal && legs === failed) return '';
  const texts = broken.map((cause) => {
    const text = cause.condition ?? CAUSES[cause.cause];
    return cause.legs === failed ? text : `${text} (in ${counted(cause.legs, 'leg')})`;
  });
  return `: ${texts.join(', ')}`;
}

/**
 * @param {Axis} axis @param {Probe} probe
 * @returns {string | undefined} the number of requests that it needs for an outcome; undefined if it has enough
 */
function tooFewText(axis, { value, few }) {
  if (few === undefined) return undefined;
  const { figure, requests, of, seconds } = few;
  const leg = `at ${probeText(axis, value)} a leg of ${duration(seconds * 1e9)} has ${counted(requests, 'request')}`;
  const enough = requests === 0 ? 'a longer duration (-d)' : `-d ${Math.ceil((seconds * of) / requests)}s`;
  return `${leg}; ${figure} needs ${count(of)}: give ${enough}`;
}

/** @param {Axis} axis @param {Probe[]} probes @returns {string} why the leg that ended the search has no outcome */
function notJudgedText(axis, probes) {
  // Of several legs with too few requests, the one at the greatest value ended the search.
  const [unjudged] = probes
    .filter((probe) => probe.held === null)
    .sort((a, b) => Number(a.few !== undefined) - Number(b.few !== undefined) || b.value - a.value);
  if (unjudged === undefined)
    return 'the leg in closed loop, which sets the greatest rate, has no throughput: `stress --debug` shows one exchange';
  return (
    tooFewText(axis, unjudged) ??
    `at ${probeText(axis, unjudged.value)} ${CAUSES[/** @type {Cause} */ (unjudged.cause)]}`
  );
}

/**
 * @param {Axis} axis @param {Answer} answer without two ends near each other @param {Probe[]} probes
 * @returns {string} why the search ended
 */
function whyOpenText(axis, { reason, held, failed }, probes) {
  if (reason === 'unfinished') return 'the search is not finished';
  if (reason === 'not-judged') return notJudgedText(axis, probes);
  const isBetween = (/** @type {Probe} */ { value }) =>
    value > (held?.value ?? 0) && value < (failed?.value ?? Infinity);
  if (!probes.some((probe) => probe.held !== null && isBetween(probe))) return 'the maximum number of legs was run';
  const where =
    held === undefined
      ? failed === undefined
        ? 'of the same value'
        : 'below'
      : failed === undefined
        ? 'above'
        : 'in between';
  return `legs ${where} disagree`;
}

/** @param {Answer} answer @param {number} tolerance @returns {boolean} whether its ends are farther apart */
const isWide = ({ held, failed }, tolerance) =>
  held !== undefined && failed !== undefined && failed.value - held.value > Math.max(1, tolerance * held.value);

/**
 * @param {{ maximise: Axis, tolerance: number }} find
 * @param {Answer & { probes: Probe[] }} answerWithProbes
 * @returns {string | undefined} the shortcoming of an answer, and its reason; undefined for a full answer
 */
function remarkText({ maximise, tolerance }, { probes, ...answer }) {
  const { decided, reason, held, failed } = answer;
  const isOneSided = held === undefined || failed === undefined;
  if (isOneSided ? decided : reason === undefined && !isWide(answer, tolerance)) return undefined;
  const why = whyOpenText(maximise, answer, probes);
  if (reason === 'unfinished' || (held ?? failed) === undefined) return why;
  const shortcoming = isOneSided
    ? `no ${held === undefined ? 'lower' : 'upper'} end`
    : isWide(answer, tolerance)
      ? `wider than the ${percent(tolerance)} asked for`
      : 'an end is not confirmed';
  return `${shortcoming}: ${why}`;
}

/**
 * @param {{ maximise: Axis, to: number | null, tolerance: number }} find  to: null for the throughput in closed loop
 * @param {Answer & { goal: string, limitedBy?: string, broken?: Broken[], probes: Probe[] }} answer
 * @returns {{ answer: string, remark?: string, details: string }} answer: such as "4,000 to 4,200/s", "no answer";
 *   remark: the shortcoming of the answer; details: the outcomes that it is derived from
 */
export function answerTexts(find, answer) {
  const { maximise, to } = find;
  const { decided, reason, held, failed, goal, limitedBy, broken = [] } = answer;
  const at = (/** @type {Tally} */ tally) => probeText(maximise, tally.value);
  const noun = maximise === 'rate' ? 'rate' : 'number';
  const seen = [
    ...(held ? [seenText('held', held, maximise)] : []),
    ...(failed ? [`${seenText('failed', failed, maximise)}${brokenText(broken, goal, failed.failed)}`] : []),
  ].join(', ');
  const remark = remarkText(find, answer);
  const remarked = remark === undefined ? {} : { remark };
  if (held === undefined && failed === undefined) return { answer: NO_ANSWER, ...remarked, details: '' };
  if (held === undefined) {
    const isSmallest = failed?.value === 1;
    return decided
      ? { answer: 'none', details: `${seen}, the smallest ${isSmallest ? 'possible value' : `${noun} tried`}` }
      : { answer: `less than ${at(/** @type {Tally} */ (failed))}`, ...remarked, details: seen };
  }
  if (failed === undefined) {
    const top = to === null ? 'the throughput in closed loop' : 'the greatest value to try';
    const why = reason === 'unclear-above' ? `; legs at the greatest ${noun} contradict each other` : `, ${top}`;
    return { answer: `at least ${at(held)}`, ...remarked, details: `${seen}${decided ? why : ''}` };
  }
  const limit = LIMITS[limitedBy ?? ''] ? `; at ${at(failed)} ${LIMITS[limitedBy ?? '']}` : '';
  return { answer: `${count(held.value)} to ${at(failed)}`, ...remarked, details: `${seen}${limit}` };
}

/**
 * @param {{ answer: string, remark?: string }} texts
 * @returns {string} such as "6,780 to 8,330/s (wider than the 5 % asked for: legs in between disagree)"
 */
export const remarkedAnswer = ({ answer, remark }) => (remark === undefined ? answer : `${answer} (${remark})`);

/** @param {{ remark?: string, details: string }} texts @returns {string} text beside the answer in a table */
export const knownFrom = ({ remark = '', details }) => [remark, details].filter((text) => text !== '').join('; ');

/**
 * @param {{ server: string, goal: string, answer: string, remark?: string, details: string }} texts
 * @returns {string} the whole answer for a server and a goal
 */
export const wholeAnswer = ({ server, goal, details, ...texts }) =>
  `${server}, ${goal}: ${remarkedAnswer(texts)}${details === '' ? '' : `; ${details}`}`;

/** Shortest leg to propose, ns. */
const MIN_LEG_NS = 5e9;
/** Tolerances to propose are multiples of this. */
const TOLERANCE_STEP = 0.05;
/** Greatest tolerance of a scenario. */
const MAX_TOLERANCE = 0.5;

/**
 * @param {{ tolerance: number }} find @param {Answer[]} answers @param {number} durationNs of a leg
 * @returns {string | undefined} options for a better answer; undefined unless legs disagree
 */
export function remedyText({ tolerance }, answers, durationNs) {
  const uncertain = answers.filter((answer) =>
    answer.reason === undefined
      ? isWide(answer, tolerance)
      : ['too-many-probes', 'contradictory'].includes(answer.reason),
  );
  if (uncertain.length === 0) return undefined;
  const longer = `-d ${Math.ceil(Math.max(MIN_LEG_NS, 2 * durationNs) / 1e9)}s`;
  const widths = uncertain.map(({ held, failed }) => (held && failed ? failed.value / held.value - 1 : Infinity));
  const share = TOLERANCE_STEP * Math.ceil(Math.max(...widths) / TOLERANCE_STEP);
  const isInterval = widths.some((width) => width < Infinity);
  const wider = share > tolerance && share <= MAX_TOLERANCE ? [`--find.tolerance ${Math.round(100 * share)}%`] : [];
  return `for ${isInterval ? 'a narrower' : 'an'} answer: ${[longer, ...wider].join(', or ')}`;
}
