// Rules about measurement (warm-up, budget, the values that a search tries), and about the run as a whole.

import { axesText } from '../../words/axes.js';
import { count, counted } from '../../words/format.js';
import { churnsConnections } from '../../measure/churn.js';
import { ratePoints, requestsOf } from '../../measure/profile.js';
import { pointsOf } from '../../measure/settings.js';
import { writeDuration } from '../../words/units.js';
import { allCommands } from '../keys/commands.js';
import { isPattern } from '../keys/server-patterns.js';
import { isSilent, MAX_REQUESTS_PER_SECOND, repeats } from './load.js';
import { provided } from './rule.js';

/**
 * @import { Point } from '../../measure/settings.js'
 * @import { Scenario } from '../scenario.js'
 * @import { Rule } from './rule.js'
 */

/** @type {Rule[]} */
const warmupRules = [
  {
    path: 'warmupTimeout',
    code: 'timeout-without-count',
    when: ({ warmupTransfers }, { warmupTimeout }) =>
      warmupTransfers === null && warmupTimeout !== undefined && { warmupTimeout },
    why: (_, written) =>
      `${written} belongs to a warm-up by number of transfers; leave it out, or give warmup a whole number, such as 10000`,
  },
  {
    path: 'warmup',
    code: 'warmup-takes-all',
    when: ({ warmupTransfers, transfers }) =>
      transfers !== null && warmupTransfers !== null && warmupTransfers >= transfers && { warmupTransfers, transfers },
    why: ({ transfers }, warmup) =>
      `${warmup} transfers, but a leg has ${count(transfers)} in all (transfers), including the warm-up, so none would be ` +
      'left to measure; give a smaller warmup, or more transfers',
  },
  {
    path: 'warmup',
    code: 'warmup-takes-all',
    when: ({ warmupTransfers, lifetime, connections }) => {
      if (warmupTransfers === null || lifetime?.reopen !== false || lifetime.transfers === null) return null;
      const transfers = lifetime.transfers * connections;
      return warmupTransfers >= transfers && { warmupTransfers, transfers };
    },
    why: ({ transfers }, warmup) =>
      `${warmup} transfers, but the connections have ${count(transfers)} in all (lifetime.transfers, without reopen), so ` +
      'none would be left to measure; give a smaller warmup, or more transfers',
  },
  {
    path: 'warmup',
    code: 'key-not-for-workload',
    when: ({ workload, warmupNs }) => workload === 'once' && warmupNs > 0 && { workload },
    why: (_, warmup) => `${warmup}, but in workload "once" each connection has only one transfer; leave warmup out`,
  },
  {
    path: 'warmup',
    code: 'hold-without-heartbeat',
    when: (scenario) => isSilent(scenario) && scenario.warmupTransfers !== null && { workload: scenario.workload },
    why: (_, warmup) =>
      `${warmup} transfers, but workload "hold" without heartbeat has none; give a time, such as 5s, or heartbeat`,
  },
  {
    path: 'warmup',
    code: 'warmup-count-with-profile',
    when: ({ rateProfile, connectionsProfile, warmupTransfers }) =>
      (rateProfile ?? connectionsProfile) !== null && warmupTransfers !== null && { warmupTransfers },
    why: (_, warmup) =>
      `${warmup} transfers, but a profile must know when the steady state begins; give a time, such as 5s`,
  },
];

/** @type {Rule[]} */
const budgetRules = provided(
  ({ budget }) => budget !== null,
  [
    {
      path: 'budget',
      code: 'maximum-below-duration',
      when: ({ budget, durationNs: maximum }) =>
        budget && maximum <= budget.minNs && { maximum, duration: budget.minNs },
      why: ({ duration }, written) =>
        `${written} is not longer than duration (${writeDuration(duration)}), the least length of the steady state; give a ` +
        'longer budget or a shorter duration',
    },
    {
      path: 'budget',
      code: 'budget-with-profile',
      when: ({ rateProfile, connectionsProfile }) =>
        (rateProfile ?? connectionsProfile) !== null && { key: rateProfile === null ? 'connections' : 'rate' },
      why: ({ key }, written) =>
        `${written}, but the load follows a profile (${key}), which must not end early; leave one of them out`,
    },
    {
      path: 'budget',
      code: 'budget-crossed',
      when: ({ interleave, rounds }) =>
        interleave === 'off'
          ? { key: 'interleave', why: 'servers are then measured one after the other' }
          : rounds > 1 && { key: 'rounds', why: 'one round is as long as is needed' },
      why: ({ key, why }, written) => `${written}, but there is ${key}: ${why}; leave one of them out`,
    },
  ],
);

/** @type {Rule[]} */
const startRules = [
  {
    path: 'starts',
    code: 'starts-crossed',
    when: ({ starts, interleave, target, servers = [], ...scenario }) => {
      if (starts === null || starts === 1) return null;
      if (interleave === 'off')
        return { why: 'servers are measured one after the other (interleave); for that there is rounds' };
      if (target !== undefined) return { why: 'the target runs already' };
      const hasOneServer =
        servers.length + allCommands(scenario).length < 2 && !servers.some(({ name }) => isPattern(name));
      return hasOneServer && { why: 'there is one server, which is compared with nothing' };
    },
    why: ({ why }, written) => `${written}, but ${why}; leave it out`,
  },
];

/** @param {'rate' | 'connections'} key that a search varies @param {string} example @returns {Rule} */
const noProfile = (key, example) => ({
  path: key,
  code: 'find-and-profile',
  when: (scenario) =>
    scenario.find?.maximise === key && scenario[/** @type {const} */ (`${key}Profile`)] !== null && {},
  why: () => `a profile, but find chooses ${key}; give the greatest value to try, such as ${example}`,
});

/** A request sent this shortly before the end of the steady state may have no reply by then. */
const REPLY_NS = 1e9;

/**
 * @param {Scenario} scenario in open loop
 * @returns {number} requests that are due early enough for a reply in the steady state
 */
function requestsWithReply({ rate, rateProfile, warmupNs, warmupTransfers, durationNs }) {
  const perSecond = /** @type {number} */ (rate);
  const steadyNs = Math.max(0, durationNs - REPLY_NS);
  const warming = requestsOf(ratePoints(perSecond, rateProfile, warmupNs), warmupNs);
  const steady = requestsOf(ratePoints(perSecond, rateProfile, 0), steadyNs);
  return Math.min(warming, warmupTransfers ?? Infinity) + steady;
}

/** @type {Rule[]} */
const findRules = [
  noProfile('rate', '100000/s'),
  noProfile('connections', '10000'),
  {
    path: 'connections',
    code: 'find-without-most',
    when: ({ find }, given) => find?.maximise === 'connections' && given.connections === undefined && {},
    why: () => 'missing; give the greatest value that find is to try, such as 10000',
  },
  {
    path: 'connections',
    code: 'find-not-asked',
    when: (scenario) => {
      const { find, rate, connections } = scenario;
      if (find?.maximise !== 'connections' || rate === null || churnsConnections(scenario)) return null;
      const requests = Math.floor(requestsWithReply(scenario));
      return requests < connections && { connections, requests, rate };
    },
    why: ({ connections, requests, rate }) =>
      `with ${count(rate)}/s only ${count(requests)} of ${counted(connections, 'connection')} would have a request before the last second of the ` +
      'steady state, so that the search could not tell whether the server serves the others; give a longer duration, a ' +
      'greater rate, or fewer connections',
  },
];

/**
 * Keys that exclude the open loop of the legs that compareAt adds, and why.
 * @type {[key: string, isGiven: (scenario: Scenario) => boolean, why: string][]}
 */
const CLOSED_ONLY = [
  ['rate', ({ rate }) => rate !== null, 'response times are then compared at that rate already'],
  ['pause', ({ pauseNs }) => pauseNs > 0, 'it says when requests are sent, and no throughput is then the greatest'],
  ['start', ({ start }) => start === 'together', 'it belongs to a closed loop'],
  ['transfers', ({ transfers }) => transfers !== null, 'it belongs to a closed loop'],
  ['lifetime.reopen', ({ lifetime }) => lifetime?.reopen === false, 'a leg then ends when its connections have closed'],
];

/** @type {Rule[]} */
const compareAtRules = provided(
  ({ compareAt }) => compareAt !== null,
  [
    {
      path: 'compareAt',
      code: 'out-of-range',
      when: ({ compareAt }) => {
        const value = compareAt && 'rate' in compareAt ? compareAt.rate : 1;
        return !(value > 0 && value <= MAX_REQUESTS_PER_SECOND) && { value, max: MAX_REQUESTS_PER_SECOND };
      },
      why: ({ max }, written) => `${written} is not a rate of requests; more than 0/s, at most ${count(max)}/s`,
    },
    {
      path: 'compareAt',
      code: 'key-not-for-workload',
      when: ({ workload }) => !repeats(workload) && { workload },
      why: ({ workload }, written) =>
        `${written} belongs to workload "continuous" or "reconnect", but the workload is "${workload}"; leave one of them out`,
    },
    {
      path: 'compareAt',
      code: 'compare-at-crossed',
      when: (scenario) => {
        const [key, , why] = CLOSED_ONLY.find(([, isGiven]) => isGiven(scenario)) ?? [];
        return key !== undefined && { key, why };
      },
      why: ({ key, why }, written) => `${written}, but there is ${key}: ${why}; leave one of them out`,
    },
  ],
);

/** @type {readonly Rule[]} */
export const measurementRules = [...warmupRules, ...startRules, ...budgetRules, ...findRules, ...compareAtRules];

/**
 * @param {'compareAt' | 'budget'} path @param {string} code @param {string} why
 * @returns {Rule} of a key that needs several servers
 */
const forSeveral = (path, code, why) => ({
  path,
  code,
  when: (scenario) => {
    const { servers = [] } = scenario;
    const number = servers.length + allCommands(scenario).length;
    return scenario[path] !== null && number < 2 && !servers.some(({ name }) => isPattern(name)) && { servers: number };
  },
  why: () => why,
});

/** Rules about the whole run, checked once its patterns are matched. */
export const comparedServers = [
  forSeveral(
    'compareAt',
    'compare-at-of-one',
    'servers are compared at that rate, but there are not two of them; give several servers or commands, or give rate',
  ),
  forSeveral(
    'budget',
    'budget-of-one',
    'servers are measured until they are told apart, but there are not two of them; give several servers or commands, or ' +
      'duration in place of budget',
  ),
];

/**
 * @param {string} key
 * @param {(scenario: Scenario) => boolean} isGiven
 * @param {string} why it cannot be combined with find
 * @returns {Rule}
 */
const crossed = (key, isGiven, why) => ({
  path: key,
  code: 'find-crossed',
  when: (scenario) => scenario.find !== null && isGiven(scenario) && { key },
  why: () => `${why}; leave out ${key} or find`,
});

/** @param {Point} point @returns {string} the same text for equal settings, such as 1KiB and 1024B */
const settingsText = ({ settings }) => JSON.stringify(Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Rules about the whole run, with its tests and the points of its sweep. @type {readonly Rule[]} */
export const runRules = [
  {
    path: 'tests',
    code: 'tests-loop-differ',
    when: (scenario) => {
      const rates = pointsOf(scenario).map(({ settings }) => settings.rate);
      const closed = rates.filter((rate) => rate === null).length;
      return closed > 0 && closed < rates.length && { open: rates.length - closed, closed };
    },
    why: () =>
      'some have a rate (open loop) and some have none (closed loop), whose response times do not compare; give all of them ' +
      'a rate, or none',
  },
  {
    path: 'sweep',
    code: 'points-alike',
    when: ({ points, sweep }) => {
      const texts = (points ?? []).map(settingsText);
      const second = texts.findIndex((text, i) => texts.indexOf(text) < i);
      return (
        points &&
        sweep &&
        second >= 0 && { axes: points[second].axes, first: points[texts.indexOf(texts[second])].axes }
      );
    },
    why: ({ axes, first }) => `${axesText(axes)} is the same as ${axesText(first)}; leave one of them out`,
  },
  {
    path: 'legGap',
    code: 'gap-of-one-leg',
    when: ({ legGapNs, rounds, servers = [], points }) =>
      legGapNs > 0 &&
      rounds === 1 &&
      [servers, points ?? []].every((list) => list.length < 2) &&
      !servers.some(({ name }) => isPattern(name)) && { legGapNs },
    why: (_, written) => `${written} is the wait between two legs, but the run has one; leave it out`,
  },
  ...comparedServers,
  crossed('compareAt', ({ compareAt }) => compareAt !== null, 'adds legs after those planned, and so does a search'),
  crossed(
    'budget',
    ({ budget }) => budget !== null,
    'ends legs when servers are told apart, and a search compares none',
  ),
  crossed('sweep', ({ sweep }) => sweep !== null, 'makes a leg for each of its values, and a search chooses its own'),
  crossed('tests', ({ tests }) => tests !== null, 'make a leg each, and a search chooses its own'),
  crossed('rounds', ({ rounds }) => rounds > 1, 'measures each leg again, and a search repeats the legs that decide'),
  crossed('starts', ({ starts }) => Number(starts) > 1, 'measures servers one after the other'),
  crossed(
    'interleave',
    ({ interleave }) => typeof interleave === 'number',
    'ends a queue with its slice, and a search looks for the load at which queues grow',
  ),
  crossed(
    'stopOn',
    ({ stopOn }) => stopOn.length > 0,
    'fails a leg, and a search measures beyond the limit on purpose; give a shorter duration',
  ),
];
