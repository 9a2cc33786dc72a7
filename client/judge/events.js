// What happened in a run, the worst first: a server crashed, requests failed, a server answered nothing for a while, or
// did not serve all connections. The headline begins with these events.

import { isInterrupted } from '../words/endings.js';
import { servedOnlySome } from '../words/figures.js';
import { count, counted, duration, percent, rate } from '../words/format.js';
import { listParts } from '../words/lists.js';
import { figuresOf, isMeasured } from '../measure/leg-figures.js';
import { present, sumEach } from '../measure/sums.js';
import { achievedRate } from './achieved-rate.js';
import { failuresOf, figureOf } from './figures.js';
import { findingText, groupedFindings, namesText } from './findings/index.js';
import { causeText, hasEnded, isServerEnding } from './findings/outcome.js';
import { shownCase, valueOf } from './value-of.js';

/**
 * @import { Data } from '../errors.js'
 * @import { Case, Figures, LegSummary as Leg, RunSummary as Summary } from '../../config/types.js'
 * @import { MeasuredLeg } from '../measure/leg-figures.js'
 * @import { Figure } from './figures.js'
 * @import { LegFinding } from './findings/index.js'
 * @import { Part } from './headline.js'
 * @import { ShownCase } from './value-of.js'
 */

/** How many events the headline names, servers of an event, and kinds of failed replies. */
const MAX = { events: 2, servers: 3, kinds: 3 };
/**
 * Requests that were never sent are an event from this share of the requests due on. A few always wait for a free
 * connection when the load ends.
 */
const MANY_UNSENT = 0.01;
/** Below this share, failed requests are given as a count, not in percent. */
const FEW_FAILED = 0.001;
/** Stalls are an event if one is this long, or all together are this share of the steady state. */
const LONG_STALL = { ns: 1e9, share: 0.01, shareOfSeveral: 0.05 };
/** Up to this share of connections unserved at its end, a ramp has not reached the load at which the server breaks. */
const UNSERVED = 0.01;
/** A server is slower below this share of its throughput before. */
const SLOWER = 0.9;
/** Signals that another program sends to end a program. */
const KILLED_BY = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'];

/** @typedef {LegFinding & { rest: LegFinding[] }} Group  all findings of one kind: the worst, and the others */

/** @param {string} start empty, or a name that keeps its case @param {string} text @returns {string} a sentence */
const startingWith = (start, text) => (start === '' ? `${text[0].toUpperCase()}${text.slice(1)}` : `${start}${text}`);

/** @param {string} text @returns {string} */
const withFullStop = (text) => (/[.!?…]$/.test(text) ? text : `${text}.`);

/**
 * @param {string} code @param {Part['severity']} severity @param {Data} data @param {string} text
 * @param {string[]} [tells]  codes of findings that the part makes superfluous
 * @returns {Part}
 */
export const part = (code, severity, data, text, tells = [code]) => ({
  ...{ code, severity, data, text: withFullStop(text), tells },
});

/** @param {Data} data of the end of a server @returns {string} */
function endText({ signal, exitCode, atNs, instance }) {
  const how = KILLED_BY.includes(signal) ? 'was killed' : signal === null && exitCode === 0 ? 'ended' : 'crashed';
  const which = instance === undefined ? '' : `lost instance ${instance}, which `;
  const at = atNs === undefined ? ' during the run' : ` ${duration(atNs)} after the start`;
  return `${which}${how}${at} (${signal ?? `exit code ${exitCode}`})`;
}

/** @param {Data} data of connections that were not served @returns {string} */
function notServedText(data) {
  const { left, requested, awaitReopening, heldOnly, waitedNs } = data;
  const of = counted(requested, 'connection');
  if (awaitReopening) return `lost ${count(left)} of ${of}, to be opened again at the end`;
  const waited = waitedNs === undefined ? '' : `; the others waited for up to ${duration(waitedNs, 2)}`;
  return `${heldOnly ? 'held' : 'served'} ${count(requested - left)} of ${of}${causeText(data)}${waited}`;
}

/**
 * @param {Data} data of stalls
 * @returns {string} such as "1 s, from 9.28 s on"; without the time in a run of an older version
 */
const silenceText = ({ longestNs, longestAtNs }) =>
  `${duration(longestNs, 2)}${longestAtNs === undefined ? '' : `, from ${duration(longestAtNs)} on`}`;

/** @param {Data} data of stalls @returns {string} */
function stallText({ count: n, totalNs, ...longest }) {
  const others = n === 1 ? '' : `, and ${duration(totalNs, 2)} in all ${count(n)} stalls`;
  return `answered nothing for ${silenceText(longest)}${others}`;
}

/**
 * The texts of findings that are events, the worst first. A text continues the name of the server; one that begins with
 * a colon is a sentence of its own if the run has one server.
 * @type {Readonly<Record<string, (data: Data) => string>>}
 */
const CLAUSES = {
  'did-not-run': ({ reason }) => `did not run: ${reason}`,
  'server-ended': endText,
  stalls: stallText,
  'stalls-waiting': (data) => `: no reply came for ${silenceText(data)}, while threads waited for a core`,
  'sent-late': ({ late, due }) => `: ${percent(late / due, 2)} of the requests waited for a free connection`,
  'not-served': notServedText,
};

/** Findings that the headline shows if no request failed and every connection was served. */
const MINOR = ['slow-connects', 'errors', 'rejects'];

/**
 * @typedef {object} Context
 * @property {Summary} summary
 * @property {Case[]} cases
 * @property {Group[]} findings
 * @property {(code: string) => Group | undefined} findingOf
 */

/** @param {Context} context @param {string[]} names @returns {string} such as "The server ", "a and b: " */
function startText({ cases }, names, isClause = false) {
  if (cases.length === 1) return isClause ? '' : 'The server ';
  return `${namesText(names)}${isClause ? ': ' : ' '}`;
}

/** @param {LegFinding} finding @returns {LegFinding} without its number of rounds, if all rounds have it */
const inEveryRound = (finding) => (finding.rounds.length === finding.of ? { ...finding, of: 1 } : finding);

/** @param {Context} context @param {Group} group @returns {string} sentences */
function groupText(context, group) {
  const clauseOf = CLAUSES[group.code] ?? (({ text }) => `: ${text}`);
  const { rest, ...first } = group;
  const [worst, ...others] = [first, ...rest].map(inEveryRound);
  return findingText(
    { ...worst, rest: others },
    (finding) => clauseOf(CLAUSES[finding.code] ? finding.data : finding),
    (names, text) => {
      const isClause = text.startsWith(': ');
      return startingWith(startText(context, names, isClause), isClause ? text.slice(2) : text);
    },
  );
}

/** @param {Context} context @param {Group | undefined} group @param {string[]} [tells] @returns {Part[]} at most one */
const groupParts = (context, group, tells) =>
  group === undefined ? [] : [part(group.code, group.severity, group, groupText(context, group), tells)];

/** @param {Context} context @returns {Part[]} servers that ended, or did not reach the planned end */
const endParts = (context) =>
  context.findings
    .filter((finding) => isServerEnding(finding) || ['did-not-run', 'incomplete'].includes(finding.code))
    // only the finding shows the last lines that the server wrote
    .flatMap((group) => groupParts(context, group, group.data.lastLines?.length > 0 ? [] : undefined));

/** @param {Summary} summary @returns {Part[]} at most one: how far the run came, if it was interrupted or killed */
function interruptedParts({ legs: begun, endedBy, complete }) {
  const killed = endedBy === 'cut';
  const legs = begun.filter((leg) => leg.complete || isMeasured(leg) || leg.endedBy === endedBy);
  if (complete || !(killed || isInterrupted(endedBy)) || legs.length === 0) return [];
  const finished = legs.filter((leg) => leg.complete).length;
  // legs that all ended with the run ran at the same time
  const isOneTime = legs.every((leg) => leg.endedBy === endedBy);
  const ends = legs.flatMap((leg) => figuresOf(leg)?.toNs ?? []);
  const untilNs = ends.length === 0 ? null : Math.max(...ends);
  const data = { complete: finished, begun: legs.length, killed, ...(isOneTime ? { untilNs } : {}) };
  const what = `The run was ${killed ? 'killed' : 'interrupted'}`;
  const how = !isOneTime
    ? `: ${count(finished)} of ${counted(legs.length, 'measurement')} that had begun ${finished === 1 ? 'is' : 'are'} complete`
    : untilNs === null
      ? ' before anything was measured'
      : ` after ${duration(untilNs)}; the figures are of that time`;
  return [part('interrupted', 'caution', data, `${what}${how}`)];
}

/**
 * @param {MeasuredLeg} leg @param {Figures} figures of the leg
 * @returns {boolean} whether the drain was shorter than the slowest reply, so that requests were cut off
 */
const wasCutOff = ({ phases }, { responseTimeNs }) =>
  phases?.steadyToNs !== undefined && phases.endNs - phases.steadyToNs <= (responseTimeNs?.max ?? 0);

/**
 * The failures that the headline counts: without requests that were cut off at the end, and without those that were
 * never sent, which have their own sentence.
 * @param {MeasuredLeg} leg @param {Figures} figures of the leg
 * @returns {ReturnType<typeof failuresOf>} of all requests
 */
function failuresIn(leg, figures) {
  const unfinished = wasCutOff(leg, figures) ? 0 : figures.unfinished;
  return { ...failuresOf({ ...figures, unfinished, unsent: 0 }), of: failuresOf(figures).of };
}

/**
 * Whether requests failed, apart from those on connections that were never served: such connections are counted.
 * @param {Leg} leg @param {ReturnType<typeof failuresOf>} failures of the leg @returns {boolean}
 */
function hasFailed(leg, { failed, kinds }) {
  const { account, errors: { total = 0, timeout = 0 } = {} } = leg;
  const areOfUnserved =
    servedOnlySome(leg) !== undefined && Object.keys(kinds).length === 0 && 2 * timeout > total && total > 0;
  return !areOfUnserved && failed > (account?.unanswered ?? 0);
}

/**
 * @typedef {{ leg: MeasuredLeg, figures: Figures }[]} Measured  legs of a case
 * @param {Leg[]} legs of a case
 * @returns {Measured} the legs that sent requests, and whose server did not end
 */
export const requestsIn = (legs) =>
  legs.flatMap((leg) => {
    const figures = figuresOf(leg);
    return isMeasured(leg) && figures && !leg.heldOnly && !hasEnded(leg) ? [{ leg, figures }] : [];
  });

/**
 * @template {{ share: number }} D
 * @param {Context} context
 * @param {(legs: Measured, shown: ShownCase) => D | undefined} dataOf  the data of a case, without its name; undefined
 *   if the case has no event
 * @returns {(D & { case: string, label: string })[]} the greatest share first
 */
function requestsOf({ summary: { legs, search }, cases }, dataOf) {
  if (search) return [];
  const events = cases.flatMap(({ id, label, legs: ids }) => {
    const caseLegs = legs.filter((leg) => ids.includes(leg.id));
    const measured = requestsIn(caseLegs);
    const data = measured.length === 0 ? undefined : dataOf(measured, shownCase(caseLegs));
    return data === undefined ? [] : [{ ...data, case: id, label }];
  });
  return events.sort((a, b) => b.share - a.share);
}

/** @param {Record<string, number>} kinds @returns {[string, number][]} status codes of a class are added up: "5xx" */
function classesOf(kinds) {
  const classOf = (/** @type {string} */ kind) => (/^\d{3}$/.test(kind) ? `${kind[0]}xx` : kind);
  /** @type {Map<string, [string, number]>} */
  const classes = new Map();
  for (const [kind, n] of Object.entries(kinds)) {
    const known = classes.get(classOf(kind));
    classes.set(classOf(kind), known === undefined ? [kind, n] : [classOf(kind), known[1] + n]);
  }
  return [...classes.values()];
}

/**
 * @param {{ failed: number, of: number, kinds: Record<string, number>, noReply: number }} data
 * @returns {string} such as "8 % of the requests failed: 4.1 % had no reply, 3.9 % were answered with 5xx"
 */
function failedText({ failed, of, kinds, noReply }) {
  const isFew = failed < FEW_FAILED * of;
  const amount = (/** @type {number} */ n) => (isFew ? count(n) : percent(n / of, 2));
  const head = isFew ? `${count(failed)} of ${counted(of, 'request')}` : `${amount(failed)} of the requests`;
  const parts = [
    ...(noReply > 0 ? [{ n: noReply, what: 'had no reply' }] : []),
    ...classesOf(kinds).map(([kind, n]) => ({ n, what: `${n === 1 ? 'was' : 'were'} answered with ${kind}` })),
  ].sort((a, b) => b.n - a.n);
  if (parts.length === 1) return `${head} ${parts[0].what}`;
  return `${head} failed: ${listParts(
    parts.map(({ n, what }) => `${amount(n)} ${what}`),
    MAX.kinds,
  )}`;
}

const GOOD_RATE = /** @type {Figure} */ (figureOf('good rate'));

/** @param {Context} context @returns {Part[]} servers with failed requests */
function failedParts(context) {
  const events = requestsOf(context, (legs, shown) => {
    const failing = legs.map(({ leg, figures }) => ({ leg, ...failuresIn(leg, figures) }));
    if (!failing.some(({ leg, ...failures }) => hasFailed(leg, failures))) return undefined;
    const sum = (/** @type {'failed' | 'of' | 'noReply'} */ key) =>
      failing.reduce((total, failures) => total + failures[key], 0);
    const kinds = failing.reduce(
      (total, failures) => sumEach(total, failures.kinds),
      /** @type {Record<string, number>} */ ({}),
    );
    const [failed, of] = [sum('failed'), sum('of')];
    const { value: good } = valueOf(GOOD_RATE, shown);
    return {
      ...{ share: failed / of, failed, of, noReply: sum('noReply'), kinds },
      ...(context.summary.config.loop === 'open' && typeof good === 'number' ? { goodPerSecond: good } : {}),
    };
  });
  const text = (/** @type {typeof events[number]} */ data) =>
    startingWith(startText(context, [data.label], true), failedText(data)) +
    (data.goodPerSecond === undefined ? '' : `; ${rate(data.goodPerSecond)} good replies`);
  return listed('requests-failed', 'problem', events, text, ['failed-replies'], 'Requests of');
}

/** @param {Context} context @returns {Part[]} servers to which many requests were never sent */
function unsentParts(context) {
  const events = requestsOf(context, (legs, shown) => {
    const sum = (/** @type {'unsent' | 'due'} */ key) =>
      legs.reduce((total, { figures }) => total + (figures[key] ?? 0), 0);
    const [unsent, of] = [sum('unsent'), sum('due')];
    if (unsent === 0 || unsent < MANY_UNSENT * of) return undefined;
    return { share: unsent / of, unsent, of, ...present('achieved', achievedRate(shown)?.text) };
  });
  const text = (/** @type {typeof events[number]} */ { label, achieved, unsent, of }) => {
    const never = `${count(unsent)} of ${counted(of, 'request')} ${unsent === 1 ? 'was' : 'were'} never sent, since no connection was free`;
    return achieved === undefined
      ? startingWith(startText(context, [label], true), never)
      : `${startText(context, [label])}answered ${achieved} requests/s; ${never}`;
  };
  return listed('requests-unsent', 'problem', events, text, ['sent-late'], 'The rate was too much for');
}

/**
 * @template {{ label: string }} D
 * @param {string} code @param {Part['severity']} severity @param {D[]} events one for each server
 * @param {(data: D) => string} text @param {string[]} tells
 * @param {string} more  begins the sentence about the servers that are not named
 * @returns {Part[]}
 */
function listed(code, severity, events, text, tells, more) {
  const left = events.length - MAX.servers;
  return [
    ...events.slice(0, MAX.servers).map((data) => part(code, severity, data, text(data), tells)),
    ...(left > 0
      ? [
          part(
            code,
            severity,
            { left },
            `${more} ${counted(left, 'more server')}${more.endsWith('of') ? ' failed' : ''}`,
          ),
        ]
      : []),
  ];
}

/** @param {Summary} summary @param {LegFinding} stall @returns {boolean} whether it is long enough for an event */
function isLongStall({ legs, cases = [] }, { leg, data }) {
  const share = cases.length > 1 ? LONG_STALL.shareOfSeveral : LONG_STALL.share;
  const { steady, slices } = legs.find(({ id }) => id === leg) ?? {};
  const loadedNs = slices?.turnNs ?? (steady === undefined ? Infinity : steady.toNs - steady.fromNs);
  return data.longestNs >= LONG_STALL.ns || data.totalNs >= share * loadedNs;
}

/**
 * @param {Summary} summary @param {LegFinding} stall that waiting for a core may explain
 * @returns {boolean} whether it is an event: only in a run of one server, since it may be the stall of any of several
 */
export const isStallTold = (summary, stall) => summary.cases?.length === 1 && isLongStall(summary, stall);

/**
 * Long stalls. If most of several servers stalled, stalls do not distinguish them, and only the list of findings has
 * them.
 * @param {Context} context @returns {Part[]} at most one
 */
function stallParts(context) {
  const { summary, cases, findingOf } = context;
  if (summary.search) return [];
  // requests that were late, or waited for a connection, did so because of the stall
  const tells = ['stalls', 'stalls-waiting', 'sent-late'];
  const [group, waiting] = [findingOf('stalls'), findingOf('stalls-waiting')];
  const hasCrashed = (/** @type {LegFinding} */ { leg: id }) =>
    summary.legs.some((leg) => leg.id === id && hasEnded(leg));
  const long =
    group === undefined
      ? []
      : [group, ...group.rest].filter((stall) => isLongStall(summary, stall) && !hasCrashed(stall));
  if (long.length > 0 && (cases.length === 1 || 2 * long.length <= cases.length))
    return groupParts(context, { ...long[0], rest: long.slice(1) }, tells);
  return groupParts(context, waiting && isStallTold(summary, waiting) ? waiting : undefined, tells);
}

/**
 * @typedef {{ served: number, requested: number }} Served
 * @param {Leg} leg with a ramp
 * @returns {{ whole: number, first: Served, end: Served, speed?: number } | undefined} whole: connections of the last
 *   step at which all were served; first: the next step; speed: throughput at the end, as a share of that at `whole`;
 *   undefined if the steps do not show where the server breaks
 */
function breakOf({ ramp, account, steady, heldOnly }) {
  if (ramp === undefined || account === undefined || heldOnly) return undefined;
  const steps = ramp.steps.map(({ open, unanswered, ...step }) => ({ ...step, served: open - unanswered }));
  const isWhole = (/** @type {Served} */ { served, requested }) => served >= requested;
  const at = steps.findIndex((step) => !isWhole(step));
  // where connections are closed and reopened, a slot is always between two of them
  const comeAndGo = steps.some(({ openedLastSecond }) => openedLastSecond !== undefined);
  if (comeAndGo || at < 1 || steps.slice(at).some(isWhole)) return undefined;
  if (account.served > (1 - UNSERVED) * account.requested) return undefined;
  const [whole, first] = [steps[at - 1], steps[at]];
  const speed = whole.perSecond && steady ? steady.perSecond / whole.perSecond : undefined;
  return {
    ...{ whole: whole.requested, first: { served: first.served, requested: first.requested } },
    ...{ end: { served: account.served, requested: account.requested }, ...present('speed', speed) },
  };
}

/** @param {number} [speed] @returns {string} such as ", at half the speed" */
function speedText(speed = 1) {
  if (speed >= SLOWER) return '';
  return `, at ${Math.abs(speed - 0.5) < 0.05 ? 'half' : `${percent(speed, 2)} of`} the speed`;
}

/** @param {string} start @param {NonNullable<ReturnType<typeof breakOf>>} broken @returns {string} */
function breakText(start, { whole, first, end, speed }) {
  const head = `${start}serves ${counted(whole, 'connection')}`;
  const last = `${count(end.requested)} it serves ${count(end.served)}${speedText(speed)}`;
  if (first.requested === end.requested) return `${head}; of ${last}`;
  return `${head}, and ${count(first.served)} of ${count(first.requested)}. Of ${last}`;
}

/** @param {Context} context @returns {Part[]} where servers break under a ramp, or how many connections they served */
function unservedParts(context) {
  const { summary, findingOf } = context;
  const group = findingOf('not-served');
  if (group === undefined) return [];
  const { rest, ...first } = group;
  const broken = [first, ...rest].flatMap((finding) => {
    const leg = summary.legs.find(({ id }) => id === finding.leg);
    const data = leg && breakOf(leg);
    return data ? [{ ...data, label: finding.label, finding, ...present('cause', finding.data.cause) }] : [];
  });
  if (broken.length < 1 + rest.length) return groupParts(context, group);
  const text = (/** @type {typeof broken[number]} */ data) =>
    `${breakText(startText(context, [data.label]), data)}${causeText(data)}`;
  return listed('breaks', 'problem', broken, text, ['not-served'], 'Not all connections were served by');
}

/** @param {Context} context @returns {Part[]} at most one: the knee of the only server, if every round has one */
function kneeParts({ summary: { legs }, cases }) {
  const ramps = legs.flatMap(({ complete, ramp }) => (complete && ramp?.knee ? { ...ramp, knee: ramp.knee } : []));
  if (cases.length !== 1 || ramps.length === 0 || ramps.length < legs.length) return [];
  const { steps, knee } = ramps.reduce((a, b) => (b.knee.requested > a.knee.requested ? b : a));
  const { requested } = knee;
  const best = steps.find(({ step }) => step === knee.best.step);
  if (knee.perSecond === undefined || best === undefined || !knee.why.includes('throughput')) return [];
  const data = { requested, perSecond: knee.perSecond, best: knee.best.perSecond, at: best.requested };
  const text = `From ${counted(requested, 'connection')} on the server is slower: ${percent(data.perSecond / data.best, 2)} of the throughput at ${count(best.requested)}`;
  return [part('knee', 'caution', data, text)];
}

/**
 * Leaves out servers that lost connections and opened them again: the failed requests say so already.
 * @param {Context} context @returns {Context}
 */
function withoutReopening(context) {
  const { summary, findingOf } = context;
  const isLasting = (/** @type {LegFinding} */ { leg: id }) =>
    summary.legs.find((leg) => leg.id === id)?.connections?.neverAnswered !== 0;
  const group = findingOf('not-served');
  const lasting = group === undefined ? [] : [group, ...group.rest].filter(isLasting);
  return {
    ...context,
    findingOf: (code) =>
      code !== 'not-served' ? findingOf(code) : lasting[0] && { ...lasting[0], rest: lasting.slice(1) },
  };
}

/**
 * @param {Summary} summary of a run @param {Case[]} cases
 * @returns {Part[]} what happened, the worst first; empty if nothing went wrong
 */
export function eventParts(summary, cases) {
  const findings = groupedFindings(summary);
  const context = {
    ...{ summary, cases, findings },
    findingOf: (/** @type {string} */ code) => findings.find((group) => group.code === code),
  };
  const failed = failedParts(context);
  const unsent = unsentParts(context);
  const stalls = stallParts(context);
  const late =
    summary.search || unsent.length + stalls.length > 0 ? [] : groupParts(context, context.findingOf('sent-late'));
  const unserved = unservedParts(failed.length > 0 ? withoutReopening(context) : context);
  const knee = summary.search || unserved.length > 0 ? [] : kneeParts(context);
  const isTold = failed.length + unserved.length > 0;
  const minor = isTold ? [] : MINOR.map((code) => groupParts(context, context.findingOf(code)));
  const events = [endParts(context), failed, unsent, stalls, late, unserved, ...minor, knee].filter(
    (parts) => parts.length > 0,
  );
  return [...interruptedParts(summary), ...events.slice(0, MAX.events).flat()];
}
