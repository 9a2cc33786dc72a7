// What a reader of a leg's figures should know about them: one table of codes with severity, text and remedy. Pure.
// Code and tests use `code` and `data`; `text` and `remedy` are for people and may change. A text is a clause without a
// full stop.

import { causeName } from '../../words/causes.js';
import { count, counted, duration, percent, plain } from '../../words/format.js';
import { joinNames, shortened, timesText } from '../../words/lists.js';
import { quoteOccasion, quoteText } from '../../words/quotes.js';

/**
 * @import { ClientPart, Finding, Quote } from '../../../config/types.js'
 * @import { ConnectDelays } from '../connect-delays.js'
 * @import { Arrivals } from './arrivals.js'
 * @import { FewInFlight } from './in-flight.js'
 * @import { LikelyLimit } from './likely-limit.js'
 * @import { Cause, CauseCode } from './outcome.js'
 */

/**
 * @typedef {Finding['severity']} Severity
 */

/** The times after which a timer of the server goes off differ by this share at most. */
const TIMER_SPREAD = 0.25;

/** Characters of the target of a redirect. */
const MAX_TARGET = 48;

/** @type {Readonly<Record<string, string>>} */
const FIGURES = { perSecond: 'throughput', p50Ns: 'the median response time' };

/** @param {number} share of what it was at first @returns {string} such as "rose by 12 %" */
const changed = (share) => `${share > 0 ? 'rose' : 'fell'} by ${percent(Math.abs(share), 2)}`;

/**
 * @param {[n: number, noun: string, what: string][]} parts
 * @returns {string} such as "5 connects timed out", without parts of 0
 */
const listed = (parts) =>
  parts
    .filter(([n]) => n > 0)
    .map(([n, noun, what]) => `${counted(n, noun)} ${what}`)
    .join(', ');

/**
 * @typedef {{ count: number, longestNs: number, totalNs: number, atNs: number[] }} Stalls  atNs: of the first, since
 *   the leg began
 * @param {Stalls} stalls @returns {string} such as "no reply at all for 1 s, once: 6 s after the start"
 */
const stallsText = ({ count: n, longestNs, atNs }) =>
  `no reply at all for ${n === 1 ? '' : 'up to '}${duration(longestNs, 2)}, ${timesText(n)}: ${atNs
    .map((ns) => duration(ns))
    .join(', ')}${n > atNs.length ? ', ...' : ''} after the start`;

/**
 * What limited a closed loop, by its cause.
 * @type {Readonly<Record<LikelyLimit['cause'], (limit: string) => string>>}
 */
const LIKELY = {
  local: () => 'most likely the limit was the client: it had no port, descriptor or memory left',
  thread: (limit) => `most likely the limit was the ${limit}: it had work most of the time`,
  cores: () => 'most likely the limit was the machine: threads waited for a core longer than they ran',
  turns: () => 'most likely the limit was the number of connections: client and server worked in turn',
  replies: () => 'most likely the limit was a wait: for a timer, a lock, a disk or another host',
  unmeasured: () => "the limit is not known, since the server's CPU was not measured",
};

/** @param {number | undefined} ns @param {number} [above] @returns {string} such as "15 ms", "> 3.4 s" */
const orAbove = (ns, above) => (ns === undefined ? `> ${duration(above)}` : duration(ns));

/** @type {Readonly<Record<CauseCode, (cause: Cause) => string>>} */
const CAUSES = {
  descriptors: ({ limit }) => `its ${count(limit)} descriptors were used up`,
  places: ({ places }) => `it ${places}`,
  'accept-queue': ({ limit }) => `its accept queue of ${count(limit)} was full`,
  'no-answer': () => 'the SYNs were not answered',
};

/** @typedef {{ cause?: Cause }} Caused */

/** @param {Caused} data @returns {string} such as "; its accept queue of 128 was full" */
const causeText = ({ cause }) => (cause ? `; ${CAUSES[cause.code](cause)}` : '');

/** Causes of failures that a sentence names. */
const MOST_CAUSES = 2;

/**
 * @param {Record<string, number>} causes
 * @returns {string} the most frequent, such as "refused 30, timeout 8"; of one, its name
 */
function causesText(causes) {
  const sorted = Object.entries(causes)
    .sort(([, a], [, b]) => b - a)
    .map(([name, n]) => [causeName(name).replace(/ \(.*/, ''), count(n)]);
  if (sorted.length === 1) return sorted[0][0];
  const named = sorted.slice(0, MOST_CAUSES).map((one) => one.join(' '));
  return `${named.join(', ')}${sorted.length > MOST_CAUSES ? ' and others' : ''}`;
}

/** @param {Caused} data @returns {string | undefined} what to do about the limit that is the cause */
const causeRemedy = ({ cause }) =>
  cause?.code === 'descriptors'
    ? table['descriptor-limit'].remedy
    : cause?.code === 'accept-queue'
      ? table['backlog-full'].remedy
      : undefined;

const table = {
  'did-not-run': {
    severity: /** @type {Severity} */ ('problem'),
    /** @param {{ endedBy: string, reason: string }} data */
    text: ({ reason }) => `did not run: ${reason}`,
    remedy: undefined,
  },
  incomplete: {
    severity: /** @type {Severity} */ ('problem'),
    /**
     * @param {{ endedBy: string, reason: string } | { endedBy: string, total: number, causes: Record<string, number> }}
     *   data total: of the rejects, where no connection was opened
     */
    text: (data) =>
      'reason' in data
        ? `incomplete: ${data.reason}`
        : `no connection was opened, ${counted(data.total, 'attempt')} rejected: ${causesText(data.causes)}`,
    remedy: undefined,
  },
  'not-served': {
    severity: /** @type {Severity} */ ('problem'),
    /**
     * @param {{ left: number, requested: number, parts: Record<string, number>, heldOnly?: boolean, awaitReopening?:
     *   boolean, waitedNs?: number } & Caused} data awaitReopening: all had replies before; waitedNs: the longest that
     *   a request on them had waited
     */
    text: (data) =>
      `${count(data.left)} of ${counted(data.requested, 'connection')} were ${
        data.awaitReopening ? 'lost, and to be opened again, at the end' : `not ${data.heldOnly ? 'held' : 'served'}`
      }${causeText(data)}${
        data.waitedNs === undefined ? '' : `; requests on them waited for up to ${duration(data.waitedNs)}`
      }`,
    remedy: causeRemedy,
  },
  'slow-connects': {
    severity: /** @type {Severity} */ ('problem'),
    /** @param {ConnectDelays & Caused} data */
    text: (data) =>
      `${count(data.slow)} of ${counted(data.of, 'connect')} took ${duration(data.atNs)} or longer${causeText(data)}`,
    remedy: causeRemedy,
  },
  errors: {
    severity: /** @type {Severity} */ ('problem'),
    /** @param {{ total: number, causes: Record<string, number> } & Caused} data */
    text: (data) => `${counted(data.total, 'error')} on open connections: ${causesText(data.causes)}${causeText(data)}`,
    remedy: causeRemedy,
  },
  rejects: {
    severity: /** @type {Severity} */ ('problem'),
    /** @param {{ total: number, causes: Record<string, number> } & Caused} data */
    text: (data) => `${counted(data.total, 'attempt')} rejected: ${causesText(data.causes)}${causeText(data)}`,
    remedy: causeRemedy,
  },
  'client-limit': {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {{}} _data */
    text: (_data) => 'the client was the limit, so the server may do more',
    remedy: 'Give the client more workers or CPUs of its own (pin), or measure from several hosts (--agents).',
  },
  drift: {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {{ figure: string, change: number }} data */
    text: ({ figure, change }) =>
      `${FIGURES[figure]} ${changed(change)} during the steady state: the server had not settled`,
    remedy: 'Give a longer warmup or duration.',
  },
  'likely-limit': {
    severity: /** @type {Severity} */ ('note'),
    /** @param {LikelyLimit} data */
    text: ({ limit, cause, client, server }) =>
      `${LIKELY[cause](limit)} (CPU: ${[
        ...(server ? [`server ${percent(server.cpu, 2)}`] : []),
        `client ${percent(client.cpu, 2)}`,
      ].join(', ')})`,
    /** @param {LikelyLimit} data */
    remedy: ({ cause }) =>
      cause === 'unmeasured' ? 'If it is a target that runs on this machine, give --serverPid.' : undefined,
  },
  'slices-dependent': {
    severity: /** @type {Severity} */ ('note'),
    /** @param {{ figure: string, correlation: number }} data */
    text: ({ correlation }) =>
      `there were slower and faster phases (neighbouring seconds correlate by ${plain(correlation, 2)}): the leg says less than its length`,
    remedy: 'Give a longer duration or more rounds.',
  },
  stalls: {
    severity: /** @type {Severity} */ ('problem'),
    /** @param {Stalls} data */
    text: stallsText,
    remedy: undefined,
  },
  'stalls-waiting': {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {Stalls} data */
    text: (data) => `${stallsText(data)}; threads waited for a core`,
    remedy: 'Measure on an idle machine, or give client and server cores of their own (pin).',
  },
  'sent-late': {
    severity: /** @type {Severity} */ ('problem'),
    /** @param {{ due: number, late: number, unsent: number, p99Ns?: number, p99AboveNs?: number, serviceP99Ns?: number,
     *   serviceP99AboveNs?: number }} data p99AboveNs, serviceP99AboveNs: too many have no reply for it to be known */
    text: ({ due, late, unsent, p99Ns, p99AboveNs, serviceP99Ns, serviceP99AboveNs }) => {
      const [response, service] = [orAbove(p99Ns, p99AboveNs), orAbove(serviceP99Ns, serviceP99AboveNs)];
      const requests = listed([
        [late, 'request', 'late'],
        [unsent, 'request', 'unsent'],
      ]);
      return `${requests} of ${count(due)}: no connection was free; p99 ${response}, service time ${service}`;
    },
    remedy:
      'The server stalls or cannot keep up: lower the rate, or give more connections if it can answer more at once.',
  },
  'slices-short': {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {{ late: number, share: number, lengthNs: number, settleOutNs: number }} data */
    text: ({ share, settleOutNs }) =>
      `${percent(share, 2)} of the replies came in the slices of other servers: replies are awaited for ${duration(settleOutNs)}`,
    remedy: 'Give longer slices (--interleave), or measure one server after the other (--interleave off).',
  },
  'slices-apart': {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {{ errorNs: number, settleOutNs: number }} data errorNs: of the clock of an agent, with its drift */
    text: ({ errorNs, settleOutNs }) =>
      `clocks of agents were off by up to ${duration(errorNs)}, slices are ${duration(settleOutNs)} apart: servers may have been loaded together`,
    remedy: 'Synchronise the clocks of the agents better, or give longer slices (--interleave) or a shorter duration.',
  },
  'unloaded-work': {
    severity: /** @type {Severity} */ ('caution'),
    /**
     * @param {{ cores: number, unloadedSeconds: number, loadedSeconds: number }} data CPU seconds of the steady state,
     *   outside of the slices of the server and in them; cores: that it kept busy outside
     */
    text: ({ cores }) =>
      `the server also used ${percent(cores, 2)} of a core while others were loaded; its CPU per transfer includes that`,
    remedy: 'Give the servers CPUs of their own (pin), or measure one after the other (--interleave off).',
  },
  'closed-in-pause': {
    severity: /** @type {Severity} */ ('note'),
    /** @param {{ count: number }} data connections */
    text: ({ count: n }) =>
      `the server closed ${counted(n, 'connection')} while others were loaded: opened again, and not counted as errors`,
    remedy: "Raise the idle timeout (keep-alive timeout) in the server's settings, or give fewer --starts.",
  },
  'few-in-flight': {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {FewInFlight} data */
    text: ({ inFlight, connections, why, waiting, lost, lengthNs, gapNs }) => {
      const reason = {
        unanswered: () => `${counted(waiting ?? 0, 'connection')} had no reply`,
        lost: () => `connections were lost ${timesText(lost ?? 0)}, and opened again after a pause`,
        slices: () => `a slice of ${duration(lengthNs)} is too short for the loop`,
        client: () => `the client took ${duration(gapNs)} from a reply to the next request`,
      }[why]();
      return `on average ${count(Math.round(inFlight))} of ${count(connections)} connections had a request in flight that was answered: ${reason}`;
    },
    remedy: (/** @type {FewInFlight} */ { why }) =>
      ({
        unanswered: undefined,
        lost: undefined,
        slices: 'Leave --interleave out, or measure one server after the other (--interleave off).',
        client: 'Give the client CPUs of its own (pin), or measure on a machine with more of them.',
      })[why],
  },
  'descriptor-limit': {
    severity: /** @type {Severity} */ ('problem'),
    /**
     * @param {{ limit: number, hardLimit?: number, peakUsed: number, fullProcesses: number, reached: boolean, failed:
     *   number, served?: number, requested?: number }} data reached: false if the server stopped accepting before its
     *   limit; failed: connections that were rejected, lost or had no answer
     */
    text: ({ limit, peakUsed, fullProcesses, reached, served, requested, failed }) =>
      `${
        reached
          ? `the server's limit of ${count(limit)} descriptors was reached`
          : `the server used ${count(peakUsed)} of its ${count(limit)} descriptors, and no more`
      }${fullProcesses > 1 ? ` in ${count(fullProcesses)} of its processes` : ''}: ${
        served === undefined
          ? `${count(failed)} connections failed or had no answer`
          : `${count(served)} of ${count(requested)} connections were served`
      }`,
    remedy:
      'Raise its hard limit where the server is started: /etc/security/limits.conf, LimitNOFILE= of its systemd unit, or ' +
      '--ulimit nofile= of its container.',
  },
  'connection-limit': {
    severity: /** @type {Severity} */ ('problem'),
    /**
     * @param {{ served: number, requested: number, closed: number, neverAnswered: number, said?: string }} data served:
     *   the most at a time; closed: how often the server closed, reset or refused to greet a connection; neverAnswered:
     *   slots that never had a reply; said: by what the server names its limit
     */
    text: ({ served, requested, closed, neverAnswered, said }) =>
      said !== undefined
        ? `the server has a limit of connections: ${said}; it closed connections ${timesText(closed)}`
        : `at most ${count(served)} of ${counted(requested, 'connection')} were served at once; the server closed some ${timesText(closed)}, ${count(neverAnswered)} had no reply`,
    remedy: "Raise the limit in the server's settings, or measure with as many connections as it takes.",
  },
  'idle-closed': {
    severity: /** @type {Severity} */ ('problem'),
    /**
     * @param {{ count: number, minNs: number, p50Ns: number, maxNs: number }} data count: of connections; the times:
     *   for how long they had awaited no reply
     */
    text: ({ count: n, minNs, p50Ns, maxNs }) =>
      maxNs - minNs <= TIMER_SPREAD * p50Ns
        ? `the server closes connections that are idle for ${duration(p50Ns, 2)}: it closed ${count(n)}`
        : `the server closed ${counted(n, 'connection')} that had been idle for ${duration(minNs, 2)} to ${duration(maxNs, 2)} (median ${duration(p50Ns, 2)})`,
    remedy:
      "Raise the idle timeout (keep-alive timeout) in the server's settings, or use each connection more often: a shorter pause, " +
      'a --heartbeat, a higher rate, or fewer connections.',
  },
  'server-said': {
    severity: /** @type {Severity} */ ('note'),
    /** @param {{ quotes: Quote[] }} data */
    text: ({ quotes }) =>
      `what the server said first: ${quotes.map((one) => `${quoteOccasion(one)}, ${quoteText(one)}`).join('; ')}`,
    remedy: undefined,
  },
  'backlog-full': {
    severity: /** @type {Severity} */ ('problem'),
    /**
     * @param {{ sockets: number, backlog: number, peakQueue: number, drops: number, delayed: number, timedOut: number,
     *   connecting: number, unanswered: number }} data drops: SYNs and handshakes; of connections: delayed: that waited
     *   for another SYN; timedOut; connecting, unanswered: at the end
     */
    text: ({ sockets, backlog, delayed, timedOut, connecting, unanswered }) =>
      `${sockets > 1 ? 'an accept queue' : 'the accept queue'} (of ${count(backlog)}) was full: ${[
        ...(delayed > 0 ? [`${counted(delayed, 'connect')} took 1 s`] : []),
        ...(timedOut > 0 ? [`${count(timedOut)} timed out`] : []),
        ...(connecting > 0 ? [`${count(connecting)} in progress`] : []),
        ...(unanswered > 0 ? [`${count(unanswered)} unanswered`] : []),
      ].join(', ')}`,
    remedy:
      'Make the server accept faster, or lengthen the queue: its length is the backlog that the server passes to listen(), at most net.core.somaxconn.',
  },
  'client-delay': {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {{ parts: (ClientPart & { percentile: string })[], sendDelayNs: number, receiveDelayNs: number,
     *   networkAndServerNs: number, sampled: number }} data the delays are medians */
    text: ({ parts, sampled }) =>
      `the client caused ${joinNames(parts.map(({ percentile, share }) => `${percent(share, 2)} of the ${percentile} response time`))}, by kernel timestamps of ${counted(sampled, 'transfer')}`,
    remedy:
      'Compare by server CPU per transfer, or at a --rate below what each server can do; or give the client more workers, or CPUs of its own (pin).',
  },
  'arrivals-distorted': {
    severity: /** @type {Severity} */ ('caution'),
    /**
     * @param {Arrivals & { lateShare: number }} data lateShare: of the requests that were sent, those that waited for a
     *   connection
     */
    text: ({ delayNs, lateShare }) =>
      `requests were not sent on schedule: ${duration(delayNs)} late on average; ${lateShare === 0 ? 'none' : percent(lateShare, 2)} waited for a connection`,
    remedy:
      'Lower the rate; if many requests waited for a connection, give more connections, otherwise more workers or CPU.',
  },
  'unwanted-replies': {
    severity: /** @type {Severity} */ ('problem'),
    /** @param {{ count: number, share: number, kinds: Record<string, number> }} data */
    text: ({ count: n, share, kinds }) => {
      const each = Object.entries(kinds).map(([kind, of]) => `${kind} ${count(of)}`);
      const all = each.length === 1 ? Object.keys(kinds)[0] : each.join(', ');
      return share === 1
        ? `every reply was ${all}`
        : `${counted(n, 'reply', 'replies')} (${percent(share, 2)}) ${n === 1 ? 'was' : 'were'} not as requested: ${each.join(', ')}`;
    },
    remedy:
      'Check what is requested (path, method, headers, key), and the log of the server. A status that is right is given as http.expect.',
  },
  redirects: {
    severity: /** @type {Severity} */ ('caution'),
    /**
     * @param {{ share: number, target?: string }} data  target: of the first one; absent: it named none, or came in
     *   parts
     */
    text: ({ share, target }) => {
      const what =
        share === 1 ? 'every reply was a redirect (3xx)' : `${percent(share, 2)} of the replies were redirects (3xx)`;
      return `${what}, not followed${target === undefined ? '' : `, the first to ${shortened(target, MAX_TARGET)}`}`;
    },
    remedy: 'Give the URL that they lead to; --debug shows it in the header Location.',
  },
};

/** @typedef {keyof typeof table} FindingCode */

/**
 * @template {FindingCode} Code
 * @param {Code} code @param {Parameters<(typeof table)[Code]['text']>[0]} data
 * @returns {Finding}
 */
export function finding(code, data) {
  const { severity, text, remedy } = table[code];
  const said = /** @type {(data: any) => string} */ (text)(data);
  const advice =
    typeof remedy === 'function' ? /** @type {(data: any) => string | undefined} */ (remedy)(data) : remedy;
  return { code, severity, data, text: said, ...(advice === undefined ? {} : { remedy: advice }) };
}
