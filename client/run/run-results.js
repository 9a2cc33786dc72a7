// The results of a run so far: the summaries of its legs and its warnings, and what follows from them: the run's
// summary, its exit code and its files.
import path from 'node:path';
import { gateOutcome } from '../judge/gates.js';
import { junitOf } from '../exports/junit.js';
import { verdictOutcome } from '../judge/verdict.js';
import { isAnswered } from '../judge/search/index.js';
import { summariseRun } from '../judge/summary.js';
import { reasonOf, warning } from '../words/warnings.js';
import { asPlanned } from '../measure/settings.js';

/**
 * @import { LegSummary, RunSummary, Warning } from '../../config/types.js'
 * @import { Plan } from '../measure/settings.js'
 * @import { ComparedRun } from '../judge/compare-runs/index.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Environment } from '../store/environment.js'
 * @import { RunFolder } from '../store/run-folder.js'
 * @import { Interrupts } from './interrupts.js'
 */

/**
 * @typedef {RunSummary & Required<Pick<RunSummary, 'exitCode'>>} ConcludedRun
 * @typedef {{ run: ComparedRun, tolerance: number | null }} Baseline  an earlier run
 *   that the results are compared with
 * @typedef {(problem: Warning, error?: unknown) => void} Report  reports what could not be written
 */

/** Exit code of a complete run with a condition that is not met or undecided. */
const VERDICT_FAILED = 99;
/** Files that every run has, also if its legs failed. */
const RUN_FILES = ['scenario.json', 'plan.json', 'environment.json', 'summary.json', 'junit.xml'];

const NOT_INTERRUPTED = Object.freeze({ interrupted: false, exitCode: /** @type {const} */ (0) });

export class RunResults {
  /**
   * @param {{ folder: RunFolder, scenario: Scenario,
   *   plan: Plan, t0: { epochMs: number },
   *   interrupts?: Pick<Interrupts, 'interrupted' | 'exitCode'>, baseline?: Baseline | null,
   *   summaries?: LegSummary[] }} run  interrupts: absent if no signal can end the run; summaries: of the legs that
   *   have ended already
   */
  constructor({ folder, scenario, plan, t0, interrupts = NOT_INTERRUPTED, baseline = null, summaries = [] }) {
    this.folder = folder;
    this.scenario = scenario;
    this.plan = plan;
    this.t0 = t0;
    this.interrupts = interrupts;
    this.baseline = baseline;
    /** @type {Environment | null} */
    this.environment = null;
    /** @type {Warning[]} */
    this.warnings = [...plan.warnings];
    /** Of the legs. @type {LegSummary[]} */
    this.summaries = [...summaries];
    /** Where differences come from. @type {RunSummary['explained']} */
    this.explained = undefined;
    /** As written at the end of the run. @type {ConcludedRun | null} */
    this.concluded = null;
  }

  /**
   * Adds the summary of a leg that has ended, and has been written to its folder.
   * @param {LegSummary} summary
   */
  add(summary) {
    this.summaries.push(summary);
  }

  /** The legs that have ended, in the order of the plan. @returns {LegSummary[]} */
  get legs() {
    const positions = new Map(this.plan.legs.map(({ id }, i) => [id, i]));
    return [...this.summaries].sort((a, b) => (positions.get(a.id) ?? 0) - (positions.get(b.id) ?? 0));
  }

  /**
   * Summarises a run that an error has ended. If the summaries of the legs cause an error themselves, the legs are
   * listed without the results that are computed from them.
   * @param {Warning} failure @returns {RunSummary}
   */
  failed(failure) {
    try {
      return this.summary(failure);
    } catch {
      return { ...this.summary(failure, []), legs: this.legs };
    }
  }

  /**
   * @param {Warning} [failure] what ended the run before its legs
   * @param {LegSummary[]} [legs]
   * @returns {RunSummary}
   */
  summary(failure, legs = this.legs) {
    const { folder, scenario, t0, plan, warnings, explained } = this;
    const summary = summariseRun(
      {
        run: folder.id,
        scenario: scenario.name,
        startedAt: new Date(t0.epochMs).toISOString(),
        endedAt: new Date().toISOString(),
        config: asPlanned(scenario, plan),
        planned: plan.legs.length,
        cases: plan.cases,
        interrupted: this.interrupts.interrupted,
        warnings,
        failure,
      },
      legs,
    );
    return explained === undefined ? summary : { ...summary, explained };
  }

  /** @returns {Promise<RunSummary>} of a run that has ended, with the changes since the baseline */
  async compared() {
    const summary = this.summary();
    if (this.baseline === null) return summary;
    const { compareRuns } = await import('../judge/compare-runs/index.js');
    const { run, tolerance } = this.baseline;
    const current = { summary, scenario: this.scenario, environment: this.environment };
    const baseline = compareRuns(current, run, tolerance);
    return baseline === null ? summary : { ...summary, baseline };
  }

  /**
   * @param {RunSummary} summary
   * @param {boolean} [hasFiles] whether the run's files and its page were written
   * @returns {ConcludedRun['exitCode']}
   */
  exitCodeOf(summary, hasFiles = true) {
    if (this.interrupts.interrupted) return this.interrupts.exitCode;
    if (!hasFiles || !summary.complete) return 1;
    if (summary.search && !isAnswered(summary.search)) return 1;
    const { verdict, baseline } = summary;
    const outcomes = [verdict && verdictOutcome(verdict), baseline && gateOutcome(baseline)];
    if (outcomes.includes('failed')) return VERDICT_FAILED;
    return outcomes.includes('undecided') && !this.scenario.allowUndecided ? VERDICT_FAILED : 0;
  }

  /**
   * @param {ConcludedRun['exitCode']} exitCode
   * @returns {ConcludedRun} for a process that exits now; a summary that was already written is kept
   */
  endedNow(exitCode) {
    return { ...(this.concluded ?? this.summary()), exitCode };
  }

  /**
   * Writes the run's summary, junit.xml and page. A missing file changes the exit code.
   * @param {(runFolder: string) => Promise<string>} buildPage  resolves with the file of the page
   * @param {Report} report
   * @param {(summary: ConcludedRun) => boolean} [endEvents] writes the last event of the run; returns false if events
   *   could not be written
   * @returns {Promise<{ summary: ConcludedRun, page: string | null }>}
   */
  async conclude(buildPage, report, endEvents = () => true) {
    const { folder } = this;
    const compared = await this.compared();
    let summary = { ...compared, exitCode: this.exitCodeOf(compared) };
    folder.writeJson('summary.json', summary);
    this.concluded = summary;
    folder.writeText('junit.xml', junitOf(summary, this.plan.legs));
    const page = !this.hasMeasured
      ? null
      : await buildPage(folder.folder).catch((error) => {
          report(warning('report-not-built', { run: folder.id, ...reasonOf(error) }), error);
          return null;
        });
    const files = [...this.missingFiles(), ...(endEvents(summary) ? [] : ['events.ndjson'])];
    if (files.length > 0) report(warning('files-missing', { folder: folder.folder, files }));
    const exitCode = this.exitCodeOf(compared, files.length === 0 && page !== null);
    if (exitCode !== summary.exitCode) {
      summary = { ...compared, exitCode };
      this.concluded = summary;
      folder.writeJson('summary.json', summary);
    }
    return { summary, page };
  }

  /** @returns {boolean} false: no server could be started, and a page would be empty */
  get hasMeasured() {
    const { legs } = this;
    return legs.length === 0 || legs.some(({ endedBy }) => endedBy !== 'server-start');
  }

  /** @returns {string[]} files that are missing in the run folder */
  missingFiles() {
    const { legs } = this;
    const samples = legs.filter(({ phases }) => phases).map(({ id }) => path.join(id, 'samples.ndjson'));
    const summaries = this.summaries.map(({ id }) => path.join(id, 'summary.json'));
    return this.folder.missing([...RUN_FILES, ...samples, ...summaries]);
  }
}
