// What happened in a run, the worst first: a server crashed, requests failed, it answered nothing for a while, it did
// not serve all connections. Pure. The headline begins with it.

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

/** Limits of the headline: events, servers of an event, and kinds of failed replies. */
const MOST = { events: 2, servers: 3, kinds: 3 };
/**
 * The share of the requests due from which those that were never sent are an event: when the load ends, a few wait for
 * the next free connection.
 */
const MANY_UNSENT = 0.01;
/** Below this share failed requests are counted. */
const FEW_FAILED = 0.001;
/** A stall is an event from this time on, or from this share of the steady state on. */
const LONG_STALL = { ns: 1e9, share: 0.01, shareOfSeveral: 0.05 };
/** Up to this share of the connections left unserved at the end, a ramp has not come to where a server breaks. */
const UNSERVED = 0.01;
/** Below this share of the throughput a server is slower. */
const SLOWER = 0.9;
/** Signals by which others end a program. */
const KILLED_BY = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'];

/** @typedef {LegFinding & { rest: LegFinding[] }} Group  of one kind */

/** @param {string} start empty, or a name as it is written @param {string} text @returns {string} a sentence */
const startingWith = (start, text) => (start === '' ? `${text[0].toUpperCase()}${text.slice(1)}` : `${start}${text}`);

/** @param {string} text @returns {string} with a full stop */
const ended = (text) => (/[.!?…]$/.test(text) ? text : `${text}.`);

/**
 * @param {string} code @param {Part['severity']} severity @param {Data} data @param {string} text
 * @param {string[]} [tells]  codes of findings that need not be shown beside it
 * @returns {Part}
 */
export const part = (code, severity, data, text, tells = [code]) => ({
  ...{ code, severity, data, text: ended(text), tells },
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
 * @returns {string} such as "1 s, from 9.28 s on"; of a run that an older version made, without when
 */
const silenceText = ({ longestNs, longestAtNs }) =>
  `${duration(longestNs, 2)}${longestAtNs === undefined ? '' : `, from ${duration(longestAtNs)} on`}`;

/** @param {Data} data of stalls @returns {string} */
function stallText({ count: n, totalNs, ...longest }) {
  const others = n === 1 ? '' : `, and ${duration(totalNs, 2)} in all ${count(n)} stalls`;
  return `answered nothing for ${silenceText(longest)}${others}`;
}

/**
 * Findings that are events, the worst first: what follows the name of the server; after a colon, what needs none where
 * there is but one server.
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

/** Findings that the headline shows where no request failed and every connection was served. */
const MINOR = ['slow-connects', 'errors', 'rejects'];

/**
 * @typedef {object} Context
 * @property {Summary} summary
 * @property {Case[]} cases
 * @property {Group[]} findings
 * @property {(code: string) => Group | undefined} found
 */

/** @param {Context} context @param {string[]} names @returns {string} such as "The server ", "a and b: " */
function startText({ cases }, names, isClause = false) {
  if (cases.length === 1) return isClause ? '' : 'The server ';
  return `${namesText(names)}${isClause ? ': ' : ' '}`;
}

/** @param {LegFinding} finding @returns {LegFinding} without its rounds, where it was found in all of them */
const inEveryRound = (finding) => (finding.rounds.length === finding.of ? { ...finding, of: 1 } : finding);

/** @param {Context} context @param {Group} group @returns {string} sentences */
function groupText(context, group) {
  const clauseOf = CLAUSES[group.code] ?? (({ text }) => `: ${text}`);
  const { rest, ...first } = group;
  const [worst, ...others] = [first, ...rest].map(inEveryRound);
  return findingText(
    { ...worst, rest: others },
    (one) => clauseOf(CLAUSES[one.code] ? one.data : one),
    (names, text) => {
      const isClause = text.startsWith(': ');
      return startingWith(startText(context, names, isClause), isClause ? text.slice(2) : text);
    },
  );
}

/** @param {Context} context @param {Group | undefined} group @param {string[]} [tells] @returns {Part[]} one at most */
const groupParts = (context, group, tells) =>
  group === undefined ? [] : [part(group.code, group.severity, group, groupText(context, group), tells)];

/** @param {Context} context @returns {Part[]} servers that ended, or did not reach the planned end */
const endParts = (context) =>
  context.findings
    .filter((one) => isServerEnding(one) || one.code === 'did-not-run' || one.code === 'incomplete')
    // what the server wrote last is in the finding alone
    .flatMap((group) => groupParts(context, group, group.data.lastLines?.length > 0 ? [] : undefined));

/** @param {Summary} summary @returns {Part[]} one at most: how far a run came that did not end as planned */
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
 * @param {MeasuredLeg} leg @param {Figures} figures of it
 * @returns {boolean} whether what was in flight at the end was not awaited for as long as replies took
 */
const wasCutOff = ({ phases }, { responseTimeNs }) =>
  phases?.steadyToNs !== undefined && phases.endNs - phases.steadyToNs <= (responseTimeNs?.max ?? 0);

/**
 * The failures that the headline counts. Requests that were never sent have a sentence of their own; requests that were
 * in flight at the end and not awaited are left out.
 * @param {MeasuredLeg} leg @param {Figures} figures of it
 * @returns {ReturnType<typeof failuresOf>} of all requests
 */
function failuresIn(leg, figures) {
  const unfinished = wasCutOff(leg, figures) ? 0 : figures.unfinished;
  return { ...failuresOf({ ...figures, unfinished, unsent: 0 }), of: failuresOf(figures).of };
}

/**
 * Leaves out the requests that connections without service wait with: such connections are counted.
 * @param {Leg} leg @param {ReturnType<typeof failuresOf>} failures of it @returns {boolean} whether other requests
 *   failed
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
 * @returns {Measured} those that sent requests, and whose server did not end
 */
export const requestsIn = (legs) =>
  legs.flatMap((leg) => {
    const figures = figuresOf(leg);
    return isMeasured(leg) && figures && !leg.heldOnly && !hasEnded(leg) ? [{ leg, figures }] : [];
  });

/**
 * @template {{ share: number }} D
 * @param {Context} context
 * @param {(legs: Measured, shown: ShownCase) => D | undefined} dataOf  of a case, without its name; undefined: there is
 *   nothing to say
 * @returns {(D & { case: string, label: string })[]} the greatest share first
 */
function requestsOf({ summary: { legs, search }, cases }, dataOf) {
  if (search) return [];
  const found = cases.flatMap(({ id, label, legs: ids }) => {
    const own = legs.filter((leg) => ids.includes(leg.id));
    const measured = requestsIn(own);
    const data = measured.length === 0 ? undefined : dataOf(measured, shownCase(own));
    return data === undefined ? [] : [{ ...data, case: id, label }];
  });
  return found.sort((a, b) => b.share - a.share);
}

/** @param {Record<string, number>} kinds @returns {[string, number][]} several status codes of a class as that class */
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
    MOST.kinds,
  )}`;
}

const GOOD_RATE = /** @type {Figure} */ (figureOf('good rate'));

/** @param {Context} context @returns {Part[]} servers with failed requests */
function failedParts(context) {
  const found = requestsOf(context, (legs, shown) => {
    const failing = legs.map(({ leg, figures }) => ({ leg, ...failuresIn(leg, figures) }));
    if (!failing.some((one) => hasFailed(one.leg, one))) return undefined;
    const sum = (/** @type {'failed' | 'of' | 'noReply'} */ key) => failing.reduce((total, one) => total + one[key], 0);
    const kinds = failing.reduce((total, one) => sumEach(total, one.kinds), /** @type {Record<string, number>} */ ({}));
    const [failed, of] = [sum('failed'), sum('of')];
    const { value: good } = valueOf(GOOD_RATE, shown);
    return {
      ...{ share: failed / of, failed, of, noReply: sum('noReply'), kinds },
      ...(context.summary.config.loop === 'open' && typeof good === 'number' ? { goodPerSecond: good } : {}),
    };
  });
  const text = (/** @type {typeof found[number]} */ data) =>
    startingWith(startText(context, [data.label], true), failedText(data)) +
    (data.goodPerSecond === undefined ? '' : `; ${rate(data.goodPerSecond)} good replies`);
  return listed('requests-failed', 'problem', found, text, ['failed-replies'], 'Requests of');
}

/** @param {Context} context @returns {Part[]} servers to which many requests were never sent */
function unsentParts(context) {
  const found = requestsOf(context, (legs, shown) => {
    const sum = (/** @type {'unsent' | 'due'} */ key) =>
      legs.reduce((total, { figures }) => total + (figures[key] ?? 0), 0);
    const [unsent, of] = [sum('unsent'), sum('due')];
    if (unsent === 0 || unsent < MANY_UNSENT * of) return undefined;
    return { share: unsent / of, unsent, of, ...present('achieved', achievedRate(shown)?.text) };
  });
  const text = (/** @type {typeof found[number]} */ { label, achieved, unsent, of }) => {
    const never = `${count(unsent)} of ${counted(of, 'request')} ${unsent === 1 ? 'was' : 'were'} never sent, since no connection was free`;
    return achieved === undefined
      ? startingWith(startText(context, [label], true), never)
      : `${startText(context, [label])}answered ${achieved} requests/s; ${never}`;
  };
  return listed('requests-unsent', 'problem', found, text, ['sent-late'], 'The rate was too much for');
}

/**
 * @template {{ label: string }} D
 * @param {string} code @param {Part['severity']} severity @param {D[]} found of servers
 * @param {(data: D) => string} text @param {string[]} tells
 * @param {string} more  what begins the sentence of those that are not named
 * @returns {Part[]}
 */
function listed(code, severity, found, text, tells, more) {
  const left = found.length - MOST.servers;
  return [
    ...found.slice(0, MOST.servers).map((data) => part(code, severity, data, text(data), tells)),
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
 * @param {Summary} summary @param {LegFinding} stall for which waiting for a core may be the reason
 * @returns {boolean} whether it is an event: of several servers, it may be that of any
 */
export const isStallTold = (summary, stall) => summary.cases?.length === 1 && isLongStall(summary, stall);

/**
 * Where most of several servers stalled, it tells none from another, and is left to the list of findings.
 * @param {Context} context @returns {Part[]} one at most
 */
function stallParts(context) {
  const { summary, cases, found } = context;
  if (summary.search) return [];
  // a request that was late, or waited for a connection, did so because of it
  const tells = ['stalls', 'stalls-waiting', 'sent-late'];
  const [group, waiting] = [found('stalls'), found('stalls-waiting')];
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
 * @returns {{ whole: number, first: Served, end: Served, speed?: number } | undefined} whole: the most connections of
 *   which all were served; first: the step after that; speed: at the end, against that of the whole; undefined where
 *   steps do not tell
 */
function breakOf({ ramp, account, steady, heldOnly }) {
  if (ramp === undefined || account === undefined || heldOnly) return undefined;
  const steps = ramp.steps.map(({ open, unanswered, ...step }) => ({ ...step, served: open - unanswered }));
  const isWhole = (/** @type {Served} */ { served, requested }) => served >= requested;
  const at = steps.findIndex((step) => !isWhole(step));
  // where connections come and go, some are always between two of them
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

/** @param {Context} context @returns {Part[]} where servers break, if a ramp has told, or how many they served */
function unservedParts(context) {
  const { summary, found } = context;
  const group = found('not-served');
  if (group === undefined) return [];
  const { rest, ...first } = group;
  const broken = [first, ...rest].flatMap((one) => {
    const leg = summary.legs.find(({ id }) => id === one.leg);
    const data = leg && breakOf(leg);
    return data ? [{ ...data, label: one.label, finding: one, ...present('cause', one.data.cause) }] : [];
  });
  if (broken.length < 1 + rest.length) return groupParts(context, group);
  const text = (/** @type {typeof broken[number]} */ data) =>
    `${breakText(startText(context, [data.label]), data)}${causeText(data)}`;
  return listed('breaks', 'problem', broken, text, ['not-served'], 'Not all connections were served by');
}

/** @param {Context} context @returns {Part[]} one at most: from where on the only server is slower, in every round */
function kneeParts({ summary: { legs }, cases }) {
  const found = legs.flatMap(({ complete, ramp }) => (complete && ramp?.knee ? { ...ramp, knee: ramp.knee } : []));
  if (cases.length !== 1 || found.length === 0 || found.length < legs.length) return [];
  const { steps, knee } = found.reduce((a, b) => (b.knee.requested > a.knee.requested ? b : a));
  const { requested } = knee;
  const best = steps.find(({ step }) => step === knee.best.step);
  if (knee.perSecond === undefined || best === undefined || !knee.why.includes('throughput')) return [];
  const data = { requested, perSecond: knee.perSecond, best: knee.best.perSecond, at: best.requested };
  const text = `From ${counted(requested, 'connection')} on the server is slower: ${percent(data.perSecond / data.best, 2)} of the throughput at ${count(best.requested)}`;
  return [part('knee', 'caution', data, text)];
}

/**
 * Without servers that lost connections and opened them again: the failed requests say so already.
 * @param {Context} context @returns {Context}
 */
function withoutReopening(context) {
  const { summary, found } = context;
  const isLasting = (/** @type {LegFinding} */ { leg: id }) =>
    summary.legs.find((leg) => leg.id === id)?.connections?.neverAnswered !== 0;
  const group = found('not-served');
  const lasting = group === undefined ? [] : [group, ...group.rest].filter(isLasting);
  return {
    ...context,
    found: (code) => (code !== 'not-served' ? found(code) : lasting[0] && { ...lasting[0], rest: lasting.slice(1) }),
  };
}

/**
 * @param {Summary} summary of a run @param {Case[]} cases
 * @returns {Part[]} what happened, the worst first; none where everything went as it should
 */
export function eventParts(summary, cases) {
  const findings = groupedFindings(summary);
  const context = {
    ...{ summary, cases, findings },
    found: (/** @type {string} */ code) => findings.find((one) => one.code === code),
  };
  const failed = failedParts(context);
  const unsent = unsentParts(context);
  const stalls = stallParts(context);
  const late =
    summary.search || unsent.length + stalls.length > 0 ? [] : groupParts(context, context.found('sent-late'));
  const unserved = unservedParts(failed.length > 0 ? withoutReopening(context) : context);
  const knee = summary.search || unserved.length > 0 ? [] : kneeParts(context);
  const isTold = failed.length + unserved.length > 0;
  const minor = isTold ? [] : MINOR.map((code) => groupParts(context, context.found(code)));
  const events = [endParts(context), failed, unsent, stalls, late, unserved, ...minor, knee].filter(
    (parts) => parts.length > 0,
  );
  return [...interruptedParts(summary), ...events.slice(0, MOST.events).flat()];
}
