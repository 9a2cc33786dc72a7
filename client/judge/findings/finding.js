// What a reader of a leg's figures should know about them: one table of codes with severity, text and remedy. Pure.
// The one thing to know: code and tests use `code` and `data`; `text` and `remedy` are for people and may change.

import { count, counted, duration, percent, plain } from '../../words/format.js';
import { joinNames, timesText } from '../../words/lists.js';
import { quoteOccasion, quoteText } from '../../words/quotes.js';
import { partText } from '../../words/timestamps.js';

/**
 * @typedef {import('../../../config/types.js').Finding} Finding
 * @typedef {Finding['severity']} Severity
 */

/** The times after which a timer of the server goes off differ by this share at most. */
const TIMER_SPREAD = 0.25;

/** @type {Readonly<Record<string, string>>} */
const FIGURES = { perSecond: 'Throughput', p50Ns: 'The median response time' };

/** @param {number} share of the median, more than 1 where it fell fast @returns {string} such as "rose by 12 % of its median" */
const changed = (share) => `${share > 0 ? 'rose' : 'fell'} by ${percent(Math.abs(share), 2)} of its median`;

/** @param {[n: number, noun: string, what: string][]} parts @returns {string} such as "5 connects timed out", without parts of 0 */
const listed = (parts) =>
  parts
    .filter(([n]) => n > 0)
    .map(([n, noun, what]) => `${counted(n, noun)} ${what}`)
    .join(', ');

/**
 * @typedef {{ count: number, longestNs: number, totalNs: number, atNs: number[] }} Stalls  atNs: of the first, since the leg
 *   began
 * @param {Stalls} stalls @returns {string} such as "No reply on any connection for 1 s, once: 6 s after the start"
 */
const stallsText = ({ count: n, longestNs, atNs }) =>
  `No reply on any connection for ${n === 1 ? '' : 'up to '}${duration(longestNs, 2)}, ${timesText(n)}: ${atNs
    .map((ns) => duration(ns))
    .join(', ')}${n > atNs.length ? ', ...' : ''} after the start`;

/** @param {string} thread @param {import('./likely-limit.js').Use} use @returns {string} such as "the server's busiest thread was on a core 84 % of the time, and waited for one 9 %" */
const useText = (thread, { cpu, wait }) =>
  `${thread} was on a core ${percent(cpu, 2)} of the time, and waited for one ${percent(wait, 2)}`;

/** What limited a closed loop, by its cause. @type {Readonly<Record<import('./likely-limit.js').LikelyLimit['cause'], (limit: string) => string>>} */
const LIKELY = {
  local: () => 'the client, which had no port, descriptor or memory left for most of its connections',
  thread: (limit) => `the ${limit}, which had work for most of the time`,
  cores: () => 'the machine, since threads waited for a core longer than they were on one',
  turns: () => 'the number of connections: client and server worked in turn, each waiting for the other',
  replies: () =>
    'that the replies were late for another reason than CPU: the server, or the network, waited for a timer, a lock, a disk or another host',
};

/** @param {number | undefined} ns @param {number} [above] @returns {string} such as "15 ms", "> 3.4 s" */
const orAbove = (ns, above) => (ns === undefined ? `> ${duration(above)}` : duration(ns));

const table = {
  drift: {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {{ figure: string, change: number }} data */
    text: ({ figure, change }) =>
      `${FIGURES[figure]} ${changed(change)} during the steady state: the server had not settled, and the figures depend on when they were taken.`,
    remedy: 'Give a longer warmup or duration.',
  },
  'likely-limit': {
    severity: /** @type {Severity} */ ('note'),
    /** @param {import('./likely-limit.js').LikelyLimit} data */
    text: ({ limit, cause, client, server }) =>
      `No side was at its limit for half of the steady state. Most likely the limit was ${LIKELY[cause](limit)} (${[
        ...(server ? [useText("the server's busiest thread", server)] : []),
        useText("the client's busiest engine", client),
      ].join('; ')}).`,
    remedy: undefined,
  },
  'slices-dependent': {
    severity: /** @type {Severity} */ ('note'),
    /** @param {{ figure: string, correlation: number }} data */
    text: ({ correlation }) =>
      `Neighbouring seconds resemble each other (correlation ${plain(correlation, 2)}): there were slower and faster phases, so that this leg says less than its length suggests.`,
    remedy: 'Give a longer duration or more rounds.',
  },
  stalls: {
    severity: /** @type {Severity} */ ('problem'),
    /** @param {Stalls} data */
    text: (data) => `${stallsText(data)}.`,
    remedy: undefined,
  },
  'stalls-waiting': {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {Stalls} data */
    text: (data) =>
      `${stallsText(data)}; but the client or the server waited for a core most of that time, so the machine may be the reason.`,
    remedy: 'Measure on an idle machine, or give client and server cores of their own (pin).',
  },
  'sent-late': {
    severity: /** @type {Severity} */ ('problem'),
    /** @param {{ due: number, late: number, unsent: number, p99Ns?: number, p99AboveNs?: number, serviceP99Ns?: number,
     *   serviceP99AboveNs?: number }} data p99AboveNs, serviceP99AboveNs: too many have no reply for it to be known */
    text: ({ due, late, unsent, p99Ns, p99AboveNs, serviceP99Ns, serviceP99AboveNs }) => {
      const [response, service] = [orAbove(p99Ns, p99AboveNs), orAbove(serviceP99Ns, serviceP99AboveNs)];
      const why =
        serviceP99Ns === undefined
          ? `the p99 response time is ${response}; from sent to answered it is ${service}`
          : `most of the p99 response time (${response}) is that wait; from sent to answered it is ${service}`;
      return `${listed([
        [late, 'request', 'sent late'],
        [unsent, 'request', 'never sent'],
      ])} of ${count(due)} that were due, because no connection was free: ${why}.`;
    },
    remedy:
      'The server stalls or cannot keep up: lower the rate, or give more connections if it can answer more at once.',
  },
  'slices-short': {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {{ late: number, share: number, lengthNs: number, settleNs: number }} data */
    text: ({ share, settleNs }) =>
      `${percent(share, 2)} of the replies came in the slices of other servers: those in flight at the end of a slice are awaited for ${duration(settleNs)}. The servers disturbed each other.`,
    remedy: 'Give longer slices (--interleave), or measure one server after the other (--interleave off).',
  },
  'slices-apart': {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {{ errorNs: number, settleNs: number }} data errorNs: of the clock of an agent, with its drift */
    text: ({ errorNs, settleNs }) =>
      `The clocks of the agents were off by up to ${duration(errorNs)}, and slices are only ${duration(settleNs)} apart: several servers may have been loaded at a time.`,
    remedy: 'Synchronise the clocks of the agents better, or give longer slices (--interleave) or a shorter duration.',
  },
  'unloaded-work': {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {{ cores: number, unloadedSeconds: number, loadedSeconds: number }} data CPU seconds of the steady state, outside of the
     *   slices of the server and in them; cores: that it kept busy outside */
    text: ({ cores, unloadedSeconds, loadedSeconds }) =>
      `The server also worked while other servers were loaded: it kept ${percent(cores, 2)} of a core busy, and used ${plain(unloadedSeconds, 2)} s of CPU time so, beside ${plain(loadedSeconds, 2)} s in its own slices. Its CPU per transfer includes both, and where there are too few cores it slowed the others.`,
    remedy: 'Give the servers CPUs of their own (pin), or measure one after the other (--interleave off).',
  },
  'descriptor-limit': {
    severity: /** @type {Severity} */ ('problem'),
    /** @param {{ limit: number, hardLimit?: number, peakUsed: number, fullProcesses: number, reached: boolean, failed: number,
     *   served?: number, requested?: number }} data reached: false if the server stopped accepting before its limit; failed:
     *   connections that were rejected, lost or had no answer */
    text: ({ limit, peakUsed, fullProcesses, reached, served, requested, failed }) =>
      `${
        reached
          ? `The server's limit of ${count(limit)} descriptors was reached`
          : `The server used ${count(peakUsed)} of its ${count(limit)} descriptors, and no more`
      }${fullProcesses > 1 ? ` in ${count(fullProcesses)} of its processes` : ''}: ${
        served === undefined
          ? `${count(failed)} connections failed or had no answer`
          : `${count(served)} of ${count(requested)} connections were served`
      }.`,
    remedy:
      'Raise its hard limit where the server is started: /etc/security/limits.conf, LimitNOFILE= of its systemd unit, or ' +
      '--ulimit nofile= of its container.',
  },
  'connection-limit': {
    severity: /** @type {Severity} */ ('problem'),
    /** @param {{ served: number, requested: number, closed: number, neverAnswered: number, said?: string }} data served: the most at a time;
     *   closed: how often the server closed, reset or refused to greet a connection; neverAnswered: slots that never had a reply;
     *   said: by what the server names its limit */
    text: ({ served, requested, closed, neverAnswered, said }) =>
      said !== undefined
        ? `The server has a limit of connections, and says so: ${said}. It closed connections ${timesText(closed)}; ${counted(requested, 'connection')} were requested.`
        : `The server never served more than ${count(served)} of ${counted(requested, 'connection')} at once: it closed connections ${timesText(closed)}, ` +
          `and ${count(neverAnswered)} never had a reply, however often they were opened again. It may have a limit of connections.`,
    remedy: "Raise the limit in the server's settings, or measure with as many connections as it takes.",
  },
  'idle-closed': {
    severity: /** @type {Severity} */ ('problem'),
    /** @param {{ count: number, minNs: number, p50Ns: number, maxNs: number }} data count: of connections; the times: for how long they
     *   had awaited no reply */
    text: ({ count: n, minNs, p50Ns, maxNs }) =>
      maxNs - minNs <= TIMER_SPREAD * p50Ns
        ? `The server closes connections that are idle for ${duration(p50Ns, 2)}: it closed ${count(n)}.`
        : `The server closed ${counted(n, 'connection')} that had been idle for ${duration(minNs, 2)} to ${duration(maxNs, 2)} (median ${duration(p50Ns, 2)}).`,
    remedy:
      "Raise the idle timeout (keep-alive timeout) in the server's settings, or use each connection more often: a shorter pause, " +
      'a --heartbeat, a higher rate, or fewer connections.',
  },
  'server-said': {
    severity: /** @type {Severity} */ ('note'),
    /** @param {{ quotes: import('../../../config/types.js').Quote[] }} data */
    text: ({ quotes }) =>
      `What the server said first: ${quotes.map((one) => `${quoteOccasion(one)}, ${quoteText(one)}`).join('; ')}.`,
    remedy: undefined,
  },
  'backlog-full': {
    severity: /** @type {Severity} */ ('problem'),
    /** @param {{ sockets: number, backlog: number, peakQueue: number, drops: number, synCookies?: number, delayed: number, timedOut: number,
     *   connecting: number, unanswered: number }} data drops: SYNs and handshakes; of connections: delayed: that waited for another
     *   SYN; timedOut; connecting, unanswered: at the end */
    text: ({ sockets, backlog, synCookies, delayed, timedOut, connecting, unanswered }) =>
      `${sockets > 1 ? `An accept queue of the server's ${count(sockets)} sockets` : "The server's accept queue"} (of ${counted(backlog, 'connection')}) was full: ${listed(
        [
          [delayed, 'connect', 'took 1 s or more'],
          [timedOut, 'connect', 'timed out'],
          [connecting, 'connect', `${connecting === 1 ? 'was' : 'were'} in progress at the end`],
          [unanswered, 'open connection', `${unanswered === 1 ? 'was' : 'were'} unanswered at the end`],
        ],
      )}.${
        synCookies === undefined
          ? ''
          : ` The kernel also sent ${counted(synCookies, 'SYN cookie')}: with one, a connection is open at the client while the server's ` +
            'kernel has no place for it, so that more can be open and unanswered than the queue holds.'
      }`,
    remedy:
      'Make the server accept faster, or lengthen the queue: its length is the backlog that the server passes to listen(), at most net.core.somaxconn.',
  },
  'client-delay': {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {{ parts: (import('../../measure/timestamps.js').ClientPart & { percentile: string })[], sendDelayNs: number, receiveDelayNs: number,
     *   networkAndServerNs: number, sampled: number }} data the delays are medians */
    text: ({ parts, sendDelayNs, receiveDelayNs, networkAndServerNs, sampled }) =>
      `Of ${counted(sampled, 'transfer')} with kernel timestamps, the client itself caused ${joinNames(
        parts.map((part) => partText(part.percentile, part)),
      )}: a request waited ${duration(sendDelayNs)} until it was sent, network and server took ` +
      `${duration(networkAndServerNs)}, and the reply waited ${duration(receiveDelayNs)} until the client read it (medians).`,
    remedy:
      'To compare servers, use the server CPU per transfer, or response times at a --rate below what each of them can do. To make the ' +
      'client faster, give it fewer connections per worker, more workers, CPUs of its own (pin), or a host of its own.',
  },
  'arrivals-distorted': {
    severity: /** @type {Severity} */ ('caution'),
    /** @param {import('./arrivals.js').Arrivals & { lateShare: number }} data lateShare: of the requests that were sent, those that waited for a connection */
    text: ({ distribution, distance, delayNs, lateShare }) =>
      `Requests were not sent on schedule: ${
        distribution === 'poisson'
          ? `the times between them differ from a Poisson process (by ${percent(distance, 2)}, Kolmogorov-Smirnov)`
          : `${percent(distance, 2)} of the times between them were more than half too long or too short`
      }; they were sent ${duration(delayNs)} late on average, ${lateShare === 0 ? 'none' : percent(lateShare, 2)} of them because no connection was free.`,
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
        ? `Every reply was ${all}: the response times are those of such replies.`
        : `${counted(n, 'reply', 'replies')} (${percent(share, 2)}) ${n === 1 ? 'was' : 'were'} not as requested (${each.join(', ')}); the response times include them.`;
    },
    remedy: 'Check what is requested (path, method, headers, key), and the log of the server.',
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
  return { code, severity, data, text: said, ...(remedy === undefined ? {} : { remedy }) };
}
