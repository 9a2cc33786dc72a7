// Carries out a planned run, including its report and its publication. Loaded only for a run: --dry-run and mistakes
// need no code that measures.
import { setFlagsFromString } from 'node:v8';
import { print } from '../console/print.js';
import { RunDisplay } from '../console/run-display.js';
import { Run } from '../run/run.js';
import { checkTargets } from '../run/target-check.js';
import { makeOutputFolder } from '../store/run-folder.js';
import { publish } from './publication.js';

/**
 * @import { BroadsideError } from '../errors.js'
 * @import { Request } from './options.js'
 * @import { Planned } from './preparation.js'
 */

/**
 * The primary allocates some megabytes of histograms and lines per second and keeps none of them. With a young
 * generation of constant size V8 collects them often, and memory does not swing by tens of megabytes.
 */
const CONSTANT_YOUNG_GENERATION = '--semi-space-growth-factor=1';

/**
 * @param {Planned} planned
 * @param {Pick<Request, 'output' | 'livePort' | 'publication' | 'explain'>} request
 * @returns {Promise<number>} the exit code
 * @throws {BroadsideError} before the run has begun
 */
export async function carryOut(planned, { output, livePort, publication, explain }) {
  const { scenario, plan } = planned;
  if (explain !== null) (await import('../explain/check.js')).checkExplained(planned);
  const notice = (/** @type {string} */ text) => print(`broadside: ${text}`, process.stderr);
  const answered = planned.answered || (await checkTargets(plan.legs[0].settings, plan.legs[0], notice));
  setFlagsFromString(CONSTANT_YOUNG_GENERATION);
  const { only, progress, table } = output;
  const markdownOf = only === 'markdown' ? (await import('../exports/markdown.js')).runMarkdown : undefined;
  /** @type {ConstructorParameters<typeof RunDisplay>[1]} */
  const displayOptions = { scenario, plan, only, progress, table, markdownOf };
  const display = new RunDisplay(process.stdout, displayOptions);
  const live = livePort === null ? null : await (await import('./live.js')).openLive(livePort, display);
  /** @type {Run | undefined} */
  let run;
  try {
    run = runOf({ ...planned, answered }, output, display, explain);
    live?.follow(run.folder.folder);
    const exitCode = await run.execute();
    for (const warning of await publish(run.folder.folder, publication)) display.problem(warning);
    return exitCode;
  } finally {
    await live?.close(run?.page ?? null);
  }
}

/**
 * @param {Planned} planned
 * @param {{logs: string, report: string}} folders
 * @param {RunDisplay} display
 * @param {Request['explain']} [wanted]
 * @returns {Run} with an existing folder
 */
export function runOf(planned, { logs, report }, display, wanted = null) {
  const { scenario, plan, host, known, answered, baseline, next, place } = planned;
  makeOutputFolder('report', report); // a failure here comes before measuring
  return new Run({
    ...{ scenario, plan, host, place, logs, display, answered, baseline, next },
    available: known.filter(({ available }) => available).map(({ name }) => name),
    buildPage: (runFolder) => buildPage(runFolder, report),
    explain: wanted && (async (run, context) => (await import('../explain/index.js')).explain(run, context, wanted)),
  });
}

/**
 * @param {string} runFolder
 * @param {string} reportFolder
 * @returns {Promise<string>} path of the page
 */
async function buildPage(runFolder, reportFolder) {
  const { buildReport } = await import('../../report/index.js');
  const { page } = await buildReport({ runFolder, reportFolder, index: true });
  return page;
}
