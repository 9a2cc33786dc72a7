// The table of all warnings of a run and of all reasons for an incomplete leg; a room has a table of its own. Code and
// tests use `code` and `data`; `text` and `remedy` are for people and may change at any time. Console and page print
// the text that the run has written.

import { clock, count, counted, duration, payload, percent } from './format.js';
import { listNames, listParts, shortened } from './lists.js';
import { tlsFailureRemedy, tlsFailureText } from './tls-failure.js';

/**
 * @import { Warning } from '../../config/types.js'
 * @import { Stopped } from '../measure/leg-summary.js'
 * @import { TlsFailure } from './tls-failure.js'
 */

/**
 * @typedef {{ connections: number, connectRate: number | null }} Load
 */

/**
 * @template Data
 * @typedef {{ severity?: Warning['severity'], text: (data: Data) => string,
 *   remedy?: string | ((data: Data) => string | undefined) }} Row
 */

/** Longest text: one line of a console. */
const MAX_CHARACTERS = 120;

/** A worker may lack the memory or the time to make a payload above this size. */
const LARGE_PAYLOAD_BYTES = 64 * 1024 ** 2;

/**
 * @param {Load} load
 * @param {Load} [requested]  if given, the text has a connect rate only if the two differ
 * @returns {string} such as `500 connections, at most 40 connects/s`
 */
export function formatLoad({ connections, connectRate }, requested) {
  const rate =
    connectRate === null || connectRate === requested?.connectRate ? '' : `, at most ${count(connectRate)} connects/s`;
  return `${counted(connections, 'connection')}${rate}`;
}

/** @param {string} reason of a failed write: an errno code, `behind`, or a message @returns {string} */
const diskReason = (reason) =>
  reason === 'ENOSPC' ? 'the disk is full' : reason === 'behind' ? 'the disk could not keep up' : reason;

/** Spans named in a sentence. */
const MAX_SPANS = 5;

/** @param {{ fromNs: number, toNs: number }[]} spans since the start of the leg @returns {string} */
const spansText = (spans) =>
  listParts(
    spans.map(({ fromNs, toNs }) => `${clock(fromNs / 1e9)} to ${clock(toNs / 1e9)}`),
    MAX_SPANS,
  );

/** @param {{ instance?: number }} data @returns {string} "the server", or "instance 2 of the server" */
export const serverText = ({ instance }) =>
  instance === undefined ? 'the server' : `instance ${instance} of the server`;

/**
 * @param {string} text
 * @param {string[]} lines of the server's stderr
 * @returns {string} the text with as many of the last lines as have room
 */
function withLastLines(text, lines) {
  const withLines = (/** @type {number} */ n) => `${text}; it wrote: ${lines.slice(-n).join(' | ')}`;
  let n = Math.min(1, lines.length);
  while (n < lines.length && withLines(n + 1).length <= MAX_CHARACTERS) n += 1;
  return n === 0 ? text : withLines(n);
}

/** @param {string | null} [remedy] of a server that is not available @returns {string | undefined} */
const helpText = (remedy) => (remedy ? `What helps: ${remedy}.` : undefined);

const IN_EVENTS = 'Its output is in events.ndjson.';

/** @type {'problem'} */
const PROBLEM = 'problem';
/** @type {'note'} */
const NOTE = 'note';

/**
 * A text is a clause without a full stop, a remedy is a sentence. The default of severity is caution.
 */
const table = {
  // of the plan
  'connect-rate-below-ramp': {
    /**
     * @param {{ connectRate: number, byRampEnd: number, connections: number, rampNs: number, neededNs: number }} data
     */
    text: ({ connectRate, byRampEnd, connections, rampNs, neededNs }) =>
      `connectRate: ${connectRate}/s opens about ${count(byRampEnd)} of ${counted(connections, 'connection')} in the ramp ` +
      `(${duration(rampNs)}); all take ${duration(neededNs)}`,
    remedy: 'Give a higher connectRate or a longer ramp.',
  },
  'not-interleaved': {
    severity: NOTE,
    /** @param {{ reason: string, why: string, at: string[] }} data */
    text: ({ at }) =>
      `interleave${at.length === 0 ? '' : ` (${listNames(at)})`}: the legs are measured one after the other`,
    /** @param {{ why: string }} data */
    remedy: ({ why }) => `Why: ${why}.`,
  },
  'nothing-to-compare-at': {
    /** @param {{ at: string | null }} data */
    text: ({ at }) =>
      `compareAt: no response times at the same rate${at === null ? '' : ` at ${at}`}: fewer than two servers served all connections`,
  },
  'conditions-undecided': {
    /** @param {{ conditions: string[], rounds: number }} data */
    text: ({ conditions, rounds }) =>
      `undecided with ${counted(rounds, 'round')} of legs one after the other: ${conditions.join('; ')}`,
    remedy: 'An interval needs three rounds: give --rounds 5.',
  },
  'profile-cut-short': {
    /** @param {{ key: string, profileNs: number, durationNs: number }} data */
    text: ({ key, profileNs, durationNs }) =>
      `${key}: the profile lasts ${duration(profileNs)}, but the steady state ends after ${duration(durationNs)}`,
    remedy: 'Leave duration out to run the whole profile.',
  },
  'pin-overlap': {
    /** @param {{ cpus: number[], client: string | null, server: string | null }} data */
    text: ({ cpus }) =>
      `pin: client and server share CPU ${listNames(cpus.map(String))}, where each takes time from the other`,
    remedy: 'This lengthens response times: give client and server different CPUs.',
  },
  'fewer-workers': {
    severity: NOTE,
    /** @param {{ given: number, used: number }} data */
    text: ({ given, used }) => `workers: ${given} given, ${used} used: each needs at least one connection`,
  },
  'fewer-starts': {
    severity: NOTE,
    /** @param {{ given: number, used: number, why: string }} data */
    text: ({ given, used, why }) => `starts: ${given} given, ${used} used: ${why}`,
  },
  'load-reduced': {
    /** @param {{ requested: Load, possible: Load, limits: { code: string, text: string }[] }} data */
    text: ({ requested, possible }) =>
      `force: ${formatLoad(possible, requested)} instead of ${formatLoad(requested)}, which the client cannot open here`,
    /** @param {{ limits: { text: string }[] }} data */
    remedy: ({ limits }) => limits.map(({ text }) => text).join(' '),
  },
  'server-unavailable': {
    severity: PROBLEM,
    /**
     * @param {{ servers: string[], cause: string, remedy?: string | null,
     *   problem?: { code: string, data: object } | null }} data  problem: the cause, for programs
     */
    text: ({ cause }) => `not available: ${cause}; the other legs are run`,
    /** @param {{ remedy?: string | null }} data */
    remedy: ({ remedy }) => helpText(remedy),
  },
  'server-left-out': {
    /**
     * @param {{ servers: string[], pattern: string, cause: string, missing: boolean,
     *   reason: { code: string, data: object } }} data  missing: not available on this machine
     */
    text: ({ pattern, cause, missing }) => `left out of "${pattern}": ${missing ? 'not available: ' : ''}${cause}`,
    /** @param {{ reason: { data: { remedy?: string | null } } }} data */
    remedy: ({ reason }) => helpText(reason.data.remedy),
  },

  // of the run
  'server-not-built': {
    severity: PROBLEM,
    /** @param {{ reason: string, errorCode?: string, errorData?: object }} data */
    text: ({ reason }) => reason,
  },
  'file-not-written': {
    severity: PROBLEM,
    /** @param {{ file: string, reason: string }} data */
    text: ({ file, reason }) => `${file} could not be written (${diskReason(reason)})`,
  },
  'files-missing': {
    severity: PROBLEM,
    /** @param {{ folder: string, files: string[] }} data */
    text: ({ folder, files }) => `${folder} is incomplete: ${listNames(files)} could not be written`,
  },
  'report-not-built': {
    severity: PROBLEM,
    /** @param {{ run: string, reason: string, errorCode?: string, errorData?: object }} data */
    text: ({ reason }) => `the report could not be built: ${reason}`,
    /** @param {{ run: string }} data */
    remedy: ({ run }) => `Try again with the command \`report ${run}\`.`,
  },
  'run-failed': {
    severity: PROBLEM,
    /** @param {{ reason: string, errorCode?: string, errorData?: object }} data */
    text: ({ reason }) => reason,
  },

  'otlp-not-sent': {
    /** @param {{ url: string, reason: string }} data */
    text: ({ url, reason }) => `the metrics were not sent to ${url}: ${reason}`,
  },
  'step-summary-not-written': {
    /** @param {{ file: string, reason: string }} data */
    text: ({ file, reason }) => `the summary could not be appended to ${file} (GITHUB_STEP_SUMMARY): ${reason}`,
  },

  'run-cut': {
    severity: PROBLEM,
    text: () => 'the run was killed; this summary was made later, from its samples',
  },

  // of the server under test
  'server-output': {
    /** @param {{ line: string }} data */
    text: ({ line }) => `the server wrote to stderr: ${line}`,
  },
  'server-ended': {
    severity: PROBLEM,
    /**
     * @param {{ signal: string | null, exitCode: number | null, leftBehind: number, lastLines: string[], instance?:
     *   number, atNs?: number }} data leftBehind: number of its child processes still running; instance: set if there
     *   are several; atNs: since the leg began
     */
    text: ({ signal, exitCode, leftBehind, lastLines: lines, ...data }) =>
      withLastLines(
        `${serverText(data)} ended during the leg (${signal ?? `exit code ${exitCode}`})${
          exitCode === 0 && leftBehind > 0 ? `, with ${counted(leftBehind, 'process', 'processes')} left running` : ''
        }`,
        lines,
      ),
    /** @param {{ exitCode: number | null, leftBehind: number }} data */
    remedy: ({ exitCode, leftBehind }) =>
      exitCode === 0 && leftBehind > 0 ? 'It is a daemon: run it in the foreground.' : IN_EVENTS,
  },
  'guard-killed': {
    severity: PROBLEM,
    /** @param {{ signal: string | null, lastLines: string[], instance?: number }} data */
    text: ({ signal, lastLines: lines, ...data }) =>
      withLastLines(`the guard of ${serverText(data)} was killed (${signal}), which ended the server`, lines),
    remedy: 'The guard is the parent process of the server.',
  },
  'server-killed': {
    /** @param {{ instance?: number }} [data] */
    text: (data = {}) => `${serverText(data)} did not end on SIGTERM and was killed`,
  },
  'target-lost': {
    severity: PROBLEM,
    /** @param {{ forNs: number }} data */
    text: ({ forNs }) => `no connection to the target could be opened for ${duration(forNs)}, so the leg was ended`,
    remedy: 'Without this, the leg would have waited for its number of transfers.',
  },
  'server-not-stopped': {
    /** @param {{ reason: string }} data */
    text: ({ reason }) => `the server could not be stopped: ${reason}`,
  },
  'server-processes-lost': {
    severity: PROBLEM,
    /** @param {{ before: number, now: number }} data */
    text: ({ before, now }) => `the server had ${before} processes and has ${now} now`,
    remedy: IN_EVENTS,
  },
  'target-unverified': {
    /**
     * @param {{ reason: string, errorCode?: string, errorData?: object, instance?: number }} data  instance: set if
     *   there are several targets
     */
    text: ({ reason }) => `measured although ${reason}`,
  },

  // of the workers
  'client-wrap-failed': {
    severity: PROBLEM,
    /** @param {{ wrapper: string, how: string, stderr: string }} data */
    text: ({ wrapper, how, stderr }) =>
      `wrap.client: a worker under "${wrapper}" ended before it was ready (${how})${stderr === '' ? '' : `: ${stderr}`}`,
    remedy: 'The wrapper must run the command that is appended to it.',
  },
  'worker-lost': {
    severity: PROBLEM,
    /**
     * @param {{ worker: number, how: string, started: boolean, reported: boolean, open: number, unfinished: number,
     *   abandoned: number, repeats: boolean, openLoop: boolean, stderr: string }} data  started: false if the fork
     *   failed; reported: whether it had sent an interval; repeats: whether its slots repeat their transfers
     */
    text: ({ worker, how, started, reported, open, unfinished, abandoned, stderr }) => {
      const lossText = !started
        ? ''
        : !reported
          ? ' before its first report'
          : ` with ${counted(open, 'connection')}; in flight: ${counted(unfinished, 'transfer')}, ${counted(abandoned, 'attempt')}`;
      const ending = started ? 'died' : 'could not be started';
      return `worker ${worker} ${ending} (${how})${lossText}${stderr ? `: ${stderr}` : ''}`;
    },
    /** @param {{ started: boolean, reported: boolean, repeats: boolean, openLoop: boolean }} data */
    remedy: ({ started, reported, repeats, openLoop }) =>
      !started || !reported
        ? undefined
        : [
            ...(repeats ? ['Transfers that its connections had completed are repeated.'] : []),
            ...(openLoop ? ['Requests scheduled for it until its replacement starts count as unsent.'] : []),
          ].join(' ') || undefined,
  },
  'worker-silent': {
    /** @param {{ worker: number, graceMs: number }} data */
    text: ({ worker, graceMs }) =>
      `worker ${worker} did not end within ${duration(graceMs * 1e6)} of the end of the leg and was killed`,
  },
  'worker-replaced-late': {
    severity: PROBLEM,
    /** @param {{ worker: number }} data */
    text: ({ worker }) => `worker ${worker} was replaced only after the end of the steady state`,
  },
  'worker-lost-early': {
    severity: PROBLEM,
    /** @param {{ worker: number, started: boolean }} data */
    text: ({ worker, started }) =>
      `worker ${worker} ${started ? 'died' : 'could not be started'} before the end of the steady state`,
  },
  'worker-lost-repeatedly': {
    severity: PROBLEM,
    /** @param {{ worker: number, started: boolean, times: number, how: string }} data */
    text: ({ worker, started, times, how }) =>
      `worker ${worker} ${started ? 'died' : 'could not be started'} ${times} times (${how})`,
  },
  'worker-failed': {
    severity: PROBLEM,
    /** @param {{ worker: number, reason: string }} data */
    text: ({ worker, reason }) => `worker ${worker}: ${reason}`,
  },
  'workers-not-ready': {
    severity: PROBLEM,
    /** @param {{ workers: number[], readyMs: number, payloadBytes: number }} data */
    text: ({ workers, readyMs }) =>
      `${workers.length === 0 ? 'a leg side by side with this one' : `worker ${listNames(workers.map(String))}`} was not ready within ${duration(readyMs * 1e6)}`,
    /** @param {{ payloadBytes: number }} data */
    remedy: ({ payloadBytes }) =>
      payloadBytes < LARGE_PAYLOAD_BYTES
        ? undefined
        : `Each makes a payload of ${payload(payloadBytes)} first: give a smaller payload or fewer workers.`,
  },
  'tls-failed': {
    severity: PROBLEM,
    /** @param {TlsFailure} data */
    text: (data) => `TLS failed ${tlsFailureText(data)}`,
    /** @param {TlsFailure} data */
    remedy: (data) => tlsFailureRemedy(data),
  },

  'unevenly-loaded': {
    /**
     * @param {{ servers: string[], tenth: number, share: number }} data tenth: 1 to 10, of the connections in the order
     *   of opening; share: its transfers relative to those of an even load, the mean over the servers
     */
    text: ({ tenth, share }) =>
      `part ${tenth} of 10 of the connections, in the order of opening, had ${percent(share, 2)} of the mean transfers on each server`,
    remedy: 'Measure the servers one after the other (--interleave off): remaining differences are due to the servers.',
  },

  // of the leg
  'background-load': {
    /**
     * @param {{ cores: number, of: number, group?: number }} data  cores: mean of the steady state; group: set for legs
     *   that took turns
     */
    text: ({ cores, of }) => `other programs used ${cores.toFixed(1)} of ${of} cores in the steady state`,
    remedy: 'Repeat the run on an idle machine.',
  },
  'stopped-on-condition': {
    severity: NOTE,
    /** @param {Stopped} data */
    text: ({ condition, forNs, atNs }) =>
      `stopOn: ${condition} held for ${duration(forNs)}, so the leg was ended ${duration(atNs)} after its start`,
  },
  'intervals-merged': {
    /** @param {{ intervals: number }} data */
    text: ({ intervals }) =>
      `a worker's JavaScript did not run for seconds: ${counted(intervals, 'interval')} ${intervals === 1 ? 'covers' : 'cover'} more than one second`,
    remedy: 'Totals and phases are correct, figures per second are not. Use fewer workers or an idle machine.',
  },
  'warmup-short': {
    /** @param {{ elapsedNs: number, transfers: number, wanted: number }} data */
    text: ({ elapsedNs, transfers, wanted }) =>
      `the warm-up ended after ${duration(elapsedNs)} (warmupTimeout) with ${count(transfers)} of ` +
      `${count(wanted)} transfers answered`,
  },
  'no-steady-state': {
    severity: PROBLEM,
    /**
     * @param {{ transfers: number | null, phase: string, warmupTransfers: number | null, steadyFromNs: number }} data
     *   transfers: null if the lifetimes of the connections ended the leg
     */
    text: ({ transfers, phase, warmupTransfers, steadyFromNs }) =>
      transfers !== null && warmupTransfers !== null && phase === 'warmup'
        ? `all ${count(transfers)} transfers finished before the steady state`
        : `${transfers === null ? 'all connections were closed for good' : `all ${count(transfers)} transfers finished`} during the ` +
          `${phase === 'ramp' ? 'ramp' : 'warm-up'} (${duration(steadyFromNs)}), so there is no steady state`,
    /** @param {{ transfers: number | null, phase: string, warmupTransfers: number | null }} data */
    remedy: ({ transfers, phase, warmupTransfers }) => {
      if (transfers === null)
        return `Give a longer lifetime${phase === 'ramp' ? ', a shorter ramp.every, or start "together"' : ' or a shorter warmup'}.`;
      if (warmupTransfers === null || phase !== 'warmup')
        return `Give a shorter ${phase === 'ramp' ? 'ramp.every' : 'warmup'} or more transfers.`;
      return (
        `It begins up to two seconds after ${count(warmupTransfers)} transfers were answered: give more transfers, or a warmup ` +
        'by time.'
      );
    },
  },
  miscounted: {
    severity: PROBLEM,
    /** @param {{ imbalances: { code: string, text: string }[] }} data */
    text: ({ imbalances }) => `the figures contradict each other: ${imbalances.map(({ text }) => text).join('; ')}`,
    remedy: 'This is a bug in Broadside; please report it.',
  },
  'ended-at-once': {
    text: () => 'the second signal ended the leg: its transfer log was not converted, and the rows were not counted',
    remedy: 'The .arrows files of the log are kept.',
  },
  'interrupted-before-start': { text: () => 'interrupted while the server started' },
  'leg-failed': {
    severity: PROBLEM,
    /** @param {{ reason: string, errorCode?: string, errorData?: object }} data */
    text: ({ reason }) => reason,
  },

  'no-transfers': {
    severity: PROBLEM,
    /**
     * @param {{ failed: number, unfinished: number, unsent: number, rejects: number, errors: number, replies?: string,
     *   span?: string, succeeded?: number }} data  counts are those of the whole leg; replies: the kinds of all
     *   replies; span: the judged span, if other transfers of the leg succeeded
     */
    text: ({ failed, unfinished, unsent, rejects, errors, replies, span, succeeded = 0 }) => {
      const where =
        span === undefined ? '' : ` in the ${span}${succeeded > 0 ? ` (${count(succeeded)} in the whole leg)` : ''}`;
      const counts = [
        ...Object.entries({ failed, unfinished, unsent }).flatMap(([outcome, n]) =>
          n > 0 ? [`${count(n)} ${outcome}`] : [],
        ),
        ...(rejects > 0 ? [counted(rejects, 'reject')] : []),
        ...(errors > 0 ? [counted(errors, 'error')] : []),
      ];
      const countsText = counts.join(', ') || 'no request was sent';
      return `no transfer succeeded${where}: ${replies === undefined ? countsText : `every reply was ${replies}`}`;
    },
  },

  // of the transfer log
  'log-folder-missing': {
    /** @param {{ folder: string }} data */
    text: ({ folder }) => `${folder} no longer exists, nor does the transfer log in it`,
  },
  'log-file-missing': {
    /** @param {{ file: string }} data */
    text: ({ file }) => `${file} is missing: its transfers are counted, but not logged`,
  },
  'log-not-converted': {
    /** @param {{ reason: string, kept: string[] }} data */
    text: ({ reason }) => `the transfer log was not converted (${diskReason(reason)})`,
    /** @param {{ kept: string[] }} data */
    remedy: ({ kept }) => (kept.length === 0 ? undefined : `Kept as Arrow streams: ${kept.join(', ')}.`),
  },
  'log-file-truncated': {
    /** @param {{ file: string }} data */
    text: ({ file }) => `${file} was cut short; every complete batch in it was kept`,
  },
  'log-file-not-deleted': {
    severity: NOTE,
    /** @param {{ file: string, reason: string }} data */
    text: ({ file, reason }) => `${file} could not be deleted (${reason}); it is no longer needed`,
  },
  'log-incomplete': {
    /**
     * @param {{ workers: number[], reason: string, missing: number, spans: { fromNs: number, toNs: number }[] }} data
     *   missing: rows
     */
    text: ({ workers, reason, missing }) =>
      `the transfer log lacks ${counted(missing, 'row')} of ${counted(workers.length, 'worker')} (${diskReason(reason)})`,
    /** @param {{ spans: { fromNs: number, toNs: number }[] }} data */
    remedy: ({ spans }) =>
      `These transfers are counted${spans.length === 0 ? '' : `; they ended in ${spansText(spans)}`}.`,
  },
};

/** Codes whose text is the message of an error; it is not cut. */
const FAILURES = ['server-not-built', 'run-failed', 'leg-failed', 'worker-failed'];

/**
 * @template {Record<string, { text: (data: never) => string }>} Table
 * @typedef {<Code extends keyof Table>(code: Code, data?: Parameters<Table[Code]['text']> extends [infer Data] ? Data :
 *   {}) => Warning} Warn  throws a TypeError for a code that is not in the table
 */

/**
 * @template {Record<string, { text: (data: never) => string }>} Table
 * @param {Table} rows  the data of each are those that its text takes
 * @returns {Warn<Table> & { codes: (keyof Table)[] }} makes warnings of the table
 */
export function warningsOf(rows) {
  const codes = Object.keys(rows);
  return Object.assign(
    /** @type {Warn<Table>} */ (
      (code, data) => {
        if (!codes.includes(String(code))) throw new TypeError(`no warning has the code "${String(code)}"`);
        return warningOf(
          String(code),
          /** @type {Row<unknown>} */ (/** @type {unknown} */ (rows[code])),
          /** @type {object} */ (data),
        );
      }
    ),
    { codes },
  );
}

/** @param {string} code @param {Row<unknown>} row @param {object} [data] @returns {Warning} */
function warningOf(code, { severity = 'caution', text, remedy }, data) {
  const fullText = text(data);
  const advice = typeof remedy === 'function' ? remedy(data) : remedy;
  return {
    ...{ code, severity, data: data ?? {} },
    text: FAILURES.includes(code) ? fullText : shortened(fullText, MAX_CHARACTERS),
    ...(advice === undefined ? {} : { remedy: advice }),
  };
}

export const warning = warningsOf(table);

/**
 * @param {Pick<Warning, 'text' | 'remedy'>} warning
 * @returns {string} the text and the remedy
 */
export const adviceText = ({ text, remedy }) => (remedy === undefined ? text : `${text.replace(/\.$/, '')}. ${remedy}`);

/** @param {Warning} warning @returns {string} the labels of its servers, the text and the remedy */
export const warningText = (warning) =>
  `${Array.isArray(warning.data.servers) ? `${warning.data.servers.join(', ')}: ` : ''}${adviceText(warning)}`;

/**
 * @param {unknown} error
 * @returns {{ reason: string, errorCode?: string, errorData?: Record<string, unknown> }} data for a warning
 */
export function reasonOf(error) {
  if (!(error instanceof Error)) return { reason: String(error) };
  const { message, code, data } = /** @type {Error & { code?: unknown, data?: Record<string, unknown> }} */ (error);
  return {
    reason: message,
    ...(typeof code === 'string' ? { errorCode: code } : {}),
    ...(data !== undefined && Object.keys(data).length > 0 ? { errorData: data } : {}),
  };
}
