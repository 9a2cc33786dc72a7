// The variants of a scenario: what each of its tests makes of it. Each is planned as a scenario of its own, so that limits,
// workers and times are those of its legs. Without tests there is one. Pure.

import { differingKeys, settingsOf } from '../results/leg-settings.js';
import { decide, refusalOf } from './preflight.js';

/** @typedef {import('../scenario/scenario.js').Scenario} Scenario */
/** @typedef {import('./limits/limit.js').Limit} Limit */
/** @typedef {import('./preflight.js').Decision} Decision */

/**
 * @typedef {object} Variant
 * @property {string | null} name  of its test
 * @property {Record<string, unknown>} axes
 * @property {Decision} decision
 */

/**
 * @param {Scenario} scenario
 * @param {import('../machine/host.js').Host} host
 * @param {import('./processes.js').KnownServer[]} known
 * @returns {Variant[]} in the order of the tests
 */
export function decideVariants(scenario, host, known) {
  const { tests } = scenario;
  if (tests === null) return [{ name: null, axes: {}, decision: decide(scenario, host, known) }];
  return tests.map((test) => ({
    name: test.as,
    axes: { test: test.as },
    decision: decide({ ...settingsOf(scenario, test), tests: null }, host, known),
  }));
}

/**
 * @param {Variant[]} variants
 * @returns {(Decision & {scenario: Scenario})[]}
 * @throws {import('../errors.js').EnvironmentError} of the first that this machine's client cannot do
 */
export function possibleDecisions(variants) {
  for (const { name, decision } of variants) {
    if (decision.scenario === null) throw refusalOf(decision, name);
  }
  return /** @type {any} */ (variants.map(({ decision }) => decision));
}

/**
 * Of each limit the row that is nearest to it, or furthest beyond.
 * @param {Limit[][]} lists one a variant
 * @returns {Limit[]} in the order of the first list
 */
export function tightest(lists) {
  /** @type {Map<string, Limit>} */
  const found = new Map();
  for (const limit of lists.flat()) {
    const key = JSON.stringify([limit.code, limit.name, limit.servers]);
    const before = found.get(key);
    if (before === undefined || use(limit) > use(before)) found.set(key, limit);
  }
  return [...found.values()];
}

/** @param {Limit} limit @returns {number} needed for each one available; more for one that is exceeded */
const use = ({ exceeded, needed, available }) =>
  (exceeded ? 1e6 : 0) + (needed ?? 0) / Math.max(1, available ?? Infinity);

/**
 * @param {Scenario} requested @param {Scenario} scenario of a variant
 * @returns {Record<string, any> | undefined} what its legs have otherwise; undefined without tests
 */
export function ownSettings(requested, scenario) {
  if (requested.tests === null) return undefined;
  const { tests: _, ...own } = scenario;
  return differingKeys(requested, own);
}

/**
 * @param {Variant[]} variants at least one
 * @returns {Decision} on all of them: refused when one is; sized as the one with the most connections
 */
export function combineDecisions(variants) {
  const decisions = variants.map(({ decision }) => decision);
  const refused = decisions.find(({ scenario }) => scenario === null);
  const connectionsOf = (/** @type {Decision} */ { scenario }) => scenario?.connections ?? 0;
  const largest = refused ?? decisions.reduce((a, b) => (connectionsOf(b) > connectionsOf(a) ? b : a));
  return {
    ...largest,
    limits: tightest(decisions.map(({ limits }) => limits)),
    warnings: decisions.flatMap(({ warnings }) => warnings),
  };
}
