// What is asked: the options that belong to an invocation, each one a row, and the request that one fold makes of them.
// The flags of a scenario come from its schema. No later stage sees arguments.

import { keepPasswordOf, keepUnseen } from '../protocols/kept-secrets.js';
import { flagsOf } from '../scenario/flags.js';
import { scenarioOfFolder } from '../scenario/file.js';
import { headingOf } from '../scenario/help-groups.js';
import { choose } from '../scenario/merge.js';
import { otlpEndpoint } from '../store/otlp-endpoint.js';
import { withoutLogin } from '../words/endpoint.js';
import { HIDDEN, sayable } from '../words/secrets.js';
import { agentName, natsUrl, numberOf, optionError, parseTolerance, readable, silenceMs } from './option-values.js';
import { folderOptions, OUTPUT, tolerance } from './shared-options.js';
import { withTarget } from './short-flags.js';

/**
 * @import { Options } from 'yargs'
 * @import { UsageError } from '../errors.js'
 * @import { ProgressKind } from '../console/progress.js'
 * @import { NatsServer } from '../agents/connection.js'
 * @import { AgentsWanted } from '../agents/place.js'
 * @import { Flags } from '../scenario/flags.js'
 * @import { FlagNames } from '../scenario/scenario.js'
 * @import { Endpoint } from '../store/otlp-endpoint.js'
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
 * @property {boolean} isDebug  whether one exchange is all that happens
 * @property {boolean} isDryRun
 *
 * @typedef {{ collector: Endpoint | null, stepSummary: string | undefined }} Publication  stepSummary: a file
 * @typedef {{ run: string, tolerance: number | null }} BaselineOption  run: an id, a part of it, a name or a folder
 * @typedef {{ revisions: string[], build: string | null, rebuild: boolean }} RevisionsWanted
 *
 * @typedef {{ command: string } & { [Name in Exclude<Part, 'nats'>]: ReturnType<typeof PARTS[Name]> }} Request
 *   command: as it was typed, without its arguments
 *
 * @typedef {object} Reading
 * @property {(given: any, name: string) => unknown} [read]  the value, of what was typed alone; throws a UsageError
 * @property {Rule[]} [rules]  what it needs, and what it excludes
 *
 * @typedef {{ name: string, part: Part, yargs: Options } & Reading} Row  an option; part: what it is read into
 * @typedef {{ option: string, argv: any, values: Record<string, any> }} Given  argv: as typed; values: as read
 * @typedef {(given: Given) => UsageError | null} Rule
 * @typedef {(option: string, value: any, others: string[]) => UsageError} Refusal  others: that it excludes
 * @typedef {keyof typeof PARTS} Part
 */

const MAX_AGENTS = 1000;
const LAST_PORT = 65_535;
/** The options that say how to log in. */
const LOGINS = ['nats-creds', 'nats-nkey', 'nats-token'];

/** @type {readonly ProgressKind[]} */
const PROGRESS = ['auto', 'screen', 'lines', 'none'];

const SCENARIO = headingOf('config', { 'x-group': 'scenario' });
const AGENTS = 'Agents:';

/** @param {string} group @param {string} description @returns {Options} */
const text = (group, description) => ({ type: 'string', requiresArg: true, group, description });
/** @param {string} group @param {string} description @returns {Options} */
const flag = (group, description) => ({ type: 'boolean', group, description });

/** @param {unknown} value @returns {boolean} whether the option was given, and not negated */
const isGiven = (value) => value !== undefined && value !== false;

/** @param {string[]} others @param {Refusal} refuse @returns {Rule} broken where one of them is given too */
const excludes =
  (others, refuse) =>
  ({ option, argv }) => {
    const found = others.filter((other) => isGiven(argv[other]));
    return isGiven(argv[option]) && found.length > 0 ? refuse(option, argv[option], found) : null;
  };

/** @param {string[]} others @param {Refusal} refuse @returns {Rule} broken where none of them is given */
const needs =
  (others, refuse) =>
  ({ option, argv }) =>
    isGiven(argv[option]) && !others.some((other) => isGiven(argv[other])) ? refuse(option, argv[option], []) : null;

/** @param {string} [more] what to do instead @returns {Rule} broken where it is given several times */
const once =
  (more = '') =>
  ({ option, argv }) =>
    Array.isArray(argv[option]) ? optionError(option, argv[option], `is given more than once${more}`) : null;

/** @param {string} why @returns {Refusal} */
const because = (why) => (option, value) => optionError(option, sayable(value, option), why);

/** @type {Refusal} What is printed is one thing. */
const notTogether = (option, value, [other]) =>
  optionError(option, value, `does not go together with --${other}; leave one of them out`, { other });
/** @type {Refusal} */
const withoutAgents = (option, value) => optionError(option, withoutLogin(String(value)), 'needs --agents N');
const onceWithCommas = once('; several revisions go between commas');
const withoutBase = because('belongs to --base, which names the revision to compare with');
const together = because('give --nats-cert and --nats-key together');
const nothingToSend = because('--dry-run measures nothing, so there is nothing to send; omit one of them');

/** @type {Rule} Named is the first of several ways to log in. */
const loginOnce = ({ option, argv, values }) => {
  const ways = [...LOGINS.filter((name) => isGiven(argv[name])), ...(values.nats?.username ? ['nats'] : [])];
  const [first, ...others] = ways;
  if (first !== option || others.length === 0) return null;
  const names = others.map((name) => `--${name}`).join(', ');
  return optionError(option, sayable(argv[option], option), `there is one way to log in; leave out ${names}`);
};

/** @param {string} name @param {Part} part @param {Options} yargs @param {Reading} [reading] @returns {Row} */
const row = (name, part, yargs, reading = {}) => ({ name, part, yargs, ...reading });

/** @param {string} name @param {string} description @param {Rule[]} [rules] @returns {Row} */
const natsFile = (name, description, rules = []) =>
  row(name, 'nats', text(AGENTS, description), { rules: [needs(['nats'], because('needs --nats URL')), ...rules] });

/** In the order of the help. */
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
  row('agents', 'agents', text(AGENTS, 'Divide the load over this many agents (other hosts), found through --nats'), {
    read: (given, name) => numberOf(name, given, { range: [1, MAX_AGENTS] }),
    rules: [(given) => needs(['agents', 'server-agent'], withoutAgents)({ ...given, option: 'nats' })],
  }),
  row(
    'nats',
    'nats',
    text(
      AGENTS,
      'URL of the NATS server, with JetStream: nats://host:4222 or tls://host:4222; it may contain a user and password',
    ),
    { read: natsUrl },
  ),
  natsFile('nats-creds', 'Log in to NATS with this credentials file', [loginOnce]),
  natsFile('nats-nkey', 'Log in to NATS with the nkey seed in this file', [loginOnce]),
  natsFile('nats-token', 'Log in to NATS with the token in this file', [loginOnce]),
  natsFile('nats-ca', 'PEM file of the authority that signed the certificate of the NATS server'),
  natsFile('nats-cert', 'PEM file of the client certificate for the NATS server; needs --nats-key', [
    needs(['nats-key'], together),
  ]),
  natsFile('nats-key', 'PEM file of the private key of that certificate', [needs(['nats-cert'], together)]),
  row(
    'server-agent',
    'agents',
    text(AGENTS, 'Start the servers on the agent of this name, found through --nats, and measure them there'),
    { read: agentName },
  ),
  row(
    'tolerate',
    'agents',
    text(AGENTS, 'Number of agents that may be lost without making the run incomplete (default: 0)'),
    { rules: [needs(['agents'], withoutAgents)] },
  ),
  row(
    'agent-timeout',
    'agents',
    text(AGENTS, 'An agent from which nothing came for this long is lost (default: 3s, three missed reports)'),
    { rules: [needs(['agents', 'server-agent'], withoutAgents)] },
  ),
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
      rules: [excludes(['dry-run', 'live', 'agents', 'server-agent'], notTogether)],
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

/** @param {(row: Row) => boolean} isMeant @returns {Record<string, Options>} for `yargs.options()` */
const pick = (isMeant) => Object.fromEntries(ROWS.filter(isMeant).map(({ name, yargs }) => [name, yargs]));

/** All, which are those of `stress`. */
export const invocationOptions = pick(() => true);
/** @param {Part[]} parts */
export const partOptions = (...parts) => pick(({ part }) => parts.includes(part));

/**
 * The parts of a request in the order in which they are read: each of the values of its options, which follow its
 * rules, and of the parts before.
 */
const PARTS = {
  /** @param {any} values @returns {Output} */
  output: ({ logs, report, json, markdown, quiet, progress = 'auto', table = 'main', debug, 'dry-run': dryRun }) => {
    const only = json ? 'json' : markdown ? 'markdown' : quiet ? 'results' : null;
    return { logs, report, only, progress, table, isDebug: debug ?? false, isDryRun: dryRun ?? false };
  },
  /** @param {any} values @param {Context} context @returns {Publication} */
  publication: (values, { env }) => ({
    collector: otlpEndpoint(values, env),
    stepSummary: env.GITHUB_STEP_SUMMARY || undefined,
  }),
  /** @param {any} values @returns {number | null} null: no live page; 0: a free port */
  livePort: ({ live = null }) => live,
  /** @param {any} values @returns {BaselineOption | null} null: none is compared with */
  baseline: ({ baseline: run, tolerance = null }) => (run === undefined ? null : { run, tolerance }),
  /** @param {any} values @param {Context} context @returns {NatsServer | null} */
  nats: ({ nats: url, ...files }, { argv }) => {
    if (url === undefined) return null;
    const texts = Object.fromEntries(
      Object.entries(files).map(([name, path]) => [name, path === undefined ? null : readable(name, path)]),
    );
    const token = texts['nats-token']?.trim() ?? null;
    if (token !== null) keepUnseen(token, HIDDEN);
    keepPasswordOf(url);
    const { 'nats-creds': creds = null, 'nats-nkey': nkey = null, 'nats-ca': ca = null } = files;
    const { 'nats-cert': certificate = null, 'nats-key': key = null } = files;
    return { url: String(argv.nats), login: { creds, nkey, token, ca, certificate, key } };
  },
  /** @param {any} values @param {Context} context @returns {AgentsWanted | null} null: the run is on this host */
  agents: ({ agents: count = 0, 'server-agent': serverAgent = null, ...values }, { argv, parts: { nats } }) => {
    if (count === 0 && serverAgent === null) return null;
    if (nats === null) {
      const option = count === 0 ? 'server-agent' : 'agents';
      throw optionError(option, argv[option], 'agents are found through a NATS server; give --nats URL');
    }
    const tolerated = numberOf('tolerate', values.tolerate, { range: [0, count - 1] }) ?? 0;
    return { count, nats, tolerated, timeoutMs: silenceMs('agent-timeout', values['agent-timeout']), serverAgent };
  },
  /** @param {any} _values @param {Context} context @returns {NamedScenario | null} null: none is named */
  scenario: (_values, { argv }) => {
    const long = withTarget(argv);
    const flags = flagsOf(long);
    const config = long.config ?? (choose(flags) ? undefined : scenarioOfFolder());
    return config === undefined && Object.keys(flags).length === 0 ? null : { config, flags };
  },
  /** @param {any} values @returns {RevisionsWanted | null} that the working tree is compared with */
  revisions: ({ base, build = null, rebuild = false }) => {
    if (base === undefined) return null;
    const revisions = base.split(',').flatMap((/** @type {string} */ one) => one.trim() || []);
    if (revisions.length === 0) throw optionError('base', base, 'names no revision, such as main or HEAD~1');
    return { revisions, build, rebuild };
  },
};

/** @typedef {{ argv: any, env: Record<string, string | undefined>, parts: any }} Context */

/**
 * @template {Part} Name
 * @param {Name} part
 * @param {any} argv as yargs leaves it
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
  return /** @type {any} */ (PARTS[part](values, { argv, env, parts }));
}

/**
 * @param {any} argv as yargs leaves it; or flags of a scenario, `logs` and `report`
 * @param {Record<string, string | undefined>} [env]
 * @returns {Request}
 * @throws {UsageError}
 */
export function requestOf(argv, env = {}) {
  /** @type {any} */
  const parts = { command: argv.$0 };
  for (const part of /** @type {Part[]} */ (Object.keys(PARTS))) parts[part] = readPart(part, argv, { env, parts });
  const { nats: _, ...request } = parts;
  return request;
}
