// The answer of a search in one sentence, for console, page, summary.json and the other outputs. Pure.
// The answer comes first, and it is an interval: the greatest value that held and the smallest that failed.

import { SERVER_MAY_DO_MORE } from './figures.js';
import { count, counted, percent } from './format.js';
import { joinNames } from './lists.js';

/**
 * @import { Answer, Tally } from '../judge/search/bisection.js'
 * @import { Axis, Broken, Cause, Caution, Probe, Saturated } from '../judge/search/index.js'
 */

/**
 * @typedef {Pick<Probe, 'held' | 'cause' | 'figures'>} Judged  a probe
 */

/** @param {Axis} axis @param {number} value @returns {string} such as "2,000/s", "500 connections" */
export const probeText = (axis, value) => (axis === 'rate' ? `${count(value)}/s` : counted(value, 'connection'));

/** @param {boolean | null} held of a probe @returns {string} */
export const outcomeText = (held) => (held === null ? 'unknown' : held ? 'held' : 'failed');

/** What is searched for. @type {Readonly<Record<Axis, string>>} */
export const SOUGHT = Object.freeze({ rate: 'the greatest rate', connections: 'the greatest number of connections' });

/**
 * @param {{ maximise: Axis, goals: string[] }} find
 * @returns {string} such as "the greatest rate at which p99 < 1ms"
 */
export const soughtText = ({ maximise, goals }) =>
  `${SOUGHT[maximise]} ${goals.length === 1 ? 'at which' : 'for each of'} ${joinNames(goals)}`;

/** Why a probe did not hold, where its figures alone do not say so. @type {Readonly<Record<Cause, string>>} */
export const CAUSES = Object.freeze({
  condition: '',
  'rate-not-reached': 'the rate was not reached',
  'not-served': 'not every connection was served',
  'not-asked': 'requests were not sent on every connection',
  'no-transfers': 'no transfer succeeded',
  'target-lost': 'the server was lost',
  'not-judged': 'the leg is incomplete',
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

/** @type {Readonly<Record<Caution['code'], (legs: number, of: number) => string>>} */
const CAUTIONS = {
  'background-load': (legs, of) => `Other programs used the machine in ${count(legs)} of ${counted(of, 'leg')}.`,
  'arrivals-distorted': (legs, of) =>
    `The client did not send its requests on time in ${count(legs)} of ${counted(of, 'leg')}.`,
  'few-requests': (legs, of) =>
    `${count(legs)} of ${counted(of, 'leg')} had too few requests for a percentile (a p99 needs 1,000): give a longer duration.`,
};

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
  if (perSecond === undefined) return { answer: 'no answer', details: 'The leg in closed loop is incomplete.' };
  const limit = LIMITS[limitedBy ?? ''] ? `; ${LIMITS[limitedBy ?? '']}` : '';
  return {
    answer: `${count(Math.round(perSecond))}/s`,
    details: `In closed loop, where every connection is busy${limit}.`,
  };
}

/** @param {number} n @param {Tally} tally @returns {string} such as "2 of 2 times" */
const timesOf = (n, { held, failed }) => `${count(n)} of ${counted(held + failed, 'time')}`;

/**
 * @param {Broken[]} broken at the value that failed @param {Tally} failed
 * @returns {string} such as "p99 < 100ms, in one leg not every connection was served"
 */
const brokenText = (broken, failed) =>
  broken
    .map(({ cause, condition, legs }) => {
      const what = condition ?? CAUSES[cause];
      return legs === failed.failed ? what : `${what} (in ${counted(legs, 'leg')})`;
    })
    .join(', ');

/**
 * @param {{ maximise: Axis, to: number | null, tolerance: number }} find  to: null: the throughput in closed loop
 * @param {Answer & { goal: string, limitedBy?: string, broken?: Broken[], probes: Judged[] }} found
 * @returns {{ answer: string, details: string }} answer: such as "4,000 to 4,200/s", "no answer"
 */
function findingTexts(
  { maximise, to, tolerance },
  { goal, decided, reason, held, failed, limitedBy, broken = [], probes },
) {
  const at = (/** @type {Tally} */ tally) => probeText(maximise, tally.value);
  const rule = maximise === 'connections' ? `${goal}, with every connection served,` : goal;
  const both = [
    ...(held ? [`held at ${at(held)} (${timesOf(held.held, held)})`] : []),
    ...(failed ? [`failed at ${at(failed)} (${timesOf(failed.failed, failed)}: ${brokenText(broken, failed)})`] : []),
  ].join(' and ');
  if (!decided) {
    const known = both === '' ? '' : `; so far, ${rule} ${both}`;
    const unjudged = probes.find((probe) => probe.held === null)?.cause;
    const why =
      reason === 'not-judged'
        ? unjudged
          ? CAUSES[unjudged]
          : 'the leg in closed loop, which is to give the greatest rate, has no throughput'
        : (UNDECIDED[/** @type {string} */ (reason)] ?? 'an end of the interval was not confirmed');
    return { answer: 'no answer', details: `${why}${known}.` };
  }
  if (held === undefined)
    return {
      answer: 'none',
      details: `${rule} ${both}, ${to === null ? 'the smallest rate that was tried' : 'the smallest value there is'}.`,
    };
  if (failed === undefined) {
    if (reason === 'unclear-above') {
      const details = `${rule} ${both}. Legs at the greatest ${maximise === 'rate' ? 'rate' : 'number'} contradict each other.`;
      return { answer: `at least ${at(held)}`, details };
    }
    return {
      answer: `at least ${at(held)}`,
      details: `${rule} ${both}, ${to === null ? 'the throughput in closed loop, where every connection is busy' : 'the greatest value to try'}.`,
    };
  }
  const isWide = failed.value - held.value > Math.max(1, tolerance * held.value);
  const wide = isWide
    ? ` Legs between them contradict each other, so the interval is wider than ${percent(tolerance)}.`
    : '';
  const limit = LIMITS[limitedBy ?? ''] ? ` At ${at(failed)} ${LIMITS[limitedBy ?? '']}.` : '';
  return { answer: `${count(held.value)} to ${at(failed)}`, details: `${rule} ${both}.${wide}${limit}` };
}

/**
 * @param {Parameters<typeof findingTexts>[0]} find
 * @param {Answer & { goal: string, limitedBy?: string, broken?: Broken[], cautions?: Caution[], probes: Judged[] }}
 *   found
 * @param {number} legs of the server, with that in closed loop
 * @returns {{ answer: string, details: string }} details: what it is known from
 */
export function answerTexts(find, { cautions = [], ...found }, legs) {
  const { answer, details } = findingTexts(find, found);
  return {
    answer,
    details: [details, ...cautions.map((one) => CAUTIONS[one.code](one.legs, legs))].join(' '),
  };
}

/** @param {{ label: string, answer: string, details: string }} found @returns {string} the whole answer for a server */
export const wholeAnswer = ({ label, answer, details }) => `${label}: ${answer}: ${details}`;
