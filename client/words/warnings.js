// Everything that can go wrong in a run without ending it, and every reason for an incomplete leg: one table. Pure.
// Code and tests use `code` and `data`; `text` is for people and may change at any time.

import { clock, count, counted, duration, payload } from './format.js';
import { listNames } from './lists.js';
import { tlsFailureText } from './tls-failure.js';

/**
 * @typedef {import('../../config/types.js').Warning} Warning
 * @typedef {{ connections: number, connectRate: number | null }} Load
 */

/** A worker may lack the memory or the time to make a payload above this size. */
const LARGE_PAYLOAD_BYTES = 64 * 1024 ** 2;

/**
 * @param {Load} load
 * @param {Load} [requested]  then the connect rate is given only where it differs
 * @returns {string} such as `500 connections, at most 40 connects/s`
 */
export function formatLoad({ connections, connectRate }, requested) {
  const rate =
    connectRate === null || connectRate === requested?.connectRate ? '' : `, at most ${count(connectRate)} connects/s`;
  return `${counted(connections, 'connection')}${rate}`;
}

/** @param {string} reason of a failed write: an errno code, `behind`, or a message */
const diskReason = (reason) =>
  reason === 'ENOSPC' ? 'the disk is full' : reason === 'behind' ? 'the disk could not keep up' : reason;

/** Of spans that a sentence names. */
const MOST_SPANS = 5;

/** @param {{ fromNs: number, toNs: number }[]} spans since the start of the leg @returns {string} */
const spansText = (spans) =>
  spans.length === 0
    ? ''
    : `, ${spans
        .slice(0, MOST_SPANS)
        .map(({ fromNs, toNs }) => `${clock(fromNs / 1e9)} to ${clock(toNs / 1e9)}`)
        .join(', ')}${spans.length > MOST_SPANS ? ` and ${counted(spans.length - MOST_SPANS, 'more time')}` : ''}`;

/** @param {string[]} lines */
const lastLines = (lines) => (lines.length === 0 ? '' : `; its last lines: ${lines.join(' | ')}`);

/** @param {{ instance?: number }} data @returns {string} the server, or which of its instances */
const theServer = ({ instance }) => (instance === undefined ? 'the server' : `instance ${instance} of the server`);

const texts = {
  // of the plan
  /** @param {{ connectRate: number, byRampEnd: number, connections: number, rampNs: number, neededNs: number }} data */
  'connect-rate-below-ramp': ({ connectRate, byRampEnd, connections, rampNs, neededNs }) =>
    `connectRate: at ${connectRate}/s about ${count(byRampEnd)} of ${count(connections)} connections are ` +
    `open at the end of the ramp (${duration(rampNs)}); opening all of them takes ${duration(neededNs)}`,
  /** @param {{ reason: string, why: string, at: string[] }} data */
  'not-interleaved': ({ why, at }) =>
    `interleave${at.length === 0 ? '' : ` (${listNames(at)})`}: the legs are measured one after the other: ${why}`,
  /** @param {{ at: string | null }} data */
  'nothing-to-compare-at': ({ at }) =>
    `compareAt: response times were not compared at the same rate${at === null ? '' : ` at ${at}`}: fewer than two servers served all ` +
    'connections',
  /** @param {{ conditions: string[], rounds: number }} data */
  'conditions-undecided': ({ conditions, rounds }) =>
    `${conditions.join('; ')}: will be undecided, because the legs are measured one after the other in ` +
    `${counted(rounds, 'round')}, and an interval needs three; give --rounds 5`,
  /** @param {{ key: string, profileNs: number, durationNs: number }} data */
  'profile-cut-short': ({ key, profileNs, durationNs }) =>
    `${key}: the profile lasts ${duration(profileNs)}, but the steady state ends after ` +
    `${duration(durationNs)}; leave duration out to run the whole profile`,
  /** @param {{ cpus: number[], client: string | null, server: string | null }} data */
  'pin-overlap': ({ cpus }) =>
    `pin: client and server share CPU ${cpus.join(', ')}; there each takes time from the other, which lengthens the ` +
    'response times',
  /** @param {{ given: number, used: number }} data */
  'fewer-workers': ({ given, used }) => `workers: ${given} given, ${used} used: each needs at least one connection`,
  /** @param {{ given: number, used: number, why: string }} data */
  'fewer-starts': ({ given, used, why }) => `starts: ${given} given, ${used} used: ${why}`,
  /** @param {{ requested: Load, possible: Load, limits: { code: string, text: string }[] }} data */
  'load-reduced': ({ requested, possible, limits }) =>
    `force: the client cannot open ${formatLoad(requested)} on this machine; running ` +
    `${formatLoad(possible, requested)} instead. ${limits.map(({ text }) => text).join(' ')}`,
  /**
   * @param {{ servers: string[], cause: string, remedy?: string | null,
   *   problem?: { code: string, data: object } | null }} data  problem: the cause for programs
   */
  'server-unavailable': ({ cause }) => `not available: ${cause}; the other legs are run`,
  /**
   * @param {{ servers: string[], pattern: string, cause: string, missing: boolean,
   *   reason: { code: string, data: object } }} data  missing: not available on this machine
   */
  'server-left-out': ({ pattern, cause, missing }) =>
    `left out of "${pattern}": ${missing ? 'not available: ' : ''}${cause}`,

  // of the run
  /** @param {{ reason: string, errorCode?: string, errorData?: object }} data */
  'server-not-built': ({ reason }) => reason,
  /** @param {{ file: string, reason: string }} data */
  'file-not-written': ({ file, reason }) => `${file} could not be written (${diskReason(reason)})`,
  /** @param {{ folder: string, files: string[] }} data */
  'files-missing': ({ folder, files }) => `${folder} is incomplete: ${files.join(', ')} could not be written`,
  /** @param {{ run: string, reason: string, errorCode?: string, errorData?: object }} data */
  'report-not-built': ({ run, reason }) =>
    `the report could not be built: ${reason}; try again with the command \`report ${run}\``,
  /** @param {{ reason: string, errorCode?: string, errorData?: object }} data */
  'run-failed': ({ reason }) => reason,

  /** @param {{ url: string, reason: string }} data */
  'otlp-not-sent': ({ url, reason }) => `the metrics were not sent to ${url}: ${reason}`,
  /** @param {{ file: string, reason: string }} data */
  'step-summary-not-written': ({ file, reason }) =>
    `the summary could not be appended to ${file} (GITHUB_STEP_SUMMARY): ${reason}`,

  'run-cut': () => 'the run was killed; this summary was made later, from its samples',

  // of agents
  /** @param {{ agent: string | null, how: string, started: boolean }} data  started: the load had begun */
  'agent-lost': ({ agent, how, started }) =>
    `agent ${agent} was lost${started ? ' during the leg' : ''}: ${how}; its figures are kept up to its last report`,
  /** @param {{ leg: string }} data */
  'leg-collected': ({ leg }) =>
    `the controller ended during leg ${leg}; from then on its figures are what the agents reported, without those of the server's machine`,
  /** @param {{ leg: string }} data */
  'leg-not-begun': ({ leg }) => `the controller ended before leg ${leg} began; nothing was measured`,
  /** @param {{ agent: string, forMs: number }} data */
  'agent-stopped': ({ agent, forMs }) =>
    `agent ${agent} has stopped its load by itself: the NATS server had acknowledged nothing for ${duration(forMs * 1e6)}`,
  /** @param {{ agent: string, lateNs: number }} data */
  'agent-started-late': ({ agent, lateNs }) =>
    `agent ${agent} learned of the start ${duration(lateNs)} late; its connections were opened that much later`,

  /** @param {{ agent: string, lateNs: number }} data */
  'agent-slices-late': ({ agent, lateNs }) =>
    `agent ${agent} learned ${duration(lateNs)} late when each server is loaded; until then it loaded some at the same time as other servers`,

  /** @param {{ agent: string, how: string, instance?: number }} data */
  'server-agent-lost': ({ agent, how, ...data }) =>
    `agent ${agent}, on which ${theServer(data)} runs, was lost during the leg: ${how}; the server's figures are kept up to its last report`,
  /** @param {{ agent: string, why: string, instance?: number }} data */
  'server-agent-stopped': ({ agent, why, ...data }) =>
    `agent ${agent} stopped ${theServer(data)} by itself during the leg: ${why}`,

  // of the server under test
  /** @param {{ line: string }} data */
  'server-output': ({ line }) => `the server wrote to stderr: ${line}`,
  /**
   * @param {{ signal: string | null, exitCode: number | null, leftBehind: number, lastLines: string[], instance?: number }} data
   *   leftBehind: processes that it had started and that were still running; instance: of several, which one
   */
  'server-ended': ({ signal, exitCode, leftBehind, lastLines: lines, ...data }) =>
    `${theServer(data)} ended during the leg (${signal ?? `exit code ${exitCode}`})` +
    (exitCode === 0 && leftBehind > 0
      ? `; it left ${counted(leftBehind, 'process', 'processes')} running, so it is a daemon: run it in the foreground`
      : '') +
    lastLines(lines),
  /** @param {{ signal: string | null, lastLines: string[], instance?: number }} data */
  'guard-killed': ({ signal, lastLines: lines, ...data }) =>
    `the guard of ${theServer(data)}, its parent process, was killed (${signal}), which ended the server during the leg${lastLines(lines)}`,
  /** @param {{ instance?: number }} [data] */
  'server-killed': (data = {}) => `${theServer(data)} did not end on SIGTERM and was killed`,
  /** @param {{ forNs: number }} data */
  'target-lost': ({ forNs }) =>
    `no connection to the target could be opened for ${duration(forNs)}; the leg was ended, because it runs until ` +
    'a number of transfers is reached',
  /** @param {{ reason: string }} data */
  'server-not-stopped': ({ reason }) => `the server could not be stopped: ${reason}`,
  /** @param {{ before: number, now: number }} data */
  'server-processes-lost': ({ before, now }) =>
    `the server had ${before} processes and has ${now} now; its output is in events.ndjson`,
  /** @param {{ reason: string, errorCode?: string, errorData?: object, instance?: number }} data  instance: of several targets */
  'target-unverified': ({ reason }) => `before the leg: ${reason}; measuring anyway`,

  // of the workers
  /** @param {{ wrapper: string, how: string, stderr: string }} data */
  'client-wrap-failed': ({ wrapper, how, stderr }) =>
    `wrap.client: a worker under "${wrapper}" ended before it was ready (${how})` +
    `${stderr === '' ? '' : `: ${stderr}`}; the wrapper must run the command that is appended to it`,
  /**
   * @param {{ worker: number, how: string, started: boolean, reported: boolean, open: number, unfinished: number,
   *   abandoned: number, repeats: boolean, openLoop: boolean, stderr: string }} data  started: false if the fork
   *   failed; reported: whether it had sent any interval; repeats: its slots do again what they had done
   */
  'worker-lost': ({ worker, how, started, reported, open, unfinished, abandoned, repeats, openLoop, stderr }) => {
    const cost = !started
      ? ''
      : !reported
        ? ' before its first report'
        : ` with ${counted(open, 'connection')} open, ${counted(unfinished, 'transfer')} and ` +
          `${counted(abandoned, 'attempt')} in flight` +
          (repeats ? '; transfers that its connections had completed are repeated' : '') +
          (openLoop ? '; requests scheduled for it until the replacement starts count as unsent' : '');
    const what = started ? 'died' : 'could not be started';
    return `worker ${worker} ${what} (${how})${cost}${stderr ? `: ${stderr}` : ''}`;
  },
  /** @param {{ worker: number, graceMs: number }} data */
  'worker-silent': ({ worker, graceMs }) =>
    `worker ${worker} did not end within ${duration(graceMs * 1e6)} of the end of the leg and was killed`,
  /** @param {{ worker: number }} data */
  'worker-replaced-late': ({ worker }) => `worker ${worker} was replaced only after the end of the steady state`,
  /** @param {{ worker: number, started: boolean }} data */
  'worker-lost-early': ({ worker, started }) =>
    `worker ${worker} ${started ? 'died' : 'could not be started'} before the end of the steady state`,
  /** @param {{ worker: number, started: boolean, times: number, how: string }} data */
  'worker-lost-repeatedly': ({ worker, started, times, how }) =>
    `worker ${worker} ${started ? 'died' : 'could not be started'} ${times} times (${how})`,
  /** @param {{ worker: number, reason: string }} data */
  'worker-failed': ({ worker, reason }) => `worker ${worker}: ${reason}`,
  /** @param {{ workers: number[], readyMs: number, payloadBytes: number }} data */
  'workers-not-ready': ({ workers, readyMs, payloadBytes }) =>
    `${workers.length === 0 ? 'a leg side by side with this one' : `worker ${workers.join(', ')}`} was not ready within ${duration(readyMs * 1e6)}${
      payloadBytes < LARGE_PAYLOAD_BYTES
        ? ''
        : `; each makes a payload of ${payload(payloadBytes)} first: give a smaller payload or fewer workers`
    }`,
  /** @param {import('./tls-failure.js').TlsFailure} data */
  'tls-failed': (data) =>
    `TLS failed ${tlsFailureText(data)} (reported once per kind; counted among rejects or errors)`,

  // of the leg
  /** @param {{ cores: number, of: number }} data  mean of the steady state */
  'background-load': ({ cores, of }) =>
    `other programs used ${cores.toFixed(1)} of ${of} cores in the steady state, so the results are those of a busy machine`,
  /** @param {import('../measure/leg-summary.js').Stopped} data */
  'stopped-on-condition': ({ condition, forNs, atNs }) =>
    `stopOn: ${condition} held for ${duration(forNs)}, so the leg was ended ${duration(atNs)} after its start`,
  /** @param {{ intervals: number }} data */
  'intervals-merged': ({ intervals }) =>
    `the JavaScript of a worker did not run for several seconds: ${counted(intervals, 'interval')} of its engine ${intervals === 1 ? 'covers' : 'cover'} ` +
    'more than one second. Totals and phases are right; figures per second are not. Use fewer workers or an idle machine',
  /** @param {{ elapsedNs: number, transfers: number, wanted: number }} data */
  'warmup-short': ({ elapsedNs, transfers, wanted }) =>
    `the warm-up ended after ${duration(elapsedNs)} (warmupTimeout) with ${count(transfers)} of ` +
    `${count(wanted)} transfers answered`,
  /** @param {{ transfers: number | null, phase: string, warmupTransfers: number | null, steadyFromNs: number }} data transfers:
   * null: the lifetimes of the connections ended the leg */
  'no-steady-state': ({ transfers, phase, warmupTransfers, steadyFromNs }) =>
    transfers === null
      ? `all connections were closed for good during the ${phase === 'ramp' ? 'ramp' : 'warm-up'} ` +
        `(${duration(steadyFromNs)}), so there is no steady state; give a longer lifetime` +
        `${phase === 'ramp' ? ', a shorter ramp.every, or start "together"' : ' or a shorter warmup'}`
      : warmupTransfers !== null && phase === 'warmup'
        ? `all ${count(transfers)} transfers finished before the steady state, which begins up to two seconds after ` +
          `${count(warmupTransfers)} transfers were answered; give more transfers, or a warmup by time`
        : `all ${count(transfers)} transfers finished during the ${phase === 'ramp' ? 'ramp' : 'warm-up'} ` +
          `(${duration(steadyFromNs)}), so there is no steady state; give a shorter ` +
          `${phase === 'ramp' ? 'ramp.every' : 'warmup'} or more transfers`,
  /** @param {{ imbalances: { code: string, text: string }[] }} data */
  miscounted: ({ imbalances }) =>
    `the figures contradict each other, which is a bug in Broadside; please report it: ${imbalances.map(({ text }) => text).join('; ')}`,
  'ended-at-once': () =>
    'stopped by the second signal: the transfer log was not converted (its .arrows files are kept), and its rows were not counted',
  'interrupted-before-start': () => 'interrupted while the server started',
  /** @param {{ reason: string, errorCode?: string, errorData?: object }} data */
  'leg-failed': ({ reason }) => reason,

  /** @param {{ failed: number, unfinished: number, unsent: number, rejects: number, errors: number, replies?: string }} data  replies: the one kind of all */
  'no-transfers': ({ failed, unfinished, unsent, rejects, errors, replies }) =>
    replies === undefined
      ? `no transfer succeeded: ${counted(failed, 'transfer')} failed, ${count(unfinished)} unfinished, ${count(unsent)} unsent; ` +
        `${counted(rejects, 'attempt')} to connect rejected, ${counted(errors, 'error')} on open connections`
      : `no transfer succeeded: every reply was ${replies}`,

  // of the transfer log
  /** @param {{ folder: string }} data */
  'log-folder-missing': ({ folder }) => `${folder} no longer exists, nor does the transfer log in it`,
  /** @param {{ file: string }} data */
  'log-file-missing': ({ file }) => `${file} is missing: its transfers are counted, but not logged`,
  /** @param {{ reason: string, kept: string[] }} data */
  'log-not-converted': ({ reason, kept }) =>
    `the transfer log was not converted (${diskReason(reason)})${
      kept.length === 0 ? '' : `; kept as Arrow streams: ${kept.join(', ')}`
    }`,
  /** @param {{ file: string }} data */
  'log-file-truncated': ({ file }) => `${file} was cut short; every complete batch in it was kept`,
  /** @param {{ file: string, reason: string }} data */
  'log-file-not-deleted': ({ file, reason }) => `${file} could not be deleted (${reason}); it is no longer needed`,
  /** @param {{ workers: number[], reason: string, missing: number, spans: { fromNs: number, toNs: number }[] }} data  missing: rows */
  'log-incomplete': ({ workers, reason, missing, spans }) =>
    `${counted(workers.length, 'worker')} did not write all of the transfer log (${diskReason(reason)}): ` +
    `${counted(missing, 'transfer')} ${missing === 1 ? 'is' : 'are'} counted but not logged${spansText(spans)}`,
};

/** Every code there is. */
export const warningCodes = /** @type {(keyof typeof texts)[]} */ (Object.keys(texts));

/**
 * @template {keyof typeof texts} Code
 * @param {Code} code
 * @param {Parameters<(typeof texts)[Code]> extends [infer Data] ? Data : {}} [data]
 * @returns {Warning}
 * @throws {TypeError} for a code that is not in the table
 */
export function warning(code, data) {
  const textOf = Object.hasOwn(texts, code) ? /** @type {(data: any) => string} */ (texts[code]) : null;
  if (textOf === null) throw new TypeError(`no warning has the code "${code}"`);
  return { code, data: data ?? {}, text: textOf(data) };
}

/**
 * @param {unknown} error
 * @returns {{ reason: string, errorCode?: string, errorData?: Record<string, any> }} the data of a warning about it
 */
export function reasonOf(error) {
  if (!(error instanceof Error)) return { reason: String(error) };
  const { message, code, data } = /** @type {Error & { code?: unknown, data?: Record<string, any> }} */ (error);
  return {
    reason: message,
    ...(typeof code === 'string' ? { errorCode: code } : {}),
    ...(data !== undefined && Object.keys(data).length > 0 ? { errorData: data } : {}),
  };
}
