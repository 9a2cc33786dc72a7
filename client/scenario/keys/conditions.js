// Keys `thresholds`, `failIf`, `stopOn` and `find.while`: whether their conditions can be read, and whether the scenario measures the
// figures that they name. Pure.

import { figures, isOfSearch } from '../../results/conditions/figures.js';
import { OPERATORS, parseCondition, splitDuration, VALUE_FORMS } from '../../results/conditions/parse.js';
import { settingsOf, variantsOf as legVariantsOf } from '../../results/leg-settings.js';
import { rampSchedule } from '../../results/schedule.js';
import { duration } from '../../results/format.js';
import { guessUnit } from '../../results/units.js';
import { protocolOf } from '../../protocols/index.js';
import { mistake, shown } from '../mistakes.js';
import { nearest } from '../nearest.js';
import { figuresCalled } from './figure-synonyms.js';

/**
 * @typedef {import('../scenario.js').Scenario} Scenario
 * @typedef {import('../mistakes.js').Mistake} Mistake
 * @typedef {import('../mistakes.js').Where} Where
 * @typedef {import('../../results/conditions/parse.js').ConditionMistake} ConditionMistake
 * @typedef {import('../../results/conditions/figures.js').Figure} Figure
 * @typedef {import('../../results/conditions/figures.js').Need} Need
 */

const MIN_STOP_NS = 1e9;
/** A knee is looked for in a ramp of this many steps or more. */
const MIN_STEPS = 3;

const names = figures.map(({ name }) => name);
/** Those of each cause and kind in one word. */
const listed = [
  ...names.filter((name) => !name.includes('.') || name.startsWith('p')),
  ...['rejects.CAUSE', 'errors.CAUSE', 'replies.KIND'],
].join(', ');

/** @param {string} value as written @param {Figure} figure @returns {string} such as `; did you mean 10ms?`, or nothing */
function guess(value, { unit }) {
  const bare = /^[0-9.]+$/.test(value);
  if (/\sfor\s/.test(value)) return '; a duration is only for stopOn';
  if (bare && unit === 'duration') return `; did you mean ${value}ms?`;
  if (bare && (unit === 'share' || unit === 'cpu'))
    return `; did you mean ${Number(value) * (value.includes('.') ? 100 : 1)}%?`;
  const thousand = /^([0-9]+(?:\.[0-9]+)?)k(\/s)?$/i.exec(value);
  if (thousand && (unit === 'count' || unit === 'rate')) return `; did you mean ${Number(thousand[1]) * 1000}?`;
  const amount = unit === 'throughput' ? value.replace(/(\/s|ps)$/i, '') : value;
  const meant = unit === 'duration' ? guessUnit(value, 'duration') : guessUnit(amount, 'size');
  const isOfUnit = unit === 'duration' || unit === 'size' || (unit === 'throughput' && amount !== value);
  return isOfUnit && meant !== undefined ? `; did you mean ${meant}${unit === 'throughput' ? '/s' : ''}?` : '';
}

/** @param {string} found no figure @param {string} text of the condition @returns {string} such as `did you mean "p99"? ` */
function meantFigure(found, text) {
  if (/^[0-9]/.test(found)) {
    return /^[0-9]{3}\b/.test(text.trim())
      ? 'write numbers without commas. '
      : 'the figure comes first, as in p99 < 5ms. ';
  }
  const called = figuresCalled(found);
  const near = called.length > 0 ? called : nearest(found, names, 2);
  return near.length > 0 ? `did you mean ${near.map((name) => `"${name}"`).join(' or ')}? ` : '';
}

/** @param {string} text of the condition @param {ConditionMistake} fault @returns {string} without the place */
function explanation(text, { code, at, found, figure }) {
  const place = `${shown(text)}, character ${at}`;
  switch (code) {
    case 'empty':
      return `${place}: a condition is missing; give one such as p99 < 10ms`;
    case 'unknown-figure': {
      const hint = meantFigure(found, text);
      return `${place}: ${shown(found)} is not a figure${hint === '' ? '. ' : `; ${hint}`}The figures are ${listed}`;
    }
    case 'no-operator':
      return `${place}: ${figure?.name} is compared with nothing; add one of ${OPERATORS.join(' ')} and a value, such as ${figure?.name} ${example(figure)}`;
    case 'unknown-operator':
      return `${place}: "${found}" is not an operator; ${found === '=' ? 'did you mean "=="? ' : ''}The operators are ${OPERATORS.join(' ')}`;
    case 'no-order':
      return `${place}: ${figure?.name} has no order; compare it by == or !=`;
    case 'or':
      return `${place}: conditions are joined by "and" only; otherwise give them one by one`;
    case 'no-value':
      return `${place}: the value is missing; give ${wanted(figure)}`;
    case 'wrong-value':
      return `${place}: ${shown(found)} is not ${wanted(figure)}${figure ? guess(found, figure) : ''}`;
  }
}

/** @param {Figure | undefined} figure */
const wanted = (figure) => (figure ? VALUE_FORMS[figure.unit] : 'a value');

/** @param {Figure | undefined} figure */
const example = (figure) =>
  ({
    duration: '< 10ms',
    rate: '> 8000/s',
    throughput: '> 100MiB/s',
    size: '< 1GiB',
    share: '< 0.1%',
    cpu: '< 90%',
    side: '== none',
  })[/** @type {string} */ (figure?.unit)] ?? '== 0';

/** @type {Readonly<Record<Need, { text: string, isMet: (scenario: Scenario) => boolean }>>} */
const NEEDS = {
  'open loop': { text: 'it is measured in open loop only, with a rate', isMet: ({ rate }) => rate !== null },
  'kinds of replies': {
    text: 'the protocol has no kinds of replies',
    isMet: ({ protocol }) => protocolOf(protocol).kinds === true,
  },
  'search for a rate': { text: 'it is the answer of find for a rate', isMet: ({ find }) => find?.maximise === 'rate' },
  'search for connections': {
    text: 'it is the answer of find for connections',
    isMet: ({ find }) => find?.maximise === 'connections',
  },
  'server process': {
    text: 'the process of the target is not known; give serverPid, if it runs on this machine',
    isMet: ({ target, serverPid }) => target === undefined || serverPid !== null,
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

/** @param {Scenario} scenario @returns {Scenario[]} itself, or what it is in each test and at each point of a sweep */
const variantsOf = (scenario) => legVariantsOf(scenario)?.map((variant) => settingsOf(scenario, variant)) ?? [scenario];

/**
 * @param {string} text of a condition @param {Scenario} scenario
 * @param {{ isLive?: boolean, isOfAnswer?: boolean }} where  isLive: judged each second; isOfAnswer: of a search, not of its legs
 * @returns {{ code: string, data: Record<string, any>, why: string }[]}
 */
function faultsOf(text, scenario, { isLive = false, isOfAnswer = false }) {
  const { condition, mistakes } = parseCondition(text);
  if (condition === null) {
    return mistakes.map((fault) => ({
      code: `condition-${fault.code}`,
      data: { condition: text, at: fault.at, found: fault.found, figure: fault.figure?.name ?? null },
      why: explanation(text, fault),
    }));
  }
  return condition.clauses.flatMap(({ figure }) => {
    const { name, needs, ofSample } = figure;
    const data = { condition: text, figure: name };
    if (scenario.find !== null && isOfSearch(figure) !== isOfAnswer) {
      const why = isOfAnswer
        ? `${name} is of each leg, and a search measures beyond the limit on purpose; find.while judges its legs, thresholds its answer: found ${scenario.find.maximise}`
        : `${name} is the answer of the search; use it in thresholds`;
      return [{ code: 'condition-of-search', data, why: `${shown(text)}: ${why}` }];
    }
    if (needs !== undefined && !variantsOf(scenario).some(NEEDS[needs].isMet)) {
      return [
        {
          code: 'figure-not-measured',
          data: { ...data, needs },
          why: `${shown(text)}: ${name} is not measured: ${NEEDS[needs].text}`,
        },
      ];
    }
    if (isLive && ofSample === undefined) {
      return [
        {
          code: 'figure-not-live',
          data,
          why: `${shown(text)}: ${name} is known only when the leg has ended; use it in thresholds`,
        },
      ];
    }
    return [];
  });
}

/** The seconds that stopOn counts may be shorter by this in all. */
const SLACK_NS = 0.1e9;

/** @param {Scenario} scenario @returns {number} the longest time for which a leg is judged: until its drain */
const judgedNs = (scenario) =>
  Math.max(
    ...variantsOf(scenario).map(
      ({ connections, ramp, warmupNs, durationNs }) => rampSchedule(connections, ramp).endNs + warmupNs + durationNs,
    ),
  );

/** @param {string} text @param {Scenario} scenario @returns {{ code: string, data: Record<string, any>, why: string }[]} of its duration */
function durationFaults(text, scenario) {
  const { forNs } = splitDuration(text);
  if (forNs >= MIN_STOP_NS && forNs % 1e9 === 0) {
    const longest = judgedNs(scenario);
    if (forNs <= longest + SLACK_NS) return [];
    const why = `ramp and steady state last ${duration(longest)} in all, so it can never hold so long; give a shorter time`;
    return [
      { code: 'stop-never', data: { condition: text, forNs, longestNs: longest }, why: `${shown(text)}: ${why}` },
    ];
  }
  return [
    {
      code: 'stop-duration',
      data: { condition: text, forNs: Number.isNaN(forNs) ? null : forNs },
      why: `${shown(text)}: ${Number.isNaN(forNs) ? 'it has no duration' : 'is judged once a second'}; end it with whole seconds, such as "for 5s"`,
    },
  ];
}

/**
 * @param {Scenario} scenario
 * @param {Where} where
 * @returns {Mistake[]}
 */
export function conditionMistakes(scenario, where) {
  const { thresholds, failIf, stopOn, find } = scenario;
  const found = [
    ...(find === null ? [] : faultsOf(find.while, scenario, {}).map((one) => ({ ...one, path: 'find.while' }))),
    ...Object.entries({ thresholds, failIf }).flatMap(([key, texts]) =>
      texts.flatMap((text, i) =>
        faultsOf(text, scenario, { isOfAnswer: find !== null }).map((one) => ({ ...one, path: `${key}[${i}]` })),
      ),
    ),
    ...stopOn.flatMap((text, i) =>
      [...durationFaults(text, scenario), ...faultsOf(splitDuration(text).condition, scenario, { isLive: true })].map(
        (one) => ({
          ...one,
          path: `stopOn[${i}]`,
        }),
      ),
    ),
  ];
  return found.map(({ code, data, why, path }) => mistake(where, code, path, data, why));
}
