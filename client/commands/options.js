// The options of an invocation, a row for each, and the request that they are read into. The flags of a scenario come
// from its schema. Later stages see the request, never arguments.

import * as ofAgents from '../agents/commands/options.js';
import { flagsOf } from '../scenario/flags.js';
import { scenarioOfFolder } from '../scenario/file.js';
import { headingOf } from '../scenario/help-groups.js';
import { choose } from '../scenario/merge.js';
import { otlpEndpoint } from '../store/otlp-endpoint.js';
import { because, excludes, flag, needs, notTogether, once, row, text } from './option-rows.js';
import { parseDuration } from '../words/units.js';
import { numberOf, optionError, parseTolerance, refusedOption } from './option-values.js';
import { folderOptions, OUTPUT, tolerance } from './shared-options.js';
import { withTarget } from './short-flags.js';

/**
 * @import { Options } from 'yargs'
 * @import { ProgressKind } from '../console/progress.js'
 * @import { Flags } from '../scenario/flags.js'
 * @import { Wanted } from '../explain/index.js'
 * @import { FlagNames } from '../scenario/scenario.js'
 * @import { Endpoint } from '../store/otlp-endpoint.js'
 * @import { Context, Row, Typed } from './option-rows.js'
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
 * @property {ProgressKind} progress
 * @property {'main' | 'all'} table  which rows the table of results has
 * @property {boolean} isDebug  whether to make one exchange and end
 * @property {boolean} isDryRun
 *
 * @typedef {{ collector: Endpoint | null, stepSummary: string | undefined }} Publication  stepSummary: a file
 * @typedef {{ run: string, tolerance: number | null }} BaselineOption  run: an id, a part of it, a name or a folder
 * @typedef {{ revisions: string[], build: string | null, rebuild: boolean }} RevisionsWanted
 *
 * @typedef {{ command: string } & { [Name in Part]: ReturnType<typeof PARTS[Name]> }} Request
 *   command: as typed, without its arguments
 *
 * @typedef {keyof typeof PARTS} Part
 */

const LAST_PORT = 65_535;

/** @type {readonly ProgressKind[]} */
const PROGRESS = ['auto', 'screen', 'lines', 'none'];

const SCENARIO = headingOf('config', { 'x-group': 'scenario' });

const onceWithCommas = once('; several revisions go between commas');
const withoutBase = because('belongs to --base, which names the revision to compare with');
const nothingToSend = because('--dry-run measures nothing, so there is nothing to send; omit one of them');

const EXPLAINED_NS = 15e9;
const LEAST_EXPLAINED_NS = 1e9;

/** @param {string | string[]} given @param {string} option @returns {Wanted | null} */
function explainedBy(given, option) {
  if (Array.isArray(given) || given === 'never') return null;
  if (given === '' || given === 'worse') return { ns: EXPLAINED_NS, onlyIfWorse: given === 'worse' };
  const ns = parseDuration(given);
  if (ns >= LEAST_EXPLAINED_NS) return { ns, onlyIfWorse: false };
  throw refusedOption(option, given, 'give a duration of at least 1s, such as 30s, worse or never');
}

/** In the order of the help. @type {Row[]} */
const ROWS = [
  row(
    'base',
    'revisions',
    text(
      SCENARIO,
      'Compare the command in the working tree with the same at this revision of git; several between commas',
    ),
    {
      rules: [
        onceWithCommas,
        excludes(
          ['url', 'target'],
          because(
            'needs --command, which starts the program of each revision; a server that runs already has no revisions',
          ),
        ),
      ],
    },
  ),
  row(
    'build',
    'revisions',
    text(
      SCENARIO,
      "Command that builds the program at each revision of --base, and in the working tree, such as 'npm ci'",
    ),
    { rules: [onceWithCommas, needs(['base'], withoutBase)] },
  ),
  row('rebuild', 'revisions', flag(SCENARIO, 'Build the revisions of --base again that an earlier run has built'), {
    rules: [needs(['base'], withoutBase)],
  }),
  ...ofAgents.rows,
  row('logs', 'output', folderOptions.logs),
  row('report', 'output', folderOptions.report),
  row('json', 'output', flag(OUTPUT, 'Print summary.json and nothing else')),
  row('markdown', 'output', flag(OUTPUT, 'Print the answer and a table for a pull request, and nothing else'), {
    rules: [excludes(['json', 'dry-run', 'debug'], notTogether)],
  }),
  row('quiet', 'output', { ...flag(OUTPUT, 'Print only the table of results at the end'), alias: 's' }),
  row('progress', 'output', {
    ...{ choices: PROGRESS, requiresArg: true, group: OUTPUT },
    description:
      'What to show during a run: a screen in the last lines of the terminal, about a line each second, or remarks alone ' +
      '(default: auto, the screen on a terminal and lines elsewhere)',
  }),
  row('table', 'output', {
    ...{ choices: ['main', 'all'], requiresArg: true, group: OUTPUT },
    description: 'The table of servers alone, or every figure too (default: main)',
  }),
  row(
    'debug',
    'output',
    flag(OUTPUT, 'Send one request as the run would, print it, the reply and the times, and end'),
    {
      rules: [excludes(['dry-run', 'live'], notTogether)],
    },
  ),
  row('dry-run', 'output', flag(OUTPUT, 'Print the plan without starting anything')),
  row(
    'live',
    'livePort',
    {
      ...{ type: 'string', group: OUTPUT },
      description: 'Show the report during the run, at a URL on 127.0.0.1; a port may follow (default: a free one)',
    },
    {
      read: (given, name) => (given === '' ? 0 : numberOf(name, given, { range: [0, LAST_PORT] })),
      rules: [excludes(['dry-run'], because('nothing runs with --dry-run; leave one of the two out'))],
    },
  ),
  row(
    'baseline',
    'baseline',
    text(OUTPUT, 'Compare the results with this run: an id, a part of it, a name or a folder'),
    {
      rules: [once(), excludes(['dry-run'], because('--dry-run measures nothing to compare; omit one of them'))],
    },
  ),
  row('tolerance', 'baseline', text(OUTPUT, `With --baseline: ${tolerance.description}`), {
    read: parseTolerance,
    rules: [needs(['baseline'], because('there is nothing to compare with; add --baseline RUN'))],
  }),
  row(
    'explain',
    'explain',
    {
      ...{ type: 'string', group: OUTPUT },
      description:
        'Profile the servers after the run: which functions their CPU time, or the difference, comes from. A duration ' +
        'for each server may follow (default: 15s), or worse: only where a server is worse, or never',
    },
    {
      read: explainedBy,
      rules: [
        once(),
        excludes(['dry-run', 'debug'], notTogether),
        excludes(['url', 'target'], because('only a server that the run starts can be profiled; give --command')),
      ],
    },
  ),
  row('otlp', 'publication', text(OUTPUT, 'Send the metrics of the run to this OTLP/HTTP collector'), {
    rules: [excludes(['dry-run'], nothingToSend)],
  }),
  row('otlp-public', 'publication', flag(OUTPUT, 'Allow a collector outside loopback and private addresses'), {
    rules: [
      excludes(['dry-run'], nothingToSend),
      needs(['otlp'], because('there is no endpoint; give one with --otlp URL')),
    ],
  }),
];

/** @param {(row: Row) => boolean} isWanted @returns {Record<string, Options>} for `yargs.options()` */
const pick = (isWanted) => Object.fromEntries(ROWS.filter(isWanted).map(({ name, yargs }) => [name, yargs]));

/** All options, which `stress` has. */
export const invocationOptions = pick(() => true);
/** @param {Part[]} parts */
export const partOptions = (...parts) => pick(({ part }) => parts.includes(/** @type {Part} */ (part)));

/**
 * The parts of a request, in the order of reading. Each is made from the checked values of its options and from the
 * parts before it.
 */
const PARTS = {
  /**
   * @param {{ logs: string, report: string, json?: boolean, markdown?: boolean, quiet?: boolean, progress?:
   *   ProgressKind, table?: Output['table'], debug?: boolean, 'dry-run'?: boolean }} values
   * @returns {Output}
   */
  output: ({ logs, report, json, markdown, quiet, progress = 'auto', table = 'main', debug, 'dry-run': dryRun }) => {
    const only = json ? 'json' : markdown ? 'markdown' : quiet ? 'results' : null;
    return { logs, report, only, progress, table, isDebug: debug ?? false, isDryRun: dryRun ?? false };
  },
  /** @param {Parameters<typeof otlpEndpoint>[0]} values @param {Context} context @returns {Publication} */
  publication: (values, { env }) => ({
    collector: otlpEndpoint(values, env),
    stepSummary: env.GITHUB_STEP_SUMMARY || undefined,
  }),
  /** @param {{ explain?: Wanted | null }} values @returns {Wanted | null} null: nothing is profiled */
  explain: ({ explain = null }) => explain,
  /** @param {{ live?: number | null }} values @returns {number | null} null: no live page; 0: a free port */
  livePort: ({ live = null }) => live,
  /**
   * @param {{ baseline?: string, tolerance?: number | null }} values
   * @returns {BaselineOption | null} null: no baseline
   */
  baseline: ({ baseline: run, tolerance = null }) => (run === undefined ? null : { run, tolerance }),
  ...ofAgents.parts,
  /** @param {object} _values @param {Context} context @returns {NamedScenario | null} null: no scenario is named */
  scenario: (_values, { argv }) => {
    const long = withTarget(argv);
    const flags = flagsOf(long);
    const { config: named } = /** @type {{ config?: string }} */ (long);
    const config = named ?? (choose(flags) ? undefined : scenarioOfFolder());
    return config === undefined && Object.keys(flags).length === 0 ? null : { config, flags };
  },
  /**
   * @param {{ base?: string, build?: string | null, rebuild?: boolean }} values
   * @returns {RevisionsWanted | null} to compare the working tree with; null: none
   */
  revisions: ({ base, build = null, rebuild = false }) => {
    if (base === undefined) return null;
    const revisions = base.split(',').flatMap((revision) => revision.trim() || []);
    if (revisions.length === 0) throw optionError('base', base, 'names no revision, such as main or HEAD~1');
    return { revisions, build, rebuild };
  },
};

/**
 * @template {Part} Name
 * @param {Name} part
 * @param {Typed} argv
 * @param {Partial<Context>} [context]
 * @returns {ReturnType<typeof PARTS[Name]>}
 * @throws {UsageError}
 */
export function readPart(part, argv, { env = {}, parts = {} } = {}) {
  const rows = ROWS.filter((row) => row.part === part);
  const values = Object.fromEntries(
    rows.map(({ name, read = (given) => given }) => [
      name,
      argv[name] === undefined ? undefined : read(argv[name], name),
    ]),
  );
  for (const { name: option, rules = [] } of rows) {
    for (const rule of rules) {
      const refusal = rule({ option, argv, values });
      if (refusal !== null) throw refusal;
    }
  }
  const read = /** @type {(values: object, context: Context) => ReturnType<typeof PARTS[Name]>} */ (PARTS[part]);
  return read(values, { argv, env, parts });
}

/**
 * @param {Typed} argv of a command; or flags of a scenario, `logs` and `report`
 * @param {Record<string, string | undefined>} [env]
 * @returns {Request}
 * @throws {UsageError}
 */
export function requestOf(argv, env = {}) {
  /** @type {Record<string, unknown>} */
  const parts = { command: argv.$0 };
  for (const part of /** @type {Part[]} */ (Object.keys(PARTS))) parts[part] = readPart(part, argv, { env, parts });
  return /** @type {Request} */ (parts);
}
