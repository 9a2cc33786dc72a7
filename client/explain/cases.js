// The profiles of the starts of each server, and what they explain.

import { callTree } from '../judge/explained/call-tree.js';
import { explainCost, explainDifference } from '../judge/explained/explanation.js';
import { attributed, FunctionNames } from '../judge/explained/functions.js';
import { meanOf } from '../measure/statistics.js';
import { nameOf } from '../judge/comparisons.js';
import { NATIVE_CODE } from './v8-profile.js';
import { steadySamples, stretchesOf, unitOf } from './units.js';
import { warning } from './warnings.js';

/**
 * @import { Explained, ExplainedCost, ExplainedDifference, LegSummary, Warning } from '../../config/types.js'
 * @import { CallTree } from '../judge/explained/call-tree.js'
 * @import { Unit } from '../judge/explained/difference.js'
 * @import { Frame, StackSample } from '../judge/explained/functions.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { Profile, Source } from './profiler.js'
 * @import { ProfiledLeg } from './units.js'
 */

/**
 * @typedef {Omit<ProfiledLeg, 'samples' | 'costNs'> & { leg: Leg, summary: LegSummary, source: Source['name'] | null,
 *   profile: Profile, rate?: number }} Measured  rate: requests a second, where the load was not that of the run
 *
 * @typedef {object} CaseProfile  of all starts of a server
 * @property {string} id
 * @property {string} label
 * @property {Source['name'] | null} source  null: none could be started
 * @property {ProfiledLeg[]} legs
 * @property {StackSample[]} samples  of their steady states
 * @property {number} [rate]  requests a second at which it was loaded, where that is not the load of the run
 * @property {Warning} [problem]  why they explain nothing
 *
 * @typedef {{ case: string, against?: string } & CallTree} Tree
 */

/** Fewer samples of a server tell nothing. */
const LEAST_SAMPLES = 100;
/** With fewer starts of each server, their spread would be known so badly that no function could be named. */
const LEAST_STARTS = 3;

/**
 * @param {Measured[]} measured @param {LegSummary[]} inRun legs of the run: what they needed is what is explained,
 *   unless they were profiled at another rate
 * @returns {CaseProfile[]} in the order of the legs
 */
export function caseProfiles(measured, inRun) {
  const ids = [...new Set(measured.map(({ leg }) => leg.case))];
  return ids.map((id) => {
    const starts = measured.filter(({ leg }) => leg.case === id);
    const [{ leg, source, rate }] = starts;
    const legs = starts.flatMap(({ leg: { id: legId }, summary, profile: { samples, intervalNs }, fromNs, toNs }) => {
      const transfers = summary.steady?.transfers ?? 0;
      const sampleNs = intervalNs === undefined || transfers === 0 ? undefined : intervalNs / transfers;
      const count = steadySamples({ samples, fromNs, toNs }).length;
      const inRunNs = costOf(inRun.find((legInRun) => legInRun.id === legId));
      const costNs = rate === undefined ? inRunNs : sampleNs && sampleNs * count; // at another rate, all is of it
      return costNs === undefined || count === 0 ? [] : [{ samples, fromNs, toNs, costNs, sampleNs }];
    });
    const samples = legs.flatMap(steadySamples);
    const problem = problemOf(starts, legs, samples.length);
    return {
      ...{ id, label: nameOf(leg), source, legs, samples },
      ...(rate === undefined ? {} : { rate }),
      ...(problem === undefined ? {} : { problem }),
    };
  });
}

/**
 * @param {Measured[]} starts @param {ProfiledLeg[]} legs of those that tell something @param {number} samples of these
 * @returns {Warning | undefined} why they explain nothing
 */
function problemOf(starts, legs, samples) {
  const failure = starts.find(({ summary }) => summary.failure)?.summary.failure;
  if (failure !== undefined) return warning('profile-not-loaded', { reason: failure.text });
  const problem = starts.find(({ profile }) => profile.problem)?.profile.problem;
  if (problem !== undefined) return problem;
  const stretches = legs.flatMap((leg) => stretchesOf(leg)).filter((stretch) => steadySamples(stretch).length > 0);
  return samples < LEAST_SAMPLES || stretches.length < 2 ? warning('profile-empty', { samples }) : undefined;
}

/**
 * @param {CaseProfile[]} cases @param {string} [base] label of the version that others are compared with; without it,
 *   the server that needs the least
 * @returns {{ rows: Pick<Explained, 'costs' | 'differences'>, trees: Tree[] }}
 */
export function explainCases(cases, base) {
  const known = cases.filter(({ problem }) => problem === undefined);
  const cheapest = known.toSorted((a, b) => meanCost(a) - meanCost(b)).at(0);
  const reference = known.find(({ label }) => label === base) ?? cheapest;
  const others = known.filter((profile) => profile !== reference);
  if (reference === undefined) return { rows: {}, trees: [] };
  const compared = others.filter(({ source }) => source === reference.source);
  const alone = compared.length === 0 ? known : others.filter((profile) => !compared.includes(profile));
  const costs = alone.map((profile) => explainAlone(profile));
  const differences = compared.map((head) => explainPair(head, reference));
  return {
    rows: {
      ...(differences.length > 0 ? { differences: differences.map(({ row }) => row) } : {}),
      ...(costs.length > 0 ? { costs: costs.map(({ row }) => row) } : {}),
    },
    trees: [...differences, ...costs].map(({ tree }) => tree),
  };
}

/** @param {CaseProfile} profile @returns {{ row: ExplainedCost, tree: Tree }} */
function explainAlone(profile) {
  const names = new FunctionNames([profile.samples]);
  const units = unitsOf(profile.legs, names, 0);
  const which = { case: profile.id };
  return {
    row: { ...which, ...explainCost(units, names) },
    tree: { ...which, ...treeOf([profile], [units], names) },
  };
}

/** @param {CaseProfile} head @param {CaseProfile} base @returns {{ row: ExplainedDifference, tree: Tree }} */
function explainPair(head, base) {
  const sides = [head, base];
  const names = new FunctionNames(sides.map(({ samples }) => samples));
  const areStarts = sides.every(({ legs }) => legs.length >= LEAST_STARTS);
  const units = sides.map(({ legs }, side) => unitsOf(areStarts ? legs : legs.flatMap(stretchesOf), names, side));
  const which = { case: head.id, against: base.id };
  const { ns, low, high, functions, rest } = explainDifference(units[0], units[1], names);
  const row = areStarts
    ? { ...which, unit: /** @type {const} */ ('start'), ns, low, high, functions, rest }
    : { ...which, unit: /** @type {const} */ ('stretch'), ns, functions, rest: { ns: rest.ns } }; // all of one cost
  return {
    row,
    tree: { ...which, ...treeOf(sides, units, names) },
  };
}

/** @param {LegSummary | undefined} leg @returns {number | undefined} CPU time of its server per request, ns */
function costOf(leg) {
  const { transfers = 0, server } = leg?.steady ?? {};
  const seconds = server?.cpuSeconds ?? 0;
  return transfers > 0 && seconds > 0 ? (seconds * 1e9) / transfers : undefined;
}

/** @param {ProfiledLeg[]} legs @param {FunctionNames} names @param {number} side @returns {Unit[]} */
const unitsOf = (legs, names, side) => legs.flatMap((leg) => unitOf(leg, names, side) ?? []);

/** @param {CaseProfile} profile @returns {number} ns of CPU time per request */
function meanCost({ legs, samples }) {
  const units = unitsOf(legs, new FunctionNames([samples]), 0);
  return units.length === 0 ? Infinity : meanOf(units.map(({ costNs }) => costNs));
}

/** @param {CaseProfile[]} sides @param {Unit[][]} units @param {FunctionNames} names @returns {CallTree} */
const treeOf = (sides, units, names) =>
  callTree(
    sides.map(({ samples, source }, side) => {
      const seenNs = meanOf(units[side].map(({ samples: count, sampleNs }) => count * sampleNs));
      const unseenNs = meanOf(units[side].map(({ costNs }) => costNs)) - seenNs;
      const ns = seenNs / samples.length;
      return [
        ...withKernelWork(samples).map(({ stack }) => ({ stack, ns })),
        ...(source === 'node' && unseenNs > 0 ? [{ stack: [NATIVE_CODE], ns: unseenNs }] : []),
      ];
    }),
    names,
  );

/** @param {StackSample[]} samples @returns {StackSample[]} with what the kernel did around its functions */
function withKernelWork(samples) {
  /** @type {Map<Frame[], Frame[]>} */
  const stacks = new Map();
  return samples.map((sample) => {
    const stack = stacks.get(sample.stack) ?? [
      ...attributed(sample.stack),
      ...sample.stack.filter(({ isKernel }) => isKernel),
    ];
    stacks.set(sample.stack, stack);
    return { ...sample, stack };
  });
}
