// The answer of a search in one sentence, for console, page, summary.json and the other outputs. Pure.
// The answer comes first, and it is an interval: the greatest value that held and the smallest that failed.

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

/** What is searched for. @type {Readonly<Record<Axis, string>>} */
export const SOUGHT = Object.freeze({ rate: 'the greatest rate', connections: 'the greatest number of connections' });

/**
 * @param {{ maximise: Axis, goals: string[] }} find
 * @returns {string} such as "the greatest rate at which p99 < 1ms"
 */
export const soughtText = ({ maximise, goals }) =>
  `${SOUGHT[maximise]} ${goals.length === 1 ? 'at which' : 'for each of'} ${joinNames(goals)}` +
  (maximise === 'connections' ? ', with every connection served' : '');

/** Why a probe did not hold, where its figures alone do not say so. @type {Readonly<Record<Cause, string>>} */
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
 * Why a probe did not hold: of several clauses, which ones.
 * @param {Judged} probe
 * @returns {string} such as "p99 < 100ms", "not every connection was served"; empty where its figures alone say so
 */
export function whyText({ cause, figures }) {
  if (cause === undefined || figures.length < 2) return cause ? CAUSES[cause] : '';
  if (cause !== 'condition') return CAUSES[cause];
  return figures
    .filter(({ held }) => !held)
    .map((one) => (one.cause === undefined ? one.condition : CAUSES[one.cause]))
    .join(', ');
}

/**
 * @param {Judged & { text: string }} probe
 * @returns {string} its figures, such as "p99 12 ms", and why it did not hold where they do not say it
 */
export function probeFigures(probe) {
  const why = whyText(probe);
  return why === '' ? probe.text : `${probe.text} (${why})`;
}

/**
 * @param {string[]} goals @param {(Judged & { text: string })[]} probes the same leg, judged by each
 * @returns {string} such as "held: p99 12 ms"; of several goals "p99 12 ms: held p99 < 20ms; failed p99 < 5ms"
 */
export function probesLine(goals, probes) {
  const [first] = probes;
  if (goals.length === 1) return `${outcomeText(first.held)}: ${probeFigures(first)}`;
  const measured = [...new Set(probes.map(({ text }) => text))].join(', ');
  const outcomes = [true, false, null].flatMap((outcome) => {
    const those = goals.filter((_, i) => probes[i].held === outcome);
    return those.length === 0 ? [] : [`${outcomeText(outcome)} ${those.join(', ')}`];
  });
  return `${measured}: ${outcomes.join('; ')}`;
}

/**
 * @param {(Judged & { text: string })[]} probes the same leg, judged by each goal
 * @returns {string} what response times alone do not say: of one goal its figures, of several what the search itself
 *   requires
 */
export function whyOfGoals(probes) {
  if (probes.length === 1) return `: ${probeFigures(probes[0])}`;
  const causes = new Set(probes.flatMap(({ cause }) => (cause === undefined ? [] : CAUSES[cause] || [])));
  return causes.size === 0 ? '' : `: ${[...causes].join(', ')}`;
}

/**
 * @param {{ held: boolean | null }[]} probes the same leg, judged by each goal
 * @returns {string} such as "held", "held 2 of 3"
 */
export const outcomesText = (probes) =>
  probes.length === 1
    ? outcomeText(probes[0].held)
    : `held ${count(probes.filter(({ held }) => held).length)} of ${count(probes.length)}`;

/** What besides the server may have decided the outcomes of legs. @type {Readonly<Record<Kind['code'], string>>} */
const CAUTIONS = {
  'background-load': 'other programs used the machine',
  'client-waited': 'the client waited for a core longer than it ran, because of other programs or of the server,',
  'arrivals-distorted': 'the client did not send its requests on time',
};

/**
 * @param {Kind[]} kinds @param {number} of legs of the server
 * @returns {string} such as "other programs used the machine in 3 of 9 legs; the client did not ... in 1 of 9 legs"
 */
export const cautionText = (kinds, of) =>
  kinds.map(({ code, legs }) => `${CAUTIONS[code]} in ${count(legs)} of ${counted(of, 'leg')}`).join('; ');

/** @type {Readonly<Record<string, string>>} */
const LIMITS = {
  client: SERVER_MAY_DO_MORE,
  machine: 'all cores of the machine were busy, with client and server together',
};

/** @type {Readonly<Record<string, string>>} */
const UNDECIDED = {
  contradictory: 'legs of the same value contradict each other',
  'too-many-probes': 'the legs contradict each other, and the most legs were run',
  unfinished: 'the search is not finished',
};

/** @param {Saturated} saturated @returns {{ answer: string, details: string }} as of a goal */
export function saturatedTexts({ perSecond, limitedBy }) {
  if (perSecond === undefined) return { answer: 'no answer', details: 'the leg in closed loop is incomplete' };
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
 * @param {Broken[]} broken at the value that failed @param {string} goal @param {number} failed how often it did
 * @returns {string} such as ": not every connection was served (in 1 leg)"; empty where it was the goal alone
 */
function brokenText(broken, goal, failed) {
  const [{ condition, legs } = { condition: goal, legs: failed }, ...others] = broken;
  if (others.length === 0 && condition === goal && legs === failed) return '';
  const texts = broken.map((one) => {
    const what = one.condition ?? CAUSES[one.cause];
    return one.legs === failed ? what : `${what} (in ${counted(one.legs, 'leg')})`;
  });
  return `: ${texts.join(', ')}`;
}

/**
 * @param {Axis} axis @param {Probe} probe
 * @returns {string | undefined} what it needs for an outcome; undefined: it has what it needs
 */
function fewText(axis, { value, few }) {
  if (few === undefined) return undefined;
  const { figure, requests, of, seconds } = few;
  const leg = `at ${probeText(axis, value)} a leg of ${duration(seconds * 1e9)} has ${counted(requests, 'request')}`;
  return `${leg}; ${figure} needs ${count(of)}: give a longer duration (-d)`;
}

/**
 * @param {Axis} axis @param {Answer} answer of a search that has none @param {Probe[]} probes
 * @returns {string} why
 */
function noAnswerText(axis, { reason }, probes) {
  if (reason !== 'not-judged') return UNDECIDED[reason ?? ''] ?? 'an end of the interval was not confirmed';
  // of legs with too few requests that at the greatest value ended the search
  const [unjudged] = probes
    .filter((probe) => probe.held === null)
    .sort((one, other) => Number(one.few !== undefined) - Number(other.few !== undefined) || other.value - one.value);
  if (unjudged === undefined) return 'the leg in closed loop, which is to give the greatest rate, has no throughput';
  return fewText(axis, unjudged) ?? CAUSES[/** @type {Cause} */ (unjudged.cause)];
}

/**
 * @param {{ maximise: Axis, to: number | null, tolerance: number }} find  to: null: the throughput in closed loop
 * @param {Answer & { goal: string, limitedBy?: string, broken?: Broken[], probes: Probe[] }} found
 * @returns {{ answer: string, details: string }} answer: such as "4,000 to 4,200/s", "no answer"; details: what it is
 *   known from
 */
export function answerTexts({ maximise, to, tolerance }, { goal, limitedBy, broken = [], probes, ...found }) {
  const { decided, reason, held, failed } = found;
  const at = (/** @type {Tally} */ tally) => probeText(maximise, tally.value);
  const noun = maximise === 'rate' ? 'rate' : 'number';
  const both = [
    ...(held ? [seenText('held', held, maximise)] : []),
    ...(failed ? [`${seenText('failed', failed, maximise)}${brokenText(broken, goal, failed.failed)}`] : []),
  ].join(', ');
  if (!decided) {
    const known = both === '' ? '' : `; so far ${both}`;
    return { answer: 'no answer', details: `${noAnswerText(maximise, found, probes)}${known}` };
  }
  if (held === undefined) {
    const isLeast = failed?.value === 1;
    return {
      answer: 'none',
      details: `${both}, the smallest ${isLeast ? 'value there is' : `${noun} that was tried`}`,
    };
  }
  if (failed === undefined) {
    const top = to === null ? 'the throughput in closed loop' : 'the greatest value to try';
    const why = reason === 'unclear-above' ? `legs at the greatest ${noun} contradict each other` : top;
    return { answer: `at least ${at(held)}`, details: `${both}${reason === 'unclear-above' ? '; ' : ', '}${why}` };
  }
  const isWide = failed.value - held.value > Math.max(1, tolerance * held.value);
  const notes = [
    both,
    ...(isWide ? [`legs between them contradict each other, so it is wider than ${percent(tolerance)}`] : []),
    ...(LIMITS[limitedBy ?? ''] ? [`at ${at(failed)} ${LIMITS[limitedBy ?? '']}`] : []),
  ];
  return { answer: `${count(held.value)} to ${at(failed)}`, details: notes.join('; ') };
}

/**
 * @param {{ server: string, goal: string, answer: string, details: string }} found
 * @returns {string} the whole answer for a server and a goal
 */
export const wholeAnswer = ({ server, goal, answer, details }) => `${server}, ${goal}: ${answer}; ${details}`;
