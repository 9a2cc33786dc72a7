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
  'client-waited': 'the client waited for a core (for other programs, or the server) longer than it ran',
  'arrivals-distorted': 'the client did not send its requests on time',
};

/** @param {string} code of a warning or a finding @returns {boolean} whether the answers of a search have it */
export const isCautionOfSearch = (code) => Object.hasOwn(CAUTIONS, code);

/**
 * @param {Kind[]} kinds @param {number} of legs of the server that failed
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

/** @param {Saturated} saturated @returns {{ answer: string, details: string }} as of a goal */
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
  const enough = requests === 0 ? 'a longer duration (-d)' : `-d ${Math.ceil((seconds * of) / requests)}s`;
  return `${leg}; ${figure} needs ${count(of)}: give ${enough}`;
}

/** @param {Axis} axis @param {Probe[]} probes @returns {string} why a leg did not tell, which ended the search */
function notJudgedText(axis, probes) {
  // of legs with too few requests that at the greatest value ended the search
  const [unjudged] = probes
    .filter((probe) => probe.held === null)
    .sort((one, other) => Number(one.few !== undefined) - Number(other.few !== undefined) || other.value - one.value);
  if (unjudged === undefined)
    return 'the leg in closed loop, which is to give the greatest rate, has no throughput: `stress --debug` shows one exchange';
  return (
    fewText(axis, unjudged) ?? `at ${probeText(axis, unjudged.value)} ${CAUSES[/** @type {Cause} */ (unjudged.cause)]}`
  );
}

/**
 * @param {Axis} axis @param {Answer} answer of a search that ended without both ends near each other @param {Probe[]}
 *   probes
 * @returns {string} why
 */
function whyOpenText(axis, { reason, held, failed }, probes) {
  if (reason === 'unfinished') return 'the search is not finished';
  if (reason === 'not-judged') return notJudgedText(axis, probes);
  const isBetween = (/** @type {Probe} */ { value }) =>
    value > (held?.value ?? 0) && value < (failed?.value ?? Infinity);
  if (!probes.some((probe) => probe.held !== null && isBetween(probe))) return 'the most legs were run';
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

/** @param {Answer} answer @param {number} tolerance @returns {boolean} whether its ends are not near each other */
const isWide = ({ held, failed }, tolerance) =>
  held !== undefined && failed !== undefined && failed.value - held.value > Math.max(1, tolerance * held.value);

/**
 * @param {{ maximise: Axis, tolerance: number }} find
 * @param {Answer & { probes: Probe[] }} found
 * @returns {string | undefined} in what an answer is less than what was asked for, and why
 */
function remarkText({ maximise, tolerance }, { probes, ...found }) {
  const { decided, reason, held, failed } = found;
  const isOneSided = held === undefined || failed === undefined;
  if (isOneSided ? decided : reason === undefined && !isWide(found, tolerance)) return undefined;
  const why = whyOpenText(maximise, found, probes);
  if (reason === 'unfinished' || (held ?? failed) === undefined) return why;
  const what = isOneSided
    ? `no ${held === undefined ? 'lower' : 'upper'} end`
    : isWide(found, tolerance)
      ? `wider than the ${percent(tolerance)} asked for`
      : 'an end is not confirmed';
  return `${what}: ${why}`;
}

/**
 * @param {{ maximise: Axis, to: number | null, tolerance: number }} find  to: null: the throughput in closed loop
 * @param {Answer & { goal: string, limitedBy?: string, broken?: Broken[], probes: Probe[] }} found
 * @returns {{ answer: string, remark?: string, details: string }} answer: such as "4,000 to 4,200/s", "no answer";
 *   remark: why it is less than was asked for; details: what it is known from
 */
export function answerTexts(find, found) {
  const { maximise, to } = find;
  const { decided, reason, held, failed, goal, limitedBy, broken = [] } = found;
  const at = (/** @type {Tally} */ tally) => probeText(maximise, tally.value);
  const noun = maximise === 'rate' ? 'rate' : 'number';
  const seen = [
    ...(held ? [seenText('held', held, maximise)] : []),
    ...(failed ? [`${seenText('failed', failed, maximise)}${brokenText(broken, goal, failed.failed)}`] : []),
  ].join(', ');
  const remark = remarkText(find, found);
  const open = remark === undefined ? {} : { remark };
  if (held === undefined && failed === undefined) return { answer: NO_ANSWER, ...open, details: '' };
  if (held === undefined) {
    const isLeast = failed?.value === 1;
    return decided
      ? { answer: 'none', details: `${seen}, the smallest ${isLeast ? 'value there is' : `${noun} that was tried`}` }
      : { answer: `less than ${at(/** @type {Tally} */ (failed))}`, ...open, details: seen };
  }
  if (failed === undefined) {
    const top = to === null ? 'the throughput in closed loop' : 'the greatest value to try';
    const why = reason === 'unclear-above' ? `; legs at the greatest ${noun} contradict each other` : `, ${top}`;
    return { answer: `at least ${at(held)}`, ...open, details: `${seen}${decided ? why : ''}` };
  }
  const limit = LIMITS[limitedBy ?? ''] ? `; at ${at(failed)} ${LIMITS[limitedBy ?? '']}` : '';
  return { answer: `${count(held.value)} to ${at(failed)}`, ...open, details: `${seen}${limit}` };
}

/**
 * @param {{ answer: string, remark?: string }} found
 * @returns {string} such as "6,780 to 8,330/s (wider than the 5 % asked for: legs in between disagree)"
 */
export const remarkedAnswer = ({ answer, remark }) => (remark === undefined ? answer : `${answer} (${remark})`);

/** @param {{ remark?: string, details: string }} found @returns {string} what stands beside its answer in a table */
export const knownFrom = ({ remark = '', details }) => [remark, details].filter((text) => text !== '').join('; ');

/**
 * @param {{ server: string, goal: string, answer: string, remark?: string, details: string }} found
 * @returns {string} the whole answer for a server and a goal
 */
export const wholeAnswer = ({ server, goal, details, ...found }) =>
  `${server}, ${goal}: ${remarkedAnswer(found)}${details === '' ? '' : `; ${details}`}`;

/** Of a leg of a search whose answer is to be relied on, at least; ns. */
const SOUND_NS = 5e9;
/** A tolerance to propose is a multiple of this one, and at most the greatest that a scenario may have. */
const TOLERANCE_STEP = 0.05;
const MOST_TOLERANCE = 0.5;

/**
 * @param {{ tolerance: number }} find @param {Answer[]} answers @param {number} durationNs of a leg
 * @returns {string | undefined} what to type for a better answer, where legs that disagree have left one open
 */
export function remedyText({ tolerance }, answers, durationNs) {
  const ofChance = answers.filter((one) =>
    one.reason === undefined ? isWide(one, tolerance) : ['too-many-probes', 'contradictory'].includes(one.reason),
  );
  if (ofChance.length === 0) return undefined;
  const longer = `-d ${Math.ceil(Math.max(SOUND_NS, 2 * durationNs) / 1e9)}s`;
  const widths = ofChance.map(({ held, failed }) => (held && failed ? failed.value / held.value - 1 : Infinity));
  const share = TOLERANCE_STEP * Math.ceil(Math.max(...widths) / TOLERANCE_STEP);
  const isInterval = widths.some((width) => width < Infinity);
  const wider = share > tolerance && share <= MOST_TOLERANCE ? [`--find.tolerance ${Math.round(100 * share)}%`] : [];
  return `for ${isInterval ? 'a narrower' : 'an'} answer: ${[longer, ...wider].join(', or ')}`;
}
