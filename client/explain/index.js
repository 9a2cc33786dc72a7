// Where a difference comes from (--explain): after the results are known, the servers of one point are started again,
// loaded for a while as before, and profiled. No figure of the run is taken from it.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { comparedFigure, nameOf } from '../judge/comparisons.js';
import { overheadOf } from '../judge/explained/explanation.js';
import { RunDisplay } from '../console/run-display.js';
import { timesAsLong } from '../measure/slices.js';
import { meanOf } from '../measure/statistics.js';
import { legMistakes } from '../scenario/rules/index.js';
import { LegRun } from '../run/leg.js';
import { RunFolder } from '../store/run-folder.js';
import { duration } from '../words/format.js';
import { listNames } from '../words/lists.js';
import { slugOf } from '../words/slug.js';
import { reasonOf } from '../words/warnings.js';
import { caseProfiles, explainCases } from './cases.js';
import { cpuProfile, folded } from './formats.js';
import { Profiler } from './profiler.js';
import { warning } from './warnings.js';

/**
 * @import { Explained, LegSummary, RunSummary } from '../../config/types.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { RunContext } from '../run/leg.js'
 * @import { Run } from '../run/run.js'
 * @import { Measured } from './cases.js'
 */

/** @typedef {{ ns: number, onlyIfWorse: boolean }} Wanted  ns: for how long each server is loaded */

/** Of the run folder. */
const FOLDER = 'profiles';
/** Of the throughput of the slowest server: what leaves a core free for a sampler that needs one. */
const SLOWER = 0.5;

/**
 * @param {Run} run whose results are known @param {RunContext} context of its legs @param {Wanted} wanted
 * @returns {Promise<Explained | undefined>} undefined where no server is worse, and that was asked for
 */
export async function explain(run, context, wanted) {
  try {
    return await explainWorst(run, context, wanted);
  } catch (error) {
    run.warn(warning('not-explained', reasonOf(error))); // the results of the run stand all the same
    return undefined;
  }
}

/** @type {typeof explain} rejects where something unexpected fails */
async function explainWorst(run, context, wanted) {
  const summary = run.results.summary();
  const legs = legsToProfile(run.plan.legs, summary, wanted);
  if (run.interrupts.interrupted) return undefined;
  if (legs.length === 0) {
    run.display.awaits('no server is worse, so none is profiled');
    return undefined;
  }
  const names = [...new Set(legs.map(nameOf))];
  run.display.awaits(
    `profiling ${listNames(names)}, loaded for ${duration(wanted.ns)}${names.length > 1 ? ' each' : ''}`,
  );
  const scratch = mkdtempSync(path.join(tmpdir(), 'broadside-profile-'));
  try {
    const profiled = legs.map((leg) => profiledLeg(leg, wanted.ns));
    const measured = await measure(run, context, profiled, { scratch, slowedTo: slowerRate(profiled, summary.legs) });
    return run.interrupts.interrupted ? undefined : conclude(run, summary, measured, wanted);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * The legs of the last round at one point: where a server is worse, or the last point in the order of the plan.
 * @param {Leg[]} legs of the plan @param {RunSummary} summary @param {Wanted} wanted
 * @returns {Leg[]}
 */
function legsToProfile(legs, { comparisons = [], config: { versions = [] } }, { onlyIfWorse }) {
  const isBase = (/** @type {Leg} */ leg) => nameOf(leg) === versions[0];
  const worse = new Set(
    comparisons.flatMap(({ case: id, figure, mark }) =>
      mark.code === 'worse' && comparedFigure(figure).unit !== 'size' ? [id] : [],
    ),
  );
  const given = legs.filter(({ comparedAt }) => comparedAt === undefined);
  const chosen = given.find((leg) => worse.has(leg.case) && !isBase(leg)) ?? (onlyIfWorse ? undefined : given.at(-1));
  if (chosen === undefined) return [];
  const point = JSON.stringify(chosen.axes);
  const atPoint = given.filter(({ axes }) => JSON.stringify(axes) === point);
  const lastRound = Math.max(...atPoint.map(({ round }) => round));
  return atPoint.filter(({ round }) => round === lastRound);
}

/** @param {Leg} leg @param {number} ns for which its server is loaded @returns {Leg} the same load, for so long */
function profiledLeg(leg, ns) {
  const steadyToNs = leg.steadyFromNs + ns * timesAsLong(leg);
  return {
    ...leg,
    steadyToNs,
    endNs: steadyToNs + (leg.endNs - leg.steadyToNs),
    settings: { ...leg.settings, budget: null, transfers: null },
  };
}

/**
 * @param {Leg[]} legs to be profiled @param {LegSummary[]} summaries of the run
 * @returns {number | undefined} requests a second for servers whose source of profiles needs a free core, the same for
 *   all; undefined where the run left one free, and where the load cannot be an open loop
 */
function slowerRate(legs, summaries) {
  const measured = summaries.filter(({ id }) => legs.some((leg) => leg.id === id));
  const isFull = measured.some(({ machine }) => machine !== undefined && machine.busyCores + 1 > machine.cores);
  const canBeOpen = legs.every(
    ({ settings }) => settings.rate === null && legMistakes({ ...settings, rate: 1 }, (path) => path, {}).length === 0,
  );
  const throughputs = [...new Set(legs.map((leg) => leg.case))].map((id) =>
    meanOf(measured.filter((leg) => leg.case === id).map(({ steady }) => steady?.perSecond ?? 0)),
  );
  const rate = Math.round(SLOWER * Math.min(...throughputs));
  return isFull && canBeOpen && rate > 0 ? rate : undefined;
}

/** @param {Leg} leg @param {number} rate requests a second @returns {Pick<Leg, 'settings' | 'rates'>} in open loop */
const atRate = ({ settings }, rate) => ({
  settings: { ...settings, rate },
  rates: [{ atNs: 0, rate, line: false }],
});

/** @param {Leg} leg @returns {string} the folder that its source files are named relative to */
const sourcesOf = ({ server }) => (server.kind === 'command' && server.folder) || process.cwd();

/**
 * @param {Run} run @param {RunContext} context @param {Leg[]} legs
 * @param {{ scratch: string, slowedTo: number | undefined }} how scratch: folder for profilers; slowedTo: requests a
 *   second for a source that needs a free core
 * @returns {Promise<Measured[]>} in the order of the legs
 */
async function measure(run, context, legs, { scratch, slowedTo }) {
  const folder = new RunFolder(path.join(run.folder.folder, FOLDER), run.folder.id);
  folder.onFailure = (file, error) => run.reportFailedWrite(path.join(FOLDER, file), error);
  /** @type {ConstructorParameters<typeof RunDisplay>[1]} */
  const quiet = { scenario: run.scenario, plan: { ...run.plan, legs }, only: 'problems', progress: 'none' };
  const display = new RunDisplay(process.stdout, quiet);
  const scenario = { ...run.scenario, transferLog: /** @type {const} */ ('none'), stopOn: [] };
  const legRuns = legs.map((leg, index) => {
    const own = path.join(scratch, leg.id);
    mkdirSync(own);
    /** @type {{ rate?: number }} */
    const slowed = {};
    const profiler = new Profiler(own, sourcesOf(leg), ({ needsFreeCore }) => {
      if (needsFreeCore && slowedTo !== undefined) Object.assign(leg, atRate(leg, (slowed.rate = slowedTo)));
    });
    const place = profiler.at(context.place);
    const profiled = { ...context, scenario, folder, display, place, planChanges: () => {} };
    return { profiler, slowed, legRun: new LegRun(profiled, leg, index) };
  });
  const groups = legs[0].slices === undefined ? legRuns.map((legRun) => [legRun]) : [legRuns];
  /** @type {Map<LegRun, LegSummary>} */
  const summaries = new Map();
  try {
    for (const group of groups) {
      await run.runSideBySide(
        group.map(({ legRun }) => legRun),
        (legRun, summary) => {
          legRun.write(summary);
          summaries.set(legRun, summary);
        },
      );
    }
  } finally {
    for (const { profiler } of legRuns) profiler.close();
  }
  return legRuns.flatMap(({ profiler, slowed, legRun }) => {
    const { leg } = legRun;
    const summary = summaries.get(legRun);
    if (summary === undefined) return []; // interrupted before its turn
    const startNs = Number(context.t0.monotonicNs) + (legRun.measurement?.end.startNs ?? 0);
    const steady = { fromNs: startNs + leg.steadyFromNs, toNs: startNs + leg.steadyToNs };
    const { source, profile } = profiler;
    return [{ leg, summary, ...steady, ...slowed, source: source?.name ?? null, profile }];
  });
}

/**
 * Writes the profiles, and what they explain.
 * @param {Run} run @param {RunSummary} summary @param {Measured[]} measured @param {Wanted} wanted
 * @returns {Explained}
 */
function conclude(run, summary, measured, wanted) {
  const cases = caseProfiles(measured, summary.legs);
  for (const { label, samples } of cases) {
    if (samples.length === 0) continue;
    const file = path.join(FOLDER, slugOf(label));
    run.folder.writeText(`${file}.folded`, folded(samples));
    run.folder.writeText(`${file}.cpuprofile`, JSON.stringify(cpuProfile(samples)));
  }
  const { rows, trees } = explainCases(cases, summary.config.versions?.[0]);
  run.folder.writeJson('profiles.json', { schema: 1, trees });
  const atSameLoad = cases.filter(({ rate }) => rate === undefined).map(({ id }) => id);
  const overhead = overheadOf(
    summary.legs,
    measured.filter(({ leg }) => atSameLoad.includes(leg.case)).map((leg) => leg.summary),
  );
  return {
    seconds: wanted.ns / 1e9,
    cases: cases.map(({ id, label, source, rate, problem, samples }) => ({
      ...{ case: id, label, source, samples: samples.length },
      ...(rate === undefined ? {} : { rate }),
      ...(problem === undefined ? {} : { problem }),
    })),
    ...(overhead === undefined ? {} : { overhead }),
    ...rows,
  };
}
