// Rules about the conditions of a run (`thresholds`, `failIf`, `stopOn` and `find.while`): whether the scenario
// measures the figures that they name, when they are judged; and whether the machine knows the process that they are
// about.

import { UsageError } from '../../errors.js';
import { protocolOf } from '../../protocols/index.js';
import { comparedOf } from '../../judge/comparisons.js';
import { isOfSearch } from '../../judge/figures.js';
import { isComparative, parseCondition, splitDuration } from '../../judge/conditions/parse.js';
import { counted, duration } from '../../words/format.js';
import { pointsOf } from '../../measure/settings.js';
import { rampSchedule } from '../../measure/schedule.js';
import { MIN_ROUNDS } from '../../judge/statistics/index.js';
import { conditionsIn } from '../keys/conditions.js';
import { isPattern } from '../keys/server-patterns.js';
import { shown } from '../mistakes.js';

/**
 * @import { ComparedFigure } from '../../judge/comparisons.js'
 * @import { Figure, Need } from '../../judge/figures.js'
 * @import { MachineRule } from '../place-rules.js'
 * @import { Scenario } from '../scenario.js'
 * @import { Rule } from './rule.js'
 */

const MIN_STOP_NS = 1e9;
/** A knee is looked for in a ramp of this many steps or more. */
const MIN_STEPS = 3;
/** Tolerance for the seconds that stopOn counts, which may be slightly short. */
const SLACK_NS = 0.1e9;

/**
 * The needs of figures, except the server's process, which only the machine knows (place-rules.js).
 * @type {Readonly<Record<Exclude<Need, 'server process'>, { text: string, isMet: (scenario: Scenario) => boolean }>>}
 */
const NEEDS = {
  'open loop': {
    text: 'it is measured in open loop only, with a rate',
    isMet: ({ rate, find }) => (rate ?? find) !== null,
  },
  'kinds of replies': {
    text: 'the protocol has no kinds of replies',
    isMet: ({ protocol }) => protocolOf(protocol).kinds === true,
  },
  'search for a rate': { text: 'it is the answer of find for a rate', isMet: ({ find }) => find?.maximise === 'rate' },
  'search for connections': {
    text: 'it is the answer of find for connections',
    isMet: ({ find }) => find?.maximise === 'connections',
  },
  TLS: { text: 'the scenario has no TLS', isMet: ({ tls }) => tls !== null },
  transfers: {
    text: 'the workload is hold without heartbeat, which sends no requests',
    isMet: ({ workload, heartbeatNs }) => workload !== 'hold' || heartbeatNs > 0,
  },
  steps: {
    text: `a knee is looked for in a ramp of at least ${MIN_STEPS} steps; make ramp.add smaller`,
    isMet: ({ workload, connections, connectionsProfile, ramp }) =>
      workload !== 'once' &&
      (connectionsProfile !== null || ramp.spread || rampSchedule(connections, ramp).points.length >= MIN_STEPS),
  },
};

/** @param {Scenario} scenario @returns {number} the longest time for which a leg is judged: until its drain */
const judgedNs = (scenario) =>
  Math.max(
    ...pointsOf(scenario).map(
      ({ settings: { connections, ramp, warmupNs, durationNs } }) =>
        rampSchedule(connections, ramp).endNs + warmupNs + durationNs,
    ),
  );

/** @typedef {Omit<ReturnType<typeof conditionsIn>[number], 'path'> & { figure: Figure }} JudgedFigure */

/** @param {Scenario} scenario @returns {[path: string, item: JudgedFigure][]} each figure of each condition */
const figuresIn = (scenario) =>
  conditionsIn(scenario).flatMap(({ path, condition, judged }) => {
    const { clauses = [] } = parseCondition(condition).condition ?? {};
    return clauses.map(({ figure }) => /** @type {[string, JudgedFigure]} */ ([path, { condition, figure, judged }]));
  });

/**
 * Refuses the first condition on what the processes of a target use, if those are not found.
 * @type {MachineRule}
 */
export const serverProcessRule = {
  code: 'ENOPROCESS',
  fault: UsageError,
  when: (scenario, { listeningProcesses }) => {
    const { target, targets, serverPid, transport } = scenario;
    const [first] = figuresIn(scenario).filter(([, { figure }]) => figure.needs === 'server process');
    if (first === undefined || target === undefined || serverPid !== null) return false;
    const isFound = transport === 'tcp' && listeningProcesses(targets ?? [target]).every((pids) => pids.length > 0);
    if (isFound) return false;
    const [key, { condition, figure }] = first;
    return { key, condition, figure: figure.name };
  },
  text: ({ key, condition, figure }) =>
    `${key}: ${shown(condition)}: ${figure} is not measured: no process of this machine is found that listens at the target; ` +
    'give serverPid, if it runs here, or leave the condition out',
};

/** @param {Scenario} scenario @returns {[path: string, item: object][]} each comparison of servers in each condition */
const comparisonsIn = (scenario) =>
  conditionsIn(scenario).flatMap(({ path, condition, judged }) => {
    const { clauses = [] } = parseCondition(condition).condition ?? {};
    return clauses
      .filter(isComparative)
      .map(({ figure }) => /** @type {[string, object]} */ ([path, { condition, figure, judged, path }]));
  });

/** @param {Scenario} scenario @returns {boolean} whether it measures only one server, even once patterns are matched */
const hasOneServer = ({ servers = [], commands = [] }) =>
  servers.length + commands.length < 2 && !servers.some(({ name }) => isPattern(name));

/**
 * @param {Scenario} scenario
 * @param {ComparedFigure} figure
 * @returns {boolean} whether a round has several values of it
 */
const hasBlocks = ({ interleave }, { compared }) =>
  compared.isCount === true || (interleave !== 'off' && compared.ofBlocks === true);

/** @type {NonNullable<Rule['each']>} */
const stopsIn = ({ stopOn }) => stopOn.map((text, i) => [`stopOn[${i}]`, text]);

/** @type {readonly Rule[]} */
export const conditionRules = [
  {
    path: 'failIf[]',
    code: 'comparison-elsewhere',
    each: comparisonsIn,
    when: ({ find }, _, { condition, judged, path }) =>
      (judged === 'second' || path.startsWith('find.while') || find !== null) && { condition },
    why: ({ condition }) =>
      `${shown(condition)}: servers are compared at the end of a run without find; use it in failIf or thresholds of such a run`,
  },
  {
    path: 'failIf[]',
    code: 'comparison-of-one',
    each: comparisonsIn,
    when: (scenario, _, { condition }) => hasOneServer(scenario) && { condition },
    why: ({ condition }) =>
      `${shown(condition)}: there is nothing to compare with: each server is compared with the first one, and the run has one; ` +
      'give several servers or commands, the old one first',
  },
  {
    path: 'failIf[]',
    code: 'comparison-of-load',
    each: comparisonsIn,
    when: (scenario, _, { condition, figure }) =>
      !pointsOf(scenario).some(({ settings: { rate, workload } }) =>
        comparedOf({ workload, loop: rate === null ? 'closed' : 'open' }).includes(figure),
      ) && { condition, figure: figure.name },
    why: ({ condition, figure }) =>
      `${shown(condition)}: a rate or a pause decides ${figure}, whatever the server; compare cost or p99 instead`,
  },
  {
    path: 'failIf[]',
    code: 'comparison-at-other-rates',
    each: comparisonsIn,
    when: (scenario, _, { condition, figure }) =>
      figure.compared?.atEqualRate === true &&
      scenario.compareAt === null &&
      pointsOf(scenario).every(({ settings: { rate, workload } }) => rate === null && workload !== 'hold') && {
        condition,
        figure: figure.name,
      },
    why: ({ condition, figure }) =>
      `${shown(condition)}: in a closed loop ${figure} follows from how many requests a server answers; compare it at the same rate ` +
      '(--rate 1000/s, --compareAt 50%), or of connections that are held (--workload hold)',
  },
  {
    path: 'failIf[]',
    code: 'comparison-of-few-rounds',
    each: comparisonsIn,
    when: (scenario, _, { condition, figure }) =>
      scenario.rounds < MIN_ROUNDS && !hasBlocks(scenario, figure) && { condition, rounds: scenario.rounds },
    why: ({ condition, rounds }) =>
      `${shown(condition)}: with ${counted(rounds, 'round')} it would be undecided; give --rounds 5`,
  },
  {
    path: 'stopOn[]',
    code: 'stop-duration',
    each: stopsIn,
    when: (_, __, condition) => {
      const { forNs } = splitDuration(condition);
      const isWhole = forNs >= MIN_STOP_NS && forNs % 1e9 === 0;
      return !isWhole && { condition, forNs: Number.isNaN(forNs) ? null : forNs };
    },
    why: ({ condition, forNs }) =>
      `${shown(condition)}: ${forNs === null ? 'it has no duration' : 'is judged once a second'}; end it with whole ` +
      'seconds, such as "for 5s"',
  },
  {
    path: 'stopOn[]',
    code: 'stop-never',
    each: stopsIn,
    when: (scenario, _, condition) => {
      const { forNs } = splitDuration(condition);
      const longestNs = judgedNs(scenario);
      return forNs % 1e9 === 0 && forNs > longestNs + SLACK_NS && { condition, forNs, longestNs };
    },
    why: ({ condition, longestNs }) =>
      `${shown(condition)}: ramp and steady state last ${duration(longestNs)} in all, so it can never hold so long; give a ` +
      'shorter time',
  },
  {
    path: 'thresholds[]',
    code: 'condition-of-search',
    each: figuresIn,
    when: ({ find }, _, { condition, figure, judged }) =>
      find !== null && isOfSearch(figure) !== (judged === 'answer') && { condition, figure: figure.name },
    why: ({ condition, figure }) =>
      `${shown(condition)}: ${figure} is judged elsewhere: thresholds and failIf judge the answer of a search (found), ` +
      'find.while its legs',
  },
  {
    path: 'thresholds[]',
    code: 'figure-not-measured',
    each: figuresIn,
    when: (scenario, _, { condition, figure: { name, needs } }) =>
      needs !== undefined &&
      needs !== 'server process' &&
      !pointsOf(scenario).some(({ settings }) => NEEDS[/** @type {keyof typeof NEEDS} */ (needs)].isMet(settings)) && {
        condition,
        figure: name,
        needs,
      },
    why: ({ condition, figure, needs }) =>
      `${shown(condition)}: ${figure} is not measured: ${NEEDS[/** @type {keyof typeof NEEDS} */ (needs)].text}`,
  },
  {
    path: 'stopOn[]',
    code: 'figure-not-live',
    each: figuresIn,
    when: (_, __, { condition, figure, judged }) =>
      judged === 'second' && figure.ofSample === undefined && { condition, figure: figure.name },
    why: ({ condition, figure }) =>
      `${shown(condition)}: ${figure} is known only when the leg has ended; use it in thresholds`,
  },
  {
    path: 'thresholds[]',
    code: 'figure-only-live',
    each: figuresIn,
    when: (_, __, { condition, figure, judged }) =>
      judged !== 'second' && figure.of === undefined && { condition, figure: figure.name },
    why: ({ condition, figure }) => `${shown(condition)}: ${figure} is known only of each second; use it in stopOn`,
  },
];
