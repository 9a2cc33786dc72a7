// Prints a run, event by event: its head, the legs, about a line each second, warnings, and the results at the end. The
// run reports events; this file decides how they are shown.
import path from 'node:path';
import { typed } from '../invocation.js';
import { protocolOf } from '../protocols/index.js';
import { churnsConnections, serverRecycles } from '../measure/churn.js';
import { takenText } from '../scenario/keys/request-list.js';
import { addressText, formatEndpoints } from '../words/endpoint.js';
import { warningTexts } from '../judge/findings/index.js';
import { asPlanned, testText } from '../measure/settings.js';
import { modelText } from '../words/figures.js';
import { kneeLine } from '../words/knee.js';
import { legName } from '../words/leg-name.js';
import { adviceText } from '../words/warnings.js';
import { timesText } from '../words/lists.js';
import { count, counted, duration, wholePercent } from '../words/format.js';
import { partTables, requestLines } from './part-tables.js';
import { startsOf } from '../judge/cases.js';
import { isBackgroundLoad } from '../judge/disturbances.js';
import { figureOf } from '../judge/figures.js';
import { shownCase, shownCases, valueOf } from '../judge/value-of.js';
import { ownLengths, sliceNs, steadyStage, timesAsLong } from '../measure/slices.js';
import { endText, loadText } from './load.js';
import { explainedLines } from './explained-lines.js';
import { histogramLine } from './histogram-line.js';
import { print } from './print.js';
import { tableOf } from '../judge/table.js';
import { probesOf } from '../judge/search/index.js';
import { isCautionOfSearch, probesLine } from '../words/search.js';
import { clockText, TIME_WIDTH } from './live-lines.js';
import { Progress } from './progress.js';
import { RunScreen } from './run-screen.js';
import { WIDEST_TEXT } from './terminal-text.js';
import { allFigures, runComparisonLines, serversLines } from './results-table.js';
import { TurnLines } from './turn-lines.js';
import { searchLines } from './search-lines.js';
import { longRampText, shortRampText } from './short-ramp.js';
import { answerLines, bendLines, findingLines, verdictLines } from './result-lines.js';

/**
 * @import { Endpoint, LegSummary, RunSummary, Sample, Warning } from '../../config/types.js'
 * @import { Histogram } from '../measure/histogram.js'
 * @import { Plan } from '../measure/settings.js'
 * @import { Figure, Need } from '../judge/figures.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { ProgressKind } from './progress.js'
 * @import { LegCourse } from './run-course.js'
 * @import { Tone } from './terminal-text.js'
 */

/** A shorter span has a line only if something failed in it. */
const MIN_LINE_NS = 250e6;
/** After this time without figures, a line says so. */
const SILENCE_MS = 2500;
/** Time between two lines about the writing of the transfer log. */
const LOG_LINE_MS = 1000;
/** Totals of the connections of a leg when it begins. */
const NO_TOTALS = Object.freeze({ reopened: 0, lost: 0, lostWithWorker: 0, closedInPause: 0 });
/** Percentiles that the histogram shows. */
const MARKED = ['p50', 'p99'];
/** Indent of lines below a leg's heading. */
const INDENT = '       ';

/**
 * @typedef {object} MissingLegs  legs that a run has not measured
 * @property {number | null} missing  number of legs; null if the run had not planned all its legs yet
 * @property {number} planned
 * @property {string[] | null} servers  that the command measures; null if it measures everything again
 * @property {string} command
 */

/** @param {MissingLegs} legs @returns {string} with the command on a line of its own */
function missingText({ missing, planned, servers, command }) {
  const what = missing === null ? 'the legs to come' : `${missing} of ${counted(planned, 'leg')}`;
  const how = servers === null ? 'the same command measures all again' : `to measure ${servers.join(', ')}`;
  return `missing ${what}; ${how}:\n        ${command}`;
}

/** @param {Scenario} scenario @returns {Set<Need>} optional features of its run */
const featuresOf = ({ rate, compareAt, find, protocol }) =>
  new Set([
    ...((rate ?? compareAt ?? find) === null ? [] : [/** @type {const} */ ('open loop')]),
    ...(protocolOf(protocol).kinds ? [/** @type {const} */ ('kinds of replies')] : []),
  ]);

/** @param {Sample} sample of a span @returns {boolean} */
const hasLine = ({ fromNs, toNs, rejects, errors }) =>
  toNs - fromNs >= MIN_LINE_NS || [...Object.values(rejects), ...Object.values(errors)].some((n) => n > 0);

export class RunDisplay {
  /**
   * @param {NodeJS.WriteStream} stream
   * @param {{ scenario: Scenario, plan: Plan, only: 'json' | 'markdown' | 'results' | 'problems' | null, progress?:
   *   ProgressKind, table?: 'main' | 'all', markdownOf?: (summary: RunSummary) => string }} options  only: print only
   *   summary.json, the Markdown for a pull request, the results at the end, or problems; table: all: print all figures
   *   too
   */
  constructor(stream, { scenario, plan, only, progress, table = 'main', markdownOf = () => '' }) {
    this.scenario = asPlanned(scenario, plan);
    this.plan = plan;
    this.only = only;
    this.markdownOf = markdownOf;
    this.isOfAll = table === 'all';
    this.progress = new Progress(stream, { quiet: only !== null, kind: progress });
    this.screen = new RunScreen(this.progress, plan);
    /** Codes of messages that are shown only once, and were shown. @type {Set<string>} */
    this.saidCodes = new Set();
    this.legsPlanned();
    this.progress.setFeatures(featuresOf(scenario));
    /** When the last figures came, by performance.now(). */
    this.shownAt = 0;
    /** When the first leg was started, likewise. @type {number | undefined} */
    this.firstStart = undefined;
    /** Start of the current leg, in s since the first: the clock of the lines is that of the run. */
    this.startedSeconds = 0;
    /** Lines of legs that are measured side by side. @type {TurnLines | null} */
    this.turns = null;
    this.logShownAt = 0;
    /** Response times of the leg that ended last. @type {Histogram | undefined} */
    this.responseTimes = undefined;
    /** Settings of the current leg. */
    this.settings = scenario;
    /** Totals of each leg so far, by its id. @type {Map<string, Record<keyof typeof NO_TOTALS, number>>} */
    this.totals = new Map();
    /** Whether a line has said that the ramp is too fast for a knee: it is the same in each leg. */
    this.saidShortSteps = false;
  }

  /** Takes over legs that were added to the plan. */
  legsPlanned() {
    const { legs, search } = this.plan;
    this.progress.nameLegs(
      legs.map(({ label }) => label),
      legs.length > 1 || search !== undefined,
    );
    this.screen.board.plan(legs);
  }

  /**
   * Shows an event of the run.
   * @param {string} text @param {Tone} [tone] @param {number} [at] s since the run's first leg began; absent: now
   */
  event(text, tone, at = this.sinceStart()) {
    this.screen.tell(text, tone, at);
  }

  /** @returns {number} s since the run's first leg began */
  sinceStart() {
    return this.firstStart === undefined ? 0 : Math.max(0, performance.now() - this.firstStart) / 1000;
  }

  /** @param {{ label: string, round?: number, start?: number }} leg @returns {string} beginning of a remark about it */
  nameOf(leg) {
    return this.plan.legs.length > 1 ? `${legName(leg, this.plan.legs)}: ` : '';
  }

  /** @param {string} id of the run @param {string | null} remark about data that the run leaves in a server */
  runBegins(id, remark) {
    const { scenario, plan, progress } = this;
    const legs = plan.search
      ? `a search, usually of up to ${plan.search.usualLegs} legs`
      : plan.compareAt
        ? `up to ${plan.compareAt.mostLegs} legs`
        : plan.legs.length === 1
          ? 'one leg'
          : `${plan.legs.length} legs`;
    const rounds = plan.rounds === 1 ? '' : ` in ${plan.rounds} rounds`;
    const seconds = plan.search
      ? (plan.expected.seconds * plan.search.usualLegs) / plan.search.mostLegs
      : plan.expected.seconds;
    const ends = endText(plan.legs, duration(seconds * 1e9));
    progress.note(`${progress.style('bold', id)}  ${legs}${rounds}, ${ends}${longRampText(plan)}`);
    if (scenario.description) progress.note(scenario.description, 'dim');
    for (const address of scenario.named ?? []) progress.note(addressText(address), 'dim');
    for (const list of scenario.requestsFrom ?? []) progress.note(takenText(list), 'dim');
    if (plan.legs.length > 1) progress.note(this.load());
    const short = shortRampText(scenario, plan);
    if (short !== undefined) progress.note(`knee: ${short}`, 'dim');
    this.saidShortSteps = short !== undefined;
    if (remark !== null) progress.note(remark);
    for (const text of warningTexts(plan.warnings)) progress.note(`! ${text}`, 'yellow');
    this.screen.open();
  }

  /** @returns {string} the load of every leg */
  load() {
    return loadText(this.scenario, this.plan);
  }

  /** @param {string} text what the run waits for */
  awaits(text) {
    this.event(text, 'dim');
  }

  /** Shows that servers are being built. */
  building() {
    this.event('building the servers that are not up to date', 'dim');
  }

  /** @param {Leg} leg @param {Endpoint[]} endpoints of the instances of its server */
  legBegins(leg, endpoints) {
    const { serverModel, axes } = leg;
    this.settings = leg.settings;
    const test = this.scenario.tests?.find(({ as }) => as === axes.test);
    const parts = [
      ...(this.plan.rounds === 1 ? [] : [`round ${leg.round} of ${this.plan.rounds}`]),
      ...(leg.start === undefined || leg.slices ? [] : [`start ${leg.start} of ${startsOf(this.plan.legs)}`]),
      formatEndpoints(endpoints),
      ...(endpoints.length > 1 ? [counted(endpoints.length, 'instance')] : []),
      ...(this.plan.legs.length === 1 ? [this.load()] : []),
      ...(leg.comparedAt === undefined ? [] : [`open loop, ${count(leg.comparedAt)}/s`]),
      ...(test ? [testText(test)] : []),
      ...(serverModel ? [`${serverModel.language}: ${modelText({ serverModel })}`] : []),
    ];
    this.totals.set(leg.id, { ...NO_TOTALS });
    this.turns = null;
    this.screen.board.begin(leg);
    if (this.screen.isShown && this.plan.legs.length > 1) return; // the leg has a row
    const place = leg.slices?.index ?? 0;
    if (place >= (leg.slices ? timesAsLong(leg) : 1)) return; // another start of a server that has a heading
    const text = `${this.progress.style('bold', leg.id)}  ${parts.join(' · ')}`;
    if (this.screen.isShown) this.progress.note(text);
    else this.progress.heading(`${place === 0 ? '\n' : ''}${text}`);
  }

  /** @param {Leg[]} legs whose servers have been started, and that are measured at the same time */
  sideBySide(legs) {
    const [{ slices }] = legs;
    if (slices === undefined) return;
    this.turns = new TurnLines(legs.filter(({ id }) => this.totals.has(id)));
    const { starts } = slices;
    const often = starts === 1 ? '' : `, each started ${timesText(starts)}`;
    const hasPilot = slices.stages.some(({ phase }) => phase === 'pilot');
    const length = hasPilot ? '' : ` in slices of ${duration(sliceNs(ownLengths(slices)))}`;
    this.event(`${counted(timesAsLong(legs[0]), 'server')} side by side${often}, loaded one at a time${length}`);
  }

  /** @param {Leg} leg whose slices have been chosen */
  slicesChange({ slices }) {
    if (slices?.index !== 0) return;
    const lengths = steadyStage(slices).lengths.map(sliceNs);
    const [shortest, longest] = [Math.min(...lengths), Math.max(...lengths)].map(duration);
    const range = shortest === longest ? shortest : `${shortest} to ${longest}`;
    this.event(`slices of ${range}, chosen by the throughput of each server`);
  }

  /** @param {Leg} leg @param {number} leadMs until its workers start @param {() => LegCourse} courseOf its progress */
  workersStart(leg, leadMs, courseOf) {
    this.shownAt = performance.now() + leadMs;
    this.firstStart ??= this.shownAt;
    if ((leg.slices?.index ?? 0) === 0) this.startedSeconds = Math.ceil((this.shownAt - this.firstStart) / 1000);
    this.screen.follow(leg, courseOf);
  }

  /** @param {Leg} leg @param {Sample} sample the leg's next sample */
  sample(leg, sample) {
    const totals = this.totals.get(leg.id);
    for (const name of /** @type {const} */ (['reopened', 'lost', 'lostWithWorker'])) {
      if (totals) totals[name] += sample.counters[name] ?? 0;
    }
    if (totals) totals.closedInPause += sample.slices?.closed ?? 0;
    this.shownAt = performance.now();
    this.screen.doing = undefined;
    if (this.only !== null) return;
    for (const { text, at } of this.screen.board.add(leg, sample, this.startedSeconds + sample.toNs / 1e9))
      this.event(text, 'yellow', at);
    if (this.screen.isShown) return;
    const shown = { ...sample, gauges: this.gaugesOf(leg, sample) };
    this.rows(this.turns?.add(leg, shown) ?? [{ leg: leg.label, sample: shown, toNs: sample.toNs }]);
  }

  /** @param {{ leg: string, sample: Sample, toNs: number }[]} rows */
  rows(rows) {
    const shown = rows.filter(({ sample }) => hasLine(sample));
    this.progress.rows(shown.map(({ toNs, ...row }) => ({ ...row, seconds: this.startedSeconds + toNs / 1e9 })));
  }

  /** @param {Leg} leg @param {Sample} sample the leg's last sample @returns {Sample['gauges']} to show */
  gaugesOf(leg, { gauges }) {
    const { requested, unanswered, openedLastSecond } = gauges;
    // if connections end as planned, some are always new: those opened in the last second are not reported
    const renewed =
      churnsConnections(this.settings) || serverRecycles({ requested, ...NO_TOTALS, ...this.totals.get(leg.id) });
    return { ...gauges, unanswered: renewed ? unanswered - openedLastSecond : unanswered };
  }

  /**
   * Called every second. Reports when no sample has come for a while.
   * @param {number} nowNs since the leg's start @param {number[]} behind numbers of workers whose interval is missing
   */
  tick(nowNs, behind) {
    const silentMs = performance.now() - this.shownAt;
    if (silentMs < SILENCE_MS) return;
    const whom = behind.length > 0 ? `: waiting for worker ${behind.join(', ')}` : '';
    const what = `no figures for ${Math.round(silentMs / 1000)} s${whom}`;
    this.screen.doing = what;
    const since = clockText(this.startedSeconds + Math.floor(nowNs / 1e9)).padStart(TIME_WIDTH);
    if (!this.screen.isShown) this.progress.note(`${since}  ${what}`, 'yellow');
  }

  /** The workers of a leg have ended. @param {Leg} leg */
  workersEnd(leg) {
    if (!this.screen.isShown) this.rows(this.turns?.end(leg.id) ?? []);
    this.screen.board.end(leg);
    this.screen.unfollow(leg);
  }

  /**
   * The transfer log is being written.
   * @param {Leg} leg
   * @returns {{ written: (share: number) => void, end: (complete: boolean) => void }}
   */
  transferLog(leg) {
    const { label } = leg;
    const what = `${INDENT}${this.nameOf(leg)}transfer log`;
    let share = 0;
    let wasReported = false;
    this.logShownAt = performance.now();
    this.screen.doing = `writing the transfer log of ${label}`;
    return {
      written: (now) => {
        share = now;
        this.screen.doing = `writing the transfer log of ${label}: ${wholePercent(share)}`;
        if (performance.now() - this.logShownAt < LOG_LINE_MS) return;
        this.logShownAt = performance.now();
        if (this.progress.kind !== 'lines' || share >= 1) return;
        wasReported = true;
        this.progress.note(`${what}: ${wholePercent(share)} written`);
      },
      end: (complete) => {
        this.screen.doing = undefined;
        if (wasReported && complete) this.progress.note(`${what}: written`);
      },
    };
  }

  /** @param {LegSummary} summary @param {Histogram} responseTimes from which its percentiles were computed */
  legEnds(summary, responseTimes) {
    this.responseTimes = responseTimes;
    this.screen.board.summarise(summary);
    const { find } = this.scenario;
    const probes = find ? probesOf(find, summary) : [];
    if (find && probes.length > 0) {
      const tone = probes.some(({ held }) => held === null)
        ? 'yellow'
        : probes.some(({ held }) => held)
          ? 'green'
          : 'red';
      this.event(`${INDENT}${probesLine(find.goals, probes)}`, tone);
    }
    if (this.plan.cases.length > 1) return; // the results have one line for all cases
    const knee = kneeLine(summary.ramp);
    const short = summary.ramp?.undetermined?.code === 'short-steps';
    if (short && this.saidShortSteps) return;
    this.saidShortSteps ||= short;
    if (knee) this.event(`${INDENT}${this.nameOf(summary)}${knee}`);
  }

  /**
   * Reports why a leg is missing or incomplete; on stderr if only the results are printed.
   * @param {Leg} leg
   * @param {Warning} failure
   */
  legFails(leg, failure) {
    const { id, label } = leg;
    this.screen.board.fail(leg);
    const { code, data, text } = failure;
    const message = `${label}: ${adviceText(failure)}`;
    if (this.only === 'json') print(JSON.stringify({ error: { leg: id, code, data, text } }), process.stderr);
    else if (this.only === 'results' || this.only === 'markdown') print(`broadside: ${message}`, process.stderr);
    else this.event(message, 'red');
  }

  /** @param {string} text of a warning about the run */
  runWarning(text) {
    this.event(`! ${text}`, 'yellow');
  }

  /**
   * Shows a warning about a leg. A disturbance of a search has its remedy below the answers, once.
   * @param {Warning} warning @param {Leg} leg
   */
  legWarning(warning, leg) {
    if (isBackgroundLoad(warning)) {
      // the screen shows it all the time, and the findings name the legs
      if (this.screen.isShown || this.saidCodes.has(warning.code)) return;
      this.saidCodes.add(warning.code);
    }
    const isSaidBelow = this.plan.search !== undefined && isCautionOfSearch(warning.code);
    this.legRemark(isSaidBelow ? warning.text : `${this.nameOf(leg)}${adviceText(warning)}`);
  }

  /** @param {string} text about the current leg */
  legRemark(text) {
    this.event(`${INDENT}! ${text}`, 'yellow');
  }

  /** @param {string} signal the first signal */
  draining(signal) {
    const limit = duration(this.settings.drainTimeoutNs);
    this.screen.isDraining = true;
    this.legRemark(`${signal} received: draining, at most ${limit}. Press Ctrl+C again to stop immediately.`);
  }

  /** @param {Warning} warning that is shown even if only the results are printed */
  problem(warning) {
    const { code, data, text } = warning;
    const line =
      this.only === 'json' ? JSON.stringify({ error: { code, data, text } }) : `broadside: ${adviceText(warning)}`;
    this.progress.aside(() => print(line, process.stderr));
  }

  /** Shows that the results are being written. */
  reportBegins() {
    this.screen.report();
  }

  /**
   * @param {RunSummary} summary of the run
   * @param {{ folder: string, page: string | null, missing: MissingLegs | null, again: string }} where  page: null if
   *   none was built; missing: legs that the run has not measured; again: the command that runs it again
   */
  results(summary, { folder, page, missing, again }) {
    const { progress } = this;
    this.end();
    if (this.only === 'problems') return;
    if (this.only === 'json') {
      progress.say(JSON.stringify(summary, null, 2));
      return;
    }
    if (this.only === 'markdown') {
      progress.say(this.markdownOf(summary).trimEnd());
      return;
    }
    const { style } = progress;
    const width = Math.min(progress.width, WIDEST_TEXT);
    const parts = [
      answerLines(summary, width, style),
      serversLines(tableOf(summary), progress.width, style),
      bendLines(shownCases(summary), width),
      this.histogram(summary, width),
      requestLines(shownCases(summary), style, this.isOfAll),
      summary.search ? searchLines(summary.search, summary.legs, progress.width, style) : null,
      summary.verdict ? verdictLines(summary.verdict, progress.width, style) : null,
      summary.baseline ? runComparisonLines(summary.baseline, width, style) : null,
      summary.explained ? explainedLines(summary.explained, progress.width, style) : null,
      ...(this.isOfAll ? this.details(summary) : []),
      findingLines(summary, width, style, this.isOfAll).join('\n'),
    ];
    for (const part of parts) if (part) progress.say(`\n${part}`);
    progress.say('');
    if (missing !== null) progress.say(missingText(missing));
    progress.say(`logs    ${path.resolve(folder)}`);
    if (page) progress.say(`report  ${path.resolve(page)}`);
    if (missing === null) progress.say(`again   ${again}`);
  }

  /** @param {RunSummary} summary @param {number} width @returns {string | null} null for a run of several legs */
  histogram({ legs }, width) {
    const [leg, ...others] = legs;
    if (leg === undefined || others.length > 0 || this.responseTimes === undefined) return null;
    const marks = MARKED.flatMap((name) => {
      const { value } = valueOf(/** @type {Figure} */ (figureOf(name)), shownCase([leg]));
      return typeof value === 'number' ? [{ name, value }] : [];
    });
    return histogramLine(this.responseTimes, marks, width, this.progress.style);
  }

  /** @param {RunSummary} summary @returns {(string | null)[]} tables of all figures, and of the parts of legs */
  details(summary) {
    const { width, style } = this.progress;
    const { legs } = summary;
    const named = legs.map((leg) => ({ ...leg, label: legName(leg, legs) }));
    return [legs.length === 0 ? null : allFigures(shownCases(summary), width, style), ...partTables(named, style)];
  }

  /**
   * Reports that a second signal ended the run.
   * @param {string} id
   * @param {string} folder
   * @param {MissingLegs | null} missing
   */
  stopped(id, folder, missing) {
    this.end();
    if (this.only === 'json' || this.only === 'markdown') return;
    this.progress.say(
      `\nstopped immediately: the results up to this point are in ${path.relative('', folder)}; build their report ` +
        `with: ${typed('report', id)}`,
    );
    if (missing !== null) this.progress.say(missingText(missing));
  }

  /** Removes the screen; the remarks stay. */
  end() {
    this.screen.close();
  }
}
