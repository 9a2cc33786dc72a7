// The summaries of a leg and of a run (summary.json): the measurements, and what follows from them.

import { checkBooks } from '../measure/books.js';
import { measureLeg } from '../measure/leg-summary.js';
import { commonOf } from '../measure/settings.js';
import { coverageOf, figuresOf, isMeasured } from '../measure/leg-figures.js';
import { SampleSeries } from '../measure/sample-series.js';
import { RUN_SCHEMA } from '../measure/schema.js';
import { present } from '../measure/sums.js';
import { warning } from '../words/warnings.js';
import { slicesOf } from './blocks.js';
import { unevenLoadWarnings, withGroupBackground } from './disturbances.js';
import { casesOf } from './cases.js';
import { comparedWithFirst } from './conditions/against-first.js';
import { comparisonsOf } from './ranking-table.js';
import { listedFindings, recordedFindings } from './findings/index.js';
import { failedRepliesOf } from './findings/replies.js';
import { seenOf } from './findings/steady-state.js';
import { searchOf } from './search/index.js';
import { judgeRun } from './verdict.js';

/**
 * @import { Figures, LegSummary, RunSummary, Sample, Warning } from '../../config/types.js'
 * @import { Point } from '../measure/settings.js'
 * @import { LegEnd, PlannedLeg } from '../measure/leg-summary.js'
 * @import { Load } from '../measure/ramp.js'
 * @import { Seen } from './findings/steady-state.js'
 * @import { Find } from './search/index.js'
 */

/**
 * @typedef {Pick<Figures, 'transfers' | 'failed' | 'unfinished' | 'unsent' | 'statuses' |
 *   'codes' | 'responseTimeNs'>} Counted  counts of a leg or a span of it
 * @param {Counted} counted
 * @returns {string[] | null} null if a reply was as requested; otherwise the kinds of all replies, empty without a
 *   reply
 */
function fruitlessKinds({ transfers, responseTimeNs, statuses = { total: 0 }, codes }) {
  if (transfers === 0) return responseTimeNs === undefined ? [] : null; // requests in flight at the end may be answered
  const failed = failedRepliesOf(statuses, codes);
  return failed?.count === statuses.total ? Object.keys(failed.kinds) : null;
}

/**
 * Why a leg without a successful transfer is not complete.
 * @param {LegSummary} figures of a leg that ended as planned
 * @param {{ workload?: string, heartbeatNs?: number }} load
 * @returns {Warning | null} null if a transfer succeeded in the judged figures, or if none was due
 */
export function noTransfersFailure(figures, { workload, heartbeatNs = 0 }) {
  if (!isMeasured(figures) || (workload === 'hold' && heartbeatNs === 0)) return null;
  const { transfers, statuses, codes, connections, attempts, rejects, errors } = figures;
  const whole = {
    ...transfers,
    ...attempts,
    attempts: attempts.total,
    transfers: transfers.count,
    ...present('statuses', statuses),
    ...present('codes', codes),
  };
  const isOfWhole = fruitlessKinds(whole) !== null;
  const judged = isOfWhole ? whole : (figuresOf(figures) ?? whole);
  const kinds = fruitlessKinds(judged);
  if (kinds === null) return null;
  const data = {
    ...{ failed: transfers.failed, unfinished: transfers.unfinished, unsent: transfers.unsent ?? 0 },
    ...{ rejects: rejects.total, errors: errors.total },
    ...(isOfWhole ? {} : { succeeded: transfers.count, span: coverageOf(figures) }),
  };
  if (kinds.length > 0) return warning('no-transfers', { ...data, replies: kinds.join(' or ') });
  const { failed, unfinished, unsent = 0 } = judged;
  const hasFailed = failed + unfinished + unsent + (isOfWhole ? errors.total : 0) > 0;
  // without a request, one was due unless connections opened, stayed open and waited as planned
  const noneOpen = judged.attempts > 0 || (!isOfWhole && connections.openAtEnd === 0 && rejects.total > 0);
  return hasFailed || (judged.opened === 0 && noneOpen) ? warning('no-transfers', data) : null;
}

/**
 * The summary of a leg. A leg whose figures contradict each other is not complete, and lists the contradictions.
 * @param {PlannedLeg} leg @param {Iterable<Sample> | SampleSeries} taken samples in order @param {LegEnd} end
 * @param {Load} [load] of the scenario
 * @returns {LegSummary}
 */
export function summariseLeg(leg, taken, end, load = {}) {
  const series = taken instanceof SampleSeries ? taken : SampleSeries.of(taken);
  const samples = series.samples();
  const measured = measureLeg(leg, samples, end, load);
  const turns = {
    ...measured,
    ...present('slices', slicesOf(leg.slices, measured, samples, load, series.steadyWidth)),
  };
  const figures = withFindings(turns, samples, load);
  if (end.endedBy === 'running') return figures; // what is in flight is in no total yet
  const noTransfers = figures.complete ? noTransfersFailure(figures, load) : null;
  const summary =
    noTransfers === null
      ? figures
      : { ...figures, complete: false, endedBy: /** @type {const} */ ('no-transfers'), failure: noTransfers };
  const imbalances = isMeasured(summary) ? checkBooks(summary, samples, series.imbalances) : [];
  if (imbalances.length === 0) return summary;
  const { failure } = summary;
  const miscounted = warning('miscounted', { imbalances });
  return {
    ...summary,
    complete: false,
    endedBy: summary.complete ? 'inconsistent' : summary.endedBy,
    failure: failure === undefined ? miscounted : { ...failure, text: `${failure.text}; ${miscounted.text}` },
    imbalances,
  };
}

/**
 * @param {LegSummary} measured @param {Sample[]} samples @param {Load} load
 * @returns {LegSummary}
 */
function withFindings(measured, samples, load) {
  if (!isMeasured(measured)) return measured;
  const seen = seenOf(measured, samples, load);
  return {
    ...measured,
    ...present('steady', withChecks(measured.steady, seen)),
    findings: recordedFindings(measured, seen),
  };
}

/** @param {LegSummary['steady']} steady @param {Seen} seen */
function withChecks(steady, { intervals, arrivals }) {
  if (steady === undefined) return undefined;
  const { responseTimeNs } = steady;
  return {
    ...steady,
    ...(responseTimeNs && intervals ? { responseTimeNs: { ...responseTimeNs, intervals } } : {}),
    ...present('arrivals', arrivals),
  };
}

/**
 * @param {{ payloadBytes: number, payloadMinBytes?: number | null, points?: Point[] | null }} config
 * @returns {{ payloadBytes?: number, payloadMinBytes?: number }} empty if points differ in it; payloadMinBytes: the
 *   lower end of a range
 */
function payloadSizes(config) {
  const { payloadBytes, payloadMinBytes } = commonOf(config);
  if (payloadBytes === undefined || (config.payloadMinBytes !== undefined && payloadMinBytes === undefined)) return {};
  return { payloadBytes, ...(typeof payloadMinBytes === 'number' ? { payloadMinBytes } : {}) };
}

/** @typedef {{ as: string, command: string, folder?: string }} Command  starts a server in its folder */

/**
 * @param {{ commands?: Command[] }} config
 * @returns {string[] | undefined} labels of the versions of one program, the changed version last; undefined unless one
 *   command runs in several folders
 */
function versionsOf({ commands = [] }) {
  const isOneProgram = new Set(commands.map(({ command }) => command)).size === 1;
  const haveFolders = commands.every(({ folder }) => folder !== undefined);
  return commands.length > 1 && isOneProgram && haveFolders ? commands.map(({ as }) => as) : undefined;
}

/**
 * @param {{ run: string, scenario: string, startedAt: string, endedAt: string, config: { connections: number, workload:
 *   string, protocol: string, payloadBytes: number, payloadMinBytes?: number | null, rate?: number | null,
 *   durationNs?: number, find?: Find | null, thresholds?: string[], failIf?: string[], stopOn?: string[],
 *   allowUndecided?: boolean, margin?: number, budget?: { looksNs: number[] } | null, commands?: Command[], points?:
 *   Point[] | null }, planned: number, cases?: string[], interrupted: boolean, warnings: Warning[], failure?: Warning,
 *   unfinished?: 'cut' | 'running' }} run
 *   planned: number of legs in the plan; cases: ids in the plan's order; failure: ended the run outside a leg;
 *   unfinished: the run was killed and is summarised later, or is in progress, so that nothing is judged
 * @param {LegSummary[]} begun legs that began
 * @returns {RunSummary}
 */
export function summariseRun(run, begun) {
  const legs = withGroupBackground(begun);
  const { scenario, startedAt, endedAt, config, planned, interrupted, warnings, failure, unfinished } = run;
  // a search measures beyond the limit on purpose
  const broken = legs.find(({ complete, endedBy: end }) => !complete && !(config.find && end === 'no-transfers'));
  const isRunning = unfinished === 'running';
  const endedBy =
    unfinished ?? (failure !== undefined ? 'error' : interrupted ? 'interrupted' : broken ? broken.endedBy : 'plan');
  const loop = (config.rate ?? null) === null ? 'closed' : 'open';
  const allWarnings = [
    ...warnings,
    ...(isRunning ? [] : unevenLoadWarnings(legs)),
    ...(failure === undefined ? [] : [failure]),
  ];
  const cases = casesOf(legs, run.cases);
  const { workload, margin } = config;
  const looks = config.budget?.looksNs.length;
  const comparisons =
    config.find || isRunning ? [] : comparisonsOf({ cases, legs, config: { workload, loop, margin, looks } });
  const ended = legs.filter((leg) => leg.endedBy !== 'running');
  const search = config.find ? searchOf(config.find, ended, config.durationNs) : undefined;
  const compared = comparedWithFirst(cases, legs, { workload, loop, looks });
  const verdict = isRunning
    ? undefined
    : judgeRun(config, legs, planned, { cases, search, comparedWithFirst: compared });
  return {
    schema: RUN_SCHEMA,
    run: run.run,
    scenario,
    startedAt,
    endedAt,
    endedBy,
    complete: unfinished === undefined && failure === undefined && !interrupted && !broken && legs.length === planned,
    config: {
      connections: config.connections,
      workload: config.workload,
      protocol: config.protocol,
      ...payloadSizes(config),
      loop,
      ...present('margin', margin),
      ...present('looks', looks),
      ...present('versions', versionsOf(config)),
    },
    warnings: allWarnings,
    findings: listedFindings({ legs, search, warnings: allWarnings }),
    ...(cases.length > 0 ? { cases } : {}),
    ...(comparisons.length > 0 ? { comparisons } : {}),
    ...present('search', search),
    ...present('verdict', verdict),
    legs,
  };
}
