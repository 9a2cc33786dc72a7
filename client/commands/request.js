// Reads the command line of `stress`, `max` and `doctor` into a request: the scenario that it names, and what belongs
// to this invocation alone. No later stage sees arguments.

import { flagsOf } from '../scenario/flags.js';
import { agentsWanted } from './agents.js';
import { livePortOf } from './live.js';
import { checkOutput } from './output-options.js';
import { publicationOf } from './publication.js';
import { revisionsWanted } from './revisions.js';
import { baselineOf } from './baseline.js';
import { withTarget } from './short-flags.js';

/**
 * @import { UsageError } from '../errors.js'
 * @import { Flags } from '../scenario/flags.js'
 * @import { FlagNames } from '../scenario/scenario.js'
 * @import { AgentsWanted } from './agents.js'
 * @import { BaselineOption } from './baseline.js'
 * @import { Publication } from './publication.js'
 * @import { RevisionsWanted } from './revisions.js'
 */

/**
 * @typedef {{ config?: string, flags: Flags, flagNames?: FlagNames,
 *   folders?: Record<string, string> }} NamedScenario  folders: of
 *   versions of the program that its command starts
 *
 * @typedef {object} Output
 * @property {string} logs    folder of the runs
 * @property {string} report  folder of the pages
 * @property {'json' | 'markdown' | 'results' | null} only  what is printed; null: everything
 * @property {boolean} progress  whether there is a line for each second, and a bar
 * @property {'main' | 'all'} table  which rows the table of results has
 * @property {boolean} isDebug  whether one exchange is all that happens
 * @property {boolean} isDryRun
 *
 * @typedef {object} Request
 * @property {string} command  as it was typed, without its arguments
 * @property {NamedScenario | null} scenario  null: none is named
 * @property {AgentsWanted | null} agents  null: the run is on this host
 * @property {BaselineOption | null} baseline
 * @property {RevisionsWanted | null} revisions  that the working tree is compared with; null: none
 * @property {Output} output
 * @property {number | null} livePort  null: no live page; 0: a free port
 * @property {Publication} publication
 */

/**
 * @param {any} argv as yargs leaves it; or flags of a scenario, `logs` and `report`
 * @param {Record<string, string | undefined>} [env]
 * @returns {Request}
 * @throws {UsageError}
 */
export function requestOf(argv, env = {}) {
  const {
    $0: command,
    logs,
    report,
    json,
    markdown,
    quiet,
    progress = true,
    table = 'main',
    debug: isDebug = false,
    'dry-run': isDryRun = false,
  } = argv;
  checkOutput(argv);
  const publication = publicationOf(argv, env);
  const livePort = livePortOf(argv);
  const baseline = baselineOf(argv);
  /** @type {Output['only']} */
  const only = json ? 'json' : markdown ? 'markdown' : quiet ? 'results' : null;
  /** @type {Output} */
  const output = { logs, report, only, progress, table, isDebug, isDryRun };
  const agents = agentsWanted(argv);
  const scenario = scenarioOf(argv);
  const revisions = revisionsWanted(argv);
  return { command, scenario, agents, baseline, revisions, output, livePort, publication };
}

/** @param {any} argv @returns {NamedScenario | null} */
function scenarioOf(argv) {
  const long = withTarget(argv, `${argv.$0} --help`);
  const flags = flagsOf(long);
  return long.config === undefined && Object.keys(flags).length === 0 ? null : { config: long.config, flags };
}
