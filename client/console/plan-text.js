// The text of --dry-run: the plan, its time and its disk space.

import { transportText } from '../transports/index.js';
import { comparesServers } from '../judge/conditions/parse.js';
import { formatEndpoints, LISTEN_HOSTS } from '../words/endpoint.js';
import { leftBehind } from '../protocols/index.js';
import { takenText } from '../scenario/keys/request-list.js';
import { wrapText } from '../scenario/keys/wrap.js';
import { TLS_CONNECTION_BYTES } from '../measure/footprint.js';
import { ROW_BYTES } from '../measure/transfer-log.js';
import { MIN_SLICES, visibleDifference } from '../judge/statistics/index.js';
import { bytes, clock, count, counted, duration, payload, percent } from '../words/format.js';
import { describe } from '../scenario/describe.js';
import { asPlanned, testText } from '../measure/settings.js';
import { areRepeated, startsOf } from '../judge/cases.js';
import {
  haveFewConnections,
  ownLengths,
  plannedSlices,
  secondsOf,
  sliceNs,
  slicesUntil,
  steadyPeriodNs,
  timesAsLong,
} from '../measure/slices.js';
import { timesText } from '../words/lists.js';
import {
  axisValuesText,
  connectionsText,
  lifetimeText,
  payloadText,
  protocolText,
  profileText,
  socketTexts,
} from '../scenario/load-text.js';
import { firstConnections } from '../measure/profile.js';
import { rampSteps } from '../measure/schedule.js';
import { endText } from './load.js';
import { longRampText, shortRampText } from './short-ramp.js';
import { sparkline } from './sparkline.js';
import { wrap } from './terminal-text.js';

/**
 * @import { PlannedServer } from '../../config/types.js'
 * @import { Plan } from '../measure/settings.js'
 * @import { Host } from '../machine/host.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { Scenario } from '../scenario/scenario.js'
 */

/** A shorter ramp is not shown: it is that of a leg that ends by a number of transfers. */
const SHORTEST_SHOWN_NS = 1e6;
/** Beyond this many source addresses, only the first and the last are shown. */
const SOURCES_SHOWN = 4;
/** Least width to which texts are wrapped. */
const NARROWEST = 30;

/** @param {Pick<Scenario, 'ramp' | 'connections' | 'connectionsProfile'>} scenario */
function rampText(scenario) {
  const { ramp } = scenario;
  const connections = firstConnections(scenario);
  const every = `every ${duration(ramp.everyNs)}`;
  if (ramp.add >= connections && !ramp.spread) {
    return ramp.everyNs < SHORTEST_SHOWN_NS ? 'all at once' : `all at once, then ${duration(ramp.everyNs)} to settle`;
  }
  return `${count(ramp.add)} more ${every}${ramp.spread ? ', spaced evenly' : ''}`;
}

/** @param {Scenario} scenario @param {{connections: number}} planned */
function connectionsRow(scenario, planned) {
  const { connectionsProfile } = scenario;
  if (connectionsProfile !== null) {
    const first = firstConnections(scenario);
    return `${profileText(connectionsProfile, count)}${
      first === 0 ? '' : `; the ramp opens ${count(first)}: ${rampText(scenario)}`
    }`;
  }
  return `${count(planned.connections)}; ${rampText({ ...scenario, ...planned })}`;
}

/** @param {Scenario} scenario */
function loadText(scenario) {
  const { workload, heartbeatNs, pauseNs, connectRate, pipeline, rate, rateProfile, arrivals } = scenario;
  const protocol = protocolText(scenario);
  const size = scenario.payloadBytes === 0 ? '' : ` of ${payloadText(scenario)}`;
  if (rate !== null) {
    const rates =
      rateProfile === null
        ? `${count(rate)} requests per second`
        : `requests per second: ${profileText(rateProfile, count)}`;
    const spacing = arrivals === 'poisson' ? ', at random times' : '';
    return `${workload}: ${protocol}${size}, ${rates}${spacing} (open loop)`;
  }
  switch (workload) {
    case 'once':
      return `once: one transfer (${protocol}${size}), then close`;
    case 'reconnect':
      return `reconnect: one transfer (${protocol}${size}), then close and connect again, ${
        connectRate === null ? 'without a limit' : `at most ${count(connectRate)} connects per second`
      }`;
    case 'hold':
      return heartbeatNs === 0
        ? 'hold: stay open, no transfers'
        : `hold: stay open, one transfer (${protocol}${size}) every ${duration(heartbeatNs)}`;
    default:
      return `continuous: ${protocol}${size}, repeated${
        pipeline === 1 ? '' : `, ${count(pipeline)} in flight per connection`
      }${pauseNs === 0 ? '' : `, pause ${duration(pauseNs)}`} (closed loop)`;
  }
}

/**
 * @param {Pick<Leg, 'server' | 'instances' | 'workers' | 'wrap'>} leg
 * @returns {string}
 */
function serverText({ server, instances = 1, workers, wrap }) {
  const each = workers / instances;
  const copies = instances === 1 ? '' : `; ${count(instances)} instances, ${counted(each, 'worker')} for each`;
  return singleServerText(server) + copies + (wrap === undefined ? '' : `; ${wrapText(wrap)}`);
}

/** @param {PlannedServer} server */
function singleServerText(server) {
  switch (server.kind) {
    case 'named': {
      const set = [...Object.entries(server.options), ...Object.entries(server.env)].map(
        ([key, value]) => `${key} ${value}`,
      );
      return `server ${server.name}${set.length === 0 ? '' : ` (${set.join(', ')})`}`;
    }
    case 'target':
      return `target ${formatEndpoints(server.targets ?? [server])}${server.pid === null ? '' : `, process ${server.pid}`}`;
    case 'command':
      return `command ${server.command}${server.folder === undefined ? '' : ` in ${server.folder}`}`;
  }
}

/**
 * @param {Scenario} scenario
 * @param {Plan} plan
 * @returns {string}
 */
function diskText({ transferLog }, { expected }) {
  if (transferLog === 'none') return 'no transfer log; a few MB of samples';
  const row = ROW_BYTES[transferLog];
  if (expected.transferLogBytes !== null) return `transfer log about ${bytes(expected.transferLogBytes)}`;
  const perMillion = (/** @type {number} */ row) => bytes(row * 1e6);
  return transferLog === 'arrow'
    ? `transfer log ${perMillion(row)} per million transfers`
    : `transfer log ${perMillion(row)} per million transfers, and ${perMillion(ROW_BYTES.arrow)} while a leg runs`;
}

/** @param {Scenario} scenario @returns {[string, string][]} about targets whose name has several addresses */
const addressRows = ({ named = [] }) =>
  named.map(({ name, all }) => ['address', `of ${name}: the first that accepts a connection, of ${all.join(', ')}`]);

/** @param {Scenario} scenario @returns {[string, string][]} about files with lists of requests */
const listRows = ({ requestsFrom = [] }) => requestsFrom.map((list) => ['requests', takenText(list)]);

/** @param {Scenario} scenario @returns {[string, string][]} empty if connections have no lifetime */
function lifetimeRows({ lifetime }) {
  return lifetime === null ? [] : [['lifetime', lifetimeText(lifetime) ?? '']];
}

/** @param {Scenario} scenario @param {Plan} plan @returns {[string, string][]} empty without TLS */
function tlsRows({ tls }, { connections }) {
  if (tls === null) return [];
  const { verify, serverName, resume } = tls;
  return [
    [
      'TLS',
      [
        verify ? `certificate verified${serverName === null ? '' : ` for ${serverName}`}` : 'certificate not verified',
        ...(resume ? ['sessions resumed'] : []),
        `up to ${payload(TLS_CONNECTION_BYTES)} of memory per connection, ${bytes(TLS_CONNECTION_BYTES * connections)} in all`,
      ].join('; '),
    ],
  ];
}

/** @param {Scenario} scenario @returns {[string, string][]} empty with the usual socket options */
function socketRows({ socket }) {
  const words = socketTexts(socket);
  return words.length === 0 ? [] : [['sockets', words.join(', ')]];
}

/** @param {Scenario} scenario @returns {string[][]} */
const otherRows = (scenario) =>
  describe(scenario).flatMap(({ words, text, hasRow }) => (hasRow ? [[words, text]] : []));

/** @param {Scenario} scenario @returns {[string, string][]} conditions that legs must meet, or that end them */
function conditionRows({ thresholds, failIf, stopOn, rounds, find }) {
  const each = find ? 'each answer' : rounds > 1 ? `each case over its ${count(rounds)} rounds` : 'each leg';
  const required = [...thresholds, ...failIf].map((text, i) => ({
    text: i < thresholds.length ? text : `fail if ${text}`,
    compares: comparesServers(text),
  }));
  /** @type {(title: string, compares: boolean, subject: string) => [string, string][]} */
  const rowOf = (title, compares, subject) => {
    const texts = required.filter((condition) => condition.compares === compares).map(({ text }) => text);
    return texts.length === 0 ? [] : [[title, `${texts.join('; ')} (${subject})`]];
  };
  return [
    ...rowOf('thresholds', false, each),
    ...rowOf('comparisons', true, 'each server against the first one'),
    ...(stopOn.length === 0 ? [] : [/** @type {[string, string]} */ (['stop on', `${stopOn.join('; ')} (each leg)`])]),
  ];
}

/** @param {Plan} plan @returns {string} */
function timeText(plan) {
  const { search, compareAt, legs, expected } = plan;
  const { seconds } = expected;
  const { mostLegs } = search ?? compareAt ?? {};
  const ofLegs = mostLegs === undefined ? counted(legs.length, 'leg') : `at most ${counted(mostLegs, 'leg')}`;
  const longest = `${endText(legs, duration(seconds * 1e9))} in ${ofLegs}`;
  const usual = search ? ` (usually up to ${duration(((seconds * search.usualLegs) / search.mostLegs) * 1e9)})` : '';
  return `${longest}${usual}${longRampText(plan)}, plus the start of each server`;
}

/** @param {Plan} plan @returns {[string, string][]} the legs that are added to compare response times */
function compareAtRows({ compareAt, legs }) {
  if (compareAt === undefined) return [];
  const { share, rate = 0 } = compareAt;
  const at = share === undefined ? `${count(rate)}/s` : `${percent(share)} of the smallest throughput found`;
  const text = `after these ${counted(legs.length, 'leg')} as many in open loop, for response times, at ${at}`;
  return [['compareAt', `${text}: of each server that served all connections`]];
}

/**
 * @param {Scenario} scenario @param {Pick<Host, 'server'>} host
 * @returns {[string, string][]} empty for the usual address
 */
function listenRows({ listen, target }, { server }) {
  if (server !== undefined) return [['listen', `${server.address}, on ${server.title}`]];
  if (target !== undefined || listen === 'ipv4') return [];
  return [['listen', listen === 'unix' ? 'a Unix socket in a temporary folder' : LISTEN_HOSTS[listen]]];
}

/** @param {Plan} plan @returns {string[][]} empty if all legs use TCP */
function transportRows({ legs }) {
  const texts = [...new Set(legs.map((leg) => transportText(leg.transport) ?? 'TCP'))];
  return texts.every((text) => text === 'TCP') ? [] : [['transport', texts.join('; ')]];
}

/** @param {Scenario} scenario @returns {[string, string][]} the data that a run leaves in a server */
function leftRows(scenario) {
  const left = leftBehind(scenario);
  return left === null ? [] : [['writes', left]];
}

/** @param {Leg} leg @returns {string[][]} empty if the kernel chooses */
function sourceRows({ sources }) {
  if (sources.length === 0) return [];
  const addresses = sources.length <= SOURCES_SHOWN ? sources.join(', ') : `${sources[0]} to ${sources.at(-1)}`;
  return [['sources', `${count(sources.length)} ${sources.length === 1 ? 'address' : 'addresses'}: ${addresses}`]];
}

/** @param {Leg[]} legs @returns {string[][]} empty if nothing is pinned */
function pinRows(legs) {
  const texts = legs.map(({ pin: { client, server }, workerCpus, serverCpus }) =>
    [
      client === null ? [] : `the workers to CPU ${client}${workerCpus ? ', one each' : ''}`,
      server === null ? [] : `the server to CPU ${server}${serverCpus ? ', one for each instance' : ''}`,
    ]
      .flat()
      .join('; '),
  );
  return [...new Set(texts)].filter((text) => text !== '').map((text) => ['pinned', text]);
}

/** @param {number} ns @returns {string} in minutes and seconds from a minute on */
const shortTime = (ns) => (ns >= 60e9 ? clock(Math.round(ns / 1e9)) : duration(ns));

/** Most characters of a drawn ramp, and of drawn turns. */
const DRAWN = 8;
/** Characters of the servers that take turns; the fifth server has the first character again. */
const TURNS = '▓░▒█';

/** @param {Leg} leg @param {Scenario} scenario of the leg @returns {string} the steps of its ramp, and their time */
function drawnRamp({ rampToNs }, scenario) {
  const steps = rampSteps(firstConnections(scenario), scenario.ramp.add);
  const heights = Array.from({ length: Math.min(DRAWN, steps) }, (_, i) => i + 1);
  return `ramp ${sparkline(heights)} ${shortTime(rampToNs)}`;
}

/** @param {Leg} leg with a warm-up @returns {string} */
function drawnWarmUp({ rampToNs, steadyFromNs, warmupTransfers }) {
  const time = shortTime(steadyFromNs - rampToNs);
  return warmupTransfers === null
    ? `warm-up ${time}`
    : `warm-up until ${counted(warmupTransfers, 'transfer')}, at most ${time}`;
}

/** @param {Leg[]} group side by side @returns {string} the server's character for each of the first slices */
function drawnTurns(group) {
  const cases = [...new Set(group.map((leg) => leg.case))];
  const turns = group.flatMap(({ slices, steadyFromNs, ...leg }) => {
    if (slices === undefined) return [];
    const mark = TURNS[cases.indexOf(leg.case) % TURNS.length];
    return slicesUntil(slices, steadyFromNs + 2 * steadyPeriodNs(slices))
      .filter(({ fromNs }) => fromNs >= steadyFromNs)
      .map(({ fromNs }) => ({ fromNs, mark }));
  });
  const inOrder = turns.sort((a, b) => a.fromNs - b.fromNs);
  return inOrder
    .slice(0, DRAWN)
    .map(({ mark }) => mark)
    .join('');
}

/**
 * @param {Scenario} scenario of the leg @param {Leg} leg @param {Leg[]} legs of the plan
 * @returns {string} how long its steady state lasts
 */
function drawnSteady({ budget }, leg, legs) {
  const time = shortTime(leg.steadyToNs - leg.steadyFromNs);
  const { slices } = leg;
  const turns =
    slices === undefined
      ? 'steady'
      : `steady, ${count(plannedSlices(leg))} slices each ${drawnTurns(legs.filter((member) => member.slices?.group === slices.group))}`;
  return budget
    ? `${turns} until the marks that rank are known, ${shortTime(budget.minNs * timesAsLong(leg))} to ${time}`
    : `${turns} ${time}`;
}

/** @param {Scenario} scenario of the leg @param {Leg} leg @param {Leg[]} legs of the plan @returns {string} its time */
function drawnTime(scenario, leg, legs) {
  const { transfers } = scenario;
  return [
    ...(leg.rampToNs < SHORTEST_SHOWN_NS ? [] : [drawnRamp(leg, scenario)]),
    ...(leg.steadyFromNs === leg.rampToNs ? [] : [drawnWarmUp(leg)]),
    `${transfers === null ? '' : `until ${counted(transfers, 'transfer')} are done, at most: `}${drawnSteady(scenario, leg, legs)}`,
    `drain, at most ${shortTime(leg.drainTimeoutNs)}`,
  ].join(' │ ');
}

/**
 * @param {Scenario} scenario
 * @param {Leg[]} group side by side
 * @returns {string} how many times each server is started; for one start, only if the number of connections is the
 *   reason
 */
function startsText({ starts }, group) {
  const times = startsOf(group);
  if (times > 1) return `, each started ${timesText(times)}`;
  const twice = [...group, ...group];
  if (starts !== null || haveFewConnections(twice) || group.some(({ server }) => server.kind === 'target')) return '';
  const connections = twice.reduce((sum, leg) => sum + leg.connections, 0);
  return `, each started once, since two starts of each would have ${counted(connections, 'connection')} (--starts)`;
}

/** @param {Scenario} scenario @param {Plan} plan @returns {string[][]} the slices of legs that take turns */
function sliceRows(scenario, { legs }) {
  const texts = legs.flatMap((leg) => {
    const { slices } = leg;
    if (slices === undefined) return [];
    const lengths = ownLengths(slices);
    const hasPilot = slices.stages.some(({ phase }) => phase === 'pilot');
    const group = legs.filter((member) => member.slices?.group === slices.group);
    const { budget, durationNs } = leg.settings;
    const time = budget ? `${duration(budget.minNs)} to ${duration(durationNs)}` : duration(durationNs);
    const number = `${hasPilot ? 'about ' : ''}${counted(plannedSlices(leg), 'slice')} of ${duration(sliceNs(lengths))}`;
    return (
      `${count(timesAsLong(leg))} servers side by side${startsText(scenario, group)}; each server is loaded for ${time} in ${budget ? 'up to ' : ''}${number}` +
      (hasPilot
        ? ', or of the length that its throughput in the warm-up asks for'
        : `, each measured for ${duration(lengths.measuredNs)}`)
    );
  });
  return [...new Set(texts)].map((text) => ['slices', text]);
}

/**
 * @param {Plan} plan @returns {string[][]} the difference that a comparison will probably show; empty for one server
 */
function comparisonRows({ legs, rounds, cases }) {
  if (cases.length < 2 || legs.some(({ series }) => series !== undefined)) return [];
  const slices = rounds * Math.min(...legs.filter((leg) => leg.slices).map(plannedSlices));
  if (slices < MIN_SLICES)
    return [
      [
        'can tell',
        `which connections were served; the servers are not ranked, because ${counted(slices, 'slice')} of each are too few: ` +
          `${count(MIN_SLICES)} are needed (with a longer -d)`,
      ],
    ];
  const difference = visibleDifference(legs, rounds);
  if (difference !== null)
    return [
      [
        'can tell',
        `a difference of throughput of about ${percent(difference, 1)}, on a shared machine; a smaller one with a longer -d`,
      ],
    ];
  return rounds > 1
    ? []
    : [
        [
          'can tell',
          'which connections were served; the servers are measured once and not ranked (rank them with --rounds 5)',
        ],
      ];
}

/** @param {Plan} plan @returns {string[][]} empty with one round */
function roundRows({ rounds, seed, legs }) {
  if (rounds === 1) return [];
  const each = counted(legs.length / rounds, 'leg');
  return [
    ['rounds', `${count(rounds)} of ${each}${legs.length === rounds ? '' : `, each in random order (seed ${seed})`}`],
  ];
}

/**
 * @param {Plan} plan
 * @returns {string[][]} one for each leg; with rounds or starts, for each case; for a sweep, for each server
 */
function legRows({ cases, legs }) {
  if (legs.every(({ series }) => series === undefined)) {
    if (areRepeated(legs)) {
      return cases.map((id) => {
        const caseLegs = legs.filter((leg) => leg.case === id);
        const places = caseLegs.map((leg) => legs.indexOf(leg) + 1);
        return [`  ${id}`, `${serverText(caseLegs[0])}; legs ${places.join(', ')}`];
      });
    }
    return legs.map(({ id, ...leg }) => [`  ${id}`, serverText(leg)]);
  }
  const inOrder = [...legs].sort((a, b) => cases.indexOf(a.case) - cases.indexOf(b.case));
  return [...new Set(inOrder.map(({ series = '' }) => series))].map((name) => {
    const serverLegs = inOrder.filter(({ series }) => series === name);
    return [`  ${name}`, `${counted(serverLegs.length, 'leg')}: ${serversText(serverLegs)}`];
  });
}

/** @param {Leg[]} legs of one server @returns {string} the server, and its instances */
function serversText(legs) {
  const copies = [...new Set(legs.map(({ instances = 1 }) => instances))];
  if (copies.length === 1) return [...new Set(legs.map(serverText))].join('; ');
  const alone = legs.map((leg) => serverText({ ...leg, instances: 1 }));
  return `${[...new Set(alone)].join('; ')}; ${copies.map(count).join(', ')} instances in turn`;
}

/**
 * @param {Scenario} scenario of the leg
 * @param {{connections: number}} planned
 * @param {Leg} leg
 * @param {Leg[]} legs of the plan
 * @returns {string[][]} the load of a leg, and its time
 */
function loadRows(scenario, planned, leg, legs) {
  const { connectTimeoutNs, transferTimeoutNs } = scenario;
  return [
    ['connections', connectionsRow(scenario, planned)],
    ['workload', loadText(scenario)],
    ['each leg', drawnTime(scenario, leg, legs)],
    ['deadlines', `connect ${duration(connectTimeoutNs)}, transfer ${duration(transferTimeoutNs)}`],
  ];
}

/**
 * @param {Scenario} scenario with a sweep
 * @param {Plan} plan
 * @returns {string[][]} its axes, and the load of its legs: if it varies, that of the first and the last point
 */
function sweepRows(scenario, plan) {
  const { sweep, tests } = scenario;
  const axes = Object.entries(sweep ?? {}).filter(([key]) => key !== 'connections');
  const ends = [plan.cases.at(0), plan.cases.at(-1)].map(
    (id) => plan.legs.find((leg) => leg.case === id) ?? plan.legs[0],
  );
  const [first, last] = ends.map((leg) => {
    const rows = loadRows(leg.settings, leg, leg, plan.legs);
    if (!sweep?.connections) return rows;
    return rows.map(([name, text]) => [name, name === 'connections' ? rampText(leg.settings) : text]);
  });
  return [
    ...(tests ?? []).map((test) => [`test ${test.as}`, testText(test)]),
    ...axes.map(([key, values]) => [key, axisValuesText(values)]),
    ...first.flatMap(([name, text], i) => {
      const swept = name === 'connections' && sweep?.connections ? `${connectionsText(scenario)}; ` : '';
      return [[name, swept + text], ...(last[i][1] === text ? [] : [['', `to ${last[i][1]}`]])];
    }),
  ];
}

/** @param {Scenario} scenario @param {Plan} plan @returns {string[][]} each test with its rows */
function testRows(scenario, plan) {
  return (scenario.tests ?? []).flatMap((test) => {
    const leg = plan.legs.find(({ axes }) => axes.test === test.as);
    if (leg === undefined) return [];
    const rows = [...loadRows(leg.settings, leg, leg, plan.legs), ...lifetimeRows(leg.settings)];
    const seconds = secondsOf(
      plan.legs.filter(({ axes }) => axes.test === test.as),
      scenario.legGapNs,
    );
    return [
      [
        `test ${test.as}`,
        [testText(test), `up to ${duration(seconds * 1e9)}`].filter((text) => text !== '').join('; '),
      ],
      ...rows.map(([name, text]) => [`  ${name}`, text]),
    ];
  });
}

/** @param {Scenario} scenario */
const timestampsText = ({ timestamps }) => (timestamps === 'off' ? ', no kernel timestamps' : '');

/** @param {Scenario} scenario @param {Plan} plan @returns {string[][]} the load of its legs */
function planRows(scenario, plan) {
  if (scenario.sweep !== null) return sweepRows(scenario, plan);
  if (scenario.tests !== null) return testRows(scenario, plan);
  const short = shortRampText(scenario, plan);
  return [
    ...loadRows(plan.legs[0].settings, plan, plan.legs[0], plan.legs),
    ...(short === undefined ? [] : [['knee', short]]),
  ];
}

/** @param {Plan} plan @param {Scenario} scenario @returns {Promise<[string, string][]>} what a search varies */
async function searchRows({ search, legs }, { durationNs }) {
  if (search === undefined) return [];
  const { searchText } = await import('./search-plan-text.js');
  return [['find', searchText(search, legs.length, durationNs)]];
}

/** @param {Plan} plan @returns {Promise<[string, string][]>} */
async function warningRows({ warnings }) {
  if (warnings.length === 0) return [];
  const { warningTexts } = await import('../judge/findings/index.js');
  return warningTexts(warnings).map((text) => ['warning', text]);
}

/**
 * @param {Scenario} scenario
 * @param {Plan} plan
 * @param {Host} host
 * @param {number} [columns] of the terminal
 * @returns {Promise<string>} several lines, the last without a line end
 */
export async function describePlan(scenario, plan, host, columns = Infinity) {
  const [first] = plan.legs;
  if (first === undefined) return 'nothing to do';
  const { workers, engines = 1 } = plan.legs.reduce((a, b) => (b.workers > a.workers ? b : a));
  const free = host.diskFreeBytes === null ? '' : ` (${bytes(host.diskFreeBytes)} free)`;
  const rows = [
    ['scenario', plan.scenario + (scenario.description === '' ? '' : `: ${scenario.description}`)],
    ...planRows(asPlanned(scenario, plan), plan),
    [
      'client',
      `${workers} ${workers === 1 ? 'worker' : 'workers'}${engines === 1 ? '' : ` with ${count(engines)} engines each`}, up to ` +
        `${count(plan.expected.descriptorsPerWorker)} of ${count(host.descriptors)} descriptors ${engines === 1 ? 'each' : 'for each engine'}${timestampsText(scenario)}`,
    ],
    ...(scenario.tests === null || scenario.sweep !== null ? lifetimeRows(scenario) : []),
    ...conditionRows(scenario),
    ...(await searchRows(plan, scenario)),
    ...addressRows(scenario),
    ...listRows(scenario),
    ...listenRows(scenario, host),
    ...transportRows(plan),
    ...socketRows(scenario),
    ...tlsRows(scenario, plan),
    ...otherRows(scenario),
    ...leftRows(scenario),
    ...sourceRows(first),
    ...pinRows(plan.legs),
    ...roundRows(plan),
    ...sliceRows(scenario, plan),
    ...comparisonRows(plan),
    ['legs', ''],
    ...legRows(plan),
    ...compareAtRows(plan),
    ['time', timeText(plan)],
    ['disk', diskText(scenario, plan) + free],
    ...(await warningRows(plan)),
  ];
  const width = Math.max(...rows.map(([name = '']) => name.length)) + 2;
  const room = Math.max(NARROWEST, columns - width);
  return rows
    .flatMap(([name = '', text = '']) =>
      wrap(text, room).map((line, i) => ((i === 0 ? name : '').padEnd(width) + line).trimEnd()),
    )
    .join('\n');
}
