// Keys `thresholds`, `failIf`, `stopOn` and `find.while`: their conditions, and the mistakes in them.

import { pointsOf } from '../../measure/settings.js';
import { comparedNames, figures } from '../../judge/figures.js';
import { OPERATORS, parseCondition, splitDuration, VALUE_FORMS } from '../../judge/conditions/parse.js';
import { guessUnit } from '../../words/units.js';
import { mistake, shown } from '../mistakes.js';
import { requestFigures, requestNames } from '../../judge/requests.js';
import { nearest } from '../nearest.js';

/**
 * @import { ConditionMistake } from '../../judge/conditions/parse.js'
 * @import { Figure } from '../../judge/figures.js'
 * @import { Mistake, Where } from '../mistakes.js'
 * @import { Scenario } from '../scenario.js'
 */

const names = figures.map(({ name }) => name);
const OFTEN_USED = 'p50, p99, throughput, rejects, errors, failed replies, server CPU, served';

/**
 * @param {string} value as written
 * @param {Figure} figure
 * @returns {string} such as `; did you mean 10ms?`, or nothing
 */
function suggestValue(value, { unit }) {
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

/**
 * @param {string} name that is not a figure
 * @param {string} text of the condition
 * @returns {string} such as `did you mean "p99"? `
 */
function suggestFigure(name, text) {
  if (/^[0-9]/.test(name)) {
    return /^[0-9]{3}\b/.test(text.trim())
      ? 'write numbers without commas. '
      : 'the figure comes first, as in p99 < 5ms. ';
  }
  const called = figuresCalled(name);
  const near = called.length > 0 ? called : nearest(name, names, 2);
  return near.length > 0 ? `did you mean ${near.map((name) => `"${name}"`).join(' or ')}? ` : '';
}

/** @param {string} text of the condition @param {ConditionMistake} fault @returns {string} without the place */
function explanation(text, { code, at, found, figure }) {
  const place = `${shown(text)}, character ${at}`;
  switch (code) {
    case 'empty':
      return `${place}: a condition is missing; give one such as p99 < 10ms`;
    case 'unknown-figure': {
      const hint = suggestFigure(found, text);
      return `${place}: ${shown(found)} is not a figure${hint === '' ? `. Often used are ${OFTEN_USED}. ` : `; ${hint}`}All figures: config/REFERENCE.md`;
    }
    case 'not-of-request':
      return `${place}: ${shown(found)}: a request of a list has no ${figure?.name}; give one of ${requestFigures.join(', ')}`;
    case 'not-compared':
      return `${place}: ${shown(found)} is not compared between servers; give one of ${comparedNames.join(', ')}`;
    case 'no-share':
      return `${place}: ${found === '' ? 'the share is missing' : `${shown(found)} is not a share`}; write by how much, such as ${figure?.compared?.called ?? figure?.name} worse by 3%`;
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
      return `${place}: ${shown(found)} is not ${wanted(figure)}${figure ? suggestValue(found, figure) : ''}`;
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

/**
 * @typedef {object} Written  a condition and its place
 * @property {string} path
 * @property {string} text       as written
 * @property {string} condition  the same without its duration
 * @property {'leg' | 'answer' | 'second'} judged  when it is judged: at the end of a leg, at the end of a search, or
 *   each second
 *
 * @param {Pick<Scenario, 'thresholds' | 'failIf' | 'stopOn' | 'find'>} scenario
 * @returns {Written[]}
 */
export function conditionsIn({ thresholds, failIf, stopOn, find }) {
  const judged = find === null ? 'leg' : 'answer';
  return [
    ...(find?.goals ?? []).map((text, i, { length }) =>
      written(length === 1 ? 'find.while' : `find.while[${i}]`, text, 'leg'),
    ),
    ...thresholds.map((text, i) => written(`thresholds[${i}]`, text, judged)),
    ...failIf.map((text, i) => written(`failIf[${i}]`, text, judged)),
    ...stopOn.map((text, i) => written(`stopOn[${i}]`, text, 'second')),
  ];
}

/** @param {string} path @param {string} text @param {Written['judged']} judged @returns {Written} */
const written = (path, text, judged) => ({
  path,
  text,
  condition: judged === 'second' ? splitDuration(text).condition : text,
  judged,
});

/**
 * @param {Scenario} scenario
 * @param {Where} where
 * @returns {Mistake[]} of the conditions that cannot be read
 */
export const conditionMistakes = (scenario, where) =>
  conditionsIn(scenario).flatMap(({ path, condition, judged }) => [
    ...requestMistakes(scenario, where, { path, condition, judged }),
    ...parseCondition(condition).mistakes.map((fault) => {
      const { code, at, found, figure } = fault;
      const data = { condition, at, found, figure: figure?.name ?? null };
      return mistake(where, `condition-${code}`, path, data, explanation(condition, fault));
    }),
  ]);

/**
 * @param {Scenario} scenario @param {Where} where @param {Omit<Written, 'text'>} written
 * @returns {Mistake[]} of clauses about requests that the scenario does not have, or that are judged each second
 */
function requestMistakes(scenario, where, { path, condition, judged }) {
  const options = pointsOf(scenario).map(({ settings }) => settings.protocolOptions);
  const names = [...new Set(options.flatMap(requestNames))];
  const clauses = parseCondition(condition).condition?.clauses ?? [];
  return clauses.flatMap(({ request, text }) => {
    if (request === undefined || (names.includes(request) && judged === 'leg')) return [];
    const isKnown = names.includes(request);
    const listed =
      names.length > 0
        ? `the requests are ${names.map((name) => `"${name}"`).join(', ')}`
        : 'there is no list of two requests or more';
    const why = isKnown
      ? `${shown(text)} is about a request of the list; give it in thresholds or failIf, of a run without find`
      : `${shown(text)}: ${shown(request)} is not a request; ${listed}`;
    return [
      mistake(where, isKnown ? 'condition-of-request' : 'condition-unknown-request', path, { condition, request }, why),
    ];
  });
}

/**
 * The term of another tool, in lower case -> figures here, the nearest first.
 * @type {Readonly<Record<string, string[]>>}
 */
const SYNONYMS = {
  latency: ['p99', 'p50', 'mean'],
  'response time': ['p99', 'p50', 'mean'],
  duration: ['p99', 'p50', 'mean'],
  http_req_duration: ['p99', 'p50', 'mean'],
  avg: ['mean'],
  average: ['mean'],
  median: ['p50'],
  maximum: ['max'],
  p75: ['p50', 'p90'],
  p98: ['p95', 'p99'],
  rps: ['rate'],
  qps: ['rate'],
  tps: ['rate'],
  requests: ['transfers', 'rate'],
  http_reqs: ['rate'],
  bandwidth: ['throughput'],
  'error rate': ['failed share', 'errors'],
  'error share': ['failed share', 'errors'],
  'failure rate': ['failed share', 'errors'],
  http_req_failed: ['failed share', 'errors'],
  failures: ['failed', 'errors'],
  timeouts: ['errors.timeout', 'rejects.timeout'],
  refused: ['rejects.refused'],
  rejected: ['rejects'],
  connections: ['served', 'open'],
  cpu: ['server CPU'],
  memory: ['server memory'],
  rss: ['server memory'],
  '2xx': ['replies.2xx'],
  '4xx': ['replies.4xx'],
  '5xx': ['replies.5xx'],
  bottleneck: ['limited by'],
};

/** @param {string} name @returns {string[]} the figures that another tool calls by this name */
export function figuresCalled(name) {
  const plain = name.trim().toLowerCase().replace(/\s+/g, ' ');
  return Object.hasOwn(SYNONYMS, plain) ? SYNONYMS[plain] : [];
}
